//! Questions of a task: shown, answered in part, asked again, given up.

use serde_json::json;
use toolwright::{Limits, Server, tasks::Tasks};

use crate::stage::{Caller, Do, Stage, eventually, named, service};

#[tokio::test]
async fn input_requests_may_be_answered_partially() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    for key in ["one", "three", "two"] {
        script.send(Do::Ask(key)).expect("the handler runs");
    }
    let task = caller.until_asked(&id, &["one", "three", "two"]).await;
    assert_eq!(task["inputRequests"]["one"]["params"]["message"], "What is one?");
    let some = json!({"two": named("2"), "one": {"action": "decline"}, "four": named("4")});
    caller
        .request("tasks/update", json!({"taskId": id, "inputResponses": some}))
        .await
        .expect("acknowledged");
    let task = caller.get(&id).await;
    assert_eq!((&task["status"], crate::stage::asked(&task)), (&json!("input_required"), vec!["three"]));
    // An input request is not answered twice.
    caller.answer(&id, "two", named("22")).await;
    caller.answer(&id, "three", named("3")).await;
    assert_eq!(caller.get(&id).await["status"], "working");
    eventually("three answers", || stage.answers().len() == 3).await;
    let mut answers = stage.answers();
    answers.sort();
    assert_eq!(answers, ["one: None", "three: Some(\"3\")", "two: Some(\"2\")"]);
}

#[tokio::test]
async fn an_invalid_response_is_requested_under_a_new_key() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    caller.until_asked(&id, &["who"]).await;
    let mut key = "who".to_owned();
    for (number, unusable) in [
        json!(1),
        json!(null),
        json!("Ada"),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
    ]
    .into_iter()
    .enumerate()
    {
        caller.answer(&id, &key, unusable).await;
        let next = format!("who#{}", number + 2);
        caller.until_asked(&id, &[&next]).await;
        // The previous key is invalid.
        caller.answer(&id, &key, named("Eve")).await;
        key = next;
    }
    caller.answer(&id, &key, named("Ada")).await;
    eventually("one answer", || stage.answers() == ["who: Some(\"Ada\")"]).await;
}

#[tokio::test]
async fn invalid_answers_are_retried_a_limited_number_of_times() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    for number in 1..=16 {
        let key = if number == 1 { "who".to_owned() } else { format!("who#{number}") };
        caller.until_asked(&id, &[&key]).await;
        caller.answer(&id, &key, json!(1)).await;
    }
    eventually("it is given up", || stage.answers().len() == 1).await;
    assert!(stage.answers()[0].contains("does not match"), "{:?}", stage.answers());
    assert_eq!(caller.get(&id).await["status"], "working");
}

#[tokio::test]
async fn dropped_input_requests_are_not_shown() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    caller.until_asked(&id, &["who"]).await;
    script.send(Do::Withdraw("who")).expect("the handler runs");
    caller.until_status(&id, "working").await;
    caller.answer(&id, "who", named("Ada")).await;
    // The same question again is the same question.
    script.send(Do::Ask("who")).expect("the handler runs");
    caller.until_asked(&id, &["who"]).await;
    caller.answer(&id, "who", named("Bob")).await;
    eventually("one answer", || stage.answers() == ["who: Some(\"Bob\")"]).await;
    // And its answer stays.
    script.send(Do::Ask("who")).expect("the handler runs");
    eventually("the same answer", || stage.answers().len() == 2).await;
    assert_eq!(caller.get(&id).await["status"], "working");
}

#[tokio::test]
async fn too_many_input_requests_are_an_error() {
    let stage = Stage::default();
    let limits = Limits { max_input_requests: 2, ..Limits::default() };
    let service =
        Server::new(stage.clone()).tools::<crate::stage::Play>().limits(limits).build().expect("a service");
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    for key in ["a", "b", "c"] {
        script.send(Do::Ask(key)).expect("the handler runs");
    }
    eventually("one is refused", || stage.answers().len() == 1).await;
    assert!(stage.answers()[0].contains("2 input requests are open"), "{:?}", stage.answers());
    assert_eq!(crate::stage::asked(&caller.get(&id).await).len(), 2);
}

/// A task stores a limited size of responses; one that exceeds it is rejected, and a shorter one is
/// accepted.
#[tokio::test]
async fn answers_of_a_task_are_bounded_in_count_and_bytes() {
    let stage = Stage::default();
    let limits = Limits { max_input_response_bytes: 200, max_input_responses: 2, ..Limits::default() };
    let service =
        Server::new(stage.clone()).tools::<crate::stage::Play>().limits(limits).build().expect("a service");
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    caller.until_asked(&id, &["who"]).await;
    let update = json!({"taskId": id, "inputResponses": {"who": named(&"A".repeat(300))}});
    let refused = caller.request("tasks/update", update).await.expect_err("no room");
    assert!(format!("{refused:?}").contains("200 bytes in total"), "{refused:?}");
    assert_eq!(crate::stage::asked(&caller.get(&id).await), ["who"], "it stays open");
    caller.answer(&id, "who", named("Ada")).await;
    script.send(Do::Ask("next")).expect("the handler runs");
    caller.until_asked(&id, &["next"]).await;
    caller.answer(&id, "next", named("Bob")).await;
    script.send(Do::Ask("more")).expect("the handler runs");
    eventually("a third is refused", || stage.answers().len() == 3).await;
    assert!(stage.answers()[2].contains("2 input requests"), "{:?}", stage.answers());
}

#[tokio::test]
async fn input_requests_end_with_the_task() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script = stage.script("asks");
    let id = caller.play("asks").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    caller.until_asked(&id, &["who"]).await;
    script.send(Do::Return("enough".to_owned())).expect("the handler runs");
    let task = caller.until_status(&id, "completed").await;
    assert_eq!(task.get("inputRequests"), None);
    eventually("the requests have ended", || stage.answers() == ["who: the call has ended"]).await;
}
