//! What every store of tasks must do.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use toolwright_server::tasks::{Task, TaskState, TaskStore, TaskStoreError};

use crate::sides::raw;

macro_rules! suite {
    ($attribute:meta, $stores:expr) => {
        mod tasks {
            crate::sides::limited! { $attribute, $stores, tasks:
                a_created_task_is_found_everywhere
                every_state_is_kept_as_it_is
                a_task_that_has_ended_never_changes
                one_of_many_ends_is_kept
                a_missing_task_is_not_an_error
                an_expired_task_makes_room_for_another
                a_store_holds_so_many_tasks
                a_store_holds_so_many_bytes
            }
        }
    };
}
pub(crate) use suite;

/// A store as two processes have it.
pub(crate) struct TaskStores {
    pub(crate) one: Arc<dyn TaskStore>,
    pub(crate) other: Arc<dyn TaskStore>,
    pub(crate) _keep: Box<dyn Any + Send>,
}

/// The most that a store keeps.
#[derive(Clone, Copy)]
pub(crate) struct TaskLimits {
    pub(crate) tasks: usize,
    pub(crate) bytes: usize,
}

const AMPLE: TaskLimits = TaskLimits { tasks: 1_000, bytes: 1 << 20 };

/// A task that runs, and is kept for a minute.
pub(crate) fn task(id: &str) -> Task {
    let now = SystemTime::now();
    let task = json!({
        "id": id, "owner": "ada", "tool": "report", "scopes": ["write"], "state": "Working",
        "status_message": "page 1", "created_at": now, "last_updated_at": now,
        "ttl": Duration::from_mins(1), "poll_interval": Duration::from_secs(1),
    });
    serde_json::from_value(task).unwrap()
}

fn task_in(id: &str, state: TaskState) -> Task {
    let mut task = task(id);
    task.state = state;
    task
}

fn completed(id: &str, text: &str) -> Task {
    task_in(id, TaskState::Completed(raw(text)))
}

pub(crate) fn text(task: &Task) -> String {
    serde_json::to_string(task).unwrap()
}

async fn find(store: &dyn TaskStore, id: &str) -> Option<String> {
    store.get(id).await.unwrap().as_ref().map(text)
}

type Made<F> = fn(TaskLimits) -> F;

pub(crate) async fn a_created_task_is_found_everywhere<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(AMPLE).await;
    let (mut anonymous, owned) = (task("a"), task("b"));
    anonymous.owner = None;
    for task in [&anonymous, &owned] {
        stores.one.create(task).await.unwrap();
        assert_eq!(find(&*stores.one, &task.id).await, Some(text(task)));
        assert_eq!(find(&*stores.other, &task.id).await, Some(text(task)));
    }
    stores.other.remove("a").await.unwrap();
    assert_eq!(find(&*stores.one, "a").await, None);
    assert_eq!(find(&*stores.one, "b").await, Some(text(&owned)));
}

pub(crate) async fn every_state_is_kept_as_it_is<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(AMPLE).await;
    stores.one.create(&task("a")).await.unwrap();
    let questions = json!({"who": {"method": "roots/list"}}).as_object().unwrap().clone();
    let result =
        r#"{"content":[],"structuredContent":{"n":12345678901234567890.0,"t":"naïve \u0000 \"quoted\""}}"#;
    for state in [TaskState::InputRequired(questions), TaskState::Working, TaskState::Completed(raw(result))]
    {
        let task = task_in("a", state);
        assert!(stores.one.update(&task).await.unwrap());
        assert_eq!(find(&*stores.other, "a").await, Some(text(&task)));
    }
    stores.one.create(&task("b")).await.unwrap();
    let failed = task_in("b", TaskState::Failed(raw(r#"{"code":-32603,"message":"no"}"#)));
    assert!(stores.one.update(&failed).await.unwrap());
    assert_eq!(find(&*stores.other, "b").await, Some(text(&failed)));
}

pub(crate) async fn a_task_that_has_ended_never_changes<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(AMPLE).await;
    for (id, end) in [("a", TaskState::Cancelled), ("b", TaskState::Completed(raw("{}")))] {
        stores.one.create(&task(id)).await.unwrap();
        let ended = task_in(id, end);
        assert!(stores.other.update(&ended).await.unwrap());
        for late in [task(id), completed(id, r#"{"late":true}"#)] {
            assert!(!stores.one.update(&late).await.unwrap(), "{id}");
        }
        assert_eq!(find(&*stores.one, id).await, Some(text(&ended)));
    }
}

pub(crate) async fn one_of_many_ends_is_kept<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(AMPLE).await;
    stores.one.create(&task("a")).await.unwrap();
    let ends: Vec<_> = (0..20)
        .map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &stores.one } else { &stores.other });
            let end = completed("a", &number.to_string());
            tokio::spawn(async move { (store.update(&end).await.unwrap(), text(&end)) })
        })
        .collect();
    let mut kept = Vec::new();
    for end in ends {
        let (is_kept, text) = end.await.unwrap();
        kept.extend(is_kept.then_some(text));
    }
    assert_eq!(kept.len(), 1);
    assert_eq!(find(&*stores.one, "a").await.as_ref(), kept.first());
}

