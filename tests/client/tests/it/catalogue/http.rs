//! Faults of servers over Streamable HTTP, and of proxies.

use std::time::Duration;

use serde_json::{Value, json};
use test_client::http::{Fixture, Reply, Request, legacy, modern};
use toolwright_client::config::{HttpSpec, ServerSpec, TransportSpec};
use toolwright_client::{Client, ClientError, ErrorKind};

use super::{Fault, SECRET, fault};
use ErrorKind::{Connect, Lost, Protocol, Timeout};

const SERVER: &str = "check that the address belongs to an MCP server";
const AFTER_LOSS: &str = "check whether the request was executed before you repeat it";

type Parts = &'static [&'static str];
type Headers = &'static [(&'static str, &'static str)];
type StatusCase = (u16, Headers, &'static str, ErrorKind, Parts, &'static str);

/// Responses to all requests: status, headers and body, and the kind, problem and advice of the expected error.
const STATUSES: &[StatusCase] = &[
    (400, &[], "no", Protocol, &["status 400", "no"], SERVER),
    (
        401,
        &[],
        "who are you",
        Connect,
        &["status 401", "who are you"],
        "send one in the `Authorization` header",
    ),
    (403, &[], "not you", Connect, &["status 403", "not you"], "use a token with more rights"),
    (404, &[], "nothing here", Connect, &["status 404", "nothing here"], "check the path of the address"),
    (405, &[], "", Connect, &["status 405"], "check the path of the address"),
    (406, &[], "", Connect, &["status 406"], "no proxy changes the headers"),
    (408, &[], "", Timeout, &["status 408"], "try again"),
    (410, &[], "", Connect, &["status 410"], "check the path of the address"),
    (413, &[], "", Protocol, &["status 413"], "send less data"),
    (415, &[], "", Connect, &["status 415"], "no proxy changes the headers"),
    (418, &[], "", Protocol, &["status 418"], SERVER),
    (
        429,
        &[("Retry-After", "7")],
        "slower",
        Connect,
        &["status 429", "slower"],
        "wait before the next request",
    ),
    (500, &[], "oops", Connect, &["status 500", "oops"], "check the server's log"),
    (502, &[], "bad gateway", Connect, &["status 502", "bad gateway"], "check the server's log"),
    (503, &[], "starting", Connect, &["status 503", "starting"], "check the server's log"),
    (504, &[], "", Timeout, &["status 504"], "try again"),
    (
        301,
        &[("Location", "/v2")],
        "",
        Protocol,
        &["/v2", "status 301", "changes a POST to a GET"],
        "use that address",
    ),
    (302, &[("Location", "/v2")], "", Protocol, &["/v2", "status 302"], "use that address"),
    (307, &[("Location", "/mcp")], "", Protocol, &["status 307"], "use the address that it redirects to"),
    (
        307,
        &[("Location", "http://127.0.0.2:1/")],
        "",
        Protocol,
        &["another server"],
        "use that address, if you trust it",
    ),
    (
        308,
        &[("Location", "ftp://x/")],
        "",
        Protocol,
        &["`ftp:` is not supported"],
        "use the intended address",
    ),
    (307, &[], "", Protocol, &["status 307"], "use the address that it redirects to"),
    (200, &[("Content-Type", "text/html")], "<html>hello", Protocol, &["text/html", "<html>hello"], SERVER),
    (200, &[("Content-Type", "application/json")], "{}", Protocol, &["not a message"], SERVER),
    (200, &[], "", Protocol, &["status 200 but no message"], SERVER),
    (202, &[], "", Protocol, &["status 202 but no message"], SERVER),
];

/// Invalid and unreachable URLs, with the problem and the advice.
const ADDRESSES: &[(&str, &[&str], &str)] = &[
    ("example.com/mcp", &["not a URL such as https://example.com/mcp"], "correct the address"),
    ("ftp://example.com/mcp", &["`ftp:` is not supported"], "correct the address"),
    ("http://me:s3cret@127.0.0.1/", &["credentials", "send them in a header"], "correct the address"),
    ("http://127.0.0.1:99999/", &["not a valid host and port"], "correct the address"),
    ("http://127.0.0.1/a b", &["must be percent-encoded"], "correct the address"),
    ("http://127.0.0.1:1/mcp", &["cannot be reached", "refused"], "check that the server runs"),
];

type Respond = fn(&Request, &mut Reply);
/// A description, whether the server is modern, how it responds to calls, and the expected error.
type Case = (&'static str, bool, Respond, ErrorKind, Parts, &'static str);

