//! Calls: errors, progress, log messages, cancellation, ids, batches.

use std::time::Duration;

use serde_json::{Value, json};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");
const A_MOMENT: Duration = Duration::from_millis(200);

fn cancel(peer: &mut Peer, id: &Value) {
    peer.send_value(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
    );
}

// As reported in modelcontextprotocol/typescript-sdk#654, modelcontextprotocol/typescript-sdk#1943.
#[test]
fn an_error_of_a_tool_is_a_result_without_structured_content() {
    let mut peer = Peer::start(SERVER, &[]);
    let result = peer.call_result("fail", &json!({}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"], json!([{"type": "text", "text": "it failed, try something else"}]));
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn invalid_arguments_are_a_result_that_names_each() {
    let mut peer = Peer::start(SERVER, &[]);
    let result = peer.call_result("add", &json!({"a": -5000, "B": 2}));
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().expect("a string");
    for part in ["/a", "-1000", "/b", "/B", "did you mean"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

// As reported in modelcontextprotocol/ruby-sdk#86, 0xPlaygrounds/rig#1437.
#[test]
fn no_arguments_null_and_the_empty_object_are_the_same() {
    let mut peer = Peer::start(SERVER, &[]);
    for params in [
        json!({"name": "nothing"}),
        json!({"name": "nothing", "arguments": null}),
        json!({"name": "nothing", "arguments": {}}),
    ] {
        assert_eq!(peer.result("tools/call", params)["isError"], false);
    }
    let result = peer.result("tools/call", json!({"name": "echo"}));
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().expect("a string").contains("text"));
}

#[test]
fn a_former_name_still_calls_the_tool_and_is_not_listed() {
    let mut peer = Peer::start(SERVER, &[]);
    assert_eq!(peer.call_result("plus", &json!({"a": 2, "b": 2}))["structuredContent"]["sum"], 4);
    let list = peer.result("tools/list", json!({}));
    assert!(list["tools"].as_array().expect("a list").iter().all(|tool| tool["name"] != "plus"));
}

#[test]
fn progress_comes_before_the_result_and_only_if_asked_for() {
    for slowly in [false, true] {
        let mut peer = Peer::start(SERVER, &[]);
        let params =
            json!({"name": "count", "arguments": {"slowly": slowly}, "_meta": {"progressToken": "p-1"}});
        peer.request(&json!(1), "tools/call", params);
        for step in 1..=3 {
            let notification = peer.message();
            assert_eq!(notification["method"], "notifications/progress");
            assert_eq!(
                notification["params"],
                json!({"progressToken": "p-1", "progress": step, "total": 3, "message": "counting"})
            );
        }
        assert_eq!(peer.message()["id"], 1);

        peer.call(&json!(2), "count", &json!({"slowly": slowly}));
        assert_eq!(peer.message()["id"], 2, "the request did not ask for progress or log messages");
    }
}

#[test]
fn no_progress_follows_the_response() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.request(&json!(1), "tools/call", json!({"name": "afterwards", "_meta": {"progressToken": 1}}));
    assert_eq!(peer.message()["id"], 1);
    assert_eq!(peer.within(A_MOMENT), Vec::<Value>::new());
}

#[cfg(unix)]
#[test]
fn handler_prints_go_to_stderr() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.call_result("print", &json!({"text": "not a message"}));
    peer.assert_alive();
    peer.close_input();
    let (_, stderr) = peer.wait(Duration::from_secs(10));
    assert!(stderr.contains("not a message"), "{stderr}");
}

#[test]
fn modern_requests_set_the_minimum_log_level() {
    let mut peer = Peer::start(SERVER, &[]);
    for (level, expected) in [("debug", 6), ("info", 3), ("notice", 0)] {
        let meta = json!({"io.modelcontextprotocol/logLevel": level});
        peer.request(&json!(level), "tools/call", json!({"name": "count", "_meta": meta}));
        for _ in 0..expected {
            assert_eq!(peer.message()["method"], "notifications/message");
        }
        assert_eq!(peer.message()["id"], level);
    }
}

#[test]
fn legacy_sessions_set_the_minimum_log_level() {
    let mut peer = Peer::start_at(SERVER, "2025-11-25");
    peer.call(&json!(1), "count", &json!({}));
    for step in 1..=3 {
        let message = peer.message();
        assert_eq!(message["params"], json!({"level": "info", "logger": "lab", "data": {"step": step}}));
    }
    assert_eq!(peer.message()["id"], 1);
    peer.result("logging/setLevel", json!({"level": "error"}));
    peer.call(&json!(2), "count", &json!({}));
    assert_eq!(peer.message()["id"], 2);
    assert_eq!(peer.answer("logging/setLevel", json!({"level": "loud"}))["error"]["code"], -32602);
    assert_eq!(peer.answer("logging/setLevel", json!({}))["error"]["code"], -32602);
}

// As reported in modelcontextprotocol/python-sdk#2480.
#[test]
fn a_cancelled_request_is_stopped_and_never_answered() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut peer = Peer::start_at(SERVER, revision);
        peer.call(&json!(99), "sleep", &json!({"ms": 300}));
        cancel(&mut peer, &json!(99));
        peer.assert_alive();
        assert_eq!(peer.within(A_MOMENT * 3), Vec::<Value>::new());
        // The id is free again, before the old call's time would have been over.
        peer.call(&json!(99), "sleep", &json!({"ms": 1}));
        assert_eq!(peer.message()["id"], 99);
    }
}

