//! What every request has, whatever its revision: headers, bodies, paths and origins.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use test_http::lab::{Lab, code};
use toolwright::{HttpConfig, Limits};

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
}

// As reported in XS-MLVP/UCAgent#127, PrefectHQ/fastmcp#1664.
#[test]
fn accept_needs_one_of_the_two_types() {
    let lab = Lab::start();
    let initialize = |accept: Option<&str>| {
        let call = lab.initialize("2025-06-18").without("Accept");
        accept.map_or(call.clone(), |accept| call.header("Accept", accept)).send()
    };
    for accept in [
        Some("*/*"),
        Some("text/event-stream, application/json"),
        Some("application/json;q=0.9, text/event-stream"),
        Some("application/*, text/*"),
        Some("APPLICATION/JSON"),
        None,
    ] {
        let mut response = initialize(accept);
        assert_eq!(response.status, 200, "{accept:?}");
        assert_eq!(response.json()["result"]["protocolVersion"], "2025-06-18");
    }
    assert_eq!(code(initialize(Some("text/html"))), (406, -32600));

    let mut events = lab.call("add", &json!({"a": 1, "b": 2})).replace("Accept", "text/event-stream").send();
    assert!(events.is_events());
    assert_eq!(events.messages()[0]["result"]["structuredContent"]["sum"], 3);
}

#[test]
fn without_event_streams_only_the_response_is_sent() {
    let lab = Lab::start();
    for arguments in [json!({}), json!({"slowly": true})] {
        let params = json!({"name": "count", "arguments": arguments, "_meta": {"progressToken": 1}});
        let mut response = lab.modern("tools/call", &params).replace("Accept", "application/json").send();
        assert_eq!(response.json()["result"]["content"][0]["text"], "counted to 3");
    }
    let listen = lab.modern("subscriptions/listen", &json!({"notifications": {}}));
    assert_eq!(code(listen.replace("Accept", "application/json").send()).0, 406);
}

// As reported in grafana/mcp-grafana#215.
#[test]
fn the_type_of_a_body_may_have_parameters() {
    let lab = Lab::start();
    for content_type in ["Application/JSON; charset=utf-8", "application/json;charset=\"UTF-8\""] {
        let response = lab.post().replace("Content-Type", content_type).body(&ping()).send();
        assert_eq!(response.status, 200, "{content_type}");
    }
}

// As reported in modelcontextprotocol/java-sdk#961, LIghtJUNction/OniMods#271.
#[test]
fn only_json_is_accepted() {
    let lab = Lab::start();
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/json-patch+json"] {
        let call = lab.call("add", &json!({"a": 1, "b": 2})).replace("Content-Type", content_type);
        assert_eq!(code(call.send()), (415, -32600), "{content_type}");
    }
    assert_eq!(lab.post().without("Content-Type").body(&ping()).send().status, 415);
}