/// Faults in the responses to calls.
const CALLS: &[Case] = &[
    (
        "a closed connection",
        true,
        |_, reply| reply.hang_up(),
        Lost,
        &["closed before the response"],
        AFTER_LOSS,
    ),
    (
        "half a head",
        true,
        |_, reply| {
            reply.raw(b"HTTP/1.1 200 OK\r\nContent-");
            reply.hang_up();
        },
        Lost,
        &["closed before the response"],
        AFTER_LOSS,
    ),
    (
        "half a body",
        true,
        |_, reply| {
            reply.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"jsonrpc\"");
            reply.hang_up();
        },
        Lost,
        &["closed before the response"],
        AFTER_LOSS,
    ),
    ("a response that is not HTTP", true, |_, reply| garbage(reply), Protocol, &["not HTTP"], SERVER),
    (
        "an endless head",
        true,
        |_, reply| {
            reply.raw(b"HTTP/1.1 200 OK\r\n");
            (0..64).for_each(|n| reply.raw(format!("X-{n}: {}\r\n", "a".repeat(8 << 10)).as_bytes()));
            reply.wait_for_end(Duration::from_secs(10));
        },
        Protocol,
        &["not HTTP"],
        SERVER,
    ),
    (
        "a response to another request",
        true,
        |request, reply| other_id(request, reply),
        Protocol,
        &["not a message"],
        SERVER,
    ),
    (
        "a body over the limit",
        true,
        |_, reply| large(reply),
        Protocol,
        &["larger than 1 MiB"],
        "`max_message_bytes`",
    ),
    (
        "an event over the limit",
        true,
        |_, reply| {
            reply.events();
            (0..64).for_each(|_| reply.chunk(&format!("data: {}\n", "x".repeat(32 << 10))));
        },
        Protocol,
        &["larger than 1 MiB"],
        "`max_message_bytes`",
    ),
    (
        "a stream without a response",
        true,
        |_, reply| stream(reply, true),
        Lost,
        &["did not arrive", "ended"],
        AFTER_LOSS,
    ),
    ("a stream that breaks", true, |_, reply| stream(reply, false), Lost, &["did not arrive"], AFTER_LOSS),
    (
        "a stream that breaks, legacy",
        false,
        |_, reply| stream(reply, false),
        Lost,
        &["did not arrive"],
        AFTER_LOSS,
    ),
    (
        "a silent stream",
        true,
        |_, reply| silent(reply),
        Lost,
        &["no data for 400ms", "`sse_read_timeout`"],
        AFTER_LOSS,
    ),
    (
        "no head",
        true,
        |_, reply| wait(reply),
        Timeout,
        &["no response to `tools/call`", "2s"],
        "`request_timeout`",
    ),
    (
        "a proxy that buffers",
        true,
        |request, reply| buffer(request, reply),
        Timeout,
        &["no response"],
        "`request_timeout`",
    ),
    (
        "a session that is lost repeatedly",
        false,
        |_, reply| reply.send(404, &[], "gone"),
        Connect,
        &["404", "gone"],
        "check",
    ),
    (
        "a protocol error",
        true,
        |request, reply| protocol_error(request, reply),
        Protocol,
        &["-32050", "no stock"],
        "see the message",
    ),
    (
        "an upgrade",
        true,
        |_, reply| reply.send(426, &[], "upgrade"),
        Protocol,
        &["status 426", "upgrade"],
        SERVER,
    ),
    (
        "a rejected token",
        true,
        |_, reply| reply.send(401, &[], "expired"),
        Connect,
        &["401", "expired"],
        "use another one",
    ),
    (
        "missing rights",
        true,
        |_, reply| insufficient_scope(reply),
        Connect,
        &["403", "insufficient_scope", "files:write"],
        "more rights",
    ),
];

fn garbage(reply: &mut Reply) {
    reply.raw(b"220 mail.example ESMTP\r\n");
    reply.hang_up();
}

fn other_id(_: &Request, reply: &mut Reply) {
    reply.json(200, &json!({"jsonrpc": "2.0", "id": 999_999, "result": {"content": []}}));
}

fn large(reply: &mut Reply) {
    reply.send(200, &[("Content-Type", "application/json")], &" ".repeat(2 << 20));
}

fn stream(reply: &mut Reply, ends: bool) {
    reply.events();
    reply.chunk(": a comment\n\n");
    if ends { reply.end() } else { reply.hang_up() }
}

fn silent(reply: &mut Reply) {
    reply.events();
    wait(reply);
}

fn wait(reply: &mut Reply) {
    reply.wait_for_end(Duration::from_secs(30));
}

/// A proxy that buffers the response until it is too late.
fn buffer(request: &Request, reply: &mut Reply) {
    std::thread::sleep(Duration::from_secs(4));
    modern(request, reply);
}

