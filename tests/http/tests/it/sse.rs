//! HTTP+SSE (2024-11-05, basic/transports "HTTP with SSE").

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use test_http::lab::{Lab, code};
use test_http::probes::Probes;
use test_http::sse::SseClient;
use test_protocol::tools;
use toolwright::{Http, HttpConfig, HttpService, Limits};

const OLDEST: &str = "2024-11-05";

fn lab() -> Lab {
    lab_with(Limits::default(), HttpConfig::new())
}

fn lab_with(limits: Limits, config: HttpConfig) -> Lab {
    Lab::run(tools::service(limits), |http| http.config(config).with_sse())
}

fn call(id: i32, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": id}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn a_client_of_2024_11_05_is_served() {
    let lab = lab();
    let mut client = SseClient::initialized(&lab, OLDEST);
    let list = client.request(OLDEST, 1, "tools/list", &json!({}));
    assert!(list["result"]["tools"].is_array());
    let sum = client.request(OLDEST, 2, "tools/call", &json!({"name": "add", "arguments": {"a": 1, "b": 2}}));
    assert_eq!((&sum["id"], &sum["result"]["content"][0]["text"]), (&json!(2), &json!("{\"sum\":3}")));
    let unknown = client.request(OLDEST, 3, "no/such", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);

    client.stream.validate_as(OLDEST, "tools/call");
    client.post(&call(4, "count", &json!({"slowly": true})));
    let methods: Vec<_> =
        (0..7).map(|_| client.stream.message().expect("a message")["method"].clone()).collect();
    let (progress, log) = (json!("notifications/progress"), json!("notifications/message"));
    let expected = [&progress, &log, &progress, &log, &progress, &log, &Value::Null];
    assert_eq!(methods.iter().collect::<Vec<_>>(), expected);

    client.post(&call(5, "toggle", &json!({"on": true})));
    let both = [client.stream.message(), client.stream.message()].map(|message| message.expect("a message"));
    assert!(both.iter().any(|message| message["method"] == "notifications/tools/list_changed"), "{both:?}");
}

/// Some old clients know events by their name alone.
// As reported in rmusser01/tldw_server#907.
#[test]
fn message_events_are_named_and_nothing_else_is_sent() {
    let lab = lab();
    let mut client = SseClient::open(&lab, "/sse");
    client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let event = client.stream.fields().expect("the answer");
    assert_eq!((event.name.as_deref(), event.id, event.retry), (Some("message"), None, None));
    assert_eq!(event.data.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
}

#[test]
fn later_revisions_work_over_sse_too() {
    let lab = lab();
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = SseClient::initialized(&lab, revision);
        client.stream.validate_as(revision, "tools/call");
        client.post(&call(1, "sleep", &json!({"ms": 200})));
        client.post(&call(2, "echo", &json!({"text": "B"})));
        let ids: Vec<_> = (0..2).map(|_| client.stream.message().expect("an answer")["id"].clone()).collect();
        assert_eq!(ids, [2, 1], "{revision}");
    }
}

// As reported in modelcontextprotocol/python-sdk#412, modelcontextprotocol/go-sdk#687.
#[test]
fn the_endpoint_url_is_correct_behind_a_prefix() {
    let service = tools::service(Limits::default());
    let lab = Lab::run(service, |http| http.path("/gw/mcp").with_sse());
    for path in ["/gw/sse", "/gw/sse/"] {
        let mut client = SseClient::open(&lab, path);
        assert!(client.messages.starts_with("/gw/messages?session="), "{}", client.messages);
        assert_eq!(client.request(OLDEST, 1, "ping", &json!({}))["result"], json!({}));
    }
    assert_eq!(lab.bare("GET", "/sse").send().status, 404);
    let config = HttpConfig::new().messages_uri("/outside/messages?tenant=7");
    let lab = lab_with(Limits::default(), config);
    let client = SseClient::open(&lab, "/sse");
    assert!(client.messages.starts_with("/outside/messages?tenant=7&session="), "{}", client.messages);
}

