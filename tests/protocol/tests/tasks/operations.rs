//! What each method does in each state of a task.

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use toolwright::tasks::Tasks;

use crate::stage::{Caller, Do, Stage, asked, eventually, named, service};

/// The states that a task can be in, with the members that it has then and no other has.
const STATES: [(&str, Option<&str>); 5] = [
    ("working", None),
    ("input_required", Some("inputRequests")),
    ("completed", Some("result")),
    ("failed", Some("error")),
    ("cancelled", None),
];

/// A task in the state that is wanted.
async fn task_in(wanted: &str, stage: &Stage, caller: &Caller) -> (String, UnboundedSender<Do>) {
    let script = stage.script(wanted);
    let id = caller.play(wanted).await;
    let next = match wanted {
        "input_required" => Some(Do::Ask("who")),
        "completed" => Some(Do::Fail),
        "failed" => Some(Do::Panic),
        _ => None,
    };
    if let Some(next) = next {
        script.send(next).expect("the handler runs");
    }
    if wanted == "cancelled" {
        caller.cancel(&id).await;
    }
    caller.until_status(&id, wanted).await;
    (id, script)
}

fn has_ended(state: &str) -> bool {
    matches!(state, "completed" | "failed" | "cancelled")
}

#[tokio::test]
async fn get_returns_the_state_without_changing_it() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    for (state, member) in STATES {
        let (id, _script) = task_in(state, &stage, &caller).await;
        let task = caller.get(&id).await;
        assert_eq!((&task["taskId"], &task["resultType"]), (&json!(id), &json!("complete")));
        for (_, other) in STATES {
            if let Some(other) = other {
                assert_eq!(task.get(other).is_some(), Some(other) == member, "{state}: {task}");
            }
        }
        assert_eq!(caller.get(&id).await, task, "{state}");
    }
}

#[tokio::test]
async fn a_task_ends_as_its_call_would() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let (id, _script) = task_in("completed", &stage, &caller).await;
    let task = caller.get(&id).await;
    assert_eq!(
        (&task["result"]["isError"], &task["result"]["content"][0]["text"]),
        (&json!(true), &json!("it failed"))
    );
    let (id, _script) = task_in("failed", &stage, &caller).await;
    let task = caller.get(&id).await;
    assert_eq!(task["error"]["code"], -32603);
    assert_eq!(task["statusMessage"], task["error"]["message"]);
    assert!(!task.to_string().contains("secret"), "{task}");
}

#[tokio::test]
async fn update_answers_open_requests_and_ignores_the_rest() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    for (state, _) in STATES {
        let (id, script) = task_in(state, &stage, &caller).await;
        let before = caller.get(&id).await;
        caller.answer(&id, "nobody", named("x")).await;
        caller
            .request("tasks/update", json!({"taskId": id, "inputResponses": {}}))
            .await
            .expect("acknowledged");
        assert_eq!(caller.get(&id).await, before, "{state}: neither key was asked");
        caller.answer(&id, "who", named("Ada")).await;
        let after = caller.get(&id).await;
        match state {
            "input_required" => assert_eq!((&after["status"], asked(&after)), (&json!("working"), vec![])),
            _ => assert_eq!(after, before, "{state}"),
        }
        if has_ended(state) {
            script.closed().await;
        } else {
            assert!(!script.is_closed(), "{state}: the handler goes on");
        }
    }
    eventually("one answer", || stage.answers() == ["who: Some(\"Ada\")"]).await;
}

#[tokio::test]
async fn cancel_ends_only_running_tasks() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    for (state, _) in STATES {
        let (id, script) = task_in(state, &stage, &caller).await;
        let before = caller.get(&id).await;
        caller.cancel(&id).await;
        caller.cancel(&id).await;
        let after = caller.get(&id).await;
        if has_ended(state) {
            assert_eq!(after, before, "{state}");
        } else {
            assert_eq!(
                (&after["status"], after.get("inputRequests")),
                (&json!("cancelled"), None),
                "{state}"
            );
        }
        script.closed().await;
        caller.answer(&id, "who", named("Ada")).await;
        assert_eq!(caller.get(&id).await, after, "{state}: an end is an end");
    }
    eventually("no handler is left", || stage.running() == 0).await;
}

