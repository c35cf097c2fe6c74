//! Time limits, retention and maximum numbers of tasks.

use std::time::Duration;

use serde_json::json;
use toolwright::tasks::MemoryTaskStore;
use toolwright::{Limits, Server, tasks::Tasks};

use crate::stage::{Caller, Do, Play, Stage, eventually, service};

const A_MOMENT: Duration = Duration::from_millis(150);

#[tokio::test]
async fn a_task_has_a_time_limit_of_its_own() {
    let stage = Stage::default();
    let limits = Limits { call_timeout: Duration::from_millis(20), ..Limits::default() };
    let tasks = Tasks::new().timeout(A_MOMENT);
    let service = Server::new(stage.clone()).tools::<Play>().limits(limits).tasks(tasks).build();
    let service = service.expect("a service");
    let caller = Caller::of(&service);
    let _script = stage.script("hangs");
    let id = caller.play("hangs").await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(caller.get(&id).await["status"], "working", "the limit of calls is another one");
    let task = caller.until_status(&id, "completed").await;
    assert_eq!(task["result"]["isError"], true);
    let text = task["result"]["content"][0]["text"].as_str().expect("a string");
    assert!(text.contains("did not finish within the 0.15 s"), "{text}");
    eventually("the handler is gone", || stage.running() == 0).await;
}

#[tokio::test]
async fn a_task_is_deleted_when_it_expires() {
    let stage = Stage::default();
    let tasks = Tasks::new().timeout(A_MOMENT).ttl(A_MOMENT * 3);
    let service = service(&stage, tasks);
    let caller = Caller::of(&service);
    for script in ["returns", "hangs"] {
        let orders = stage.script(script);
        let id = caller.play(script).await;
        assert_eq!(caller.get(&id).await["ttlMs"], 450);
        if script == "returns" {
            orders.send(Do::Return("kept".to_owned())).expect("the handler runs");
        }
        tokio::time::sleep(A_MOMENT * 2).await;
        assert_eq!(caller.get(&id).await["status"], "completed");
        tokio::time::sleep(A_MOMENT * 2).await;
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": id, "inputResponses": {}});
            assert_eq!(caller.refused(method, params).await.0, -32602, "{script} {method}");
        }
    }
}

#[tokio::test]
async fn running_tasks_are_bounded() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new().max_running(2));
    let caller = Caller::of(&service);
    let scripts = ["a", "b", "c", "d"].map(|name| stage.script(name));
    let first = caller.play("a").await;
    let second = caller.play("b").await;
    let call = json!({"name": "must", "arguments": {"wait": true}});
    let (code, text) = caller.refused("tools/call", call).await;
    assert!(code == -32603 && text.contains("too many tasks (the limit is 2)"), "{code} {text}");
    scripts[0].send(Do::Return(String::new())).expect("the handler runs");
    caller.until_status(&first, "completed").await;
    caller.play("c").await;
    caller.cancel(&second).await;
    eventually("its handler is gone", || stage.running() == 1).await;
    caller.play("d").await;
}

#[tokio::test]
async fn the_memory_store_is_bounded_in_tasks_and_bytes() {
    let stage = Stage::default();
    let store = MemoryTaskStore::new().max_tasks(2).max_bytes(10_000);
    let service = service(&stage, Tasks::new().store(store));
    let caller = Caller::of(&service);
    let scripts = ["a", "b"].map(|name| stage.script(name));
    let (first, second) = (caller.play("a").await, caller.play("b").await);
    let call = json!({"name": "must", "arguments": {"wait": true}});
    let (code, text) = caller.refused("tools/call", call).await;
    assert!(code == -32603 && text.contains("2 tasks are already stored"), "{code} {text}");

    scripts[0].send(Do::Return("x".repeat(5_000))).expect("the handler runs");
    caller.until_status(&first, "completed").await;
    scripts[1].send(Do::Return("x".repeat(5_000))).expect("the handler runs");
    let task = caller.until_status(&second, "failed").await;
    let text = task["error"]["message"].as_str().expect("a string");
    assert!(text.contains("cannot be stored") && text.contains("10000 bytes"), "{text}");
    let first = caller.get(&first).await;
    assert_eq!(first["result"]["content"][0]["text"].as_str().map(str::len), Some(5_000));
}

#[test]
fn invalid_times_are_rejected() {
    let zero = Duration::ZERO;
    for (tasks, why) in [
        (Tasks::new().ttl(zero), "at least a millisecond"),
        (Tasks::new().timeout(zero), "at least a millisecond"),
        (Tasks::new().poll_interval(zero), "at least a millisecond"),
        (Tasks::new().ttl(A_MOMENT), "as long as it may run"),
    ] {
        let error = Server::new(()).tasks(tasks).build().expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
}
