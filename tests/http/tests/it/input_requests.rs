//! Elicitation, sampling and roots over HTTP: on the stream of the call, or as the result of the call.

use std::time::Duration;

use serde_json::{Value, json};
use test_http::client::Call;
use test_http::lab::{Lab, Session};
use test_protocol::dialog::{everything, next_round};
use test_protocol::input_requests;
use toolwright::{HttpConfig, Limits, limits::CallerLimits};

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

fn lab() -> Lab {
    lab_with(Limits::default())
}

fn lab_with(limits: Limits) -> Lab {
    Lab::serve(
        input_requests::server().limits(limits).build().expect("the tools are right"),
        HttpConfig::new(),
    )
}

fn roots() -> Value {
    json!({"roots": [{"uri": "file:///a", "name": "A"}]})
}

/// Posts a response, which is accepted without an answer.
fn respond(session: &Session<'_>, id: &Value, result: &Value) {
    let mut taken = session.post().body(&json!({"jsonrpc": "2.0", "id": id, "result": result})).send();
    assert_eq!((taken.status, taken.text().as_str()), (202, ""));
}

fn modern(lab: &Lab, id: i32, params: &Value) -> Call {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": everything(),
    });
    let call = lab.modern("tools/call", &params);
    call.body(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

#[test]
fn a_legacy_input_request_is_sent_on_its_calls_stream() {
    let lab = lab();
    for revision in REVISIONS {
        let session = lab.session_with(revision, &everything());
        let mut stream = session.call(1, "folders", &json!({})).send();
        assert!(stream.is_events(), "{revision}");
        let question = stream.message().expect("a question");
        assert_eq!(question["method"], "roots/list");
        respond(&session, &question["id"], &roots());
        let answers = stream.messages();
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0]["result"]["content"][0]["text"], "A=file:///a", "{revision}");
    }
}

#[test]
fn each_input_request_of_a_session_has_its_own_id() {
    let lab = lab();
    let session = lab.session_with("2025-11-25", &everything());
    let mut first = session.call(1, "folders", &json!({})).send();
    let mut second = session.call(1, "write", &json!({})).send();
    let (one, two) = (first.message().expect("a question"), second.message().expect("a question"));
    assert_ne!(one["id"], two["id"]);
    let written = json!({"role": "assistant", "content": {"type": "text", "text": "B"}, "model": "m"});
    respond(&session, &two["id"], &written);
    respond(&session, &one["id"], &roots());
    assert_eq!(first.message().expect("an answer")["result"]["content"][0]["text"], "A=file:///a");
    assert_eq!(
        second.message().expect("an answer")["result"]["content"][0]["text"],
        "m wrote: B (unknown, 1 blocks)"
    );
}

#[test]
fn a_response_from_another_session_is_ignored() {
    let lab = lab();
    let (mine, other) =
        (lab.session_with("2025-11-25", &everything()), lab.session_with("2025-11-25", &everything()));
    let mut stream = mine.call(1, "folders", &json!({})).send();
    let question = stream.message().expect("a question");
    respond(&other, &question["id"], &json!({"roots": []}));
    respond(&mine, &json!(4711), &json!({"roots": []}));
    respond(&mine, &question["id"], &roots());
    respond(&mine, &question["id"], &json!({"roots": []}));
    assert_eq!(stream.message().expect("an answer")["result"]["content"][0]["text"], "A=file:///a");
}

#[test]
fn a_batch_may_answer_server_requests() {
    let lab = lab();
    let session = lab.session_with("2025-03-26", &everything());
    let mut stream = session.call(1, "folders", &json!({})).send();
    let question = stream.message().expect("a question");
    let batch = json!([{"jsonrpc": "2.0", "id": question["id"], "result": roots()}]);
    assert_eq!(session.post().body(&batch).send().status, 202);
    assert_eq!(stream.message().expect("an answer")["result"]["content"][0]["text"], "A=file:///a");
}

#[test]
fn a_legacy_client_without_streams_gets_no_input_requests() {
    let lab = lab();
    let session = lab.session_with("2025-11-25", &everything());
    let call = session.call(1, "folders", &json!({})).replace("Accept", "application/json");
    let answer = call.send().json();
    assert_eq!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().expect("a string");
    assert!(text.contains("text/event-stream"), "{text}");
}

#[test]
fn undeclared_capabilities_are_not_used() {
    let lab = lab();
    let session = lab.session("2025-11-25");
    let answer = session.call(1, "folders", &json!({})).send().json();
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("roots")));
}

#[test]
fn an_input_request_ends_with_its_call_and_session() {
    let lab = lab();
    let session = lab.session_with("2025-11-25", &everything());
    let mut stream = session.call(7, "folders", &json!({})).send();
    let question = stream.message().expect("a question");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(session.post().body(&cancel).send().status, 202);
    let left = stream.messages();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["method"], "notifications/cancelled");
    assert_eq!(left[0]["params"], json!({"requestId": question["id"]}));

    let mut stream = session.call(8, "folders", &json!({})).send();
    assert!(stream.message().is_some());
    assert_eq!(session.delete().send().status, 200);
    assert!(stream.messages().iter().all(|message| message.get("result").is_none()));
}

