//! Unsupported revisions, unsupported bodies, and arrays: each gets a helpful error.

use serde_json::{Value, json};
use test_http::client::Call;
use test_http::lab::{Lab, MODERN, code, with_meta};
use test_http::sse::SseClient;
use toolwright::{Http, HttpConfig, Limits};

const UNKNOWN: [&str; 3] = ["2023-01-01", "1.0", "2099-12-31"];

/// Whether the answer says which revisions there are, for programs and for people.
fn says_what_is_served(call: Call, status: u16, error_code: i64) {
    let mut response = call.send();
    assert_eq!(response.status, status);
    let answer: Value = serde_json::from_str(&response.text()).expect("JSON");
    let error = &answer["error"];
    assert_eq!(error["code"], error_code, "{answer}");
    let supported = error["data"]["supported"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert!(supported.contains(&json!(MODERN)), "{answer}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains(MODERN)), "{answer}");
}

/// 2025-11-25, basic/transports "Protocol Version Header": status 400.
#[test]
fn a_session_says_which_revisions_are_served() {
    let lab = Lab::start();
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = lab.session(revision);
        for unknown in UNKNOWN {
            let with = |call: Call| call.replace("MCP-Protocol-Version", unknown);
            let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            for call in [
                session.get(),
                session.delete(),
                session.request(7, "tools/list", &json!({})),
                session.post().body(&notification),
            ] {
                says_what_is_served(with(call), 400, -32602);
            }
            let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]);
            says_what_is_served(with(session.post().body(&batch)), 400, -32602);
        }
        assert_eq!(session.request(8, "tools/list", &json!({})).send().status, 200, "it is still open");
    }
}

/// 2026-07-28, basic/transports/streamable-http "Protocol Version Header": -32022, also where `_meta` says nothing.
#[test]
fn without_a_session_the_error_is_that_of_2026_07_28() {
    let lab = Lab::start();
    for unknown in UNKNOWN {
        let header = |call: Call| call.replace("MCP-Protocol-Version", unknown);
        let mut params = with_meta(&json!({}));
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(unknown);
        let named = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        for body in [&named, &bare] {
            says_what_is_served(header(lab.modern("tools/list", &json!({}))).body(body), 400, -32022);
        }
        let other = header(lab.modern("tools/list", &json!({})));
        assert_eq!(code(other.send()), (400, -32020), "the body says another one");
        for method in ["GET", "DELETE"] {
            says_what_is_served(
                header(lab.bare(method, "/mcp")).header("Accept", "text/event-stream"),
                400,
                -32022,
            );
        }
    }
}

#[test]
fn a_modern_only_server_names_its_revision() {
    let lab = Lab::with(Limits::default(), HttpConfig::new().modern_only());
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for other in ["2025-11-25", "2099-12-31"] {
        let call = lab.post().header("MCP-Protocol-Version", other).header("Mcp-Session-Id", "x").body(&list);
        says_what_is_served(call, 400, -32022);
    }
}

#[test]
fn a_long_revision_is_not_echoed() {
    let lab = Lab::start();
    let long = "9".repeat(4_000);
    let mut params = with_meta(&json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(long);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    let call = lab.modern("tools/list", &json!({})).replace("MCP-Protocol-Version", &long).body(&body);
    assert!(call.send().text().len() < 1_000);
    let session = lab.session("2025-11-25");
    let call = session.request(1, "tools/list", &json!({})).replace("MCP-Protocol-Version", &long);
    assert!(call.send().text().len() < 1_000);
}

fn lab_with_sse() -> Lab {
    Lab::run(test_protocol::tools::service(Limits::default()), Http::with_sse)
}

#[test]
fn arrays_are_rejected_with_the_reason() {
    let lab = Lab::start();
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]);
    let session = lab.session("2025-06-18");
    for (case, call) in [
        ("without a session", lab.post().body(&batch)),
        ("in a modern request", lab.modern("tools/list", &json!({})).body(&batch)),
        ("in a session without batches", session.post().body(&batch)),
    ] {
        let mut response = call.send();
        assert_eq!(response.status, 400, "{case}");
        let answer: Value = serde_json::from_str(&response.text()).expect("JSON");
        assert_eq!(answer["error"]["code"], -32600, "{case}: {answer}");
        let text = answer["error"]["message"].as_str().expect("a string");
        assert!(text.contains("batch") && !text.contains("Mcp-Session-Id"), "{case}: {text}");
    }
}

#[test]
fn encoded_bodies_are_rejected_with_an_alternative() {
    let lab = lab_with_sse();
    let session = lab.session("2025-11-25");
    let client = SseClient::initialized(&lab, "2024-11-05");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for encoding in ["gzip", "br", "GZIP", "identity, gzip", "deflate"] {
        for call in
            [lab.call("add", &json!({"a": 1, "b": 2})), session.post().body(&ping), client.message(&ping)]
        {
            let response = call.header("Content-Encoding", encoding).send();
            assert_eq!(
                (response.status, response.header("accept-encoding")),
                (415, Some("identity")),
                "{encoding}"
            );
        }
    }
    let plain = lab.call("add", &json!({"a": 1, "b": 2})).header("Content-Encoding", "identity");
    assert_eq!(plain.send().status, 200);
}

/// As on every other transport: some programs write one before each message.
#[test]
fn a_byte_order_mark_before_a_body_is_skipped() {
    let lab = lab_with_sse();
    let marked = |body: &Value| [b"\xEF\xBB\xBF", body.to_string().as_bytes()].concat();
    let params = with_meta(&json!({"name": "add", "arguments": {"a": 1, "b": 2}}));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    assert_eq!(lab.call("add", &json!({})).raw_body(&marked(&call)).send().status, 200);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(lab.session("2025-11-25").post().raw_body(&marked(&ping)).send().status, 200);
    let batch = json!([ping]);
    assert_eq!(lab.session("2025-03-26").post().raw_body(&marked(&batch)).send().status, 200);
    let client = SseClient::initialized(&lab, "2024-11-05");
    assert_eq!(client.message(&ping).raw_body(&marked(&ping)).send().status, 202);
}
