//! The suite on Redis, with two processes' worth of connections to a server of each test's own.

use std::sync::Arc;
use std::time::Duration;

use toolwright_gateway::redis::{RedisBus, RedisSecrets, RedisStore};

use crate::redis_server::{Keeps, RedisServer};
use crate::registry::Stores;
use crate::sides::Sides;

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

crate::calls::suite!(tokio::test, super::sides());
crate::work::suite!(tokio::test, super::sides());
crate::registry::suite!(tokio::test, super::stores());
crate::secrets::suite!(tokio::test, super::vaults());
