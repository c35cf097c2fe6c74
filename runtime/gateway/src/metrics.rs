//! Request metrics, in the text format of Prometheus.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::audit::Outcome;

/// Maximum number of label combinations. Requests with further combinations are counted under the target
/// `other`.
pub const MAX_SERIES: usize = 1_000;

/// The upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0, 600.0];

/// Counts the requests of a [`Controlled`](crate::Controlled) provider by method, server and outcome. Servers
/// are those of the configuration; requests of runs have no server label, so that labels are bounded and reveal
/// nothing about runs.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    series: HashMap<Labels, Series>,
    running: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Labels {
    method: &'static str,
    server: String,
    outcome: &'static str,
}

#[derive(Debug, Default, Clone)]
struct Series {
    count: u64,
    seconds: f64,
    buckets: [u64; BUCKETS.len()],
}

/// A gauge of a gateway.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gauge {
    /// Its name, after the prefix `toolwright_gateway_`.
    pub name: &'static str,
    /// Its help text.
    pub help: &'static str,
    /// Its value.
    pub value: f64,
}

impl Gauge {
    /// Creates a gauge.
    pub fn new(name: &'static str, help: &'static str, value: f64) -> Self {
        Self { name, help, value }
    }
}

impl Metrics {
    pub(crate) fn begin(&self) {
        self.state().running += 1;
    }

    pub(crate) fn end(&self, method: &'static str, server: &str, outcome: Outcome, took: Duration) {
        let mut state = self.state();
        state.running -= 1;
        let mut labels = Labels { method, server: server.to_owned(), outcome: outcome.as_str() };
        if state.series.len() >= MAX_SERIES && !state.series.contains_key(&labels) {
            "other".clone_into(&mut labels.server);
        }
        let series = state.series.entry(labels).or_default();
        let seconds = took.as_secs_f64();
        series.count += 1;
        series.seconds += seconds;
        for (bucket, end) in series.buckets.iter_mut().zip(BUCKETS) {
            *bucket += u64::from(seconds <= end);
        }
    }

    /// Formats the metrics for Prometheus (text format 0.0.4), with these gauges.
    pub fn to_text(&self, gauges: &[Gauge]) -> String {
        const PREFIX: &str = "toolwright_gateway";
        let state = self.state();
        let mut series: Vec<_> = state.series.iter().collect();
        series.sort_by_key(|(labels, _)| *labels);
        let mut text = String::new();
        let running = Gauge::new("requests_running", "Requests that run.", running(state.running));
        for gauge in gauges.iter().chain([&running]) {
            // Writing to a string cannot fail.
            _ = writeln!(text, "# HELP {PREFIX}_{} {}", gauge.name, gauge.help);
            _ = writeln!(
                text,
                "# TYPE {PREFIX}_{} gauge\n{PREFIX}_{} {}",
                gauge.name, gauge.name, gauge.value
            );
        }
        let name = format!("{PREFIX}_request_duration_seconds");
        _ = writeln!(
            text,
            "# HELP {name} Requests that have ended, by how long they took.\n# TYPE {name} histogram"
        );
        for (labels, series) in series {
            let labels = format!(
                "method=\"{}\",server=\"{}\",outcome=\"{}\"",
                labels.method,
                escaped(&labels.server),
                labels.outcome
            );
            for (count, end) in series.buckets.iter().zip(BUCKETS) {
                _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {count}");
            }
            _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", series.count);
            _ = writeln!(text, "{name}_sum{{{labels}}} {}", series.seconds);
            _ = writeln!(text, "{name}_count{{{labels}}} {}", series.count);
        }
        text
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are never that many")]
fn running(count: i64) -> f64 {
    count as f64
}

/// Escapes backslashes, quotes and line breaks of a label value.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_their_labels() {
        let metrics = Metrics::default();
        for (server, took) in [("files", 3), ("files", 300), ("we\"b\n", 3)] {
            metrics.begin();
            metrics.end("tools/call", server, Outcome::Ok, Duration::from_millis(took));
        }
        metrics.begin();
        let text = metrics.to_text(&[Gauge::new("runs", "Runs in use.", 2.0)]);
        let labels = r#"method="tools/call",server="files",outcome="ok""#;
        for line in [
            "toolwright_gateway_runs 2".to_owned(),
            "toolwright_gateway_requests_running 1".to_owned(),
            format!("toolwright_gateway_request_duration_seconds_bucket{{{labels},le=\"0.005\"}} 1"),
            format!("toolwright_gateway_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} 2"),
            format!("toolwright_gateway_request_duration_seconds_count{{{labels}}} 2"),
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(text.contains(r#"server="we\"b\n""#), "{text}");
    }

    #[test]
    fn the_number_of_series_is_bounded() {
        let metrics = Metrics::default();
        for number in 0..5_000 {
            metrics.begin();
            metrics.end("tools/call", &format!("server-{number}"), Outcome::Ok, Duration::ZERO);
        }
        assert_eq!(metrics.state().series.len(), MAX_SERIES + 1);
        let other = metrics.to_text(&[]);
        assert!(other.contains(r#"_count{method="tools/call",server="other",outcome="ok"} 4000"#), "{other}");
    }
}
