//! Servers over HTTP+SSE and over WebSocket.

use std::time::Duration;

use test_client::http::{Fixture, Reply, Request};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use toolwright_client::config::{SseSpec, WebSocketSpec};
use toolwright_client::{Client, ClientError, ErrorKind};

use super::{Fault, fault};
use ErrorKind::{Connect, Lost, Protocol, Timeout};

const SERVER: &str = "check that the address is that of an MCP server";
const MAKERS: &str = "report this to those who make the server";
const AFTER_LOSS: &str = "check whether the request was executed before you repeat it";

type Answer = fn(&Request, &mut Reply);

/// What a server does with the request for its stream.
const STREAMS: &[(&str, Answer, ErrorKind, &[&str], &str)] = &[
    ("no stream", |_, reply| reply.send(404, &[], "nothing"), Connect, &["404", "nothing"], "check the path"),
    ("no events", |_, reply| reply.send(200, &[], "hello"), Protocol, &["not a stream of events"], SERVER),
    (
        "no endpoint",
        |_, reply| {
            reply.events();
            reply.end();
        },
        Protocol,
        &["before it named an address for messages"],
        SERVER,
    ),
    (
        "an endpoint elsewhere",
        |_, reply| endpoint(reply, "http://127.0.0.2:1/messages"),
        Protocol,
        &["127.0.0.2:1/messages", "is on another server"],
        MAKERS,
    ),
    ("an odd endpoint", |_, reply| endpoint(reply, "ftp://x/"), Protocol, &["`ftp:` is not spoken"], MAKERS),
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
            if request.verb == "GET" {
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
        "messages that are not taken",
        |request, reply| {
            if request.verb == "GET" {
                reply.events();
                reply.chunk("event: endpoint\ndata: /messages\n\n");
                reply.wait_for_end(Duration::from_secs(30));
            } else {
                reply.send(500, &[], "no room");
            }
        },
        Connect,
        &["500", "no room"],
        "look into the log of the server",
    ),
];

fn endpoint(reply: &mut Reply, address: &str) {
    reply.events();
    reply.chunk(&format!("event: endpoint\ndata: {address}\n\n"));
    reply.wait_for_end(Duration::from_secs(30));
}

/// What a server does with the request for a socket.
const SOCKETS: &[(&str, Answer, ErrorKind, &[&str], &str)] = &[
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
        &["does not open a WebSocket"],
        "check that the address is that of a WebSocket",
    ),
    (
        "a wrong key",
        |_, reply| {
            reply.raw(b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n");
            reply.hang_up();
        },
        Connect,
        &["does not open a WebSocket"],
        "check that the address is that of a WebSocket",
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
        MAKERS,
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
        "a frame that is too large",
        |request, reply| {
            open(request, reply);
            reply.raw(b"\x81\x7F\x00\x00\x00\x00\x00\x20\x00\x00");
            reply.wait_for_end(Duration::from_secs(30));
        },
        Protocol,
        &["more than 1 MiB"],
        "`max_message_bytes`",
    ),
    (
        "text that is no message",
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

/// The handshake, and a moment for the first request.
fn open(request: &Request, reply: &mut Reply) {
    let key = derive_accept_key(request.header("sec-websocket-key").unwrap_or_default().as_bytes());
    let head =
        "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mcp\r\n";
    reply.raw(format!("{head}Sec-WebSocket-Accept: {key}\r\n\r\n").as_bytes());
    std::thread::sleep(Duration::from_millis(100));
}

async fn over_sse(answer: Answer, is_short: bool) -> ClientError {
    let server = Fixture::start(answer);
    let mut spec = SseSpec::new(&*server.url);
    if is_short {
        spec.timeout = Duration::from_millis(400);
    }
    Client::connect(spec).await.expect_err("the fault shows")
}

async fn over_socket(answer: Answer) -> ClientError {
    let server = Fixture::start(answer);
    let spec = WebSocketSpec::new(server.url.replace("http://", "ws://"));
    Client::builder().max_message_bytes(1 << 20).connect(spec).await.expect_err("the fault shows")
}

pub(super) fn faults() -> Vec<Fault> {
    let streams = STREAMS.iter().map(|(what, answer, kind, cause, next)| {
        let error = over_sse(*answer, *kind == Timeout);
        fault(format!("HTTP+SSE, {what}"), *kind, cause, next, error)
    });
    let sockets = SOCKETS.iter().map(|(what, answer, kind, cause, next)| {
        fault(format!("WebSocket, {what}"), *kind, cause, next, over_socket(*answer))
    });
    let refused = [
        fault("HTTP+SSE, nobody", Connect, &["refused"], "see that the server runs", async {
            Client::connect(SseSpec::new("http://127.0.0.1:1/sse")).await.expect_err("the fault shows")
        }),
        fault("WebSocket, nobody", Connect, &["refused"], "see that the server runs", async {
            Client::connect("ws://127.0.0.1:1/").await.expect_err("the fault shows")
        }),
    ];
    streams.chain(sockets).chain(refused).collect()
}
