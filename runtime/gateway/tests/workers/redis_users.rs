//! The users of `docs/redis/users.acl`: each can do its part, and no more.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{CallBus, CallError, CallState, IdempotencyKey};
use toolwright_gateway::redis::{
    RedisBus, RedisEvents, RedisSecrets, RedisStore, RedisTasks, Verdict, inspect,
};
use toolwright_gateway::registry::{
    Entry, EventDetails, EventKind, RUN_TTL, RegistryStore, Revocation, RunId, StoreError, TokenId,
};
use toolwright_gateway::secrets::{MasterKeys, Place, Sealed, SecretStore as _};
use toolwright_server::tasks::{TaskState, TaskStore as _};
use toolwright_server::{EventLimits, EventStore as _, StoredEvent};

use crate::lab::Ledger;
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{call, end_of};
use crate::tasks::{task, text};

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
    registrar_gateway_and_worker("registrar", "gateway").await;
}

#[tokio::test]
async fn one_user_can_be_gateway_and_registrar() {
    registrar_gateway_and_worker("gateway-registrar", "gateway-registrar").await;
}

async fn registrar_gateway_and_worker(registrar: &str, gateway: &str) {
    let server = server();
    let (registrar, reader) = (store(&server, registrar).await, store(&server, gateway).await);
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
    registrar.record(&run, EventKind::SessionCreated, EventDetails::of_session("agent", "t")).await.unwrap();
    registrar.remove(&run, "a").await.unwrap();
    registrar.end(&run).await.unwrap();
    // The second is not renewed.
    registrar.open(&run, Duration::from_millis(1)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    for store in [&registrar, &reader] {
        let events = store.events(&run, 0, 9).await.unwrap().events;
        assert_eq!((events.len(), events[7].event), (8, EventKind::RunExpired), "{events:?}");
    }

    let ledger = Ledger::default();
    let worker = Worker::new(bus(&server, "worker").await, "default", ledger.service());
    let worker = tokio::spawn(worker.run());
    let gateway = bus(&server, gateway).await;
    while let Err(error) = gateway.submit("default", call("a", false)).await {
        assert_eq!(error, CallError::NoWorker("default".to_owned()));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let record = end_of(&*gateway, "a", std::time::Duration::from_secs(20)).await;
    assert!(matches!(record.state, CallState::Done { .. }), "{record:?}");
    gateway.cancel("a").await.unwrap();
    let mut keyed = call("b", false);
    keyed.idempotency = Some(IdempotencyKey::new(&keyed, "k").unwrap());
    assert_eq!(gateway.submit("default", keyed).await.unwrap(), "b");
    worker.abort();
}

#[tokio::test]
async fn servers_have_tasks_and_events() {
    let server = server();
    let url = url(&server, "server");
    let (one, other) = (RedisTasks::connect(&url).await.unwrap(), RedisTasks::connect(&url).await.unwrap());
    one.create(&task("a")).await.unwrap();
    let mut end = other.get("a").await.unwrap().unwrap();
    end.state = TaskState::Cancelled;
    let ended = one.ended("a");
    assert!(other.update(&end).await.unwrap());
    tokio::time::timeout(std::time::Duration::from_secs(20), ended).await.unwrap();
    // One whose process is lost.
    let lost = Command::new("redis-cli")
        .args(["-u", &url, "hset", "mcp:1:task:b", "task", &text(&task("b"))])
        .args(["ended", "0", "owner", "", "process", "none", "lost", "1"])
        .status();
    assert!(lost.unwrap().success());
    assert!(matches!(other.get("b").await.unwrap().unwrap().state, TaskState::Failed(_)));
    other.remove("a").await.unwrap();
    assert!(one.get("a").await.unwrap().is_none());

    let limits = EventLimits { max_session_events: 1, ..EventLimits::default() };
    let events = RedisEvents::connect_with(&url, limits).await.unwrap();
    for sequence in [1, 2] {
        events.append("s", StoredEvent { stream: 1, sequence, message: "{}".into() }).await;
    }
    assert_eq!(events.after("s", 1, 0).await.unwrap().unwrap().len(), 1);
    events.forget("s").await;
    assert_eq!(events.after("s", 1, 0).await.unwrap(), None);
    assert_eq!(events.discarded(), 0);
}

#[tokio::test]
async fn credentials_are_sealed_by_one_user_and_read_by_others() {
    let server = server();
    let (registrar, keys) = (store(&server, "registrar").await, MasterKeys::generate().unwrap());
    let run = RunId::new(Some("acme"), "run-1");
    registrar.open(&run, RUN_TTL).await.unwrap();
    let place = Place { org: Some("acme"), run: "run-1", node: "a", field: "apiKey" };
    let sealed = Sealed::from([("apiKey".to_owned(), keys.seal(&place, b"s3cret").unwrap())]);
    registrar.secrets().put_sealed(&run, "a", &sealed).await.unwrap();
    let new = MasterKeys::generate().unwrap().with_previous(keys.clone());
    assert_eq!(new.rekey_store(&registrar.secrets()).await.unwrap().rekeyed, 1);
    for user in ["gateway", "worker"] {
        let secrets = RedisSecrets::connect(&url(&server, user)).await.unwrap();
        let kept = secrets.sealed(&run, "a").await.unwrap();
        assert_eq!(new.open(&place, &kept["apiKey"]).unwrap().expose(), b"s3cret", "{user}");
        assert!(secrets.put_sealed(&run, "a", &sealed).await.is_err(), "{user}");
    }
}

#[tokio::test]
async fn a_server_is_looked_at_without_being_changed() {
    let server = server();
    for (user, roles) in [
        ("gateway", "gateway"),
        ("worker", "worker"),
        ("registrar", "registrar"),
        ("gateway-registrar", "gateway, registrar"),
        ("server", "server"),
    ] {
        let checks = inspect(&url(&server, user)).await.unwrap();
        let found = checks.iter().find(|check| check.name == "roles").unwrap();
        assert_eq!(found.text, format!("the user can be: {roles}"), "{user}");
        let verdict = |name| checks.iter().find(|check| check.name == name).unwrap().verdict;
        assert_eq!((verdict("access"), verdict("version")), (Verdict::Ok, Verdict::Ok), "{user}: {checks:?}");
        assert_eq!(verdict("persistence"), Verdict::Warning, "{user}: {checks:?}");
    }
    let open = RedisServer::start(Keeps::Everything);
    let store = RedisStore::connect(&open.url()).await.unwrap();
    store.open(&RunId::new(None, "run-1"), RUN_TTL).await.unwrap();
    let checks = inspect(&open.url()).await.unwrap();
    let access = checks.iter().find(|check| check.name == "access").unwrap();
    assert!(access.verdict == Verdict::Warning && access.text.contains("FLUSHALL"), "{access:?}");
    let before = open.dump();
    let again = inspect(&open.url()).await.unwrap();
    assert!(
        again.iter().any(|check| check.text == "the user can be: gateway, registrar, worker, server"),
        "{again:?}"
    );
    assert_eq!(open.dump(), before, "nothing was changed");
    assert!(store.state("run-1", None).await.unwrap().is_some(), "nothing was flushed");
}

#[tokio::test]
async fn a_user_without_a_role_is_reported() {
    let server = RedisServer::start(Keeps::Nothing);
    let words =
        "acl setuser visitor on >visitor-password ~mcp:layout +ping +hello +auth +client +select +info +get";
    let made = Command::new("redis-cli").args(["-u", &server.url()]).args(words.split(' ')).output().unwrap();
    assert!(made.status.success());
    let checks = inspect(&url(&server, "visitor")).await.unwrap();
    let roles = checks.iter().find(|check| check.name == "roles").unwrap();
    assert!(roles.verdict == Verdict::Warning && roles.text.contains("users.acl"), "{roles:?}");
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
    let read = Command::new("redis-cli")
        .args(["-u", &url(&server, "worker"), "hget", "mcp:1:{run-1}:tools", "a"])
        .output();
    let read = String::from_utf8_lossy(&read.unwrap().stdout).into_owned();
    assert!(read.contains("NOPERM"), "a worker reads no entries: {read}");
    let error = RedisBus::connect(&url(&server, "registrar")).await.unwrap_err().to_string();
    assert!(error.contains("channel"), "a registrar has no calls, and is told so: {error}");
    for user in ["gateway", "worker", "registrar"] {
        let refused = RedisTasks::connect(&url(&server, user)).await;
        assert!(refused.is_err(), "{user} has no tasks");
    }
    refused(bus(&server, "server").await.submit("default", call("a", false)).await.unwrap_err());
    assert!(RedisStore::connect(&url(&server, "server")).await.is_err(), "a server reads no runs");
    assert!(RedisBus::connect(&server.url()).await.is_err(), "nobody comes in without a password");
}

#[tokio::test]
async fn no_user_can_flush_or_change_the_server() {
    let server = server();
    for user in ["gateway", "worker", "registrar", "gateway-registrar", "server"] {
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