/// The service that users mount, under a prefix that their router has taken away.
// As reported in modelcontextprotocol/python-sdk#412, modelcontextprotocol/go-sdk#687.
#[tokio::test]
async fn a_mounted_service_gives_a_relative_address() {
    use http::Request;
    use http_body::Body as _;
    use std::pin::Pin;
    use tower_service::Service as _;

    let mut service = HttpService::new(&tools::service(Limits::default())).sse();
    let request = Request::get("/").header("host", "localhost").body(String::new()).expect("a request");
    let Ok(response) = service.call(request).await;
    let mut body = response.into_body();
    let frame = std::future::poll_fn(|task| Pin::new(&mut body).poll_frame(task)).await;
    let Ok(frame) = frame.expect("an event");
    let data = frame.into_data().expect("data");
    let text = std::str::from_utf8(&data).expect("text");
    let id = text.strip_prefix("event: endpoint\ndata: ../messages?session=").expect(text).trim_end();

    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let request = Request::post(format!("/anything?x=1&session={id}"))
        .header("host", "localhost")
        .header("content-type", "application/json");
    let Ok(response) = service.call(request.body(ping).expect("a request")).await;
    assert_eq!(response.status(), 202);
}

#[test]
fn it_is_disabled_by_default() {
    let plain = Lab::start();
    for path in ["/sse", "/messages"] {
        assert_eq!(plain.bare("GET", path).send().status, 404);
        assert_eq!(plain.bare("POST", path).send().status, 404);
    }
    let modern = lab_with(Limits::default(), HttpConfig::new().modern_only());
    assert_eq!(modern.bare("GET", "/sse").send().status, 404);
}

// As reported in modelcontextprotocol/java-sdk#961, LIghtJUNction/OniMods#271, markmhendrickson/neotoma#1923.
#[test]
fn invalid_messages_are_rejected() {
    let lab = lab_with(Limits { max_message_bytes: 1000, ..Limits::default() }, HttpConfig::new());
    let mut client = SseClient::open(&lab, "/sse");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let to = |path: &str| lab.bare("POST", path).header("Content-Type", "application/json").body(&ping);
    assert_eq!(code(to("/messages?session=gone").send()), (404, -32600));
    assert_eq!(code(to("/messages").send()), (400, -32600));
    assert_eq!(code(to("/messages?other=1").send()), (400, -32600));
    for content_type in ["text/plain", "application/x-www-form-urlencoded"] {
        assert_eq!(code(client.message(&ping).replace("Content-Type", content_type).send()), (415, -32600));
    }
    assert_eq!(code(client.message(&ping).without("Content-Type").send()), (415, -32600));
    assert_eq!(code(client.message(&json!("x".repeat(1000))).send()), (413, -32600));
    for (body, expected) in
        [("not json", -32700), ("", -32700), ("[]", -32600), ("12", -32600), ("{}", -32600)]
    {
        assert_eq!(code(client.message(&ping).raw_body(body.as_bytes()).send()), (400, expected), "{body}");
    }
    for path in ["/sse", "/messages"] {
        let mut put = lab.bare("PUT", path).send();
        assert_eq!((put.status, put.header("allow")), (405, Some("GET, POST")));
        assert_eq!(put.json()["error"]["code"], -32600);
    }
    assert_eq!(lab.bare("GET", "/sse").header("Accept", "application/json").send().status, 406);
    assert_eq!(client.request(OLDEST, 1, "ping", &json!({}))["id"], 1, "nothing of that is on the stream");
}

#[test]
fn host_and_origin_are_checked_on_both_ends() {
    let lab = lab_with(Limits::default(), HttpConfig::new().allow_origin("https://app.example.com"));
    let client = SseClient::open(&lab, "/sse");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (name, value) in [("Host", "evil.example.com"), ("Origin", "https://evil.example.com")] {
        assert_eq!(lab.bare("GET", "/sse").replace(name, value).send().status, 403, "{name}");
        assert_eq!(client.message(&ping).replace(name, value).send().status, 403, "{name}");
    }
    let allowed = client.message(&ping).header("Origin", "https://app.example.com").send();
    assert_eq!(
        (allowed.status, allowed.header("access-control-allow-origin")),
        (202, Some("https://app.example.com"))
    );
}

