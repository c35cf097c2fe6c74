//! Faults of servers over HTTP+SSE and WebSocket.

use std::time::Duration;

use test_client::http::{Fixture, Reply, Request};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use toolwright_client::config::{SseSpec, WebSocketSpec};
use toolwright_client::{Client, ClientError, ErrorKind};

use super::{Fault, fault};
use ErrorKind::{Connect, Lost, Protocol, Timeout};

const SERVER: &str = "check that the address belongs to an MCP server";
const DEVELOPERS: &str = "report this to the server's developers";
const AFTER_LOSS: &str = "check whether the request was executed before you repeat it";

type Respond = fn(&Request, &mut Reply);

/// How a server responds to the request for its stream, and the expected error.
const STREAMS: &[(&str, Respond, ErrorKind, &[&str], &str)] = &[
    ("no stream", |_, reply| reply.send(404, &[], "nothing"), Connect, &["404", "nothing"], "check the path"),
    (
        "no events",
        |_, reply| reply.send(200, &[], "hello"),
        Protocol,
        &["something other than an event stream"],
        SERVER,
    ),
    (
        "no endpoint",
        |_, reply| {
            reply.events();
            reply.end();
        },
        Protocol,
        &["before the event `endpoint`"],
        SERVER,
    ),
    (
        "an endpoint on another server",
        |_, reply| endpoint(reply, "http://127.0.0.2:1/messages"),
        Protocol,
        &["127.0.0.2:1/messages", "is on another server"],
        DEVELOPERS,
    ),
    (
        "an invalid endpoint",
        |_, reply| endpoint(reply, "ftp://x/"),
        Protocol,
        &["`ftp:` is not supported"],
        DEVELOPERS,
    ),
    (
        "a silent stream",
        |_, reply| {
            reply.events();
            reply.wait_for_end(Duration::from_secs(30));
        },
        Timeout,
        &["400ms"],
        "raise `timeout`",
    ),
    (
        "a stream that ends",
        |request, reply| {
            if request.http_method == "GET" {
                reply.events();
                reply.chunk("event: endpoint\ndata: /messages\n\n");
                std::thread::sleep(Duration::from_millis(100));
                reply.end();
            } else {
                reply.send(202, &[], "");
            }
        },
        Lost,
        &["no longer available", "its stream ended"],
        AFTER_LOSS,
    ),
    (
        "rejected messages",
        |request, reply| {
            if request.http_method == "GET" {
                reply.events();
                reply.chunk("event: endpoint\ndata: /messages\n\n");
                reply.wait_for_end(Duration::from_secs(30));
            } else {
                reply.send(500, &[], "no room");
            }
        },
        Connect,
        &["500", "no room"],
        "check the server's log",
    ),
];

fn endpoint(reply: &mut Reply, address: &str) {
    reply.events();
    reply.chunk(&format!("event: endpoint\ndata: {address}\n\n"));
    reply.wait_for_end(Duration::from_secs(30));
}

/// How a server responds to the WebSocket handshake, and the expected error.
const SOCKETS: &[(&str, Respond, ErrorKind, &[&str], &str)] = &[
    ("no socket", |_, reply| reply.send(404, &[], "nothing"), Connect, &["404", "nothing"], "check the path"),
    (
        "no token",
        |_, reply| reply.send(401, &[], "who"),
        Connect,
        &["401", "who"],
        "send one in the `Authorization` header",
    ),
    ("a page", |_, reply| reply.send(200, &[], "<html>"), Protocol, &["status 200", "<html>"], SERVER),
    (
        "another protocol",
        |_, reply| {
            reply.raw(b"220 mail.example ESMTP\r\n\r\n");
            reply.hang_up();
        },
        Connect,
        &["does not accept a WebSocket"],
        "check that the address belongs to a WebSocket server",
    ),
    (
        "a wrong key",
        |_, reply| {
            reply.raw(b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n");
            reply.hang_up();
        },
        Connect,
        &["does not accept a WebSocket"],
        "check that the address belongs to a WebSocket server",
    ),
    (
        "a binary frame",
        |request, reply| {
            open(request, reply);
            reply.raw(b"\x82\x02{}");
            reply.wait_for_end(Duration::from_secs(30));
        },
        Protocol,
        &["a binary frame"],
        DEVELOPERS,
    ),
    (
        "a socket that is closed",
        |request, reply| {
            open(request, reply);
            reply.raw(b"\x88\x06\x03\xF3full");
            reply.wait_for_end(Duration::from_secs(30));
        },
        Lost,
        &["closed the socket", "1011", "full"],
        AFTER_LOSS,
    ),
    (
        "a socket that breaks",
        |request, reply| {
            open(request, reply);
            reply.hang_up();
        },
        Lost,
        &["no longer available"],
        AFTER_LOSS,
    ),
    (
        "a frame over the limit",
        |request, reply| {
            open(request, reply);
            reply.raw(b"\x81\x7F\x00\x00\x00\x00\x00\x20\x00\x00");
            reply.wait_for_end(Duration::from_secs(30));
        },
        Protocol,
        &["larger than 1 MiB"],
        "`max_message_bytes`",
    ),
    (
        "text that is not a message",
        |request, reply| {
            open(request, reply);
            (0..1100).for_each(|_| reply.raw(b"\x81\x05hello"));
            reply.wait_for_end(Duration::from_secs(30));
        },
        Protocol,
        &["instead of protocol messages", "`hello`"],
        "MCP server",
    ),
];

/// Completes the handshake, and waits a moment for the first request.
fn open(request: &Request, reply: &mut Reply) {
    let key = derive_accept_key(request.header("sec-websocket-key").unwrap_or_default().as_bytes());
    let head =
        "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mcp\r\n";
    reply.raw(format!("{head}Sec-WebSocket-Accept: {key}\r\n\r\n").as_bytes());
    std::thread::sleep(Duration::from_millis(100));
}

async fn sse_error(respond: Respond, has_short_timeout: bool) -> ClientError {
    let server = Fixture::start(respond);
    let mut spec = SseSpec::new(&*server.url);
    if has_short_timeout {
        spec.timeout = Duration::from_millis(400);
    }
    Client::connect(spec).await.expect_err("the server has a fault")
}

async fn socket_error(respond: Respond) -> ClientError {
    let server = Fixture::start(respond);
    let spec = WebSocketSpec::new(server.url.replace("http://", "ws://"));
    Client::builder().max_message_bytes(1 << 20).connect(spec).await.expect_err("the server has a fault")
}

pub(super) fn faults() -> Vec<Fault> {
    let streams = STREAMS.iter().map(|(description, respond, kind, problem, advice)| {
        let error = sse_error(*respond, *kind == Timeout);
        fault(format!("HTTP+SSE, {description}"), *kind, problem, advice, error)
    });
    let sockets = SOCKETS.iter().map(|(description, respond, kind, problem, advice)| {
        fault(format!("WebSocket, {description}"), *kind, problem, advice, socket_error(*respond))
    });
    let unreachable = [
        fault("HTTP+SSE, a closed port", Connect, &["refused"], "check that the server runs", async {
            Client::connect(SseSpec::new("http://127.0.0.1:1/sse")).await.expect_err("the server has a fault")
        }),
        fault("WebSocket, a closed port", Connect, &["refused"], "check that the server runs", async {
            Client::connect("ws://127.0.0.1:1/").await.expect_err("the server has a fault")
        }),
    ];
    streams.chain(sockets).chain(unreachable).collect()
}
