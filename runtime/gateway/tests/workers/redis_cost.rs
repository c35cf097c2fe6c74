//! What a call costs: the queries that it needs, and what becomes of it without the notification that saves one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolwright_gateway::calls::{CallBus as _, CallError, Finish, LEASE};
use toolwright_gateway::redis::{MAX_CARRIED_BYTES, RedisBus};

use crate::redis::bus;
use crate::redis_faults::cli;
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{call, raw, result_of};

/// The number of times that scripts are run while something happens.
pub(crate) async fn count_scripts(server: &RedisServer, happens: impl AsyncFnOnce()) -> usize {
    cli(server, &["config", "resetstat"]);
    happens().await;
    let stats = cli(server, &["info", "commandstats"]);
    let line = stats.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:calls=")).unwrap_or("0,");
    line.split(',').next().unwrap().parse().unwrap()
}

/// Makes a call whose result has so many bytes.
async fn make(gateway: &RedisBus, worker: &RedisBus, id: &str, bytes: usize) {
    let result = format!("\"{}\"", "x".repeat(bytes - 2));
    let started = gateway.start("p", call(id, false)).await.unwrap();
    let claim = worker.claim("p", "w").await.unwrap();
    assert!(worker.finish(id, &claim.lease, Finish::Result(raw(&result))).await.unwrap());
    assert_eq!(result_of(&started.changed.await.unwrap()), result);
}

#[tokio::test]
async fn a_small_result_needs_no_query_for_its_record() {
    const CALLS: usize = 20;
    let server = RedisServer::start(Keeps::Nothing);
    let (gateway, worker) =
        (RedisBus::connect(&server.url()).await.unwrap(), RedisBus::connect(&server.url()).await.unwrap());
    worker.announce("p", "w", true).await.unwrap();
    make(&gateway, &worker, "first", MAX_CARRIED_BYTES).await;
    for (bytes, each) in [(MAX_CARRIED_BYTES, 3), (MAX_CARRIED_BYTES + 1, 4)] {
        let since = Instant::now();
        let ran = count_scripts(&server, async || {
            for number in 0..CALLS {
                make(&gateway, &worker, &format!("{bytes}-{number}"), bytes).await;
            }
        });
        let (ran, needed) = (ran.await, CALLS * each);
        // A worker looks for ended leases at most once a second.
        let looks = usize::try_from(since.elapsed().as_secs()).unwrap() + 1;
        assert!((needed..=needed + looks).contains(&ran), "{ran} scripts for {CALLS} calls of {bytes} bytes");
    }
}

#[tokio::test]
async fn a_started_call_without_a_notification_is_found() {
    let server = RedisServer::start(Keeps::Nothing);
    let gateway = Arc::new(RedisBus::connect(&server.url()).await.unwrap());
    let worker = bus(&server).await;
    worker.announce("p", "w", true).await.unwrap();
    let started = gateway.start("p", call("a", false)).await.unwrap();
    let claim = worker.claim("p", "w").await.unwrap();
    // Nobody is notified.
    cli(&server, &["hset", "mcp:1:call:a", "callers", ""]);
    assert!(worker.finish("a", &claim.lease, Finish::Result(raw("1"))).await.unwrap());
    let record = tokio::time::timeout(LEASE.min(Duration::from_secs(5)), started.changed).await;
    assert_eq!(result_of(&record.expect("it is looked for").unwrap()), "1");
}

#[tokio::test]
async fn calls_at_the_same_time_share_scripts() {
    const CALLS: usize = 64;
    let server = RedisServer::start(Keeps::Nothing);
    let bus = Arc::new(RedisBus::connect(&server.url()).await.unwrap());
    bus.announce("p", "w", true).await.unwrap();
    let all = |what: &'static str| {
        let bus = Arc::clone(&bus);
        async move || {
            let mut tasks = tokio::task::JoinSet::new();
            for number in 0..CALLS {
                let bus = Arc::clone(&bus);
                tasks.spawn(async move { bus.submit("p", call(&format!("{what}-{number}"), true)).await });
            }
            while let Some(submitted) = tasks.join_next().await {
                submitted.unwrap().unwrap();
            }
        }
    };
    all("first")().await;
    let ran = count_scripts(&server, all("then")).await;
    assert!(ran < CALLS / 4, "{ran} scripts for {CALLS} calls");
    let mut claimed = std::collections::BTreeSet::new();
    while claimed.len() < 2 * CALLS {
        claimed.extend(bus.claim_many("p", "w", 32).await.unwrap().into_iter().map(|claim| claim.call.id));
    }
}

#[tokio::test]
async fn a_call_that_fails_does_not_affect_others() {
    let server = RedisServer::start(Keeps::Nothing);
    let bus = Arc::new(RedisBus::connect(&server.url()).await.unwrap());
    bus.announce("p", "w", true).await.unwrap();
    cli(&server, &["set", "mcp:1:workers:broken", "x"]);
    let submit = |pool: &'static str, id: String| {
        let bus = Arc::clone(&bus);
        tokio::spawn(async move { bus.submit(pool, call(&id, true)).await })
    };
    let calls: Vec<_> = (0..32)
        .map(|number| (submit("p", format!("a-{number}")), submit("broken", format!("b-{number}"))))
        .collect();
    for (good, bad) in calls {
        good.await.unwrap().unwrap();
        let error = bad.await.unwrap().unwrap_err();
        assert!(matches!(&error, CallError::Unavailable(why) if why.contains("WRONGTYPE")), "{error}");
    }
}
