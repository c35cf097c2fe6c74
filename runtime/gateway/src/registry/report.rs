//! The state of a run's nodes, for operators.

use serde::Serialize;
use toolwright_server::Provider as _;
use toolwright_server::auth::Access;

use super::entry::Backend;
use super::live::Registry;
use super::store::Snapshot;
use super::view::View;
use crate::gateway::{UpstreamState, server_of};
use crate::store::StoreError;

/// A run as operators see it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunReport {
    /// The run.
    pub run: String,
    /// Its organization.
    pub org: Option<String>,
    /// Its epoch.
    pub epoch: String,
    /// Its revision.
    pub revision: u64,
    /// Its nodes, in the order in which they were registered first.
    pub nodes: Vec<NodeReport>,
}

/// A node as operators see it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NodeReport {
    /// The node.
    pub node: String,
    /// `component`, `remote` or `local`.
    pub kind: &'static str,
    /// Whether its tools are available.
    pub is_ready: bool,
    /// Why they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The public names of its tools.
    pub tools: Vec<String>,
}

impl Registry {
    /// Returns the state of the nodes of a run. Connects to its servers, if necessary.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], or the error of the store.
    pub async fn report(&self, run: &str) -> Result<RunReport, StoreError> {
        let snapshot = self.0.store.snapshot(run).await?;
        let snapshot = snapshot.ok_or_else(|| StoreError::NoRun(run.to_owned()))?;
        let live = self.0.live(run, &snapshot.state).await?;
        let view = live.view();
        let of_servers = live.gateway().map(|gateway| (gateway.status(), gateway.tools(&Access::Trusted)));
        let Snapshot { state, entries, .. } = snapshot;
        let nodes = entries.into_iter().map(|entry| {
            let mut report = NodeReport {
                kind: match entry.backend {
                    Backend::Component { .. } => "component",
                    Backend::Remote { .. } => "remote",
                    Backend::Local { .. } => "local",
                },
                problem: view.why_left_out(&entry.node).map(str::to_owned),
                tools: view.names_of(&entry.node),
                is_ready: false,
                node: entry.node,
            };
            if let Some((status, tools)) = &of_servers {
                let own = status.iter().find(|server| server.name == report.node);
                report.problem = report.problem.or_else(|| match &own?.state {
                    UpstreamState::Up => None,
                    UpstreamState::Failed(why) => Some(why.clone()),
                    UpstreamState::Connecting => Some("it is being connected to".to_owned()),
                });
                let own = tools.iter().filter(|tool| server_of(tool) == Some(&report.node));
                report.tools.extend(own.map(|tool| tool.name.clone()));
            }
            report.is_ready = report.problem.is_none();
            report
        });
        let nodes = nodes.collect();
        Ok(RunReport {
            run: run.to_owned(),
            org: state.org,
            epoch: state.epoch,
            revision: state.revision,
            nodes,
        })
    }
}

impl View {
    fn why_left_out(&self, node: &str) -> Option<&str> {
        self.left_out.iter().find(|(name, _)| name == node).map(|(_, why)| why.as_str())
    }

    fn names_of(&self, node: &str) -> Vec<String> {
        let own = self.tools.iter().filter(|tool| tool.node == node);
        own.map(|tool| tool.definition.name.clone()).collect()
    }
}
