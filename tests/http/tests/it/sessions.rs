//! Revisions 2025-03-26 to 2025-11-25 over HTTP: sessions, their streams, batches.

use std::time::Duration;

use serde_json::{Value, json};
use test_http::lab::{Lab, code};
use test_http::probes::Probes;
use toolwright::{HttpConfig, Limits};

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn a_session_lives_from_its_handshake_to_its_delete() {
    let lab = Lab::start();
    for revision in REVISIONS {
        let session = lab.session(revision);
        assert!(session.id.len() >= 32 && session.id.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(session.id, lab.session(revision).id);
        let mut list = session.request(1, "tools/list", &json!({})).send();
        assert!(list.json()["result"]["tools"].is_array());
        let mut sum = session.call(2, "add", &json!({"a": 1, "b": 2})).send();
        assert_eq!(sum.json()["result"]["content"][0]["text"], "{\"sum\":3}");
        assert_eq!(session.request(3, "ping", &json!({})).send().json()["result"], json!({}));
        assert_eq!(code(session.request(4, "no/such", &json!({})).send()), (200, -32601));
        let delete = session.delete().send();
        assert_eq!(delete.status, 200);
        assert_eq!(session.delete().send().status, 404);
        assert_eq!(session.request(5, "tools/list", &json!({})).send().status, 404);
    }
}

// As reported in markmhendrickson/neotoma#1923.
#[test]
fn unknown_sessions_are_404_and_missing_ones_400() {
    let lab = Lab::start();
    let list = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/list"});
    let mut gone = lab.post().header("Mcp-Session-Id", "gone-123").body(&list).send();
    assert_eq!(gone.status, 404);
    let error = gone.json();
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!("x"), &json!(-32600)));
    for method in ["GET", "DELETE"] {
        let call = || lab.bare(method, "/mcp").header("Accept", "text/event-stream");
        assert_eq!(call().header("Mcp-Session-Id", "gone-123").send().status, 404, "{method}");
        assert_eq!(call().send().status, 400, "{method}");
    }
    for id in ["with space", "größe"] {
        assert_eq!(lab.post().header("Mcp-Session-Id", id).body(&list).send().status, 400, "{id}");
    }
    let session = lab.session("2025-11-25");
    let twice = session.post().header("Mcp-Session-Id", "other").body(&list).send();
    assert_eq!(twice.status, 400);
    for version in ["1999-01-01", "nonsense"] {
        let call = session.request(1, "tools/list", &json!({}));
        assert_eq!(call.replace("MCP-Protocol-Version", version).send().status, 400, "{version}");
    }
}

// As reported in diegosouzapw/OmniRoute#5957, maximhq/bifrost#7202.
#[test]
fn initialize_opens_a_session_whatever_session_it_names() {
    let lab = Lab::start();
    let old = lab.session("2025-11-25");
    for id in ["gone-123", old.id.as_str()] {
        let response = lab.initialize("2025-06-18").header("Mcp-Session-Id", id).send();
        assert_eq!(response.status, 200);
        assert!(response.header("mcp-session-id").is_some_and(|new| new != id));
    }
    assert_eq!(old.request(1, "tools/list", &json!({})).send().status, 200, "the old one goes on");
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(code(lab.post().body(&bare).send()), (400, -32600));
    let refused = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    let response = lab.post().body(&refused).send();
    assert_eq!(response.header("mcp-session-id"), None, "no half session");
    assert_eq!(code(response), (200, -32602));
}

// As reported in modelcontextprotocol/rust-sdk#783.
#[test]
fn requests_may_overtake_initialized() {
    let lab = Lab::start();
    let response = lab.initialize("2025-11-25").send();
    let id = response.header("mcp-session-id").expect("a session").to_owned();
    let post = |body: &Value| lab.post().header("Mcp-Session-Id", &id).body(body).send();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    assert_eq!(post(&list).status, 200);
    assert_eq!(post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status, 202);
    assert_eq!(post(&list).status, 200);
}

// As reported in modelcontextprotocol/python-sdk#3137, anthropics/claude-ai-mcp#539.
#[test]
fn each_response_has_its_own_result_whatever_the_id() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    let slow = session.call(1, "sleep", &json!({"ms": 300}));
    let slow = std::thread::spawn(move || slow.send().json());
    std::thread::sleep(Duration::from_millis(50));
    let mut fast = session.call(1, "echo", &json!({"text": "B"})).send();
    assert_eq!(fast.json()["result"]["content"][0]["text"], "B");
    assert_eq!(slow.join().expect("answered")["result"]["content"][0]["text"], "slept 300 ms");
}

