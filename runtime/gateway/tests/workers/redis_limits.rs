//! A Redis that accepts no writes, and processes whose clocks are wrong.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use toolwright_gateway::calls::{CallBus as _, CallError, CallState};
use toolwright_gateway::redis::RedisBus;
use toolwright_gateway::{Clock, Worker};

use crate::lab::Ledger;
use crate::redis::{LEASE, bus};
use crate::redis_faults::{call, calls_during, cli, end_of, submit, work};
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::raw;
use crate::work::until;

fn expect_refused(error: &CallError) {
    assert!(matches!(error, CallError::Refused(_)), "{error}");
    let data: Value = serde_json::from_str(error.to_rpc("x").data.unwrap().get()).unwrap();
    assert_eq!((&data["kind"], &data["retryable"]), (&"store_unavailable".into(), &true.into()));
    assert!(data["retry_after_ms"].is_u64());
}

#[tokio::test]
async fn a_full_redis_refuses_calls_and_ends_accepted_ones() {
    let server = RedisServer::start(Keeps::Nothing);
    let ledger = Ledger::default();
    let worker = work(&server, &ledger).await;
    let gateway = bus(&server).await;
    for number in 0..10 {
        let mut long = call(&format!("call-{number}"), "slow", false);
        // Long enough that leases have to be renewed.
        long.arguments = raw(&format!(r#"{{"n":{number},"ms":{}}}"#, (LEASE * 2).as_millis()));
        submit(&gateway, &long).await;
    }
    until(|| ledger.running() == 10).await;
    cli(&server, &["config", "set", "maxmemory", "1"]);
    expect_refused(&gateway.submit("p", call("late", "count", false)).await.unwrap_err());
    for number in 0..10 {
        let record = end_of(&gateway, &format!("call-{number}")).await.unwrap();
        assert!(matches!(record.state, CallState::Done { .. }), "{record:?}");
    }
    expect_refused(&gateway.submit("p", call("late", "count", false)).await.unwrap_err());
    assert_eq!(gateway.record("late").await.unwrap_err(), CallError::NoCall("late".to_owned()));
    cli(&server, &["config", "set", "maxmemory", "0"]);
    submit(&gateway, &call("late", "count", false)).await;
    assert!(matches!(end_of(&gateway, "late").await.unwrap().state, CallState::Done { .. }));
    assert_eq!(ledger.effects().len(), 11);
    worker.abort();
}

#[tokio::test]
async fn a_redis_without_memory_for_a_while_loses_no_call() {
    let mut server = RedisServer::start(Keeps::Nothing);
    let done = calls_during(&mut server, async |server| {
        cli(server, &["config", "set", "maxmemory", "1"]);
        tokio::time::sleep(LEASE).await;
        cli(server, &["config", "set", "maxmemory", "0"]);
    })
    .await;
    assert_eq!(done, 60);
}

#[tokio::test]
async fn a_redis_whose_disk_is_full_for_a_while_loses_no_call() {
    let mut server = RedisServer::start(Keeps::Nothing);
    // It cannot replace a folder with its file.
    let blocked = server.folder().join("dump.rdb");
    std::fs::create_dir(&blocked).unwrap();
    cli(&server, &["config", "set", "save", "3600 1"]);
    let saved = async |server: &RedisServer, status: &str| {
        cli(server, &["bgsave"]);
        let status = format!("rdb_last_bgsave_status:{status}");
        let is_so = async {
            while !cli(server, &["info", "persistence"]).contains(&status) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), is_so).await.expect("it is saved, or not");
    };
    let done = calls_during(&mut server, async |server| {
        saved(server, "err").await;
        let gateway = bus(server).await;
        expect_refused(&gateway.submit("p", call("refused", "count", false)).await.unwrap_err());
        std::fs::remove_dir(&blocked).unwrap();
        saved(server, "ok").await;
    })
    .await;
    assert!(done >= 50, "{done} of 60 are done");
}

/// A clock that is wrong by so many seconds.
fn clock(seconds: i64) -> Clock {
    let right = Clock::default();
    Clock::new(move || {
        let wrong = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 { right.now().saturating_sub(wrong) } else { right.now() + wrong }
    })
}

#[tokio::test]
async fn wrong_clocks_change_no_deadline() {
    let server = RedisServer::start(Keeps::Nothing);
    for (round, (of_gateway, of_worker)) in
        [(3_600, 0), (-3_600, 0), (0, 3_600), (0, -3_600)].into_iter().enumerate()
    {
        let ledger = Ledger::default();
        let connect = async |seconds| {
            let bus = RedisBus::connect_with_lease(&server.url(), LEASE).await.unwrap();
            Arc::new(bus.clock(clock(seconds)))
        };
        let (gateway, of_pool) = (connect(of_gateway).await, connect(of_worker).await);
        let worker = tokio::spawn(Worker::new(of_pool, "p", ledger.service()).clock(clock(of_worker)).run());
        let make = async |id: &str, tool: &str, left: i64| {
            let mut asked = call(&format!("{id}-{round}"), tool, false);
            let now = i64::try_from(clock(of_gateway).now().as_millis()).unwrap();
            asked.deadline = u64::try_from(now + left).unwrap();
            asked.arguments = raw(r#"{"ms":600000}"#);
            submit(&gateway, &asked).await;
            end_of(&gateway, &asked.id).await.unwrap().state
        };
        let state = make("quick", "count", 60_000).await;
        assert!(matches!(state, CallState::Done { .. }), "{round}: {state:?}");
        let CallState::Done { result } = make("slow", "slow", 700).await else { panic!("{round}") };
        assert!(result.get().contains("did not finish before its deadline"), "{result}");
        let state = make("late", "count", -1).await;
        assert!(matches!(state, CallState::Cancelled), "{round}: {state:?}");
        assert_eq!(ledger.effects().len(), 2, "{round}");
        worker.abort();
        _ = worker.await;
    }
}

/// A crash of the machine can lose the last second of the file, and with it that a call was claimed.
#[tokio::test]
async fn a_call_whose_claim_was_lost_is_not_made_twice() {
    let mut server = RedisServer::start(Keeps::Everything);
    let ledger = Ledger::default();
    let gateway = bus(&server).await;
    gateway.announce("p", "w", true).await.unwrap();
    for (id, is_repeatable) in [("charge", false), ("look", true)] {
        gateway.submit("p", call(id, "count", is_repeatable)).await.unwrap();
    }
    let saved = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| {
        assert!(Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap().success());
    };
    let files = server.folder().join("appendonlydir");
    copy(&files, saved.path());
    let worker = work(&server, &ledger).await;
    until(|| ledger.effects().len() == 2).await;
    server.kill();
    worker.abort();
    _ = worker.await;
    std::fs::remove_dir_all(&files).unwrap();
    copy(&saved.path().join("appendonlydir"), server.folder());
    server.restart();
    assert!(matches!(gateway.record("charge").await.unwrap().state, CallState::Queued));
    let again = work(&server, &ledger).await;
    assert!(matches!(end_of(&gateway, "charge").await.unwrap().state, CallState::Unknown));
    assert!(matches!(end_of(&gateway, "look").await.unwrap().state, CallState::Done { .. }));
    let charges = ledger.effects().iter().filter(|effect| effect.contains("\"charge\"")).count();
    assert_eq!((charges, ledger.effects().len()), (1, 3));
    again.abort();
}
