//! Tests of the state machine of a running task: every operation in every state.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::oneshot::error::TryRecvError;

use super::live::{InputState, LiveTask, input_request_keys};
use super::registry::tests::admit;
use super::{TaskState, Tasks};
use crate::input_requests::ample;
use crate::input_requests::{InputRequestError, KnownRequest};

/// The states, with the effect of each operation.
const STATES: [&str; 5] = ["working", "asking", "settled", "ended", "cancelled"];

fn live() -> LiveTask {
    let tasks = Tasks::new().build().expect("good settings");
    let admitted = admit(&tasks, None);
    let task = admitted.live.snapshot();
    LiveTask::new(task, (2, ample()))
}

/// Creates a task in this state, and a waiting input request.
fn live_in(state: &str) -> (LiveTask, Asked) {
    let (live, mut asked) = (live(), None);
    match state {
        "asking" => asked = Some(live.ask("who", &KnownRequest::roots())),
        "settled" => assert!(live.settle()),
        "ended" => {
            assert!(live.settle());
            live.end(completed(), Some("done".to_owned()));
        }
        "cancelled" => live.cancel(),
        _ => {}
    }
    (live, asked)
}

fn completed() -> TaskState {
    TaskState::Completed(raw("{}"))
}

/// Responses to the open input request, and to one that is not open.
fn answers() -> BTreeMap<String, Box<RawValue>> {
    BTreeMap::from([("who".to_owned(), raw("1")), ("other".to_owned(), raw("2"))])
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn name(live: &LiveTask) -> &'static str {
    match live.snapshot().state {
        TaskState::Working => "working",
        TaskState::InputRequired(_) => "input_required",
        TaskState::Completed(_) => "completed",
        TaskState::Failed(_) => "failed",
        TaskState::Cancelled => "cancelled",
    }
}

/// The state of an input request; while it is held, someone waits for the response.
type Asked = Option<Result<InputState, InputRequestError>>;

type Operation = (&'static str, fn(&LiveTask) -> Asked, [&'static str; 5]);

/// An operation without input requests.
macro_rules! quietly {
    ($operation:expr) => {
        |live| {
            $operation(live);
            None
        }
    };
}

#[test]
fn every_operation_in_every_state() {
    let operations: [Operation; 7] = [
        ("nothing", |_| None, ["working", "input_required", "working", "completed", "cancelled"]),
        (
            "say",
            quietly!(|live: &LiveTask| live.set_message("x")),
            ["working", "input_required", "working", "completed", "cancelled"],
        ),
        (
            "ask",
            |live| Some(live.ask("more", &KnownRequest::roots())),
            ["input_required", "input_required", "working", "completed", "cancelled"],
        ),
        (
            "answer",
            quietly!(|live: &LiveTask| assert_eq!(live.answer(&answers()), Ok(()))),
            ["working", "working", "working", "completed", "cancelled"],
        ),
        (
            "withdraw",
            quietly!(LiveTask::withdraw),
            ["working", "input_required", "working", "completed", "cancelled"],
        ),
        (
            "cancel",
            quietly!(LiveTask::cancel),
            ["cancelled", "cancelled", "working", "completed", "cancelled"],
        ),
        ("stop", quietly!(LiveTask::stop), ["failed", "failed", "working", "completed", "cancelled"]),
    ];
    for (operation, apply, expected) in operations {
        for (state, expected) in STATES.into_iter().zip(expected) {
            let (live, _asked) = live_in(state);
            let before = live.snapshot();
            let _more = apply(&live);
            assert_eq!(name(&live), expected, "{operation} in {state}");
            let after = live.snapshot();
            assert_eq!(
                after.status_message.as_deref() == Some("x"),
                operation == "say" && matches!(state, "working" | "asking"),
                "{operation} in {state}"
            );
            let is_stopped = state == "cancelled" || matches!(operation, "cancel" | "stop");
            assert_eq!(live.stopped.is_cancelled(), is_stopped, "{operation} in {state}");
            assert!(after.last_updated_at >= before.last_updated_at);
        }
    }
    // The first final state is the one that is published.
    let (live, _) = live_in("settled");
    live.cancel();
    live.end(completed(), None);
    assert_eq!(name(&live), "completed");
    assert_eq!(live.answer(&answers()), Ok(()));
    assert_eq!(name(&live), "completed");
}

#[test]
fn an_input_request_may_have_several_waiters() {
    let live = live();
    let request = KnownRequest::roots();
    let waits = || match live.ask("who", &request) {
        Ok(InputState::Waiting(answer)) => answer,
        other => panic!("{other:?}"),
    };
    let (mut first, second) = (waits(), waits());
    drop(second);
    live.withdraw();
    assert_eq!(input_request_keys(&live.snapshot()), ["who"], "one is still waiting");
    assert_eq!(first.try_recv().err(), Some(TryRecvError::Empty));
    assert_eq!(live.answer(&BTreeMap::from([("who".to_owned(), raw("{\"roots\":[]}"))])), Ok(()));
    assert_eq!(
        first.try_recv().map(|answer| answer.get().to_owned()).ok().as_deref(),
        Some("{\"roots\":[]}")
    );
    let Ok(InputState::Answered(_)) = live.ask("who", &request) else { panic!("the response is kept") };
}

#[test]
fn keys_are_never_reused() {
    let live = live();
    let request = KnownRequest::roots();
    let Ok(InputState::Waiting(_number)) = live.ask("who#2", &request) else { panic!("it waits") };
    let Ok(InputState::Waiting(mut answer)) = live.ask("who", &request) else { panic!("it waits") };
    assert_eq!(live.answer(&BTreeMap::from([("who".to_owned(), raw("1"))])), Ok(()));
    answer.try_recv().expect("the answer");
    live.refuse("who", "no".to_owned()).expect("it may be asked again");
    let Ok(InputState::Waiting(_again)) = live.ask("who", &request) else { panic!("it waits") };
    assert_eq!(input_request_keys(&live.snapshot()), ["who#3", "who#2"], "sorted by the handler's keys");
}

#[test]
fn input_requests_have_unique_keys_and_a_limit() {
    let live = live();
    let Ok(InputState::Waiting(_first)) = live.ask("a", &KnownRequest::roots()) else { panic!("it waits") };
    let other = KnownRequest::form("What?", &serde_json::json!({"type": "object", "properties": {}}));
    assert!(matches!(live.ask("a", &other), Err(InputRequestError::SameKey(key)) if key == "a"));
    let Ok(InputState::Waiting(_second)) = live.ask("b", &other) else { panic!("it waits") };
    assert!(matches!(live.ask("c", &other), Err(InputRequestError::TooMany(2))));
    live.cancel();
    assert!(matches!(live.ask("c", &other), Err(InputRequestError::Ended)));
    assert!(matches!(live.refuse("a", String::new()), Err(InputRequestError::Ended)));
}

#[test]
fn messages_are_limited_and_tasks_have_a_size() {
    let live = live();
    let before = live.snapshot().size();
    live.set_message(&"ü".repeat(5_000));
    let task = live.snapshot();
    assert_eq!(task.status_message.as_ref().map(|message| message.chars().count()), Some(1_001));
    assert!(task.size() > before + 2_000);
    let result = to_raw_value(&"x".repeat(10_000)).expect("JSON");
    live.end(TaskState::Completed(result), None);
    assert!(live.snapshot().size() > 10_000);
}
