//! The users of `docs/redis/users.acl`: each can do its part, and no more.

use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{CallBus, CallError, CallState};
use toolwright_gateway::redis::{RedisBus, RedisStore};
use toolwright_gateway::registry::{Entry, RUN_TTL, RegistryStore, Revocation, RunId, StoreError, TokenId};

use crate::lab::Ledger;
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{call, end_of};

fn server() -> RedisServer {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/redis/users.acl");
    RedisServer::start_with(Keeps::Nothing, &["--aclfile", file])
}

fn url(server: &RedisServer, user: &str) -> String {
    server.url_of(user, &format!("{user}-password"))
}

async fn store(server: &RedisServer, user: &str) -> RedisStore {
    RedisStore::connect(&url(server, user)).await.unwrap()
}

async fn bus(server: &RedisServer, user: &str) -> Arc<RedisBus> {
    Arc::new(RedisBus::connect(&url(server, user)).await.unwrap())
}

#[tokio::test]
async fn each_user_can_do_its_part() {
    let server = server();
    let (registrar, reader) = (store(&server, "registrar").await, store(&server, "gateway").await);
    let mut changes = reader.watch();
    let run = RunId::new(Some("acme"), "run-1");
    registrar.open(&run, RUN_TTL).await.unwrap();
    let tool = ToolDefinition::new("count", json!({"type": "object"}));
    registrar.register(&run, Entry::component("a", "default", tool)).await.unwrap();
    registrar.renew(&run, RUN_TTL).await.unwrap();
    registrar.revoke(&Revocation::Token("t".to_owned())).await.unwrap();
    registrar.revoke(&Revocation::Org(None, 7)).await.unwrap();
    registrar.revoke(&Revocation::Run(run.clone())).await.unwrap();
    while changes.recv().await.unwrap().run.is_none() {}
    assert_eq!(reader.snapshot("run-1").await.unwrap().unwrap().entries.len(), 1);
    let token = Some(TokenId { id: "t", issued_at: 1 });
    assert!(reader.state("run-1", token).await.unwrap().unwrap().is_revoked);
    // A gateway takes tokens back as well.
    reader.revoke(&Revocation::Token("u".to_owned())).await.unwrap();
    registrar.remove(&run, "a").await.unwrap();
    registrar.end(&run).await.unwrap();

    let ledger = Ledger::default();
    let worker = Worker::new(bus(&server, "worker").await, "default", ledger.service());
    let worker = tokio::spawn(worker.run());
    let gateway = bus(&server, "gateway").await;
    while let Err(error) = gateway.submit("default", call("a", false)).await {
        assert_eq!(error, CallError::NoWorker("default".to_owned()));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let record = end_of(&*gateway, "a", std::time::Duration::from_secs(20)).await;
    assert!(matches!(record.state, CallState::Done { .. }), "{record:?}");
    gateway.cancel("a").await.unwrap();
    worker.abort();
}

#[tokio::test]
async fn no_user_can_do_the_part_of_another() {
    let server = server();
    let run = RunId::new(None, "run-1");
    let refused = |error: StoreError| {
        assert!(
            matches!(&error, StoreError::Unavailable(why) if why.contains("can't run this command")),
            "{error}"
        );
    };
    refused(store(&server, "gateway").await.open(&run, RUN_TTL).await.unwrap_err());
    store(&server, "registrar").await.open(&run, RUN_TTL).await.unwrap();
    assert!(RedisStore::connect(&url(&server, "worker")).await.is_err(), "a worker reads no runs");
    let refused = |error: CallError| assert!(matches!(error, CallError::Unavailable(_)), "{error}");
    let worker = bus(&server, "worker").await;
    refused(worker.announce("other", "w", true).await.unwrap_err());
    refused(worker.claim("other", "w").await.unwrap_err());
    refused(bus(&server, "registrar").await.submit("default", call("a", false)).await.unwrap_err());
    assert!(RedisBus::connect(&server.url()).await.is_err(), "nobody comes in without a password");
}

#[tokio::test]
async fn no_user_can_flush_or_change_the_server() {
    let server = server();
    for user in ["gateway", "worker", "registrar"] {
        for command in [
            &["flushall"][..],
            &["flushdb"],
            &["config", "set", "maxmemory", "1"],
            &["keys", "*"],
            &["acl", "list"],
            &["shutdown", "nosave"],
            &["script", "flush"],
            &["set", "other", "1"],
            &["eval", "return redis.call('FLUSHALL')", "0"],
        ] {
            let output =
                Command::new("redis-cli").args(["-u", &url(&server, user)]).args(command).output().unwrap();
            let answer = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(answer.contains("NOPERM"), "{user} {command:?}: {answer}");
        }
    }
}
