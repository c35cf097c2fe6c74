//! The status of the gateway, for operators and Prometheus.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use serde::Serialize;

use super::{Answer, InternalApi, answer};
use crate::gateway::{UpstreamState, UpstreamStatus};
use crate::metrics::Gauge;

/// The text format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The status of the gateway.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    version: &'static str,
    /// The digest of the configuration, if the gateway has one.
    configuration: &'a str,
    policy: PolicyStatus<'a>,
    /// Whether the store answers.
    is_ready: bool,
    servers: Vec<ServerStatus>,
    /// The number of runs in use.
    runs: usize,
}

#[derive(Serialize)]
struct PolicyStatus<'a> {
    rules: usize,
    revision: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerStatus {
    name: String,
    /// `up`, `connecting`, `failed`, or `circuitOpen`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The number of tools that differ from their pins.
    findings: usize,
}

impl From<UpstreamStatus> for ServerStatus {
    fn from(status: UpstreamStatus) -> Self {
        let (state, problem) = match status.state {
            UpstreamState::Up if status.is_circuit_open => ("circuitOpen", None),
            UpstreamState::Up => ("up", None),
            UpstreamState::Connecting => ("connecting", None),
            UpstreamState::Failed(why) => ("failed", Some(why)),
        };
        Self { name: status.name, state, problem, findings: status.findings.len() }
    }
}

impl InternalApi {
    fn servers(&self) -> Vec<ServerStatus> {
        let status = self.0.gateway.as_ref().map(crate::Gateway::status).unwrap_or_default();
        status.into_iter().map(Into::into).collect()
    }

    async fn is_ready(&self) -> bool {
        self.0.registry.store().state("", None).await.is_ok()
    }
}

pub(super) async fn show(State(api): State<InternalApi>, headers: HeaderMap) -> Answer {
    api.operator(&headers).await?;
    let (configuration, policy) = (api.0.controls.configuration(), api.0.controls.policy());
    let status = Status {
        version: env!("CARGO_PKG_VERSION"),
        configuration: &configuration,
        policy: PolicyStatus { rules: policy.rules().len(), revision: policy.revision() },
        is_ready: api.is_ready().await,
        servers: api.servers(),
        runs: api.0.registry.runs(),
    };
    Ok(answer(&serde_json::to_value(status).unwrap_or_default()))
}

pub(super) async fn metrics(State(api): State<InternalApi>, headers: HeaderMap) -> Answer {
    api.operator(&headers).await?;
    let servers = api.servers();
    let up = servers.iter().filter(|server| server.state == "up").count();
    #[expect(clippy::cast_precision_loss, reason = "there are never that many")]
    let count = |count: usize| count as f64;
    let gauges = [
        Gauge::new("servers", "Servers of the configuration.", count(servers.len())),
        Gauge::new("servers_up", "Servers of the configuration that are connected.", count(up)),
        Gauge::new("runs", "Runs in use.", count(api.0.registry.runs())),
        Gauge::new("store_up", "Whether the store answers.", if api.is_ready().await { 1.0 } else { 0.0 }),
    ];
    Ok(([(CONTENT_TYPE, METRICS)], api.0.controls.metrics().to_text(&gauges)).into_response())
}
