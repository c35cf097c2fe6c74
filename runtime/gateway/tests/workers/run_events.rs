//! What every store of runs must record of them.

use std::time::Duration;

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::registry::{
    Entry, EventDetails, EventKind, MAX_EVENT_BYTES, MAX_RUN_EVENT_BYTES, MAX_RUN_EVENTS, RUN_TTL,
    RegistryStore, Revocation, RunEvent, RunId, Status, StoreError,
};

use crate::registry::Stores;

macro_rules! suite {
    ($attribute:meta, $stores:expr) => {
        mod run_events {
            crate::sides::tests! { $attribute, $stores, run_events:
                each_change_of_a_run_is_one_event
                what_changes_nothing_is_no_event
                events_are_read_in_pages
                events_outlive_their_run_and_go_on_with_the_next
                events_belong_to_the_organization_of_their_run
                the_oldest_of_too_many_events_are_dropped
                the_oldest_events_of_too_many_bytes_are_dropped
            }
        }
    };
}
pub(crate) use suite;

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

fn entry(node: &str) -> Entry {
    Entry::component(node, "default", ToolDefinition::new(format!("tool-{node}"), json!({"type": "object"})))
}

fn session(id: impl Into<String>) -> EventDetails {
    EventDetails::of_session("agent", id)
}

async fn all(store: &dyn RegistryStore, run: &RunId) -> Vec<RunEvent> {
    store.events(run, 0, 1_000_000).await.unwrap().events
}

fn names(events: &[RunEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.event.name()).collect()
}

pub(crate) async fn each_change_of_a_run_is_one_event(stores: Stores) {
    let store = stores.one;
    assert_eq!(store.events(&run(), 0, 9).await.unwrap_err(), StoreError::NoRun("run-1".to_owned()));
    store.open(&run(), RUN_TTL).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    store.register(&run(), entry("a").with_status(Status::Failed)).await.unwrap();
    store.register(&run(), entry("a").with_status(Status::Failed).bind(["apiKey"])).await.unwrap();
    store.register(&run(), Entry::remote("b", "https://user.example/secret")).await.unwrap();
    store.record(&run(), EventKind::SessionCreated, session("t1")).await.unwrap();
    store.remove(&run(), "a").await.unwrap();
    store.revoke(&Revocation::Run(run())).await.unwrap();
    assert!(store.events(&run(), 0, 9).await.unwrap().is_open);
    store.end(&run()).await.unwrap();

    let page = stores.other.events(&run(), 0, 100).await.unwrap();
    assert!(!page.is_open);
    let events = page.events;
    let expected = [
        "run.opened",
        "tool.registered",
        "tool.status",
        "tool.updated",
        "tool.registered",
        "session.created",
        "tool.removed",
        "run.revoked",
        "run.ended",
    ];
    assert_eq!(names(&events), expected);
    assert!(events.iter().map(|event| event.sequence).eq(1..=9), "{events:?}");
    assert!(events.is_sorted_by_key(|event| event.time), "{events:?}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    assert!(events.iter().all(|event| now - u128::from(event.time) < 60_000), "{now} {events:?}");
    let shown = |place: usize| {
        let mut shown = serde_json::to_value(&events[place]).unwrap();
        shown.as_object_mut().unwrap().remove("time");
        shown
    };
    assert_eq!(
        shown(1),
        json!({"sequence": 2, "event": "tool.registered", "org": "acme", "run": "run-1", "node": "a",
            "kind": "component", "tool": "tool-a", "status": "ready"})
    );
    assert_eq!(shown(2)["status"], "failed");
    assert_eq!(
        shown(4),
        json!({"sequence": 5, "event": "tool.registered", "org": "acme", "run": "run-1", "node": "b",
            "kind": "remote", "status": "ready"})
    );
    assert_eq!(
        shown(5),
        json!({"sequence": 6, "event": "session.created", "org": "acme", "run": "run-1", "node": "agent",
            "token": "t1"})
    );
    assert_eq!(
        shown(6),
        json!({"sequence": 7, "event": "tool.removed", "org": "acme", "run": "run-1", "node": "a"})
    );
}

pub(crate) async fn what_changes_nothing_is_no_event(stores: Stores) {
    let store = stores.one;
    for _ in 0..2 {
        store.open(&run(), RUN_TTL).await.unwrap();
        store.renew(&run(), RUN_TTL).await.unwrap();
        store.register(&run(), entry("a")).await.unwrap();
        store.remove(&run(), "none").await.unwrap();
        store.record(&run(), EventKind::SessionCreated, session("t1")).await.unwrap();
    }
    let foreign = RunId::new(None, "run-1");
    store.register(&foreign, entry("b")).await.unwrap_err();
    let missing = RunId::new(None, "run-2");
    let error = store.record(&missing, EventKind::SessionCreated, session("t1")).await.unwrap_err();
    assert_eq!(error, StoreError::NoRun("run-2".to_owned()));
    assert_eq!(names(&all(&*store, &run()).await), ["run.opened", "tool.registered", "session.created"]);
    // What is recorded twice is one event, if nothing happened in between: a process repeats what it got no answer to.
    store.record(&run(), EventKind::SessionCreated, session("t2")).await.unwrap();
    assert_eq!(all(&*store, &run()).await.len(), 4);
}

pub(crate) async fn events_are_read_in_pages(stores: Stores) {
    stores.one.open(&run(), RUN_TTL).await.unwrap();
    for node in ["a", "b", "c", "d"] {
        stores.one.register(&run(), entry(node)).await.unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), 0);
    loop {
        let page = stores.other.events(&run(), after, 2).await.unwrap().events;
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2, "{page:?}");
        after = last.sequence;
        seen.extend(page);
    }
    assert_eq!(seen, all(&*stores.one, &run()).await);
    assert_eq!(seen.len(), 5);
    let page = stores.one.events(&run(), u64::MAX, 2).await.unwrap();
    assert!(page.events.is_empty() && page.is_open);
}

