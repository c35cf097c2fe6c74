//! Sends spans and metrics to a collector.

use std::collections::HashMap;
use std::error::Error;

use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::{Aggregation, Instrument, SdkMeterProvider, Stream};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use toolwright::middleware::Spans;
use tracing::Level;
use tracing_opentelemetry::{MetricsLayer, OpenTelemetrySpanExt as _};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// The name of the service, as the collector shows it.
const SERVICE: &str = env!("CARGO_PKG_NAME");

/// The buckets of durations in seconds (semantic conventions for MCP, `gen-ai/mcp` "Metrics").
const SECONDS: [f64; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// What is sent, in batches, apart from requests.
pub(crate) struct Telemetry {
    tracer: SdkTracerProvider,
    meter: SdkMeterProvider,
}

impl Telemetry {
    /// Starts to send what the program records from now on.
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        let resource = Resource::builder().with_service_name(SERVICE).build();
        let spans = SpanExporter::builder().with_http().build()?;
        let tracer =
            SdkTracerProvider::builder().with_batch_exporter(spans).with_resource(resource.clone()).build();
        let metrics = MetricExporter::builder().with_http().build()?;
        let meter = SdkMeterProvider::builder()
            .with_periodic_exporter(metrics)
            .with_resource(resource)
            .with_view(in_seconds)
            .build();
        // The filter is of this layer alone: durations have a level of their own, and the other layer selects them.
        let spans = tracing_opentelemetry::layer()
            .with_tracer(tracer.tracer(SERVICE))
            .with_filter(Targets::new().with_default(Level::INFO));
        let metrics = MetricsLayer::new(meter.clone());
        tracing_subscriber::registry().with(spans).with(metrics).try_init()?;
        Ok(Self { tracer, meter })
    }

    /// Sends the rest.
    pub(crate) fn finish(self) -> Result<(), OTelSdkError> {
        let spans = self.tracer.shutdown();
        self.meter.shutdown().and(spans)
    }
}

/// The middleware that records spans, as children of the spans of callers.
pub(crate) fn spans() -> Spans {
    Spans::new().with_parent(|span, trace| {
        let mut carrier = HashMap::from([("traceparent".to_owned(), trace.traceparent.clone())]);
        carrier.extend(trace.tracestate.clone().map(|state| ("tracestate".to_owned(), state)));
        // Without the layer, the span is not sent either.
        _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
    })
}

/// The unit and the buckets of durations, which `tracing` cannot state.
fn in_seconds(instrument: &Instrument) -> Option<Stream> {
    let buckets = Aggregation::ExplicitBucketHistogram { boundaries: SECONDS.to_vec(), record_min_max: true };
    let is_duration = instrument.name().starts_with("mcp.") && instrument.name().ends_with(".duration");
    is_duration.then(|| Stream::builder().with_unit("s").with_aggregation(buckets).build().ok())?
}
