//! Stores that users write: one that several servers share, and ones that fail.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use toolwright::tasks::{Task, TaskState, TaskStore, TaskStoreError};
use toolwright::{BoxFuture, tasks::Tasks};

use crate::stage::{Caller, Do, Stage, eventually, service};
use test_protocol::raw::RawError;

/// Keeps tasks as JSON strings, as a database would, and fails when the test says so.
#[derive(Debug, Clone, Default)]
struct Shelf(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    tasks: Mutex<HashMap<String, String>>,
    trouble: Mutex<HashMap<&'static str, Trouble>>,
    updates: AtomicUsize,
    is_removed: AtomicBool,
    /// Whether it tells of tasks that others have ended, and those that wait for that.
    tells: AtomicBool,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
enum Trouble {
    Fails,
    Panics,
    Hangs,
}

impl Shelf {
    fn trouble(&self, operation: &'static str, trouble: Option<Trouble>) {
        let mut all = self.0.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match trouble {
            Some(trouble) => all.insert(operation, trouble),
            None => all.remove(operation),
        };
    }

    async fn meet(&self, operation: &str) -> Result<(), TaskStoreError> {
        let trouble = self.0.trouble.lock().unwrap_or_else(PoisonError::into_inner).get(operation).copied();
        match trouble {
            None => Ok(()),
            Some(Trouble::Fails) => Err(TaskStoreError::new("the shelf is broken")),
            Some(Trouble::Panics) => panic!("the secret reason"),
            Some(Trouble::Hangs) => std::future::pending().await,
        }
    }

    fn find(&self, id: &str) -> Option<Task> {
        let tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.get(id).map(|text| serde_json::from_str(text).expect("what was written"))
    }

    fn put(&self, task: &Task) {
        let text = serde_json::to_string(task).expect("tasks are JSON");
        self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).insert(task.id.clone(), text);
    }
}

impl TaskStore for Shelf {
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(async {
            self.meet("create").await?;
            self.put(task);
            Ok(())
        })
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
        Box::pin(async {
            self.meet("get").await?;
            Ok(self.find(id))
        })
    }

    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        Box::pin(async {
            self.0.updates.fetch_add(1, Ordering::SeqCst);
            self.meet("update").await?;
            let goes_on = self.find(&task.id).is_some_and(|task| !task.state.has_ended());
            if goes_on {
                self.put(task);
                self.0.changed.notify_waiters();
            }
            Ok(goes_on)
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(async {
            self.meet("remove").await?;
            self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
            self.0.is_removed.store(true, Ordering::SeqCst);
            Ok(())
        })
    }

    fn ended<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async {
            loop {
                let changed = self.0.changed.notified();
                let has_ended = self.find(id).is_some_and(|task| task.state.has_ended());
                if has_ended && self.0.tells.load(Ordering::SeqCst) {
                    return;
                }
                changed.await;
            }
        })
    }
}

#[tokio::test]
async fn servers_that_share_a_store_share_their_tasks() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    let here = service(&stage, Tasks::new().store(shelf.clone()));
    let there = service(&stage, Tasks::new().store(shelf.clone()));
    let (here, there) = (Caller::of(&here), Caller::of(&there));
    let script = stage.script("shared");
    let id = here.play("shared").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    here.until_asked(&id, &["who"]).await;
    assert_eq!(there.until_asked(&id, &["who"]).await, here.get(&id).await);
    let answer = json!({"taskId": id, "inputResponses": {"who": {"action": "decline"}}});
    let (code, text) = there.refused("tasks/update", answer).await;
    assert!(code == -32603 && text.contains("another process") && text.contains("Mcp-Name"), "{code} {text}");

    there.cancel(&id).await;
    assert_eq!(there.get(&id).await["status"], "cancelled");
    // The server that runs it notices with its next change.
    script.send(Do::Say("going on")).expect("the handler runs");
    here.until_status(&id, "cancelled").await;
    script.closed().await;
    assert_eq!(there.get(&id).await["status"], "cancelled");
}

#[tokio::test]
async fn a_store_tells_that_a_task_was_cancelled_elsewhere() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    shelf.0.tells.store(true, Ordering::SeqCst);
    let here = service(&stage, Tasks::new().store(shelf.clone()));
    let there = service(&stage, Tasks::new().store(shelf.clone()));
    let (here, there) = (Caller::of(&here), Caller::of(&there));
    let script = stage.script("silent");
    let id = here.play("silent").await;
    there.cancel(&id).await;
    // The handler has nothing to say, and is dropped.
    script.closed().await;
    here.until_status(&id, "cancelled").await;
    assert_eq!(there.get(&id).await["status"], "cancelled");
}