// As reported in MarkusPfundstein/mcp-gsuite#21.
#[test]
fn cancelling_before_and_after_is_ignored() {
    let mut peer = Peer::start(SERVER, &[]);
    cancel(&mut peer, &json!(1));
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    ] {
        peer.send(line);
    }
    peer.call(&json!(1), "add", &json!({"a": 1, "b": 2}));
    assert_eq!(peer.message()["id"], 1);
    cancel(&mut peer, &json!(1));
    peer.assert_alive();
    assert_eq!(peer.within(A_MOMENT), Vec::<Value>::new());

    let mut peer = Peer::start_at(SERVER, "2025-11-25");
    cancel(&mut peer, &json!("own-0"));
    peer.assert_alive();
}

// As reported in modelcontextprotocol/python-sdk#3137, anthropics/claude-ai-mcp#539.
#[test]
fn a_second_request_with_an_id_in_use_is_refused() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.call(&json!("a"), "sleep", &json!({"ms": 200}));
    // The same id, spelt in another way.
    let params = peer.with_meta(json!({"name": "echo", "arguments": {"text": "B"}}));
    peer.send(&format!(r#"{{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{params}}}"#));
    assert_eq!(peer.message()["error"]["code"], -32600);
    assert_eq!(peer.message()["result"]["content"][0]["text"], "slept 200 ms");
    peer.assert_alive();
}

// As reported in modelcontextprotocol/python-sdk#961.
#[test]
fn ids_come_back_digit_for_digit() {
    let mut peer = Peer::start_at(SERVER, "2025-11-25");
    for id in [r#""1""#, r#""007""#, r#""""#, "0", "-5", "9007199254740993", "123456789012345678901234567890"]
    {
        peer.send_bytes(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").as_bytes());
        let expected: Value = serde_json::from_str(id).expect("JSON");
        assert_eq!(peer.message()["id"], expected, "{id}");
    }
}

// As reported in paritytech/jsonrpsee#896 and accensa/x402-facilitator-stellar#199: an array must not vanish.
#[test]
fn batches_are_answered_in_2025_03_26_and_refused_elsewhere() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/initialized"},
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":20}}},
        {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}},
        {"jsonrpc":"2.0","id":4,"method":"no/such"},
        1]"#
    .replace('\n', "");
    let mut peer = Peer::start_at(SERVER, "2025-03-26");
    peer.send(&batch);
    let answers = peer.message();
    let answers = answers.as_array().expect("an array of answers");
    assert_eq!(answers.len(), 5, "{answers:?}");
    for (id, member) in [(1, "result"), (2, "result"), (3, "result"), (4, "error")] {
        let answer = answers.iter().find(|answer| answer["id"] == id).expect("answered");
        assert!(answer.get(member).is_some(), "{answer}");
    }
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32600 && answer["id"].is_null()));
    peer.send(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#);
    peer.send("[]");
    assert_eq!(peer.message()["error"]["code"], -32600, "only the empty batch is answered");
    let many = vec![json!({"jsonrpc": "2.0", "method": "notifications/initialized"}); 101];
    peer.send_value(&many.into());
    assert!(peer.message()["error"]["message"].as_str().expect("a string").contains("at most 100"));
    peer.assert_alive();

    // Elsewhere each array gets exactly one error.
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let mut peer = Peer::start_at(SERVER, revision);
        let notification = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
        for line in ["[]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "[1,2]", notification] {
            peer.send_bytes(format!("{line}\n").as_bytes());
            assert_eq!(peer.message()["error"]["code"], -32600, "{revision} {line}");
        }
        peer.assert_alive();
    }
}
