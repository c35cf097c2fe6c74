//! Spans of a gateway to a collector of OpenTelemetry, by OTLP over HTTP.
//!
//! The variables of OpenTelemetry (specification "Environment Variable Specification" and "OTLP Exporter Configuration") set
//! where and how: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and others.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use toolwright_server::middleware::Spans;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Layer as _;

use super::telemetry::BoxedLayer;
use crate::shell;

/// The name of the service, if the environment names none.
const SERVICE: &str = "toolwright-gateway";
/// Timeout of one request to the collector.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the end of the program waits for the last spans.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);
/// The members of `_meta` with a trace context (W3C Trace Context).
const TRACE_MEMBERS: [&str; 2] = ["traceparent", "tracestate"];

/// Sends spans to a collector, in batches.
pub(super) struct Exporter(SdkTracerProvider);

impl Exporter {
    /// Starts an exporter, if a variable names a collector and none turns it off.
    pub(super) fn from_env(runtime: &Handle) -> Result<Option<Self>, String> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || variable("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
        let endpoint = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
        if is_off || endpoint.into_iter().find_map(variable).is_none() {
            return Ok(None);
        }
        let client = CollectorClient::new(runtime.clone()).map_err(|error| error.to_string())?;
        let mut builder = SpanExporter::builder().with_http().with_http_client(client);
        let protocol = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
        if protocol.into_iter().find_map(variable).is_none() {
            builder = builder.with_protocol(Protocol::HttpBinary);
        }
        let exporter =
            builder.build().map_err(|error| format!("spans cannot be sent to a collector: {error}"))?;
        let mut resource = Resource::builder();
        let is_named = variable("OTEL_SERVICE_NAME").is_some()
            || variable("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
        if !is_named {
            resource = resource.with_service_name(SERVICE);
        }
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build());
        Ok(Some(Self(provider.build())))
    }

    /// Returns the part of the subscriber that receives the spans.
    pub(super) fn layer(&self, filter: Targets) -> BoxedLayer {
        let tracer = self.0.tracer(SERVICE);
        let layer = tracing_opentelemetry::layer().with_tracer(tracer);
        Box::new(layer.with_location(false).with_threads(false).with_filter(filter))
    }

    /// Returns the spans of requests, whose parents are the spans of the callers.
    pub(super) fn spans() -> Spans {
        Spans::new().with_parent(|span, trace| {
            let mut carrier = HashMap::from([(TRACE_MEMBERS[0].to_owned(), trace.traceparent.clone())]);
            carrier.extend(trace.tracestate.clone().map(|state| (TRACE_MEMBERS[1].to_owned(), state)));
            // Without the layer, the span is not sent either.
            _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
        })
    }

    /// Makes the span of a request the parent of what the server or worker behind records.
    pub(super) fn continue_trace(members: &mut Map<String, Value>) {
        let mut carrier = HashMap::new();
        TraceContextPropagator::new().inject_context(&Span::current().context(), &mut carrier);
        if !carrier.contains_key(TRACE_MEMBERS[0]) {
            return;
        }
        for name in TRACE_MEMBERS {
            match carrier.remove(name).filter(|value| !value.is_empty()) {
                Some(value) => _ = members.insert(name.to_owned(), value.into()),
                None => _ = members.shift_remove(name),
            }
        }
    }

    /// Sends the last spans. The runtime must still run.
    pub(super) fn finish(self) {
        if let Err(error) = self.0.shutdown_with_timeout(FINISH_TIMEOUT) {
            shell::warning(&format!("the last spans may not have reached the collector: {error}"));
        }
    }
}

/// An HTTP client for the exporter, whose thread belongs to no runtime.
#[derive(Clone)]
struct CollectorClient {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
}

impl CollectorClient {
    fn new(runtime: Handle) -> Result<Self, rustls::Error> {
        let provider = default_provider();
        let tls = match HttpsConnectorBuilder::new().with_provider_and_native_roots(provider.clone()) {
            Ok(tls) => tls,
            // A container may have no certificates, and its collector no TLS.
            Err(_) => HttpsConnectorBuilder::new().with_tls_config(
                ClientConfig::builder_with_provider(provider.into())
                    .with_safe_default_protocol_versions()?
                    .with_root_certificates(RootCertStore::empty())
                    .with_no_client_auth(),
            ),
        };
        let connector = tls.https_or_http().enable_http1().build();
        Ok(Self { client: HyperClient::new(connector, REQUEST_TIMEOUT, None), runtime })
    }
}

impl fmt::Debug for CollectorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CollectorClient")
    }
}

type Sent<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for CollectorClient {
    fn send_bytes<'a, 'b>(&'a self, request: Request<Bytes>) -> Sent<'b>
    where
        'a: 'b,
        Self: 'b,
    {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { client.send_bytes(request).await });
        Box::pin(async move { sent.await? })
    }
}
