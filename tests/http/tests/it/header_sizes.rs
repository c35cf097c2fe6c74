//! Headers are limited in size, and checking them against a body does not copy it.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use test_http::lab::{Lab, MODERN, code};
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Http, HttpConfig, Limits, Provider, Server, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

/// What a peer would send if it were not stopped.
const ENDLESS: usize = 200 << 20;
/// The maximum that the sockets of both sides and the server buffer together.
const HELD: usize = 24 << 20;

/// Writes `start`, then `more` repeatedly; returns how much was written, and the server's response.
fn send(address: SocketAddr, start: &str, more: &[u8]) -> (usize, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let chunk = more.repeat((64 << 10) / more.len() + 1);
    let mut written = 0;
    let mut sent = stream.write_all(start.as_bytes());
    while sent.is_ok() && written < ENDLESS {
        sent = stream.write_all(&chunk);
        written += chunk.len();
    }
    if let Err(error) = sent {
        let is_over = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind());
        assert!(is_over, "the connection is closed, not held: {error}");
    }
    let _ = stream.shutdown(Shutdown::Write);
    let mut said = Vec::new();
    // A server that closes while something is on its way to it resets the connection, and its answer may be lost.
    let _ = stream.read_to_end(&mut said);
    (written, String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn endless_headers_are_cut_off() {
    let post = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\n0\r\n");
    let upgrade = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
    let cases: [(&str, String, &[u8]); 7] = [
        ("a target", "POST /".to_owned(), b"a"),
        ("a name", post.to_owned(), b"a"),
        ("a value", format!("{post}X-Large: "), b"a"),
        ("many headers", post.to_owned(), b"X-Small: 1\r\n"),
        ("a parameter", format!("{post}MCP-Protocol-Version: {MODERN}\r\nMcp-Param-Region: "), b"a"),
        ("an upgrade", format!("{upgrade}Sec-WebSocket-Key: "), b"a"),
        ("trailers", chunked, b"X-Small: 1\r\n"),
    ];
    for (transport, lab) in [
        ("http", Lab::with(Limits::default(), HttpConfig::new())),
        ("http with sse", Lab::run(test_protocol::tools::service(Limits::default()), Http::with_sse)),
    ] {
        for (name, start, more) in &cases {
            let (written, said) = send(lab.post().address(), start, more);
            assert!(written < HELD, "{transport}: {name}: {} MiB were taken", written >> 20);
            let status = said.split(' ').nth(1).unwrap_or("400");
            assert!(status.starts_with('4'), "{transport}: {name}: {said}");
        }
        let answer = lab.call("add", &json!({"a": 1, "b": 2})).send();
        assert_eq!(answer.status, 200, "{transport}: others are served as before");
    }
}

#[test]
fn headers_within_the_limit_are_read() {
    let small = Limits { max_header_bytes: 20 << 10, ..Limits::default() };
    for limits in [Limits::default(), small] {
        let limit = limits.max_header_bytes;
        let lab = Lab::with(limits, HttpConfig::new());
        for (length, expected) in [(limit / 2, 200), (2 * limit, 431)] {
            let call = lab.call("add", &json!({"a": 1, "b": 2})).header("X-Large", &"a".repeat(length));
            assert_eq!(call.send().status, expected, "{length}");
        }
    }
}

/// A tool with a parameter that is repeated in a header.
#[derive(Debug)]
struct Regions;

impl Provider for Regions {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
        }});
        [ToolDefinition::new("raw", schema)].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async { ToolResult::text("done") })
    }
}

/// A body of 15 MiB that is all values once made 601 MiB of them, to compare one member with its header.
#[test]
fn the_check_of_headers_makes_no_values_of_a_body() {
    let service = Server::new(()).provider(Regions).build().expect("a service");
    let lab = Lab::serve(service, HttpConfig::new());
    let lists = "[],".repeat(5 << 20);
    let body = |region: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"raw","_meta":{meta},"arguments":{{"z":[{lists}0],"region":"{region}"}}}}}}"#
        )
    };
    let before = peak_memory();
    let call = lab.modern("tools/call", &json!({"name": "raw"})).header("Mcp-Param-Region", "eu");
    let refused = call.raw_body(body("us").as_bytes()).send();
    assert_eq!(code(refused), (400, -32020));
    // The peer has the body three times, the server once, and neither any of its values.
    let grown = (peak_memory() - before) >> 20;
    assert!(grown < 150, "15 MiB were compared with {grown} MiB");
}

/// The most memory that this process had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux shows it");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("Linux shows it");
    let kib: Value = line.split_whitespace().nth(1).expect("a number").parse().expect("a number");
    kib.as_u64().expect("a number") << 10
}
