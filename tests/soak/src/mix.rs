//! The mix of requests that a client sends.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use test_http::lab::{MODERN, with_meta};

use crate::Tally;
use crate::client::{Connection, Response};

const LEGACY: &str = "2025-11-25";

/// Sends requests until the flag to stop is set.
///
/// # Errors
/// If a response is wrong; then all clients stop.
pub(crate) fn run(address: SocketAddr, number: usize, tally: &Tally) -> Result<(), String> {
    let result = send(address, number, tally);
    if result.is_err() {
        tally.stop.store(true, Ordering::Relaxed);
    }
    result
}

/// The requests, as bytes.
struct Requests {
    add: Vec<u8>,
    list: Vec<u8>,
    echo: Vec<u8>,
    progress: Vec<u8>,
    wait: Vec<u8>,
    panic: Vec<u8>,
    unknown: Vec<u8>,
    nonsense: Vec<u8>,
    initialize: Vec<u8>,
}

impl Requests {
    fn new() -> Self {
        let text = "a line of text with a \"quote\" and an end\n".repeat(6_000);
        let call = |tool: &str, arguments: Value| {
            modern(
                "tools/call",
                tool,
                &json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}),
            )
        };
        let client = json!({"name": "soak", "version": "1"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        Self {
            add: call("add", json!({"a": 1, "b": 2})),
            list: modern("tools/list", "", &json!({})),
            echo: call("echo", json!({"text": text})),
            progress: call("count", json!({})),
            wait: call("count", json!({"slowly": true})),
            panic: call("panic", json!({"later": true})),
            unknown: call("nobody", json!({})),
            nonsense: post("", "{\"jsonrpc\": nonsense"),
            initialize: legacy("", 0, "initialize", &params),
        }
    }
}

fn send(address: SocketAddr, number: usize, tally: &Tally) -> Result<(), String> {
    let requests = Requests::new();
    let mut connection = Connection::open(address).map_err(|error| error.to_string())?;
    let mut round = number;
    while !tally.stop.load(Ordering::Relaxed) {
        round += 1;
        let sent = step(&mut connection, &requests, round)?;
        tally.requests.fetch_add(sent, Ordering::Relaxed);
    }
    Ok(())
}

/// Performs one interaction; returns the number of its requests.
fn step(connection: &mut Connection, requests: &Requests, round: usize) -> Result<u64, String> {
    let mut ask = |request: &[u8], status: u16, holds: &str| -> Result<Response, String> {
        let response = connection.ask(request).map_err(|error| error.to_string())?;
        if response.status != status || !response.body.contains(holds) {
            let body: String = response.body.chars().take(300).collect();
            return Err(format!("not status {status} with {holds}, but {}: {body}", response.status));
        }
        Ok(response)
    };
    match round % 100 {
        0 => ask(&requests.echo, 200, "\"result\"").map(|_| 1),
        1 => ask(&requests.panic, 200, "-32603").map(|_| 1),
        2 => ask(&requests.nonsense, 400, "-32700").map(|_| 1),
        3 => ask(&requests.unknown, 400, "-32602").map(|_| 1),
        4..10 => ask(&requests.progress, 200, "notifications/progress").map(|_| 1),
        10..20 => ask(&requests.list, 200, "\"tools\"").map(|_| 1),
        20 => connection
            .ask_and_leave(&requests.wait)
            .map_err(|error| error.to_string())
            .and_then(|status| if status == 200 { Ok(1) } else { Err(format!("{status} for a stream")) }),
        21..25 => {
            let opened = ask(&requests.initialize, 200, "\"result\"")?;
            let session = opened.session.ok_or("no session was opened")?;
            let headers = format!("MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\n");
            let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
            ask(&legacy(&headers, 1, "tools/call", &call), 200, "\"result\"")?;
            let count = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": 1}});
            ask(&legacy(&headers, 2, "tools/call", &count), 200, "notifications/progress")?;
            // Every other session is left to end by itself.
            if round.is_multiple_of(2) {
                ask(&request("DELETE", &headers, ""), 200, "")?;
            }
            Ok(4)
        }
        _ => ask(&requests.add, 200, "\"sum\":3").map(|_| 1),
    }
}

fn modern(method: &str, name: &str, params: &Value) -> Vec<u8> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params)});
    let name = if name.is_empty() { String::new() } else { format!("Mcp-Name: {name}\r\n") };
    post(&format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{name}"), &body.to_string())
}

fn legacy(headers: &str, id: u64, method: &str, params: &Value) -> Vec<u8> {
    post(headers, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    let types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    request("POST", &format!("{types}{headers}"), body)
}

fn request(method: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("{method} /mcp HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
        .into()
}
