//! The suite on what is kept in memory, with time that passes as the tests say.

use std::sync::Arc;
use std::time::Duration;

use toolwright_gateway::calls::CallBus as _;
use toolwright_gateway::calls::{CallError, CallState, IdempotencyKey, MAX_RECORDS, MemoryBus, RECORD_TTL};
use toolwright_gateway::registry::{EVENTS_TTL, MAX_RUNS, MemoryStore, RUN_TTL, RegistryStore as _, RunId};
use toolwright_server::tasks::MemoryTaskStore;
use toolwright_server::{EventLimits, MemoryEventStore};

use crate::events::EventStores;
use crate::sides::{Sides, call, raw};
use crate::tasks::{TaskLimits, TaskStores};

fn sides() -> Sides {
    let bus = Arc::new(MemoryBus::new());
    Sides { gateway: Arc::clone(&bus) as _, worker: bus, _keep: Box::new(()) }
}

fn stores() -> crate::registry::Stores {
    let store = Arc::new(MemoryStore::new());
    crate::registry::Stores { one: Arc::clone(&store) as _, other: store, _keep: Box::new(()) }
}

fn vaults() -> crate::secrets::Vaults {
    let store = Arc::new(MemoryStore::new());
    let (runs, one) = (Arc::clone(&store) as _, Arc::clone(&store) as _);
    crate::secrets::Vaults { runs, one, other: store, _keep: Box::new(()) }
}

fn task_stores(settings: TaskLimits) -> TaskStores {
    let store = MemoryTaskStore::new().max_tasks(settings.tasks).max_bytes(settings.bytes);
    let store = Arc::new(store);
    TaskStores { one: Arc::clone(&store) as _, other: store, _keep: Box::new(()) }
}

fn event_stores(limits: EventLimits) -> EventStores {
    let store = Arc::new(MemoryEventStore::new(limits));
    EventStores { one: Arc::clone(&store) as _, other: store, _keep: Box::new(()) }
}

// Tasks and events have the time of the system.
crate::tasks::suite!(tokio::test, |limits| std::future::ready(super::task_stores(limits)));
crate::events::suite!(tokio::test, |limits| std::future::ready(super::event_stores(limits)));
crate::calls::suite!(tokio::test(start_paused = true), std::future::ready(super::sides()));
crate::work::suite!(tokio::test(start_paused = true), std::future::ready(super::sides()));
crate::registry::suite!(tokio::test(start_paused = true), std::future::ready(super::stores()));
crate::run_events::suite!(tokio::test(start_paused = true), std::future::ready(super::stores()));
crate::secrets::suite!(tokio::test(start_paused = true), std::future::ready(super::vaults()));

#[tokio::test(start_paused = true)]
async fn events_of_a_run_are_dropped_an_hour_after_it() {
    let (store, run) = (MemoryStore::new(), RunId::new(None, "run-1"));
    for has_ended in [true, false] {
        store.open(&run, RUN_TTL).await.unwrap();
        if has_ended {
            store.end(&run).await.unwrap();
        } else {
            tokio::time::sleep(RUN_TTL).await;
        }
        tokio::time::sleep(EVENTS_TTL.saturating_sub(Duration::from_secs(1))).await;
        let events = store.events(&run, 0, 9).await.unwrap().events;
        assert_eq!((events.len(), events[0].sequence), (2, 1), "the numbers begin again");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(store.events(&run, 0, 9).await.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn ended_runs_have_events_while_there_is_room() {
    let store = MemoryStore::new();
    for number in 0..=MAX_RUNS {
        let run = RunId::new(None, format!("run-{number}"));
        store.open(&run, RUN_TTL).await.unwrap();
        store.end(&run).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(store.events(&RunId::new(None, "run-0"), 0, 9).await.is_err(), "the oldest are dropped");
    for number in [1, MAX_RUNS] {
        let events = store.events(&RunId::new(None, format!("run-{number}")), 0, 9).await.unwrap().events;
        assert_eq!(events.len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn records_are_dropped_after_an_hour() {
    let sides = sides().with_worker().await;
    sides.submit("a", false).await;
    let claim = sides.claim().await;
    sides.finish(&claim, "{}").await;
    tokio::time::sleep(RECORD_TTL.saturating_sub(Duration::from_secs(1))).await;
    assert!(sides.gateway.record("a").await.is_ok());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(sides.gateway.record("a").await.unwrap_err(), CallError::NoCall("a".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn idempotency_keys_are_dropped_with_their_records() {
    let sides = sides().with_worker().await;
    let keyed = |id, text| {
        let mut call = call(id, false);
        call.arguments = raw(text);
        call.idempotency = Some(IdempotencyKey::new(&call, "k").unwrap());
        call
    };
    assert_eq!(sides.gateway.submit("p", keyed("a", "{}")).await.unwrap(), "a");
    let claim = sides.claim().await;
    sides.finish(&claim, "{}").await;
    tokio::time::sleep(RECORD_TTL).await;
    sides.worker.announce("p", "w", true).await.unwrap();
    assert_eq!(sides.gateway.submit("p", keyed("b", r#"{"x":1}"#)).await.unwrap(), "b");
    assert_eq!(sides.claim().await.call.id, "b");
}

#[tokio::test]
async fn records_of_ended_calls_make_room_for_others() {
    let bus = Arc::new(MemoryBus::with_room(2, 1_000));
    let sides = Sides { gateway: Arc::clone(&bus) as _, worker: Arc::clone(&bus) as _, _keep: Box::new(()) };
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    sides.submit("b", false).await;
    // None has ended.
    assert!(matches!(bus.submit("p", call("c", false)).await, Err(CallError::Overloaded(_))));
    let claim = sides.claim().await;
    sides.finish(&claim, "{}").await;
    sides.submit("c", false).await;
    assert_eq!(bus.record("a").await.unwrap_err(), CallError::NoCall("a".to_owned()));
    assert!(matches!(bus.record("b").await.unwrap().state, CallState::Queued));
}

#[tokio::test]
async fn results_take_room_as_well() {
    let bus = Arc::new(MemoryBus::with_room(MAX_RECORDS, 1_000));
    let sides = Sides { gateway: Arc::clone(&bus) as _, worker: Arc::clone(&bus) as _, _keep: Box::new(()) };
    let sides = sides.with_worker().await;
    let long = format!("\"{}\"", "x".repeat(600));
    for id in ["a", "b"] {
        sides.submit(id, false).await;
        let claim = sides.claim().await;
        assert!(sides.finish(&claim, &long).await);
    }
    assert!(bus.record("a").await.is_err(), "two results are too much");
    assert!(bus.record("b").await.is_ok());
}
