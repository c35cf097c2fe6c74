//! Spans and durations of requests and sessions, as a subscriber receives them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_protocol::raw::RawClient;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright::middleware::Spans;
use toolwright::{
    Context, Handler, Http, Limits, Prompt, Resource, Revision, Server, Service, Tool, ToolError, Toolset,
};

use crate::collected::{Collected, Fields, fields};

/// Looks up an order.
#[derive(Tool, Deserialize, JsonSchema)]
struct Look {
    secret: String,
}

#[derive(Toolset)]
#[mcp(handler = Shop)]
enum Tools {
    Look(Look),
}

struct Shop;

impl Handler<Look> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Look, _cx: &Context) -> Self::Output {
        match input.secret.as_str() {
            "hang" => std::future::pending().await,
            "panic" => panic!("a handler panics"),
            "fail" => Err(ToolError::new("no such order")),
            _ => {
                tracing::info!("looked up");
                Ok("found".to_owned())
            }
        }
    }
}

fn service(spans: Spans) -> Service {
    Server::new(Shop)
        .tools::<Tools>()
        .prompt(Prompt::new("greet"), async || "Greet.")
        .resource(Resource::new("shop://note", "note"), async || "a note")
        .limits(Limits { call_timeout: Duration::from_millis(100), ..Limits::default() })
        .middleware(spans)
        .build()
        .expect("a server")
}

/// Gives the fields of the span of a tool call, without those that every span has.
async fn of_call(client: &RawClient, collected: &Collected, secret: &str) -> Fields {
    let call = json!({"name": "look", "arguments": {"secret": secret}});
    _ = client.request("tools/call", call).await;
    let spans = collected.requests();
    assert_eq!(spans.len(), 1, "{spans:?}");
    let mut span = spans.into_iter().next().unwrap_or_default();
    span.retain(|name, _| name.starts_with("error") || name.contains("status"));
    span
}

#[tokio::test]
async fn each_request_has_a_span_in_the_terms_of_opentelemetry() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let service = service(Spans::new());
    for revision in [Revision::NEWEST_LEGACY, Revision::NEWEST] {
        let client = RawClient::in_process_at(&service, revision).await.expect("a client");
        let call = json!({"name": "look", "arguments": {"secret": "canary"}});
        client.request("tools/call", call).await.expect("a result");
        client.request("prompts/get", json!({"name": "greet"})).await.expect("a prompt");
        client.request("resources/read", json!({"uri": "shop://note"})).await.expect("a resource");
        let mut spans = collected.requests();
        assert!(!format!("{spans:?}").contains("canary"), "arguments are not recorded: {spans:?}");
        let session = spans[0]["mcp.session.id"].clone();
        for span in &mut spans {
            assert!(span.remove("jsonrpc.request.id").is_some(), "{span:?}");
            assert_eq!(span.remove("mcp.session.id").as_ref(), Some(&session), "{revision}");
            assert_eq!(span.remove("mcp.protocol.version").as_deref(), Some(revision.as_str()));
            assert_eq!(span.remove("otel.kind").as_deref(), Some("server"));
        }
        let expected = [
            fields([
                ("otel.name", "tools/call look"),
                ("mcp.method.name", "tools/call"),
                ("gen_ai.operation.name", "execute_tool"),
                ("gen_ai.tool.name", "look"),
            ]),
            fields([
                ("otel.name", "prompts/get greet"),
                ("mcp.method.name", "prompts/get"),
                ("gen_ai.prompt.name", "greet"),
            ]),
            fields([
                ("otel.name", "resources/read"),
                ("mcp.method.name", "resources/read"),
                ("mcp.resource.uri", "shop://note"),
            ]),
        ];
        assert_eq!(spans, expected);
    }
    let looked_up = collected.events_with("message");
    assert_eq!(looked_up.len(), 2, "one of each call");
    assert!(
        looked_up.iter().all(|event| event.within.is_some()),
        "events of a handler are inside: {looked_up:?}"
    );
}

#[tokio::test]
async fn failures_of_requests_have_their_kind() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let client = RawClient::in_process(&service(Spans::new()));
    for (secret, kind) in [("fail", "tool_error"), ("hang", "timed_out"), ("panic", "panicked")] {
        let expected = fields([("error.type", kind), ("otel.status_code", "ERROR")]);
        assert_eq!(of_call(&client, &collected, secret).await, expected, "{secret}");
    }
    assert_eq!(of_call(&client, &collected, "fine").await, Fields::new());
}

#[tokio::test]
async fn the_span_of_the_caller_can_become_the_parent() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let spans = Spans::new().with_parent(move |span, trace| {
        assert!(!span.is_disabled());
        noted.lock().expect("no panic").push((trace.traceparent.clone(), trace.tracestate.clone()));
    });
    let client = RawClient::in_process(&service(spans));
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for meta in [
        json!({"traceparent": trace, "tracestate": "a=1"}),
        json!({"traceparent": 7}),
        json!({"tracestate": "a=1"}),
    ] {
        let call = json!({"name": "look", "arguments": {"secret": "x"}, "_meta": meta});
        client.request("tools/call", call).await.expect("a result");
    }
    assert_eq!(*seen.lock().expect("no panic"), [(trace.to_owned(), Some("a=1".to_owned()))]);
    let spans = collected.requests();
    assert_eq!(spans[0].get("traceparent").map(String::as_str), Some(trace));
    assert!(!spans[1].contains_key("traceparent") && !spans[2].contains_key("tracestate"), "{spans:?}");
}

const OPERATION: &str = "histogram.mcp.server.operation.duration";
const SESSION: &str = "histogram.mcp.server.session.duration";

