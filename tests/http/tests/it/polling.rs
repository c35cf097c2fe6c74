//! Streams that the server closes, and that clients resume (SEP-1699; 2025-11-25, basic/transports "Sending Messages
//! to the Server").

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_http::client::{Event, Response};
use test_http::lab::Lab;
use test_http::scripted::scripted_server;
use toolwright::{HttpConfig, Limits};

fn call(tool: &str) -> Value {
    json!({"name": tool, "arguments": {}, "_meta": {"progressToken": 1}})
}

fn is_priming(event: &Event) -> bool {
    event.id.is_some() && event.data.as_deref() == Some("") && event.name.is_none()
}

fn methods(response: &mut Response) -> Vec<Option<String>> {
    response.messages().iter().map(|message| message["method"].as_str().map(str::to_owned)).collect()
}

// As reported in modelcontextprotocol/typescript-sdk#1184.
#[test]
fn streams_start_with_an_id_where_clients_expect_one() {
    let lab = Lab::with(Limits::default(), HttpConfig::new().retry(Duration::from_millis(250)));
    for (revision, knows) in [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)] {
        let session = lab.session(revision);
        for slowly in [false, true] {
            let params =
                json!({"name": "count", "arguments": {"slowly": slowly}, "_meta": {"progressToken": 1}});
            let mut stream = session.request(1, "tools/call", &params).send();
            let first = stream.fields().expect("an event");
            assert_eq!(is_priming(&first), knows, "{revision} {first:?}");
            assert_eq!(stream.retry, knows.then_some(250), "{revision}");
        }
        let mut standing = session.get().send();
        if knows {
            assert!(standing.fields().is_some_and(|first| is_priming(&first)));
        } else {
            assert_eq!(standing.event().as_deref(), Some(":"), "a sign of life");
        }
    }
}

#[test]
fn a_handler_closes_its_stream_and_the_client_polls() {
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let lab = Lab::serve(service, HttpConfig::new());
    let session = lab.session("2025-11-25");
    controller.report("1");
    controller.close();
    let mut stream = session.request(1, "tools/call", &call("a")).send();
    assert_eq!(methods(&mut stream), [Some("notifications/progress".to_owned())]);
    assert_eq!(stream.retry, Some(1000));
    for _ in 0..2 {
        let id = stream.last_event_id.clone().expect("an id");
        stream = session.get().header("Last-Event-ID", &id).send();
        controller.report("more");
        controller.close();
        assert_eq!(methods(&mut stream), [Some("notifications/progress".to_owned())]);
    }
    // The stream is already closed, so this has no effect.
    controller.close();
    controller.answer("done");
    let id = stream.last_event_id.expect("an id");
    let mut rest = session.get().header("Last-Event-ID", &id).send();
    rest.validate_as("2025-11-25", "tools/call");
    let messages = rest.messages();
    assert_eq!((messages.len(), &messages[0]["result"]["content"][0]["text"]), (1, &json!("done")));
}

/// Before 2025-11-25 "the server SHOULD NOT close the SSE stream before sending a JSON-RPC response".
#[test]
fn clients_that_do_not_poll_keep_their_stream() {
    for revision in ["2025-03-26", "2025-06-18"] {
        let (service, [controller]) = scripted_server(["a"], Limits::default());
        let config = HttpConfig::new().close_streams_after(Some(Duration::from_millis(1)));
        let lab = Lab::serve(service, config);
        let session = lab.session(revision);
        controller.close();
        controller.report("1");
        let mut stream = session.request(1, "tools/call", &call("a")).send();
        assert!(stream.message().is_some());
        std::thread::sleep(Duration::from_millis(50));
        controller.answer("done");
        assert_eq!(methods(&mut stream), [None], "{revision}");
    }
}

#[test]
fn closing_does_nothing_where_there_is_no_session() {
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let lab = Lab::serve(service, HttpConfig::new());
    controller.close();
    controller.report("1");
    controller.close();
    controller.answer("done");
    let mut stream = lab.modern("tools/call", &call("a")).send();
    assert_eq!(methods(&mut stream), [Some("notifications/progress".to_owned()), None]);
    assert_eq!(stream.last_event_id, None, "2026-07-28 has no resumption");
}

#[test]
fn calls_that_finish_as_their_stream_closes_are_answered() {
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let lab = Lab::serve(service, HttpConfig::new());
    let session = lab.session("2025-11-25");
    controller.close();
    controller.answer("done");
    let mut response = session.call(1, "a", &json!({})).send();
    assert_eq!(response.json()["result"]["content"][0]["text"], "done");
}

#[test]
fn connections_can_be_closed_after_a_maximum_time() {
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let time = Duration::from_millis(100);
    let lab = Lab::serve(service, HttpConfig::new().close_streams_after(Some(time)));
    let session = lab.session("2025-11-25");
    controller.report("1");
    let start = Instant::now();
    let mut stream = session.request(1, "tools/call", &call("a")).send();
    assert_eq!(methods(&mut stream), [Some("notifications/progress".to_owned())]);
    assert!(start.elapsed() >= time);
    assert_eq!(session.get().send().messages(), Vec::<Value>::new(), "standing ones as well");
    controller.answer("done");
    let id = stream.last_event_id.expect("an id");
    let mut rest = session.get().header("Last-Event-ID", &id).send();
    rest.validate_as("2025-11-25", "tools/call");
    assert_eq!(rest.messages().len(), 1);

    let start = Instant::now();
    let mut silent = session.request(2, "tools/call", &call("a")).send();
    assert_eq!(methods(&mut silent), [], "it has said nothing yet");
    assert!((time..time * 10).contains(&start.elapsed()), "long before a sign of life is due");
    assert!(silent.last_event_id.is_some());
}