#[tokio::test]
async fn completed_tasks_survive_the_server() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    let held = stage.script("running");
    let (done, running) = {
        let service = service(&stage, Tasks::new().store(shelf.clone()));
        let caller = Caller::of(&service);
        let script = stage.script("done");
        let (done, running) = (caller.play("done").await, caller.play("running").await);
        script.send(Do::Return("kept".to_owned())).expect("the handler runs");
        caller.until_status(&done, "completed").await;
        (done, running)
    };
    held.closed().await;
    eventually("what was running has failed", || {
        shelf.find(&running).is_some_and(|task| matches!(task.state, TaskState::Failed(_)))
    })
    .await;
    let next = service(&stage, Tasks::new().store(shelf));
    let caller = Caller::of(&next);
    assert_eq!(caller.get(&done).await["result"]["content"][0]["text"], "kept");
    let task = caller.get(&running).await;
    let text = task["error"]["message"].as_str().expect("a string");
    assert!(text.contains("the server was shut down"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn errors_of_a_store_are_reported_clearly() {
    for (trouble, words) in [
        (Trouble::Fails, "the shelf is broken"),
        (Trouble::Panics, "it failed unexpectedly"),
        (Trouble::Hangs, "did not respond within 10 s"),
    ] {
        let (stage, shelf) = (Stage::default(), Shelf::default());
        let service = service(&stage, Tasks::new().store(shelf.clone()));
        let caller = Caller::of(&service);

        let script = stage.script("made");
        let id = caller.play("made").await;
        script.send(Do::Return("done".to_owned())).expect("the handler runs");
        caller.until_status(&id, "completed").await;
        eventually("it is on the shelf", || shelf.find(&id).is_some_and(|task| task.state.has_ended())).await;

        shelf.trouble("create", Some(trouble));
        let call = json!({"name": "must", "arguments": {"wait": true}});
        let (code, text) = caller.refused("tools/call", call).await;
        assert!(
            code == -32603 && text.contains("cannot be stored") && text.contains(words),
            "{trouble:?}: {text}"
        );

        shelf.trouble("get", Some(trouble));
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": id, "inputResponses": {}});
            let (code, text) = caller.refused(method, params).await;
            assert!(code == -32603 && text.contains(words), "{trouble:?} {method}: {text}");
            assert!(!text.contains("secret"), "{text}");
            let Err(RawError::Rpc(error)) =
                caller.request(method, json!({"taskId": id, "inputResponses": {}})).await
            else {
                panic!("{method} should fail")
            };
            let data = error.data.expect("data");
            assert_eq!(data, json!({"kind": "store_unavailable", "retryable": true}), "{method}");
        }
        shelf.trouble("get", None);
        assert_eq!(caller.get(&id).await["status"], "completed", "and then all is well");
    }
}

#[tokio::test]
async fn an_unstored_final_state_is_published_and_retried() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    let service = service(&stage, Tasks::new().store(shelf.clone()));
    let caller = Caller::of(&service);
    let script = stage.script("ends");
    let id = caller.play("ends").await;
    shelf.trouble("update", Some(Trouble::Fails));
    script.send(Do::Say("nearly")).expect("the handler runs");
    caller.until(&id, |task| task["statusMessage"] == "nearly").await;
    script.send(Do::Return("done".to_owned())).expect("the handler runs");
    let task = caller.until_status(&id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "done");
    caller.cancel(&id).await;
    assert_eq!(caller.get(&id).await, task, "an end is an end");
    eventually("it is tried again", || shelf.0.updates.load(Ordering::SeqCst) > 3).await;
    assert!(!shelf.find(&id).expect("on the shelf").state.has_ended());
    shelf.trouble("update", None);
    eventually("it is stored", || shelf.find(&id).is_some_and(|task| task.state.has_ended())).await;
    assert_eq!(caller.get(&id).await, task);
}

#[tokio::test]
async fn expired_tasks_are_deleted_from_the_store() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    let moment = Duration::from_millis(100);
    let service = service(&stage, Tasks::new().store(shelf.clone()).timeout(moment).ttl(moment * 2));
    let caller = Caller::of(&service);
    let _script = stage.script("hangs");
    let id = caller.play("hangs").await;
    eventually("it is forgotten", || shelf.0.is_removed.load(Ordering::SeqCst)).await;
    assert!(shelf.find(&id).is_none());
}

#[tokio::test]
async fn an_expired_task_is_not_shown_even_if_it_is_stored() {
    let (stage, shelf) = (Stage::default(), Shelf::default());
    let moment = Duration::from_millis(50);
    let service = service(&stage, Tasks::new().store(shelf.clone()).timeout(moment).ttl(moment));
    let caller = Caller::of(&service);
    shelf.trouble("remove", Some(Trouble::Fails));
    let _script = stage.script("hangs");
    let id = caller.play("hangs").await;
    tokio::time::sleep(moment * 3).await;
    assert!(shelf.find(&id).is_some());
    assert_eq!(caller.refused("tasks/get", json!({"taskId": id})).await.0, -32602);
}