#[tokio::test]
async fn each_request_has_a_duration_for_a_histogram() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let client = RawClient::in_process(&service(Spans::new()));
    let requests = [
        ("tools/call", json!({"name": "look", "arguments": {"secret": "canary"}})),
        ("tools/call", json!({"name": "look", "arguments": {"secret": "fail"}})),
        ("tools/call", json!({"name": "look", "arguments": {"secret": "hang"}})),
        ("tools/call", json!({"name": "canary-of-a-caller"})),
        ("prompts/get", json!({"name": "greet"})),
        ("resources/read", json!({"uri": "shop://note"})),
        ("tools/list", json!({})),
    ];
    for (method, params) in requests {
        _ = client.request(method, params).await;
    }
    let mut durations = collected.events_with(OPERATION);
    assert!(!format!("{durations:?}").contains("canary"), "{durations:?}");
    let revision = ("mcp.protocol.version", Revision::NEWEST.as_str());
    let tool = [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "look"),
        revision,
    ];
    let failed = |kind| fields([tool[0], tool[1], tool[2], tool[3], ("error.type", kind)]);
    let prompt = [("mcp.method.name", "prompts/get"), ("gen_ai.prompt.name", "greet"), revision];
    let expected = [
        fields(tool),
        failed("tool_error"),
        failed("timed_out"),
        fields(prompt),
        fields([("mcp.method.name", "resources/read"), revision]),
    ];
    for duration in &mut durations {
        let seconds: f64 = duration.fields[OPERATION].parse().expect("a number");
        let is_timeout = duration.fields.get("error.type").is_some_and(|kind| kind == "timed_out");
        assert!(if is_timeout { seconds >= 0.1 } else { seconds < 10.0 }, "{duration:?}");
        assert_eq!(duration.within, None, "spans do not repeat it: {duration:?}");
        duration.fields.remove(OPERATION);
    }
    let durations: Vec<Fields> = durations.into_iter().map(|duration| duration.fields).collect();
    assert_eq!(durations, expected);
}

/// A filter of spans does not filter durations, and the other way round.
#[tokio::test]
async fn durations_are_recorded_without_spans() {
    let collected = Collected::of("toolwright::metrics");
    let _guard = tracing::subscriber::set_default(collected.clone());
    let client = RawClient::in_process(&service(Spans::new()));
    let call = json!({"name": "look", "arguments": {"secret": "x"}});
    client.request("tools/call", call).await.expect("a result");
    assert_eq!(collected.events_with(OPERATION).len(), 1);
    assert!(collected.requests().is_empty());
}

/// Also without middleware. The session of a client of 2026-07-28 is its connection.
#[tokio::test]
async fn each_session_has_a_span_and_a_duration() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let service = Server::new(Shop).tools::<Tools>().build().expect("a server");
    let mut ids = Vec::new();
    for (revision, recorded) in
        [(Revision::NEWEST_LEGACY, Some(Revision::NEWEST_LEGACY.as_str())), (Revision::NEWEST, None)]
    {
        let client = RawClient::in_process_at(&service, revision).await.expect("a client");
        let spans = collected.spans("mcp.session");
        assert_eq!(spans.len(), ids.len() + 1, "{spans:?}");
        assert_eq!(collected.events_with(SESSION).len(), ids.len(), "it is open");
        drop(client);
        let ended = async {
            while collected.events_with(SESSION).len() == ids.len() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect("the session ends with its client");
        let session = collected.spans("mcp.session").pop().expect("a span");
        let duration = collected.events_with(SESSION).pop().expect("a duration");
        assert_eq!(session.get("mcp.protocol.version").map(String::as_str), recorded);
        assert_eq!(duration.fields.get("mcp.protocol.version").map(String::as_str), recorded);
        assert!(duration.fields[SESSION].parse::<f64>().is_ok_and(|seconds| seconds < 10.0), "{duration:?}");
        ids.push(session["mcp.session.id"].clone());
    }
    let (process, first) = ids[0].split_once('-').expect("two parts");
    let (same, second) = ids[1].split_once('-').expect("two parts");
    assert!(process == same && process.len() == 8 && first != second, "{ids:?}");
}

/// The id of a session over HTTP lets its bearer use the session.
#[tokio::test]
async fn the_session_id_of_http_is_not_recorded() {
    let collected = Collected::default();
    let _guard = tracing::subscriber::set_default(collected.clone());
    let service = service(Spans::new());
    let http = Http::bind("127.0.0.1:0").expect("a free port");
    let address = http.local_addr().expect("an address");
    let secret = {
        let client = async {
            let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
            let opened = exchange(address, "", &initialize).await;
            let id =
                opened.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session");
            let headers = format!("MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {id}\r\n");
            let params = json!({"name": "look", "arguments": {"secret": "x"}});
            let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
            assert!(exchange(address, &headers, &call).await.contains("found"));
            id.to_owned()
        };
        tokio::select! {
            served = service.serve(http) => panic!("{served:?}"),
            id = client => id,
        }
    };
    let (sessions, requests) = (collected.spans("mcp.session"), collected.requests());
    let all = format!("{sessions:?} {requests:?} {:?}", collected.events_with(OPERATION));
    assert!(!all.contains(&secret), "{all}");
    let wire = [("network.transport", "tcp"), ("network.protocol.name", "http")];
    for span in [&sessions[0], &requests[0]] {
        assert_eq!(span["mcp.session.id"], sessions[0]["mcp.session.id"]);
        assert!(wire.iter().all(|(name, value)| span[*name] == *value), "{span:?}");
    }
}

/// Sends a POST, and returns the response.
async fn exchange(address: SocketAddr, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("a response");
    response
}