#[test]
fn ids_cannot_be_guessed() {
    let lab = lab();
    let clients: Vec<_> = (0..20).map(|_| SseClient::open(&lab, "/sse")).collect();
    let ids: BTreeSet<_> =
        clients.iter().filter_map(|client| client.messages.split_once("session=")).collect();
    assert_eq!(ids.len(), 20);
    assert!(ids.iter().all(|(_, id)| id.len() == 48 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
}

#[test]
fn the_connection_ends_with_its_stream() {
    let probes = Probes::default();
    let lab = Lab::run(probes.service(Limits::default()), Http::with_sse);
    let mut client = SseClient::initialized(&lab, OLDEST);
    client.post(&call(1, "wait", &json!({})));
    assert_eq!(client.stream.message().expect("progress")["method"], "notifications/progress");
    client.post(&call(2, "wait", &json!({})));
    probes.await_started(2);
    client.post(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    probes.await_ended(1);
    let late = client.message(&json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}));
    drop(client);
    probes.await_ended(2);
    assert_eq!(late.send().status, 404);
}

#[test]
fn calls_are_answered_before_shutdown_ends_the_stream() {
    let mut lab = lab();
    let client = SseClient::initialized(&lab, OLDEST);
    client.post(&call(1, "sleep", &json!({"ms": 300})));
    let mut stream = client.stream;
    stream.validate_as(OLDEST, "tools/call");
    std::thread::sleep(Duration::from_millis(100));
    lab.stop();
    let messages = stream.messages();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["result"]["content"][0]["text"], "slept 300 ms");
}

#[test]
fn streams_are_bounded_and_uninitialized_ones_closed() {
    let time = Duration::from_secs(1);
    let limits = Limits { max_sessions: 2, http_read_timeout: time, ..Limits::default() };
    let lab = lab_with(limits, HttpConfig::new());
    let mut stranger = SseClient::open(&lab, "/sse");
    let mut client = SseClient::initialized(&lab, OLDEST);
    assert_eq!(code(lab.bare("GET", "/sse").send()), (503, -32603));
    assert_eq!(stranger.stream.event(), None, "it never said hello");
    std::thread::sleep(time * 2);
    assert_eq!(client.request(OLDEST, 1, "ping", &json!({}))["id"], 1, "this one did");
    SseClient::open(&lab, "/sse");
}

#[test]
fn requests_wait_for_slow_readers() {
    let limits = Limits { max_unsent_bytes: 1000, ..Limits::default() };
    let lab = lab_with(limits, HttpConfig::new());
    let client = SseClient::initialized(&lab, OLDEST);
    let long = "x".repeat(1 << 20);
    let mut statuses =
        (0..64).map(|id| client.message(&call(id, "echo", &json!({"text": long}))).send().status);
    assert_eq!(statuses.next(), Some(202));
    assert_eq!(statuses.find(|status| *status != 202), Some(503));
    assert_eq!(statuses.next(), Some(503), "nor does it help to ask again");
}

#[test]
fn calls_of_all_streams_are_bounded_together() {
    let probes = Probes::default();
    let limits = Limits { max_calls_in_flight: 1, ..Limits::default() };
    let lab = Lab::run(probes.service(limits), Http::with_sse);
    let (first, second) = (SseClient::initialized(&lab, OLDEST), SseClient::initialized(&lab, OLDEST));
    first.post(&call(1, "wait", &json!({})));
    probes.await_started(1);
    assert_eq!(code(second.message(&call(1, "wait", &json!({}))).send()), (503, -32603));
    drop(first);
    probes.await_ended(1);
    second.post(&call(1, "wait", &json!({})));
    probes.await_started(2);
}

// As reported in modelcontextprotocol/typescript-sdk#2538, markmhendrickson/neotoma#1486.
#[test]
fn idle_streams_send_keep_alives() {
    let config = HttpConfig::new().keep_alive(Some(Duration::from_millis(20)));
    let lab = lab_with(Limits::default(), config);
    let mut client = SseClient::open(&lab, "/sse");
    assert_eq!(client.stream.header("x-accel-buffering"), Some("no"));
    for _ in 0..3 {
        assert_eq!(client.stream.event().as_deref(), Some(":"));
    }
}

/// 2025-11-25, basic/transports "Backwards Compatibility": a client that knows both tries Streamable HTTP first, and takes
/// 400, 404 or 405 for a server of the old transport.
#[test]
fn clients_find_the_transport_of_an_address() {
    let lab = lab();
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": OLDEST, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }});
    let probe = lab.bare("POST", "/sse").header("Content-Type", "application/json").body(&initialize).send();
    assert_eq!(probe.status, 400);
    SseClient::open(&lab, "/sse");
    // Streamable HTTP came with later revisions, but its clients may request any: "the server MUST respond with the
    // same version" if it supports that (2024-11-05, basic/lifecycle "Version Negotiation").
    let mut agreed = lab.initialize(OLDEST).send();
    assert_eq!(agreed.json()["result"]["protocolVersion"], OLDEST);
    assert!(agreed.header("mcp-session-id").is_some());
}