pub(crate) async fn events_outlive_their_run_and_go_on_with_the_next(stores: Stores) {
    let store = stores.one;
    store.open(&run(), Duration::from_millis(200)).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    store.renew(&run(), Duration::from_millis(300)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let page = store.events(&run(), 0, 9).await.unwrap();
    assert_eq!(names(&page.events), ["run.opened", "tool.registered", "run.expired"]);
    assert!(!page.is_open);
    let expired = &page.events[2];
    let again = stores.other.events(&run(), 2, 9).await.unwrap().events;
    assert!(again[0].sequence == 3 && again[0].time.abs_diff(expired.time) < 10, "{again:?} {expired:?}");
    assert_eq!(store.events(&run(), 3, 9).await.unwrap().events, []);
    assert_eq!(names(&store.events(&run(), 0, 2).await.unwrap().events), ["run.opened", "tool.registered"]);

    store.open(&run(), RUN_TTL).await.unwrap();
    store.end(&run()).await.unwrap();
    store.open(&run(), RUN_TTL).await.unwrap();
    let events = all(&*store, &run()).await;
    let expected = ["run.opened", "tool.registered", "run.expired", "run.opened", "run.ended", "run.opened"];
    assert_eq!(names(&events), expected);
    assert!(events.iter().map(|event| event.sequence).eq(1..=6), "{events:?}");
    assert!(events[2].time.abs_diff(expired.time) < 10, "{events:?} {expired:?}");
}

pub(crate) async fn events_belong_to_the_organization_of_their_run(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    let missing = StoreError::NoRun("run-1".to_owned());
    for org in [None, Some("evil"), Some("")] {
        let other = RunId::new(org, "run-1");
        assert_eq!(store.events(&other, 0, 9).await.unwrap_err(), missing);
        let refused = store.record(&other, EventKind::SessionCreated, session("t1")).await.unwrap_err();
        assert_eq!(refused, StoreError::OtherOrganization("run-1".to_owned()));
    }
    store.end(&run()).await.unwrap();
    // The name of a run that has ended is anyone's.
    let next = RunId::new(Some("evil"), "run-1");
    store.open(&next, RUN_TTL).await.unwrap();
    assert_eq!(names(&all(&*store, &next).await), ["run.opened"]);
    let former = store.events(&run(), 0, 9).await.unwrap();
    assert_eq!(names(&former.events), ["run.opened", "tool.registered", "run.ended"]);
    assert!(!former.is_open);
    assert!(former.events.iter().all(|event| event.org.as_deref() == Some("acme")));
}

pub(crate) async fn the_oldest_of_too_many_events_are_dropped(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    let more = 7;
    for number in 1..MAX_RUN_EVENTS + more {
        store.record(&run(), EventKind::SessionCreated, session(number.to_string())).await.unwrap();
    }
    let events = all(&*store, &run()).await;
    assert_eq!(events.len(), MAX_RUN_EVENTS);
    let first = u64::try_from(more).unwrap() + 1;
    assert!(events.iter().map(|event| event.sequence).eq(first..first + MAX_RUN_EVENTS as u64));
    assert_eq!(events.last().unwrap().details, session((MAX_RUN_EVENTS + more - 1).to_string()));
}

pub(crate) async fn the_oldest_events_of_too_many_bytes_are_dropped(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    let long = |length: usize| {
        let mut details = EventDetails::default();
        details.node = Some("x".repeat(length));
        details
    };
    let length = MAX_EVENT_BYTES - 20;
    let (kind, size) = (EventKind::SessionCreated, length + r#"{"node":""}"#.len() + "session.created".len());
    for number in 0..200 {
        store.record(&run(), kind, long(length - number % 2)).await.unwrap();
    }
    let events = all(&*store, &run()).await;
    assert!((MAX_RUN_EVENT_BYTES / size..=MAX_RUN_EVENT_BYTES / size + 1).contains(&events.len()));
    assert_eq!(events.last().unwrap().sequence, 201);
    let too_long = store.record(&run(), kind, long(MAX_EVENT_BYTES)).await.unwrap_err();
    assert!(matches!(too_long, StoreError::Invalid(_)), "{too_long}");
    // Many small ones fit again.
    for number in 0..150 {
        store.record(&run(), kind, session(number.to_string())).await.unwrap();
    }
    let after = all(&*store, &run()).await.len();
    assert!(after > events.len() + 140, "{after}");
}
