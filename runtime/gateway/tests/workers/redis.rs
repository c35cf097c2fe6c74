//! The suite on Redis, with two processes' worth of connections to a server of each test's own.

use std::sync::Arc;
use std::time::Duration;

use toolwright_gateway::redis::{RedisBus, RedisEvents, RedisSecrets, RedisStore, RedisTasks, TaskSettings};
use toolwright_gateway::registry::{EVENTS_TTL, EventDetails, EventKind, RUN_TTL, RegistryStore as _, RunId};
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

#[tokio::test]
async fn events_of_a_run_expire_an_hour_after_it() {
    let server = RedisServer::start(Keeps::Nothing);
    let (store, run) = (RedisStore::connect(&server.url()).await.unwrap(), RunId::new(None, "run-1"));
    let lives = || {
        let pttl = ["-u", &server.url(), "pttl", "mcp:1:{run-1}:events:null"];
        let output = std::process::Command::new("redis-cli").args(pttl).output().unwrap();
        Duration::from_millis(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
    };
    let lives_about = |expected: Duration| {
        let lives = lives();
        assert!(lives <= expected && lives + Duration::from_secs(10) > expected, "{lives:?} {expected:?}");
    };
    store.open(&run, RUN_TTL * 2).await.unwrap();
    lives_about(RUN_TTL * 2 + EVENTS_TTL);
    store.record(&run, EventKind::SessionCreated, EventDetails::of_session("a", "t")).await.unwrap();
    lives_about(RUN_TTL * 2 + EVENTS_TTL);
    store.renew(&run, RUN_TTL).await.unwrap();
    lives_about(RUN_TTL + EVENTS_TTL);
    store.end(&run).await.unwrap();
    lives_about(EVENTS_TTL);
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
crate::run_events::suite!(tokio::test, super::stores());
crate::secrets::suite!(tokio::test, super::vaults());