// As reported in dbernheisel/phantom_mcp#24, oramasearch/oramacore#335.
#[test]
fn notifications_and_responses_have_no_answer() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "s1", "result": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/unknown"}),
    ] {
        let mut response = session.post().body(&body).send();
        assert_eq!((response.status, response.text().as_str()), (202, ""), "{body}");
        assert_eq!(response.header("content-type"), None);
    }
}

#[test]
fn notifications_of_a_call_use_its_own_stream() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    let mut other = session.get().send();
    assert_eq!(session.request(1, "logging/setLevel", &json!({"level": "debug"})).send().status, 200);
    let params = json!({"name": "count", "arguments": {"slowly": true}, "_meta": {"progressToken": 7}});
    let mut stream = session.request(2, "tools/call", &params).send();
    assert!(stream.is_events());
    let messages = stream.messages();
    assert_eq!(messages.len(), 10, "three of progress, six of logging at level debug, one answer");
    assert_eq!(messages[9]["id"], 2);
    session.delete().send();
    assert_eq!(other.messages(), Vec::<Value>::new());
}

// As reported in modelcontextprotocol/rust-sdk#659.
#[test]
fn each_message_goes_to_one_stream_and_none_pushes_another_out() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    let mut streams = [session.get().send(), session.get().send()];
    for stream in &streams {
        assert!(stream.is_events());
        assert_eq!(stream.header("x-accel-buffering"), Some("no"));
    }
    assert_eq!(session.call(1, "toggle", &json!({"on": true})).send().status, 200);
    session.delete().send();
    let messages: Vec<_> = streams.iter_mut().flat_map(test_http::client::Response::messages).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["method"], "notifications/tools/list_changed");
}

#[test]
fn notifications_wait_for_a_stream_and_streams_are_bounded() {
    let limits = Limits { max_session_streams: 1, ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let session = lab.session("2025-06-18");
    assert_eq!(session.call(1, "toggle", &json!({"on": true})).send().status, 200);
    let mut stream = session.get().send();
    assert_eq!(stream.message().expect("it waited")["method"], "notifications/tools/list_changed");
    assert_eq!(code(session.get().send()).0, 429);
    assert_eq!(session.get().replace("Accept", "application/json").send().status, 406);
}

/// Each request is a separate exchange; subscriptions belong to the session.
#[test]
fn a_session_is_notified_until_it_unsubscribes() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    let watched = json!({"uri": "lab://watched"});
    let update = json!({"what": "contents", "on": true});
    assert_eq!(session.request(1, "resources/subscribe", &watched).send().json()["result"], json!({}));
    assert_eq!(session.call(2, "change", &update).send().status, 200);
    let mut stream = session.get().send();
    let message = stream.message().expect("a notification");
    assert_eq!(
        (&message["method"], &message["params"]),
        (&json!("notifications/resources/updated"), &watched)
    );

    assert_eq!(session.request(3, "resources/unsubscribe", &watched).send().json()["result"], json!({}));
    assert_eq!(session.call(4, "change", &update).send().status, 200);
    session.delete().send();
    assert_eq!(stream.messages(), Vec::<Value>::new(), "no subscription is left");
}

#[test]
fn only_a_notification_cancels_a_legacy_call() {
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let session = lab.session("2025-11-25");
    let wait = |id| {
        let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": id}});
        let mut stream = session.request(id, "tools/call", &params).send();
        assert_eq!(stream.message().expect("progress")["method"], "notifications/progress");
        stream
    };
    drop(wait(1));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(probes.ended(), 0);
    let mut second = wait(2);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    assert_eq!(session.post().body(&cancel).send().status, 202);
    assert_eq!(second.messages(), Vec::<Value>::new(), "no answer to a cancelled request");
    probes.await_ended(1);
    session.delete().send();
    probes.await_ended(2);
}

#[test]
fn only_2025_03_26_supports_batches() {
    let lab = Lab::start();
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "sleep", "arguments": {"ms": 10}}},
    ]);
    let session = lab.session("2025-03-26");
    let mut response = session.post().body(&batch).send();
    let answers = response.json();
    let mut ids: Vec<_> =
        answers.as_array().expect("a batch").iter().map(|answer| answer["id"].as_i64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(2)]);
    let notifications = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert_eq!(session.post().body(&notifications).send().status, 202);
    assert_eq!(lab.session("2025-06-18").post().body(&batch).send().status, 400);
    assert_eq!(lab.post().body(&batch).send().status, 400, "no session");
}