pub(crate) async fn a_missing_task_is_not_an_error<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(AMPLE).await;
    assert_eq!(find(&*stores.one, "a").await, None);
    assert!(!stores.one.update(&task("a")).await.unwrap());
    assert_eq!(find(&*stores.one, "a").await, None, "an update creates nothing");
    stores.one.remove("a").await.unwrap();
}

pub(crate) async fn an_expired_task_makes_room_for_another<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(TaskLimits { tasks: 1, ..AMPLE }).await;
    let mut short = task("a");
    // Long enough that it is there at the next two requests on a slow machine.
    short.ttl = Duration::from_secs(2);
    stores.one.create(&short).await.unwrap();
    let mut changed = completed("a", "{}");
    (changed.created_at, changed.ttl) = (short.created_at, short.ttl);
    assert!(stores.one.update(&changed).await.unwrap(), "which does not keep it for longer");
    assert_eq!(stores.other.create(&task("b")).await.unwrap_err().kind(), "overloaded");
    let wait = async {
        while let Err(error) = stores.other.create(&task("b")).await {
            assert_eq!(error.kind(), "overloaded");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it should expire");
    assert!(short.expires_at() <= SystemTime::now(), "it was kept until then");
    assert_eq!(find(&*stores.one, "a").await, None);
    assert!(!stores.one.update(&changed).await.unwrap());
}

pub(crate) async fn a_store_holds_so_many_tasks<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(TaskLimits { tasks: 3, ..AMPLE }).await;
    for id in ["a", "b", "c"] {
        stores.one.create(&task(id)).await.unwrap();
    }
    assert!(stores.one.update(&completed("a", "{}")).await.unwrap(), "one that has ended counts");
    for store in [&stores.one, &stores.other] {
        let refused = store.create(&task("d")).await.unwrap_err();
        assert!(refused.kind() == "overloaded" && refused.to_string().contains("3 tasks"), "{refused}");
    }
    stores.one.remove("b").await.unwrap();
    stores.one.remove("b").await.unwrap();
    stores.other.create(&task("d")).await.unwrap();
    assert_eq!(stores.other.create(&task("e")).await.unwrap_err().kind(), "overloaded");
}

pub(crate) async fn a_store_holds_so_many_bytes<F: Future<Output = TaskStores>>(stores: Made<F>) {
    let stores = stores(TaskLimits { bytes: 20_000, ..AMPLE }).await;
    for id in ["a", "b"] {
        stores.one.create(&task(id)).await.unwrap();
    }
    let long = |length: usize| format!("\"{}\"", "x".repeat(length));
    let refused = |error: TaskStoreError| {
        assert!(error.kind() == "invalid" && error.to_string().contains("20000 bytes"), "{error}");
    };
    refused(stores.one.update(&completed("a", &long(20_000))).await.unwrap_err());
    assert_eq!(find(&*stores.other, "a").await, Some(text(&task_of(&*stores.one, "a").await)));
    assert!(!task_of(&*stores.one, "a").await.state.has_ended(), "it is as it was");
    assert!(stores.one.update(&completed("a", &long(15_000))).await.unwrap());
    refused(stores.other.update(&completed("b", &long(10_000))).await.unwrap_err());
    assert!(stores.other.update(&task_in("b", TaskState::Cancelled)).await.unwrap());
    stores.one.remove("a").await.unwrap();
    stores.one.create(&task("c")).await.unwrap();
    assert!(stores.one.update(&completed("c", &long(15_000))).await.unwrap(), "there is room again");
}

async fn task_of(store: &dyn TaskStore, id: &str) -> Task {
    store.get(id).await.unwrap().expect("it should be there")
}
