//! The suite on Redis, with two processes' worth of connections to a server of each test's own.

use std::sync::Arc;
use std::time::Duration;

use toolwright_gateway::redis::{RedisBus, RedisEvents, RedisSecrets, RedisStore, RedisTasks, TaskSettings};
use toolwright_server::EventLimits;

use crate::events::EventStores;
use crate::redis_server::{Keeps, RedisServer};
use crate::registry::Stores;
use crate::sides::Sides;
use crate::tasks::{TaskLimits, TaskStores};

/// Short, so that tests that wait for its end are quick; long enough for a busy machine.
pub(crate) const LEASE: Duration = Duration::from_millis(1_200);

pub(crate) async fn bus(server: &RedisServer) -> Arc<RedisBus> {
    Arc::new(RedisBus::connect_with_lease(&server.url(), LEASE).await.unwrap())
}

async fn sides() -> Sides {
    let server = RedisServer::start(Keeps::Nothing);
    Sides { gateway: bus(&server).await, worker: bus(&server).await, _keep: Box::new(server) }
}

async fn stores() -> Stores {
    let server = RedisServer::start(Keeps::Nothing);
    let (one, other) = (RedisStore::connect(&server.url()).await, RedisStore::connect(&server.url()).await);
    Stores { one: Arc::new(one.unwrap()), other: Arc::new(other.unwrap()), _keep: Box::new(server) }
}

async fn vaults() -> crate::secrets::Vaults {
    let server = RedisServer::start(Keeps::Nothing);
    let runs = RedisStore::connect(&server.url()).await.unwrap();
    let (one, other) = (runs.secrets(), RedisSecrets::connect(&server.url()).await.unwrap());
    crate::secrets::Vaults {
        runs: Arc::new(runs),
        one: Arc::new(one),
        other: Arc::new(other),
        _keep: Box::new(server),
    }
}

async fn task_stores(limits: TaskLimits) -> TaskStores {
    let server = RedisServer::start(Keeps::Nothing);
    let settings =
        TaskSettings { max_tasks: limits.tasks, max_bytes: limits.bytes, ..TaskSettings::default() };
    let store = async || Arc::new(RedisTasks::connect_with(&server.url(), settings.clone()).await.unwrap());
    TaskStores { one: store().await, other: store().await, _keep: Box::new(server) }
}

async fn event_stores(limits: EventLimits) -> EventStores {
    let server = RedisServer::start(Keeps::Nothing);
    let store = async || Arc::new(RedisEvents::connect_with(&server.url(), limits.clone()).await.unwrap());
    EventStores { one: store().await, other: store().await, _keep: Box::new(server) }
}

crate::tasks::suite!(tokio::test, super::task_stores);
crate::events::suite!(tokio::test, super::event_stores);
crate::calls::suite!(tokio::test, super::sides());
crate::work::suite!(tokio::test, super::sides());
crate::registry::suite!(tokio::test, super::stores());
crate::secrets::suite!(tokio::test, super::vaults());