/// Two calls of one caller that keep an answer each, and one that has no room for its own until the first has ended.
#[test]
fn answers_that_are_kept_are_bounded_by_call_and_by_caller() {
    let per_caller = CallerLimits { max_received_bytes: 1, ..CallerLimits::default() };
    let limits =
        Limits { max_input_response_bytes: 2_000, max_message_bytes: 5_000, per_caller, ..Limits::default() };
    let lab = lab_with(limits);
    let session = lab.session_with("2025-11-25", &everything());
    let ask = |id: i32| {
        let mut stream = session.call(id, "steps", &json!({})).send();
        let question = stream.message().expect("a question");
        (stream, question["id"].clone())
    };
    let padded = |bytes: usize| json!({"action": "accept", "content": {"text": "a"}, "_meta": {"pad": "x".repeat(bytes)}});
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned();

    let (mut alone, question) = ask(1);
    respond(&session, &question, &padded(2_000));
    let refused = text(&alone.message().expect("an answer"));
    assert!(refused.contains("2000 bytes in total"), "{refused}");

    let (mut first, question) = ask(2);
    respond(&session, &question, &padded(1_500));
    let next = first.message().expect("the next question");
    let (mut second, question) = ask(3);
    respond(&session, &question, &padded(1_900));
    let refused = text(&second.message().expect("an answer"));
    assert!(refused.contains("the server is handling too many messages"), "{refused}");
    let mut last = next;
    while last.get("method").is_some() {
        respond(&session, &last["id"], &padded(1));
        last = first.message().expect("a question, or the answer");
    }
    assert_eq!(last["result"]["isError"], false, "{last}");

    let (mut third, question) = ask(4);
    respond(&session, &question, &padded(1_900));
    assert!(
        third.message().is_some_and(|next| next["method"] == "elicitation/create"),
        "there is room again"
    );
}

#[test]
fn a_client_may_answer_after_disconnecting() {
    let lab = lab_with(Limits { max_calls_in_flight: 1, ..Limits::default() });
    let session = lab.session_with("2025-11-25", &everything());
    let mut stream = session.call(1, "folders", &json!({})).send();
    let question = stream.message().expect("a question");
    drop(stream);
    assert_eq!(session.call(2, "declared", &json!({})).send().status, 503, "the call goes on");
    respond(&session, &question["id"], &roots());
    for _ in 0..100 {
        if session.call(2, "declared", &json!({})).send().status == 200 {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the call ends with its answer");
}

#[test]
fn a_modern_call_ends_with_its_input_requests() {
    let lab = lab();
    for accept in ["application/json, text/event-stream", "application/json"] {
        let params = json!({"name": "folders", "arguments": {}});
        let mut first = modern(&lab, 1, &params).replace("Accept", accept).send();
        assert_eq!((first.status, first.is_events()), (200, false));
        let answer = first.json();
        assert_eq!(
            answer["result"]["inputRequests"],
            json!({"roots": {"method": "roots/list", "params": {}}})
        );
        let params = next_round(&params, &answer, |_| roots());
        let mut second = modern(&lab, 2, &params).replace("Accept", accept).send();
        let answer = second.json();
        assert_eq!((&answer["id"], &answer["result"]["resultType"]), (&json!(2), &json!("complete")));
        assert_eq!(answer["result"]["content"][0]["text"], "A=file:///a");

        let mut tampered = params;
        tampered["requestState"] = json!("AAAA");
        let mut refused = modern(&lab, 3, &tampered).send();
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32602)));
    }
}

#[test]
fn a_modern_input_request_of_another_task_ends_the_call() {
    let lab = lab();
    let params = json!({"name": "spawned", "arguments": {}});
    let answer = modern(&lab, 1, &params).send().json();
    assert_eq!(answer["result"]["resultType"], "input_required");
    assert!(answer["result"]["inputRequests"]["late"].is_object());
}

#[test]
fn a_missing_capability_has_status_400_in_the_modern_era() {
    let lab = lab();
    let mut refused = lab.call("folders", &json!({})).send();
    assert_eq!(refused.status, 400);
    let error = refused.json()["error"].clone();
    assert_eq!(error["code"], -32021);
    assert_eq!(error["data"], json!({"requiredCapabilities": {"roots": {}}}));
}

/// 2025-11-25, basic/transports "Resumability and Redelivery": messages on a stream are sent again, including requests.
#[test]
fn a_question_on_a_lost_stream_is_asked_again() {
    let lab = lab();
    let session = lab.session_with("2025-11-25", &everything());
    let mut lost = session.call(1, "folders", &json!({})).send();
    let first = lost.fields().and_then(|event| event.id).expect("an event to go on from");
    drop(lost);
    let mut resumed = session.get().header("Last-Event-ID", &first).send();
    resumed.validate_as("2025-11-25", "tools/call");
    let question = resumed.message().expect("the question");
    assert_eq!(question["method"], "roots/list");
    let asked = resumed.last_event_id.clone().expect("events have ids");
    drop(resumed);
    respond(&session, &question["id"], &roots());
    let mut rest = session.get().header("Last-Event-ID", &asked).send();
    rest.validate_as("2025-11-25", "tools/call");
    let answers = rest.messages();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["result"]["content"][0]["text"], "A=file:///a");
}