#[test]
fn a_cancellation_in_a_batch_reaches_the_requests_before_it() {
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let session = lab.session("2025-03-26");
    let wait = |id| {
        let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": id}});
        let mut stream = session.request(id, "tools/call", &params).send();
        assert_eq!(stream.message().expect("progress")["method"], "notifications/progress");
        stream
    };
    let (mut first, mut second) = (wait(1), wait(2));
    let cancel =
        |id| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    let other = lab.session("2025-03-26");
    assert_eq!(other.post().body(&json!([cancel(1)])).send().status, 202);
    assert_eq!(probes.ended(), 0, "requests of another session are not reached");
    assert_eq!(session.post().body(&json!([cancel(1)])).send().status, 202);
    assert_eq!(first.messages(), Vec::<Value>::new());
    assert_eq!(session.post().body(&json!([ping, cancel(2)])).send().json()[0]["id"], 9);
    assert_eq!(second.messages(), Vec::<Value>::new());
    probes.await_ended(2);
}

#[test]
fn idle_sessions_end_and_used_ones_stay() {
    let limits = Limits { session_idle: Duration::from_secs(1), max_sessions: 2, ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let (idle, used) = (lab.session("2025-11-25"), lab.session("2025-11-25"));
    let _open = used.get().send();
    let open = idle.get().send();
    assert_eq!(code(lab.initialize("2025-11-25").send()), (503, -32603), "two are open and in use");
    drop(open);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(idle.request(1, "tools/list", &json!({})).send().status, 404);
    assert_eq!(used.request(1, "tools/list", &json!({})).send().status, 200);
    lab.session("2025-11-25");
}

#[test]
fn a_call_longer_than_the_idle_time_leaves_its_session_open() {
    let limits = Limits { session_idle: Duration::from_millis(400), ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = lab.session(revision);
        let slept = session.call(1, "sleep", &json!({"ms": 1_000})).send().json();
        assert_eq!(slept["result"]["content"][0]["text"], "slept 1000 ms");
        assert_eq!(session.request(2, "tools/list", &json!({})).send().status, 200, "{revision}");
        std::thread::sleep(Duration::from_millis(900));
        assert_eq!(session.request(3, "tools/list", &json!({})).send().status, 404, "{revision}");
    }
}

#[test]
fn batches_are_parsed_up_to_their_limit() {
    let lab = Lab::with(Limits { max_batch_messages: 3, ..Limits::default() }, HttpConfig::new());
    let session = lab.session("2025-03-26");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    // What follows the last allowed message is not valid JSON, and must not be parsed.
    let batch = format!("[{ping},{ping},{ping},{ping},no json");
    assert_eq!(code(session.post().raw_body(batch.as_bytes()).send()), (400, -32600));
    let batch = format!("[{ping},{ping},no json");
    assert_eq!(code(session.post().raw_body(batch.as_bytes()).send()), (400, -32700));
    let batch = format!("[{ping},{ping},{ping}]");
    assert_eq!(session.post().raw_body(batch.as_bytes()).send().json().as_array().map(Vec::len), Some(3));
}

#[test]
fn a_cancellation_is_found_however_it_is_escaped() {
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let session = lab.session("2025-03-26");
    let escaped = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","m\u0065thod":"notifications\/cancelled","params":{{"requestId":{id}}}}}"#
        )
    };
    for (id, cancel) in [(1, escaped("1.0")), (2, format!("[{}]", escaped("2e0")))] {
        let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": id}});
        let mut stream = session.request(id, "tools/call", &params).send();
        assert_eq!(stream.message().expect("progress")["method"], "notifications/progress");
        assert_eq!(session.post().raw_body(cancel.as_bytes()).send().status, 202);
        assert_eq!(stream.messages(), Vec::<Value>::new());
    }
    probes.await_ended(2);
}

#[test]
fn streams_of_sessions_end_with_the_server() {
    let mut lab = Lab::start();
    let mut stream = lab.session("2025-11-25").get().send();
    assert!(stream.is_events());
    lab.stop();
    assert_eq!(stream.messages(), Vec::<Value>::new());
}