// As reported in punkpeye/mcp-proxy#62, f/prompts.chat#1117.
#[test]
fn other_methods_are_refused_with_the_ones_that_are_served() {
    let modern = Lab::with(Limits::default(), HttpConfig::new().modern_only());
    for method in ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"] {
        let response = modern.bare(method, "/mcp").header("Accept", "text/event-stream").send();
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
    let both = Lab::start();
    for method in ["PUT", "HEAD", "OPTIONS"] {
        let response = both.bare(method, "/mcp").send();
        assert_eq!((response.status, response.header("allow")), (405, Some("POST, GET, DELETE")), "{method}");
    }
    for method in ["GET", "DELETE"] {
        let response = both.bare(method, "/mcp").header("MCP-Protocol-Version", "2026-07-28").send();
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
}

// As reported in BerriAI/litellm#34845, PrefectHQ/fastmcp#1867.
#[test]
fn the_path_works_with_and_without_a_trailing_slash() {
    let lab = Lab::start();
    for (path, status) in [("/mcp", 200), ("/mcp/", 200), ("/", 404), ("/mcp/other", 404), ("/mcp//", 404)] {
        let call = lab
            .bare("POST", path)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        assert_eq!(call.body(&ping()).send().status, status, "{path}");
    }
}

// As reported in netdata/netdata#22258, modelcontextprotocol/typescript-sdk#764.
#[test]
fn cors_is_for_origins_that_were_allowed() {
    const APP: &str = "https://app.example.com";
    const ASKED: &str =
        "content-type, authorization, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";
    let lab = Lab::with(Limits::default(), HttpConfig::new().allow_origin(APP));
    let preflight = |origin: &str| {
        let call = lab.bare("OPTIONS", "/mcp").header("Origin", origin);
        call.header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", ASKED)
            .send()
    };
    let allowed = preflight(APP);
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(APP));
    let headers = allowed.header("access-control-allow-headers").expect("headers");
    for header in ASKED.split(", ").chain(["last-event-id", "*"]) {
        assert!(headers.split(", ").any(|allowed| allowed == header), "{header}");
    }
    for response in [
        lab.initialize("2025-11-25").header("Origin", APP).send(),
        lab.post()
            .header("Origin", APP)
            .body(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
            .send(),
    ] {
        assert_eq!(response.header("access-control-allow-origin"), Some(APP), "{}", response.status);
        let exposed = response.header("access-control-expose-headers").expect("exposed");
        assert_eq!(exposed, "mcp-session-id, www-authenticate");
    }
    assert_eq!(preflight("https://evil.example.com").status, 403);
    let local = preflight("http://localhost:6274");
    assert_eq!((local.status, local.header("access-control-allow-origin")), (405, None), "off by default");
}

#[test]
fn host_and_origin_are_checked_independently() {
    let lab = Lab::start();
    let call = || lab.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(code(call().replace("Host", "evil.example.com").send()), (403, -32600));
    assert_eq!(code(call().header("Origin", "http://evil.example.com").send()), (403, -32600));
    assert_eq!(code(call().header("Origin", "null").send()), (403, -32600));
    assert_eq!(call().header("Origin", "http://localhost:3000").send().status, 200);
    assert_eq!(call().replace("Host", "localhost").send().status, 200);
    for method in ["GET", "DELETE", "OPTIONS"] {
        let response = lab.bare(method, "/mcp").replace("Host", "evil.example.com").send();
        assert_eq!(response.status, 403, "{method}");
    }
    let named = Lab::with(Limits::default(), HttpConfig::new().allow_host("mcp.example.com"));
    let call = named.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(call.replace("Host", "mcp.example.com:443").send().status, 200);
}

#[test]
fn malformed_bodies_get_distinct_errors() {
    let lab = Lab::start();
    for (body, expected) in [
        ("{", -32700),
        ("", -32700),
        ("\u{1}", -32700),
        ("12", -32600),
        ("\"text\"", -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602),
        ("[]", -32600),
    ] {
        assert_eq!(code(lab.post().raw_body(body.as_bytes()).send()), (400, expected), "{body}");
    }
    assert_eq!(code(lab.post().raw_body(b"\xff\xfe{}").send()), (400, -32700));
}

#[test]
fn oversized_bodies_are_rejected_however_they_are_sent() {
    let limits = Limits { max_message_bytes: 1000, ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let echo = |length: usize| lab.call("echo", &json!({"text": "x".repeat(length)}));
    assert_eq!(echo(600).send().status, 200);
    assert_eq!(code(echo(1000).send()), (413, -32600));
    let chunk = format!("3e9\r\n{}\r\n0\r\n\r\n", " ".repeat(1001));
    let chunked = lab.post().header("Transfer-Encoding", "chunked").raw_body(chunk.as_bytes());
    assert_eq!(code(chunked.send()), (413, -32600));
}

// As reported in modelcontextprotocol/typescript-sdk#2730.
#[test]
fn notifications_are_accepted_on_closing_connections() {
    let lab = Lab::start();
    let session = lab.session("2025-11-25");
    let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let text = body.to_string();
    let chunked = format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
    for call in [
        session.post().header("Connection", "close").body(&body),
        session.post().header("Transfer-Encoding", "chunked").raw_body(chunked.as_bytes()),
        session.post().header("Expect", "100-continue").body(&body),
    ] {
        let mut response = call.send();
        assert_eq!((response.status, response.text().as_str()), (202, ""));
    }
}

#[test]
fn one_connection_serves_many_requests_of_both_eras() {
    let lab = Lab::start();
    let session = lab.session("2025-06-18");
    let mut stream = TcpStream::connect(session.post().address()).expect("the server listens");
    for round in 0..20 {
        let modern = lab.call("add", &json!({"a": round, "b": 1})).send_on(stream);
        assert_eq!(modern.status, 200);
        let legacy = session.call(round, "echo", &json!({"text": "x"})).send_on(modern.into_stream());
        assert_eq!(legacy.status, 200);
        stream = legacy.into_stream();
    }
}

#[test]
fn connections_over_the_limit_wait_until_one_ends() {
    let limits = Limits { max_http_connections: 1, ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let first = lab.post().body(&ping()).send();
    let second = lab.post().body(&ping());
    let waiting = std::thread::spawn(move || second.send().status);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!waiting.is_finished());
    drop(first);
    assert_eq!(waiting.join().expect("served"), 200);
}

/// A client that writes its body in a second packet would see a reset in place of the status (RFC 9112 §9.6).
#[test]
fn a_rejection_arrives_although_the_body_comes_later() {
    use std::io::{Read as _, Write as _};

    let lab = Lab::start();
    let body = ping().to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(lab.post().address()).expect("the server listens");
    stream.set_nodelay(true).expect("an option");
    stream.write_all(head.as_bytes()).expect("sent");
    // The server reads the head alone.
    std::thread::sleep(Duration::from_millis(50));
    stream.write_all(body.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    while !answer.ends_with(b"}}") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("the rest of the response");
        answer.extend(byte);
    }
    assert!(answer.starts_with(b"HTTP/1.1 415 "), "{}", String::from_utf8_lossy(&answer));
    let next = lab.post().body(&ping()).send_on(stream);
    assert_eq!(next.status, 200, "the connection is not closed");
}

#[test]
fn unfinished_requests_time_out() {
    use std::io::{Read as _, Write as _};

    let limits = Limits { http_read_timeout: Duration::from_millis(100), ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let answer_to = |sent: &str| {
        let mut stream = TcpStream::connect(lab.post().address()).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        stream.write_all(sent.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("closed by the server");
        answer
    };
    let body = answer_to(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    assert!(body.starts_with("HTTP/1.1 408 "), "{body}");
    let head = answer_to("POST /mcp HTTP/1.1\r\nHost: local");
    assert!(!head.contains(" 200 "), "{head}");
}
