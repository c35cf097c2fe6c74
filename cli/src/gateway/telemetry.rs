//! What a running gateway records, with `tracing`: on standard error, and with the feature `otel` to a collector.

use std::str::FromStr as _;

use tokio::runtime::Handle;
use toolwright_core::manifest::visible;
use toolwright_gateway::Controls;
use toolwright_server::Server;
use toolwright_server::middleware::Spans;
use tracing::Level;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::{LogFormat, ServeArgs};
#[cfg(feature = "otel")]
use super::otlp::Exporter;
use super::state::usage;
use crate::client::RequestError;
use crate::shell;

/// The environment variable with the default filter.
const FILTER: &str = "RUST_LOG";
/// The target of all spans and events of Toolwright.
const TARGET: &str = "toolwright";

/// What a gateway records.
pub(super) struct Telemetry {
    spans: Option<Spans>,
    #[cfg(feature = "otel")]
    exporter: Option<Exporter>,
}

/// A part of the subscriber, which filters for itself.
pub(super) type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

impl Telemetry {
    /// Starts to record. Without a filter that selects spans, and without a collector, requests have none.
    pub(super) fn start(
        args: &ServeArgs,
        controls: &Controls,
        runtime: &Handle,
    ) -> Result<Self, RequestError> {
        let filter = filter(args.log.as_deref())?;
        let spans = filter.would_enable(TARGET, &Level::INFO).then(Spans::new);
        let log = log_layer(args.log_format, filter);
        Self::with_exporter(log, spans, controls, runtime)
    }

    #[cfg(feature = "otel")]
    fn with_exporter(
        log: BoxedLayer,
        spans: Option<Spans>,
        controls: &Controls,
        runtime: &Handle,
    ) -> Result<Self, RequestError> {
        let Some(exporter) = Exporter::from_env(runtime).map_err(usage)? else {
            install(vec![log])?;
            return Ok(Self { spans, exporter: None });
        };
        let mut layers = exporter.layers(Targets::new().with_target(TARGET, Level::INFO));
        layers.push(log);
        install(layers)?;
        controls.set_forwarded_meta(Exporter::continue_trace);
        Ok(Self { spans: Some(Exporter::spans()), exporter: Some(exporter) })
    }

    #[cfg(not(feature = "otel"))]
    fn with_exporter(
        log: BoxedLayer,
        spans: Option<Spans>,
        _: &Controls,
        _: &Handle,
    ) -> Result<Self, RequestError> {
        install(vec![log])?;
        Ok(Self { spans })
    }

    /// Adds spans to a server, if they are recorded: otherwise its requests take the shortest way.
    pub(super) fn observe(&self, server: Server<()>) -> Server<()> {
        match &self.spans {
            Some(spans) => server.middleware(spans.clone()),
            None => server,
        }
    }

    /// Sends what was recorded.
    pub(super) fn finish(self) {
        let Self {
            spans: _,
            #[cfg(feature = "otel")]
            exporter,
        } = self;
        #[cfg(feature = "otel")]
        if let Some(exporter) = exporter {
            exporter.finish();
        }
    }
}

/// Returns the filter of the command line, of the environment, or the default.
fn filter(flag: Option<&str>) -> Result<Targets, RequestError> {
    let parse = |text: &str| Targets::from_str(text).map_err(|error| error.to_string());
    if let Some(text) = flag {
        return parse(text).map_err(|why| usage(format!("--log {text}: {why}")));
    }
    let default = Targets::new().with_default(Level::WARN);
    match std::env::var(FILTER) {
        // The variable may be meant for other programs, which know more than targets and levels.
        Ok(text) if !text.is_empty() => Ok(parse(&text).unwrap_or_else(|why| {
            shell::warning(&visible(&format!("{FILTER} is ignored: {why}")));
            default
        })),
        _ => Ok(default),
    }
}

/// Writes to standard error, a span when it ends.
fn log_layer(format: LogFormat, filter: Targets) -> BoxedLayer {
    let layer =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_span_events(FmtSpan::CLOSE);
    match format {
        LogFormat::Text => Box::new(layer.with_ansi(false).with_filter(filter)),
        LogFormat::Json => Box::new(layer.json().with_filter(filter)),
    }
}

fn install(layers: Vec<BoxedLayer>) -> Result<(), RequestError> {
    tracing_subscriber::registry().with(layers).try_init().map_err(usage)
}
