//! Spans for OpenTelemetry.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolwright_core::protocol::method;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Instrument as _, Span};

use super::{Ending, Invocation, InvocationResult, Middleware, Next, durations};
use crate::context::Context;
use crate::observed::shorten;
use crate::panics::note_origins;
use crate::provider::Outcome;

/// Records a span and a duration for each tool call, prompt and resource read with [`tracing`], in the terms of OpenTelemetry
/// (semantic conventions for MCP, in development: `gen-ai/mcp`). What the handler records is inside of the span. Requires
/// the feature `tracing`.
///
/// # Spans of requests
///
/// The level is `INFO`, the target `toolwright`, and the name `mcp.request`. A bridge such as `tracing-opentelemetry` shows
/// `otel.name` in its place. Without a subscriber, a request pays for one check.
///
/// | field | value |
/// | --- | --- |
/// | `otel.name` | the method, and the tool or prompt |
/// | `otel.kind` | `server` |
/// | `otel.status_code` | `ERROR` if `error.type` is set |
/// | `mcp.method.name` | `tools/call`, `prompts/get` or `resources/read` |
/// | `mcp.protocol.version` | the revision of the client |
/// | `mcp.session.id` | the session, as in its span below; omitted over HTTP from 2026-07-28, which has none |
/// | `network.transport` | `pipe` for stdio, `tcp` for HTTP and WebSocket, `unix` for Unix sockets; omitted for others |
/// | `network.protocol.name` | `http` or `websocket`; omitted for others |
/// | `jsonrpc.request.id` | the id of the request as JSON text |
/// | `gen_ai.operation.name` | `execute_tool` for tool calls |
/// | `gen_ai.tool.name`, `gen_ai.prompt.name`, `mcp.resource.uri` | what was called |
/// | `traceparent`, `tracestate` | the caller's trace context (W3C) from `_meta`, if any |
/// | `error.type` | `tool_error`, `timed_out`, `cancelled`, `panicked`, or the code of a protocol error |
/// | `rpc.response.status_code` | the code of a protocol error |
///
/// Arguments, results, tokens and callers are not recorded. A request that waits for input of its client ends its span
/// without an error and has another one when it goes on.
///
/// # Durations
///
/// Durations are events of the target `toolwright::metrics` and the level `TRACE` with a field that `MetricsLayer` of
/// `tracing-opentelemetry` reads as a histogram, in seconds; the other fields are its attributes. Events have no unit and no
/// buckets: set them with a view of the meter provider, as the example `observed` does. A filter of single layers has to pass no
/// target to that layer; a filter of the whole subscriber has to pass `toolwright::metrics=trace`.
///
/// | histogram | attributes |
/// | --- | --- |
/// | `mcp.server.operation.duration`, for each request with this middleware | `mcp.method.name`, `gen_ai.operation.name`, `gen_ai.tool.name`, `gen_ai.prompt.name`, `error.type`, `rpc.response.status_code`, `mcp.protocol.version`, `network.transport`, `network.protocol.name` |
/// | `mcp.server.session.duration`, for each session of any server | `mcp.protocol.version`, `network.transport`, `network.protocol.name` |
///
/// Names are those of tools and prompts that exist, so callers cannot add more. URIs, ids and callers are no attributes.
/// Requests that are rejected before middleware runs, such as calls of unknown tools, and other methods are not counted; the
/// former are the event "a request was answered with an error".
///
/// # Sessions and events
///
/// The server also records sessions and events, with this middleware or without it. The span of a session is `mcp.session`, at
/// the level `INFO`. It begins a trace of its own, in which requests are not: a session may last for days. It is the connection of
/// a client; over HTTP, it is the session of a client before 2026-07-28, and later clients have none. Its `mcp.session.id` is
/// a random number of the process and a count, and not the session id of HTTP, which lets its bearer use the session.
///
/// | event | level | fields |
/// | --- | --- | --- |
/// | a handler panicked | `ERROR` | `exception.type`; with this middleware `code.file.path`, `code.line.number`, and `exception.stacktrace` if `RUST_BACKTRACE` is set |
/// | a token was rejected | `INFO` | `error.type`, as in OAuth; `reason` |
/// | a request for another host was rejected | `INFO` | `error.type`, `server.address` |
/// | a request of another origin was rejected | `INFO` | `error.type`, `http.request.header.origin` |
/// | a TLS handshake failed | `DEBUG` | `error.type`: `timed_out`, `too_many` or `handshake_failed` |
/// | a request was answered with an error | `DEBUG` | `error.type` and `rpc.response.status_code`: the code; `jsonrpc.request.id` |
/// | a peer disconnected before it was sent everything | `DEBUG` | `error.type`; `network.transport` over stdio |
///
/// Messages of panics and errors may quote arguments, and are not recorded.
///
/// The caller's span becomes the parent with [`Spans::with_parent`]:
///
/// ```
/// use toolwright_server::Server;
/// use toolwright_server::middleware::Spans;
///
/// let spans = Spans::new().with_parent(|span, trace| {
///     // With tracing-opentelemetry: span.set_parent(propagator.extract(&carrier)) for `trace.traceparent`.
///     span.record("traceparent", trace.traceparent.as_str());
/// });
/// let service = Server::new(()).middleware(spans).build()?;
/// # let _ = service;
/// # Ok::<(), toolwright_server::BuildError>(())
/// ```
#[derive(Clone, Default)]
pub struct Spans {
    parent: Option<Arc<SetParent>>,
}