#[tokio::test]
async fn unknown_tasks_and_bad_parameters_are_rejected() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let (id, _script) = task_in("working", &stage, &caller).await;
    let no_ids = [json!("x"), json!(""), json!(id.to_uppercase()), json!(1), Value::Null, json!([id])];
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for no_id in &no_ids {
            if *no_id == json!(id) {
                continue;
            }
            let params = json!({"taskId": no_id, "inputResponses": {}});
            assert_eq!(caller.refused(method, params).await.0, -32602, "{method} {no_id}");
        }
        assert_eq!(caller.refused(method, json!({"inputResponses": {}})).await.0, -32602, "{method}");
    }
    for responses in [Value::Null, json!([]), json!("x"), json!(1)] {
        let params = json!({"taskId": id, "inputResponses": responses});
        assert_eq!(caller.refused("tasks/update", params).await.0, -32602, "{responses}");
    }
    assert_eq!(caller.refused("tasks/update", json!({"taskId": id})).await.0, -32602);
    let long = caller.refused("tasks/get", json!({"taskId": "x".repeat(100_000)})).await;
    assert!(long.0 == -32602 && long.1.len() < 1_000);
    assert_eq!(caller.get(&id).await["status"], "working");
}

#[tokio::test]
async fn a_task_outlives_its_client() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let script = stage.script("long");
    let id = {
        let caller = Caller::of(&service);
        caller.play("long").await
    };
    let other = Caller::of(&service);
    assert_eq!(other.get(&id).await["status"], "working");
    script.send(Do::Return("still here".to_owned())).expect("the handler runs");
    let task = other.until_status(&id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "still here");
}

#[tokio::test]
async fn progress_sets_the_message_of_the_task() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("speaks");
    let mut call = json!({"name": "play", "arguments": {"script": "speaks"}});
    let mut meta = crate::stage::meta();
    meta["progressToken"] = json!("p");
    call["_meta"] = meta;
    let made = caller.0.request("tools/call", call).await.expect("a task");
    let id = made["taskId"].as_str().expect("an id");
    script.send(Do::Say("half of it")).expect("the handler runs");
    let task = caller.until(id, |task| task["statusMessage"] == "half of it").await;
    assert_eq!(task["status"], "working");
    script.send(Do::Return("all of it".to_owned())).expect("the handler runs");
    caller.until_status(id, "completed").await;
    let nothing =
        tokio::time::timeout(std::time::Duration::from_millis(50), caller.0.next_notification()).await;
    assert!(nothing.is_err(), "{nothing:?}");
}

#[tokio::test]
async fn cancelling_and_completing_have_one_outcome() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let mut ends = std::collections::BTreeSet::new();
    for round in 0..200 {
        let name = format!("race {round}");
        let script = stage.script(&name);
        let id = caller.play(&name).await;
        let returns = async {
            if round % 2 == 0 {
                tokio::task::yield_now().await;
            }
            // Not received if the cancellation was first.
            let _ = script.send(Do::Return("first".to_owned()));
        };
        tokio::join!(returns, caller.cancel(&id));
        let task = caller.until(&id, |task| task["status"] != "working").await;
        let status = task["status"].as_str().expect("a status").to_owned();
        assert!(has_ended(&status), "{task}");
        assert_eq!(task.get("result").is_some(), status == "completed", "{task}");
        tokio::task::yield_now().await;
        assert_eq!(caller.get(&id).await, task, "an end is an end");
        ends.insert(status);
    }
    eventually("no handler is left", || stage.running() == 0).await;
    assert!(ends.contains("cancelled"), "{ends:?}");
}
