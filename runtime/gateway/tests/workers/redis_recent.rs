//! The states that a store has read a moment ago: what saves queries, and how it ends.

use std::time::{Duration, Instant};

use toolwright_gateway::redis::RedisStore;
use toolwright_gateway::registry::{
    Entry, RUN_TTL, RegistryStore as _, Revocation, RunId, RunState, TokenId,
};

use crate::redis_cost::count_scripts;
use crate::redis_faults::cli;
use crate::redis_server::{Keeps, RedisServer};

const TOKEN: TokenId<'static> = TokenId { id: "t", issued_at: 1 };

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

async fn store(server: &RedisServer) -> RedisStore {
    RedisStore::connect(&server.url()).await.unwrap()
}

/// What a store knows of the run and its token, which is remembered if possible.
async fn look(store: &RedisStore) -> Option<RunState> {
    store.recent_state("run-1", TOKEN).await.unwrap()
}

/// Looks until a look needs no query.
async fn remember(server: &RedisServer, store: &RedisStore) {
    let ends = Instant::now() + Duration::from_secs(20);
    while count_scripts(server, async || assert!(look(store).await.is_some())).await > 0 {
        assert!(Instant::now() < ends, "a state should be remembered");
    }
}

#[tokio::test]
async fn requests_of_a_token_share_a_query() {
    const LOOKS: usize = 200;
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    store.open(&run(), RUN_TTL).await.unwrap();
    remember(&server, &store).await;
    let since = Instant::now();
    let looks = async || {
        for _ in 0..LOOKS {
            assert_eq!(look(&store).await, store.state("run-1", None).await.unwrap());
        }
    };
    let ran = count_scripts(&server, looks).await;
    let needed = LOOKS + usize::try_from(since.elapsed().as_secs()).unwrap() + 1;
    assert!((LOOKS..=needed).contains(&ran), "{ran}");
}

#[tokio::test]
async fn a_change_of_this_process_counts_at_once() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    let opened = store.open(&run(), RUN_TTL).await.unwrap();
    remember(&server, &store).await;
    let revision = store.register(&run(), Entry::remote("a", "https://a.example/mcp")).await.unwrap();
    assert_eq!(look(&store).await.unwrap().revision, revision);
    remember(&server, &store).await;
    store.revoke(&Revocation::Run(run())).await.unwrap();
    assert_ne!(look(&store).await.unwrap().epoch, opened.epoch);
    remember(&server, &store).await;
    store.revoke(&Revocation::Token("t".to_owned())).await.unwrap();
    assert!(look(&store).await.unwrap().is_revoked);
    store.end(&run()).await.unwrap();
    assert_eq!(look(&store).await, None);
}

#[tokio::test]
async fn a_change_of_another_process_counts_when_it_is_known() {
    let server = RedisServer::start(Keeps::Nothing);
    let (one, other) = (store(&server).await, store(&server).await);
    one.open(&run(), RUN_TTL).await.unwrap();
    let mut known = other.watch();
    for (what, of_run) in [
        (Revocation::Run(run()), true),
        (Revocation::Token("t".to_owned()), false),
        (Revocation::Org(Some("acme".to_owned()), 1), false),
    ] {
        remember(&server, &other).await;
        let before = look(&other).await.unwrap();
        while known.try_recv().is_ok() {}
        one.revoke(&what).await.unwrap();
        let told = tokio::time::timeout(Duration::from_secs(20), known.recv()).await.unwrap().unwrap();
        assert_eq!(told.run.is_some(), of_run, "{what:?}");
        let after = look(&other).await.unwrap();
        assert!(after.is_revoked || after.epoch != before.epoch, "{what:?}");
        if after.is_revoked {
            cli(&server, &["del", "mcp:1:revoked:t", "mcp:1:revoked-org:\"acme\""]);
        }
    }
}

#[tokio::test]
async fn a_change_without_a_notification_is_found() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    store.open(&run(), RUN_TTL).await.unwrap();
    remember(&server, &store).await;
    cli(&server, &["set", "mcp:1:revoked:t", "1"]);
    let ends = Instant::now() + Duration::from_secs(20);
    while !look(&store).await.unwrap().is_revoked {
        assert!(Instant::now() < ends, "a revocation should be found");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    remember_nothing_of_a_server_that_was_flushed(&server, &store).await;
}

async fn remember_nothing_of_a_server_that_was_flushed(server: &RedisServer, store: &RedisStore) {
    cli(server, &["flushall"]);
    let ends = Instant::now() + Duration::from_secs(20);
    while look(store).await.is_some() {
        assert!(Instant::now() < ends, "the run is gone");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_run_that_expired_is_not_remembered() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = store(&server).await;
    let life = Duration::from_millis(300);
    store.open(&run(), life).await.unwrap();
    _ = look(&store).await;
    tokio::time::sleep(life).await;
    assert_eq!(look(&store).await, None);
}

#[tokio::test]
async fn nothing_is_remembered_while_no_notification_can_arrive() {
    let server = RedisServer::start(Keeps::Nothing);
    let (one, other) = (store(&server).await, store(&server).await);
    one.open(&run(), RUN_TTL).await.unwrap();
    remember(&server, &other).await;
    let mut known = other.watch();
    cli(&server, &["client", "kill", "type", "pubsub"]);
    one.revoke(&Revocation::Token("t".to_owned())).await.unwrap();
    // It has subscribed again.
    tokio::time::timeout(Duration::from_secs(20), known.recv()).await.unwrap().unwrap();
    assert!(look(&other).await.unwrap().is_revoked);
}
