//! Spans of requests, as a subscriber receives them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_protocol::raw::RawClient;
use toolwright::middleware::Spans;
use toolwright::{
    Context, Handler, Limits, Prompt, Resource, Revision, Server, Service, Tool, ToolError, Toolset,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

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
    type Output = String;

    async fn call(&self, input: Look, _cx: &Context) -> Result<String, ToolError> {
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

type Fields = BTreeMap<String, String>;

/// Keeps the fields of all spans, and the span that each event was in.
#[derive(Clone, Default)]
struct Collected(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    spans: Vec<Fields>,
    entered: Vec<u64>,
    events_in: Vec<Option<u64>>,
}

struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Collected {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().expect("no panic")
    }

    /// Returns the spans of the server, and forgets them.
    fn take(&self) -> Vec<Fields> {
        let spans = std::mem::take(&mut self.state().spans);
        spans.into_iter().filter(|span| span.contains_key("mcp.method.name")).collect()
    }
}

impl Subscriber for Collected {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "toolwright" || metadata.target().starts_with("it")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        span.record(&mut Reader(&mut fields));
        let mut state = self.state();
        state.spans.push(fields);
        Id::from_u64(state.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let index = usize::try_from(span.into_u64()).expect("a small number") - 1;
        values.record(&mut Reader(&mut self.state().spans[index]));
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, _event: &Event<'_>) {
        let mut state = self.state();
        let within = state.entered.last().copied();
        state.events_in.push(within);
    }

    fn enter(&self, span: &Id) {
        self.state().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        self.state().entered.retain(|entered| *entered != span.into_u64());
    }
}

fn fields<const N: usize>(expected: [(&str, &str); N]) -> Fields {
    expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Gives the fields of the span of a tool call, without those that every span has.
async fn of_call(client: &RawClient, collected: &Collected, secret: &str) -> Fields {
    let call = json!({"name": "look", "arguments": {"secret": secret}});
    _ = client.request("tools/call", call).await;
    let spans = collected.take();
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
        let mut spans = collected.take();
        assert!(!format!("{spans:?}").contains("canary"), "arguments are not recorded: {spans:?}");
        for span in &mut spans {
            assert!(span.remove("jsonrpc.request.id").is_some(), "{span:?}");
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
    let state = collected.state();
    assert_eq!(state.events_in.len(), 2, "one of each call");
    assert!(
        state.events_in.iter().all(Option::is_some),
        "events of a handler are inside: {:?}",
        state.events_in
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
    let spans = collected.take();
    assert_eq!(spans[0].get("traceparent").map(String::as_str), Some(trace));
    assert!(!spans[1].contains_key("traceparent") && !spans[2].contains_key("tracestate"), "{spans:?}");
}
