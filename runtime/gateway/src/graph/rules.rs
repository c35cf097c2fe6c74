//! Which types of nodes are agents, servers, or UI-only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a tool of a run is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ToolKind {
    /// A component that a worker runs.
    Component,
    /// An MCP server that is started for the run.
    Local,
    /// An MCP server that is already running.
    Remote,
}

/// Which types of nodes are agents, servers, or UI-only.
///
/// By default, types that start with `core.ai.` are agents, `core.mcp.server` is a [`Local`](ToolKind::Local) server, and types
/// that start with `core.ui.` are UI-only, such as comments on the canvas.
///
/// ```
/// use toolwright_gateway::graph::Rules;
///
/// let rules = Rules::default().agent_type("acme.planner");
/// assert!(rules.is_agent("core.ai.agent") && rules.is_agent("acme.planner"));
/// assert!(!rules.is_agent("acme.planner.notes"));
/// ```
#[derive(Debug, Clone)]
pub struct Rules {
    agent_prefixes: Vec<String>,
    agent_types: Vec<String>,
    ui_prefixes: Vec<String>,
    servers: BTreeMap<String, ToolKind>,
}

/// The input that takes tools.
pub(super) const TOOLS_HANDLE: &str = "tools";

impl Default for Rules {
    fn default() -> Self {
        Self {
            agent_prefixes: vec!["core.ai.".to_owned()],
            agent_types: Vec::new(),
            ui_prefixes: vec!["core.ui.".to_owned()],
            servers: BTreeMap::from([("core.mcp.server".to_owned(), ToolKind::Local)]),
        }
    }
}

impl Rules {
    /// Replaces the prefixes of agent types (default: `core.ai.`).
    pub fn agent_prefixes<T: Into<String>>(self, prefixes: impl IntoIterator<Item = T>) -> Self {
        Self { agent_prefixes: prefixes.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds a type that is an agent.
    pub fn agent_type(mut self, kind: impl Into<String>) -> Self {
        self.agent_types.push(kind.into());
        self
    }

    /// Replaces the prefixes of UI-only types (default: `core.ui.`).
    pub fn ui_prefixes<T: Into<String>>(self, prefixes: impl IntoIterator<Item = T>) -> Self {
        Self { ui_prefixes: prefixes.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets how tools of a type are reached.
    pub fn tool_kind(mut self, kind: impl Into<String>, is: ToolKind) -> Self {
        self.servers.insert(kind.into(), is);
        self
    }

    /// Whether nodes of this type are agents.
    pub fn is_agent(&self, kind: &str) -> bool {
        self.agent_prefixes.iter().any(|prefix| kind.starts_with(prefix))
            || self.agent_types.iter().any(|agent| agent == kind)
    }

    /// Whether nodes of this type are UI-only.
    pub fn is_ui_only(&self, kind: &str) -> bool {
        self.ui_prefixes.iter().any(|prefix| kind.starts_with(prefix))
    }

    /// How tools of this type are reached; [`ToolKind::Component`] by default.
    pub fn kind_of_tool(&self, kind: &str) -> ToolKind {
        self.servers.get(kind).copied().unwrap_or(ToolKind::Component)
    }
}