fn protocol_error(request: &Request, reply: &mut Reply) {
    let error = json!({"code": -32050, "message": "no stock"});
    reply.json(200, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
}

fn insufficient_scope(reply: &mut Reply) {
    let challenge = r#"Bearer error="insufficient_scope", scope="files:write""#;
    reply.send(403, &[("WWW-Authenticate", challenge)], "");
}

/// Returns a spec with a token, which no error may contain.
fn spec(server: &Fixture) -> ServerSpec {
    let mut http = HttpSpec::new(&*server.url);
    http.headers.set("Authorization", format!("Bearer {SECRET}"));
    ServerSpec::from(http)
}

async fn connect_error(server: Fixture, has_token: bool) -> ClientError {
    let spec = if has_token { spec(&server) } else { ServerSpec::from(&*server.url) };
    Client::connect(spec).await.expect_err("the server has a fault")
}

async fn call_error(is_modern: bool, respond: Respond) -> ClientError {
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/call" => respond(request, reply),
        _ if is_modern => modern(request, reply),
        _ => legacy(request, reply),
    });
    let mut spec = spec(&server);
    spec.request_timeout = Duration::from_secs(2);
    if let TransportSpec::Http(http) = &mut spec.transport {
        http.sse_read_timeout = Duration::from_millis(400);
    }
    let client =
        Client::builder().max_message_bytes(1 << 20).connect(spec).await.expect("only calls have a fault");
    client.call("echo", json!({"text": "hi"})).await.expect_err("the server has a fault")
}

pub(super) fn faults() -> Vec<Fault> {
    let mut faults = Vec::new();
    for (status, headers, body, kind, problem, advice) in STATUSES {
        let server = Fixture::start(|_, reply| reply.send(*status, headers, body));
        faults.push(fault(
            format!("status {status} {body}"),
            *kind,
            problem,
            advice,
            connect_error(server, *status != 401),
        ));
    }
    for (url, problem, advice) in ADDRESSES {
        faults.push(fault(*url, Connect, problem, advice, async {
            Client::connect(*url).await.expect_err("the server has a fault")
        }));
    }
    for (description, is_modern, respond, kind, problem, advice) in CALLS {
        faults.push(fault(*description, *kind, problem, advice, call_error(*is_modern, *respond)));
    }
    faults.extend(other_faults());
    faults
}

fn other_faults() -> [Fault; 6] {
    let mail = Fixture::start(|_, reply| garbage(reply));
    let hanging = Fixture::start(|_, reply| wait(reply));
    let lists = Fixture::start(|request, reply| match request.method().as_str() {
        "tools/list" => wait(reply),
        _ => modern(request, reply),
    });
    let no_handshake = Fixture::start(legacy);
    let other = Fixture::start(|request, reply| {
        let error = json!({"code": -32022, "message": "x", "data": {"supported": ["2031-01-01"]}});
        reply.json(400, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
    });
    let invalid_handshake = Fixture::start(|request, reply| match request.method().as_str() {
        "server/discover" => reply.send(400, &[], ""),
        _ => reply.result(request, &json!({"protocolVersion": Value::Null})),
    });
    [
        fault("a server that is not HTTP", Protocol, &["not HTTP"], SERVER, connect_error(mail, true)),
        fault("a server that hangs", Timeout, &["400ms"], "raise `timeout`", async move {
            let mut spec = HttpSpec::new(&*hanging.url);
            spec.timeout = Duration::from_millis(400);
            Client::connect(spec).await.expect_err("the server has a fault")
        }),
        fault(
            "a list without a response",
            Timeout,
            &["`tools/list`", "400ms"],
            "raise `timeout`",
            async move {
                let mut spec = HttpSpec::new(&*lists.url);
                spec.timeout = Duration::from_millis(400);
                let client = Client::connect(spec).await.expect("only lists have a fault");
                client.list_tools().await.expect_err("the server has a fault")
            },
        ),
        fault(
            "an unsupported revision",
            Protocol,
            &["2026-07-28", "no session"],
            "let the client choose",
            async move {
                let builder = Client::builder().revision(toolwright::Revision::NEWEST);
                builder.connect(&*no_handshake.url).await.expect_err("the server has a fault")
            },
        ),
        fault(
            "unknown revisions",
            Protocol,
            &["2031-01-01"],
            "use a newer client",
            connect_error(other, true),
        ),
        fault(
            "an invalid handshake",
            Protocol,
            &["`initialize`"],
            "use a newer client",
            connect_error(invalid_handshake, true),
        ),
    ]
}
