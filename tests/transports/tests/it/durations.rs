//! Times that users set: the longest duration means "never", and is valid.

use std::time::Duration;

use test_transports::link::{Link, MODERN, RUNTIME};
use test_transports::stage;
use test_transports::transports::Lab;
use test_transports::{http, wires};
use toolwright::{
    Http, HttpConfig, Limits,
    transport::{Lines, WebSocket},
};

const NEVER: Duration = Duration::MAX;

/// Every time among the limits, but for that of the end.
fn limits() -> Limits {
    Limits {
        call_timeout: NEVER,
        request_state_ttl: NEVER,
        shutdown_grace: NEVER,
        session_idle: NEVER,
        http_read_timeout: NEVER,
        websocket_silence: NEVER,
        ..stage::limits()
    }
}

/// Calls that are done at once and later, with progress and with a question.
fn assert_served(wired: wires::Wired, revision: &'static str) {
    let mut link = Link::open(wired.0, wired.1, revision, true);
    link.assert_alive();
    assert_eq!(link.call_text("count", &serde_json::json!({})), "counted");
    let (answer, _) = link.converse("ask", |question| test_transports::scenarios::reply(&question["params"]));
    assert_eq!(answer["result"]["content"][0]["text"], "blue", "{answer}");
    assert!(link.result("tools/list", serde_json::json!({}))["tools"].is_array());
}

const REVISIONS: [&str; 2] = ["2025-11-25", MODERN];

#[test]
fn lines_work_with_extreme_timeouts() {
    for revision in REVISIONS {
        let (client, server) = tokio::io::duplex(4096);
        let (reader, writer) = tokio::io::split(server);
        let mut lab = Lab::start(stage::with_limits(limits()), Lines::new(reader, writer));
        let (reader, writer) = tokio::io::split(client);
        assert_served(wires::lines(reader, writer), revision);
        lab.stop();
        lab.assert_ended_within(Duration::from_secs(10));
    }
}

#[test]
fn http_works_with_extreme_timeouts() {
    let server = Http::bind("127.0.0.1:0").expect("a free port");
    let address = server.local_addr().expect("an address");
    let config = HttpConfig::default().keep_alive(Some(NEVER)).retry(NEVER).close_streams_after(Some(NEVER));
    let _lab = Lab::start(stage::with_limits(limits()), server.config(config));
    for revision in REVISIONS {
        assert_served(http::http(address, revision), revision);
    }
}

#[test]
fn websockets_work_with_extreme_timeouts() {
    let server = WebSocket::bind("127.0.0.1:0").expect("a free port");
    let url = format!("ws://{}/mcp", server.local_addr().expect("an address"));
    let config = HttpConfig::default().keep_alive(Some(NEVER));
    let _lab = Lab::start(stage::with_limits(limits()), server.config(config));
    for revision in REVISIONS {
        assert_served(wires::websocket(&url), revision);
    }
    let _ = &*RUNTIME;
}