type SetParent = dyn Fn(&Span, &TraceContext) + Send + Sync;

/// The trace context of a caller, from `_meta` of its request (W3C Trace Context). Not validated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace and the span of the caller, such as `00-4bf9…-00f0…-01`.
    pub traceparent: String,
    /// State of tracing systems.
    pub tracestate: Option<String>,
}

impl Spans {
    /// Creates the middleware. The first one of a program adds to its panic hook, so that panics of handlers are recorded with
    /// their place; what the hook did before, it still does.
    pub fn new() -> Self {
        note_origins();
        Self::default()
    }

    /// Calls `set` with the new span of each request whose caller sent a trace context, to make the caller's span its
    /// parent.
    pub fn with_parent(mut self, set: impl Fn(&Span, &TraceContext) + Send + Sync + 'static) -> Self {
        self.parent = Some(Arc::new(set));
        self
    }

    fn span(&self, invocation: &Invocation) -> Span {
        let span = tracing::info_span!(
            target: "toolwright",
            "mcp.request",
            otel.name = Empty,
            otel.kind = "server",
            otel.status_code = Empty,
            mcp.method.name = invocation.method(),
            mcp.protocol.version = invocation.context().revision().as_str(),
            mcp.resource.uri = Empty,
            mcp.session.id = Empty,
            network.transport = Empty,
            network.protocol.name = Empty,
            jsonrpc.request.id = Empty,
            gen_ai.operation.name = Empty,
            gen_ai.tool.name = Empty,
            gen_ai.prompt.name = Empty,
            traceparent = Empty,
            tracestate = Empty,
            error.r#type = Empty,
            rpc.response.status_code = Empty,
        );
        if !span.is_disabled() {
            self.describe(&span, invocation);
        }
        span
    }

    fn describe(&self, span: &Span, invocation: &Invocation) {
        let (called, name) = (invocation.method(), shorten(invocation.name()));
        let target = match called {
            method::TOOLS_CALL => {
                span.record("gen_ai.operation.name", "execute_tool");
                "gen_ai.tool.name"
            }
            method::PROMPTS_GET => "gen_ai.prompt.name",
            _ => "mcp.resource.uri",
        };
        span.record(target, name);
        // Addresses are too many for the name of a span.
        if target == "mcp.resource.uri" {
            span.record("otel.name", called);
        } else {
            span.record("otel.name", format!("{called} {name}"));
        }
        if let Some(id) = invocation.context().request_id() {
            span.record("jsonrpc.request.id", shorten(id));
        }
        if let Some(session) = invocation.context().observed_session() {
            span.record("mcp.session.id", session.id.as_deref());
            span.record("network.transport", session.wire.transport);
            span.record("network.protocol.name", session.wire.protocol);
        }
        if let Some(trace) = TraceContext::of(invocation.context()) {
            span.record("traceparent", shorten(&trace.traceparent));
            if let Some(state) = &trace.tracestate {
                span.record("tracestate", shorten(state));
            }
            if let Some(set) = &self.parent {
                set(span, &trace);
            }
        }
    }
}

impl TraceContext {
    /// Returns the trace context of a request, if its `_meta` has a `traceparent`.
    pub fn of(cx: &Context) -> Option<Self> {
        let mut meta = cx.meta();
        let mut take = |name: &str| match meta.get_mut(name)?.take() {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        };
        Some(Self { traceparent: take("traceparent")?, tracestate: take("tracestate") })
    }
}

impl Middleware for Spans {
    /// Whether a subscriber may want spans or durations.
    fn is_active(&self) -> bool {
        LevelFilter::current() >= LevelFilter::INFO
    }

    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        let span = self.span(&invocation);
        if span.is_disabled() && !durations::may_be_recorded() {
            return next.run(invocation).await;
        }
        let recorded = span.clone();
        let report = move |invocation: &Invocation, ending: Ending, elapsed: Duration| {
            record(&recorded, ending);
            durations::record(invocation, ending, elapsed);
        };
        next.observe(invocation, report).instrument(span).await
    }
}

fn record(span: &Span, ending: Ending) {
    if let Some(code) = ending.status_code() {
        span.record("rpc.response.status_code", code.to_string());
    }
    if let Some(kind) = ending.error_type() {
        span.record("error.type", &*kind);
        span.record("otel.status_code", "ERROR");
    }
}

impl fmt::Debug for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").field("sets_parent", &self.parent.is_some()).finish()
    }
}
