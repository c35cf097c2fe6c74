//! What becomes of calls and runs when Redis, or a connection to it, fails.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinHandle;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{Call, CallBus, CallError, CallRecord, CallState};
use toolwright_gateway::redis::{RedisBus, RedisError, RedisStore};
use toolwright_gateway::registry::{Entry, RUN_TTL, RegistryStore, RunChanged, RunId, StoreError};

use crate::lab::Ledger;
use crate::redis::{LEASE, bus};
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{later, raw};

/// Longer than any outage of these tests, with what comes after.
const LONG: Duration = Duration::from_secs(30);

/// A worker in this process.
pub(crate) async fn work(server: &RedisServer, ledger: &Ledger) -> JoinHandle<()> {
    let worker = Worker::new(bus(server).await, "p", ledger.service());
    tokio::spawn(worker.run())
}

pub(crate) fn call(id: &str, tool: &str, is_repeatable: bool) -> Call {
    let arguments = raw(&json!({"id": id, "ms": 20}).to_string());
    let mut call = Call::new(id.to_owned(), "node".to_owned(), tool.to_owned(), arguments, later(60));
    call.is_repeatable = is_repeatable;
    call
}

/// Submits a call as a gateway does: again under the same id while that cannot be known to have worked.
pub(crate) async fn submit(gateway: &RedisBus, call: &Call) {
    let ends = Instant::now() + LONG;
    while let Err(error) = gateway.submit("p", call.clone()).await {
        assert!(
            matches!(error, CallError::Unavailable(_) | CallError::Refused(_) | CallError::NoWorker(_)),
            "{error}"
        );
        assert!(Instant::now() < ends, "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What becomes of a call, however often the server cannot be reached in between.
pub(crate) async fn end_of(gateway: &RedisBus, id: &str) -> Result<CallRecord, CallError> {
    let (ends, mut seen) = (Instant::now() + LONG, 0);
    loop {
        match tokio::time::timeout(LONG, gateway.wait(id, seen)).await.expect("the call should end") {
            Ok(record) if record.state.is_final() => return Ok(record),
            Ok(record) => seen = record.version,
            Err(CallError::Unavailable(why)) => assert!(Instant::now() < ends, "{why}"),
            Err(error) => return Err(error),
        }
    }
}

/// Makes many calls while something happens. Gives how many of them are done; each has had its effect once.
pub(crate) async fn calls_during(
    server: &mut RedisServer,
    happens: impl AsyncFnOnce(&mut RedisServer),
) -> usize {
    let ledger = Ledger::default();
    let (one, two) = (work(server, &ledger).await, work(server, &ledger).await);
    let gateway = bus(server).await;
    let calls: Vec<_> = (0..60)
        .map(|number| {
            let gateway = Arc::clone(&gateway);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(number * 25)).await;
                let id = format!("call-{number}");
                submit(&gateway, &call(&id, "slow", false)).await;
                (id.clone(), end_of(&gateway, &id).await.unwrap().state)
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    happens(server).await;
    let (mut done, mut effects) = (0, ledger.effects());
    for ended in calls {
        let (id, state) = ended.await.unwrap();
        effects = ledger.effects();
        let of_call = effects.iter().filter(|effect| effect.contains(&format!("\"{id}\""))).count();
        match state {
            CallState::Done { .. } => {
                assert_eq!(of_call, 1, "{id}");
                done += 1;
            }
            CallState::Unknown => assert!(of_call <= 1, "{id}: {of_call}"),
            other => panic!("{id}: {other:?}"),
        }
    }
    assert_eq!(effects.iter().collect::<BTreeSet<_>>().len(), effects.len(), "no effect happens twice");
    one.abort();
    two.abort();
    done
}

#[tokio::test]
async fn a_redis_killed_and_started_again_loses_no_call() {
    let mut server = RedisServer::start(Keeps::Everything);
    let done = calls_during(&mut server, async |server| server.restart()).await;
    assert!(done >= 50, "{done} of 60 are done");
}

#[tokio::test]
async fn cut_connections_lose_no_call() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let done = calls_during(&mut server, async |server| {
        for _ in 0..5 {
            for kind in ["normal", "pubsub"] {
                cli(server, &["client", "kill", "type", kind]);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    assert!(done >= 50, "{done} of 60 are done");
}

#[tokio::test]
async fn a_redis_that_stops_for_a_while_loses_no_call() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let done = calls_during(&mut server, async |server| {
        server.pause();
        tokio::time::sleep(LEASE / 2).await;
        server.go_on();
    })
    .await;
    assert!(done >= 40, "{done} of 60 are done");
}

#[tokio::test]
async fn messages_that_are_lost_only_cost_time() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let done = calls_during(&mut server, async |server| {
        for _ in 0..20 {
            // What was to wake gateways and workers does not arrive.
            cli(server, &["client", "kill", "type", "pubsub"]);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!(done, 60);
}

#[tokio::test]
async fn a_call_of_a_redis_that_lost_everything_is_not_known() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let ledger = Ledger::default();
    let worker = work(&server, &ledger).await;
    let gateway = bus(&server).await;
    let mut slow = call("a", "slow", false);
    slow.arguments = raw(r#"{"ms":3000}"#);
    submit(&gateway, &slow).await;
    while ledger.running() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.restart();
    assert_eq!(end_of(&gateway, "a").await.unwrap_err(), CallError::NoCall("a".to_owned()));
    // The worker notices that its lease is gone, and takes calls again.
    submit(&gateway, &call("b", "count", false)).await;
    assert!(matches!(end_of(&gateway, "b").await.unwrap().state, CallState::Done { .. }));
    assert_eq!((ledger.effects().len(), ledger.stopped()), (2, 1));
    worker.abort();
}

#[tokio::test]
async fn a_redis_that_cannot_be_reached_is_an_error_for_calls() {
    let mut server = RedisServer::start(Keeps::Everything);
    let ledger = Ledger::default();
    let worker = work(&server, &ledger).await;
    let gateway = bus(&server).await;
    submit(&gateway, &call("a", "count", false)).await;
    end_of(&gateway, "a").await.unwrap();
    server.kill();
    let unavailable = |error: CallError| assert!(matches!(error, CallError::Unavailable(_)), "{error}");
    unavailable(gateway.submit("p", call("b", "count", false)).await.unwrap_err());
    unavailable(gateway.record("a").await.unwrap_err());
    unavailable(gateway.wait("a", 9).await.unwrap_err());
    unavailable(gateway.cancel("a").await.unwrap_err());
    server.restart();
    assert!(matches!(end_of(&gateway, "a").await.unwrap().state, CallState::Done { .. }));
    submit(&gateway, &call("b", "count", false)).await;
    end_of(&gateway, "b").await.unwrap();
    assert_eq!(ledger.effects().len(), 2);
    worker.abort();
}

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

async fn store(server: &RedisServer) -> RedisStore {
    let store = RedisStore::connect(&server.url()).await.unwrap();
    store.open(&run(), RUN_TTL).await.unwrap();
    let tool = ToolDefinition::new("a", json!({"type": "object"}));
    store.register(&run(), Entry::component("a", "p", tool)).await.unwrap();
    store
}

async fn expect_unavailable(store: &RedisStore) {
    let within = Instant::now();
    let unavailable = |error: StoreError| assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    let (snapshot, state) = tokio::join!(store.snapshot("run-1"), store.state("run-1", None));
    unavailable(snapshot.unwrap_err());
    unavailable(state.unwrap_err());
    unavailable(store.renew(&run(), RUN_TTL).await.unwrap_err());
    assert!(within.elapsed() < LONG, "nothing waits without an end");
}

/// Waits until a watcher is told that any run may have changed.
async fn expect_any(changes: &mut Receiver<RunChanged>) {
    let any = async { while changes.recv().await.unwrap().run.is_some() {} };
    tokio::time::timeout(LONG, any).await.expect("watchers should be told");
}

#[tokio::test]
async fn a_redis_that_cannot_be_reached_is_no_empty_list() {
    let mut server = RedisServer::start(Keeps::Everything);
    let store = store(&server).await;
    let mut changes = store.watch();
    server.kill();
    expect_unavailable(&store).await;
    server.restart();
    expect_any(&mut changes).await;
    assert_eq!(store.snapshot("run-1").await.unwrap().unwrap().entries.len(), 1);
}

#[tokio::test]
async fn a_redis_that_does_not_answer_is_no_empty_list() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    server.pause();
    expect_unavailable(&store).await;
    server.go_on();
    assert_eq!(store.snapshot("run-1").await.unwrap().unwrap().entries.len(), 1);
}

#[tokio::test]
async fn a_registry_that_was_lost_says_so() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    let before = store.state("run-1", None).await.unwrap().unwrap();
    server.restart();
    assert_eq!(store.snapshot("run-1").await.unwrap(), None);
    let lost = store.renew(&run(), RUN_TTL).await.unwrap_err();
    assert_eq!((lost.kind(), lost.is_retryable()), ("registry_lost", true));
    let again = store.open(&run(), RUN_TTL).await.unwrap();
    assert_ne!(again.epoch, before.epoch, "tokens of the run that was lost are refused");
}

#[tokio::test]
async fn a_change_missed_by_the_subscription_is_found_by_its_revision() {
    let server = RedisServer::start(Keeps::Nothing);
    let (one, other) = (store(&server).await, RedisStore::connect(&server.url()).await.unwrap());
    let before = other.state("run-1", None).await.unwrap().unwrap();
    let mut changes = other.watch();
    cli(&server, &["client", "kill", "type", "pubsub"]);
    one.remove(&run(), "a").await.unwrap();
    let after = other.state("run-1", None).await.unwrap().unwrap();
    assert!(after.revision > before.revision);
    expect_any(&mut changes).await;
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_refused_with_a_reason() {
    let server = RedisServer::start(Keeps::Nothing);
    let refused = async |url: &str| RedisBus::connect(url).await.unwrap_err();
    assert!(matches!(refused("http://127.0.0.1").await, RedisError::Address(_)));
    assert!(matches!(refused("redis://127.0.0.1:1").await, RedisError::Unavailable(_)));
    let wrong = refused(&server.url_of("nobody", "hunter2-canary")).await;
    assert!(matches!(wrong, RedisError::Unavailable(_)));
    assert!(!wrong.to_string().contains("hunter2-canary"));
    cli(&server, &["set", "mcp:layout", "7"]);
    assert_eq!(refused(&server.url()).await, RedisError::OtherLayout("7".to_owned()));
}

/// What `redis-cli` answers.
pub(crate) fn cli(server: &RedisServer, arguments: &[&str]) -> String {
    let output = Command::new("redis-cli").args(["-u", &server.url()]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
