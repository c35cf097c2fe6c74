//! The states of a task that runs: what each operation does in each of them.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::oneshot::error::TryRecvError;

use super::live::{LiveTask, Note, shown};
use super::registry::tests::admit;
use super::{TaskState, Tasks};
use crate::input_requests::ample;
use crate::input_requests::{InputRequestError, KnownRequest};

/// The states, with what comes of each operation.
const STATES: [&str; 5] = ["working", "asking", "settled", "ended", "cancelled"];

fn live() -> LiveTask {
    let tasks = Tasks::new().build().expect("good settings");
    let admitted = admit(&tasks, None);
    let task = admitted.live.snapshot();
    LiveTask::new(task, (2, ample()))
}

/// A task in this state, and who waits for an answer.
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

/// An answer to the input request that is asked, and to one that is not.
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

/// What an input request came to; while it is held, someone waits for the answer.
type Asked = Option<Result<Note, InputRequestError>>;

type Operation = (&'static str, fn(&LiveTask) -> Asked, [&'static str; 5]);

/// An operation that asks nothing.
macro_rules! quietly {
    ($operation:expr) => {
        |live| {
            $operation(live);
            None
        }
    };
}

#[test]
fn each_operation_in_each_state() {
    let operations: [Operation; 7] = [
        ("nothing", |_| None, ["working", "input_required", "working", "completed", "cancelled"]),
        (
            "say",
            quietly!(|live: &LiveTask| live.say("x")),
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
    // The end that was decided is the one that is shown.
    let (live, _) = live_in("settled");
    live.cancel();
    live.end(completed(), None);
    assert_eq!(name(&live), "completed");
    assert_eq!(live.answer(&answers()), Ok(()));
    assert_eq!(name(&live), "completed");
}

#[test]
fn one_input_request_may_have_several_who_wait() {
    let live = live();
    let request = KnownRequest::roots();
    let waits = || match live.ask("who", &request) {
        Ok(Note::Waits(answer)) => answer,
        other => panic!("{other:?}"),
    };
    let (mut first, second) = (waits(), waits());
    drop(second);
    live.withdraw();
    assert_eq!(shown(&live.snapshot()), ["who"], "one still waits");
    assert_eq!(first.try_recv().err(), Some(TryRecvError::Empty));
    assert_eq!(live.answer(&BTreeMap::from([("who".to_owned(), raw("{\"roots\":[]}"))])), Ok(()));
    assert_eq!(
        first.try_recv().map(|answer| answer.get().to_owned()).ok().as_deref(),
        Some("{\"roots\":[]}")
    );
    let Ok(Note::Answered(_)) = live.ask("who", &request) else { panic!("the answer stays") };
}

#[test]
fn keys_are_never_used_twice_for_two_requests() {
    let live = live();
    let request = KnownRequest::roots();
    let Ok(Note::Waits(_number)) = live.ask("who#2", &request) else { panic!("it waits") };
    let Ok(Note::Waits(mut answer)) = live.ask("who", &request) else { panic!("it waits") };
    assert_eq!(live.answer(&BTreeMap::from([("who".to_owned(), raw("1"))])), Ok(()));
    answer.try_recv().expect("the answer");
    live.refuse("who", "no".to_owned()).expect("it may be asked again");
    let Ok(Note::Waits(_again)) = live.ask("who", &request) else { panic!("it waits") };
    assert_eq!(shown(&live.snapshot()), ["who#3", "who#2"], "sorted by the handler's keys");
}

#[test]
fn two_input_requests_have_two_keys_and_there_are_so_many() {
    let live = live();
    let Ok(Note::Waits(_first)) = live.ask("a", &KnownRequest::roots()) else { panic!("it waits") };
    let other = KnownRequest::form("What?", &serde_json::json!({"type": "object", "properties": {}}));
    assert!(matches!(live.ask("a", &other), Err(InputRequestError::SameKey(key)) if key == "a"));
    let Ok(Note::Waits(_second)) = live.ask("b", &other) else { panic!("it waits") };
    assert!(matches!(live.ask("c", &other), Err(InputRequestError::TooMany(2))));
    live.cancel();
    assert!(matches!(live.ask("c", &other), Err(InputRequestError::Ended)));
    assert!(matches!(live.refuse("a", String::new()), Err(InputRequestError::Ended)));
}

#[test]
fn a_message_has_a_limit_and_a_task_its_size() {
    let live = live();
    let before = live.snapshot().size();
    live.say(&"ü".repeat(5_000));
    let task = live.snapshot();
    assert_eq!(task.status_message.as_ref().map(|message| message.chars().count()), Some(1_001));
    assert!(task.size() > before + 2_000);
    let result = to_raw_value(&"x".repeat(10_000)).expect("JSON");
    live.end(TaskState::Completed(result), None);
    assert!(live.snapshot().size() > 10_000);
}
