//! Spans and durations of a gateway to a collector of OpenTelemetry, by OTLP over HTTP.
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
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{Aggregation, Instrument, SdkMeterProvider, Stream};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use toolwright_server::middleware::Spans;
use tracing::Span;
use tracing_opentelemetry::{MetricsLayer, OpenTelemetrySpanExt as _};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::Layer as _;

use super::telemetry::BoxedLayer;
use crate::shell;

/// The name of the service, if the environment names none.
const SERVICE: &str = "toolwright-gateway";
/// Timeout of one request to the collector.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the end of the program waits for the last spans and durations, each.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);
/// The members of `_meta` with a trace context (W3C Trace Context).
const TRACE_MEMBERS: [&str; 2] = ["traceparent", "tracestate"];

/// The buckets of durations in seconds (semantic conventions for MCP, `gen-ai/mcp` "Metrics").
const SECONDS: [f64; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// Sends spans and durations to a collector, in batches.
pub(super) struct Exporter {
    tracer: Option<SdkTracerProvider>,
    meter: Option<SdkMeterProvider>,
}

/// A kind of data, in the names of variables: `TRACES` or `METRICS`.
#[derive(Clone, Copy)]
struct Signal(&'static str);

impl Signal {
    const TRACES: Self = Self("TRACES");
    const METRICS: Self = Self("METRICS");

    /// Whether a variable names a collector, and none turns the signal off.
    fn is_wanted(self) -> bool {
        let endpoint = self.option("ENDPOINT").is_some();
        let is_off = variable(&format!("OTEL_{}_EXPORTER", self.0)).is_some_and(|value| value == "none");
        endpoint && !is_off
    }

    /// The protocol, unless a variable has it, which then applies.
    fn protocol(self) -> Option<Protocol> {
        self.option("PROTOCOL").is_none().then_some(Protocol::HttpBinary)
    }

    /// The value of an option for the signal, or for all.
    fn option(self, name: &str) -> Option<String> {
        variable(&format!("OTEL_EXPORTER_OTLP_{}_{name}", self.0))
            .or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl Exporter {
    /// Starts an exporter, if a variable names a collector and none turns it off.
    pub(super) fn from_env(runtime: &Handle) -> Result<Option<Self>, String> {
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let [spans, durations] =
            [Signal::TRACES, Signal::METRICS].map(|signal| !is_off && signal.is_wanted());
        if !spans && !durations {
            return Ok(None);
        }
        let client = CollectorClient::new(runtime.clone()).map_err(|error| error.to_string())?;
        let mut resource = Resource::builder();
        let is_named = variable("OTEL_SERVICE_NAME").is_some()
            || variable("OTEL_RESOURCE_ATTRIBUTES").is_some_and(|all| all.contains("service.name="));
        if !is_named {
            resource = resource.with_service_name(SERVICE);
        }
        let resource = resource.build();
        Ok(Some(Self {
            tracer: spans.then(|| tracer(client.clone(), resource.clone())).transpose()?,
            meter: durations.then(|| meter(client, resource)).transpose()?,
        }))
    }

    /// Returns the parts of the subscriber that receive spans, within a filter, and durations.
    pub(super) fn layers(&self, filter: Targets) -> Vec<BoxedLayer> {
        let mut layers: Vec<BoxedLayer> = Vec::new();
        if let Some(tracer) = &self.tracer {
            let layer = tracing_opentelemetry::layer().with_tracer(tracer.tracer(SERVICE));
            layers.push(Box::new(layer.with_location(false).with_threads(false).with_filter(filter)));
        }
        if let Some(meter) = &self.meter {
            layers.push(Box::new(MetricsLayer::new(meter.clone())));
        }
        layers
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

    /// Sends the last spans and durations. The runtime must still run.
    pub(super) fn finish(self) {
        let spans = self.tracer.map(|tracer| tracer.shutdown_with_timeout(FINISH_TIMEOUT));
        let durations = self.meter.map(|meter| meter.shutdown_with_timeout(FINISH_TIMEOUT));
        for (what, ended) in [("spans", spans), ("durations", durations)] {
            if let Some(Err(error)) = ended {
                shell::warning(&format!("the last {what} may not have reached the collector: {error}"));
            }
        }
    }
}

fn tracer(client: CollectorClient, resource: Resource) -> Result<SdkTracerProvider, String> {
    let mut builder = SpanExporter::builder().with_http().with_http_client(client);
    if let Some(protocol) = Signal::TRACES.protocol() {
        builder = builder.with_protocol(protocol);
    }
    let exporter =
        builder.build().map_err(|error| format!("spans cannot be sent to a collector: {error}"))?;
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

fn meter(client: CollectorClient, resource: Resource) -> Result<SdkMeterProvider, String> {
    let mut builder = MetricExporter::builder().with_http().with_http_client(client);
    if let Some(protocol) = Signal::METRICS.protocol() {
        builder = builder.with_protocol(protocol);
    }
    let exporter =
        builder.build().map_err(|error| format!("durations cannot be sent to a collector: {error}"))?;
    let provider = SdkMeterProvider::builder().with_periodic_exporter(exporter).with_resource(resource);
    Ok(provider.with_view(in_seconds).build())
}

/// The unit and the buckets of durations, which `tracing` cannot state.
fn in_seconds(instrument: &Instrument) -> Option<Stream> {
    let buckets = Aggregation::ExplicitBucketHistogram { boundaries: SECONDS.to_vec(), record_min_max: true };
    let is_duration = instrument.name().starts_with("mcp.") && instrument.name().ends_with(".duration");
    is_duration.then(|| Stream::builder().with_unit("s").with_aggregation(buckets).build().ok())?
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
