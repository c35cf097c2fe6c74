//! The actions of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{CheckedNode, check};
use super::model::{Mode, ToolConfig, Workflow};
use super::problem::GraphError;
use super::rules::{Rules, ToolKind};

/// The output that is active once a tool is registered, so that nodes after it run.
const DEFAULT_PORT: &str = "default";

/// The actions of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Plan {
    /// The nodes by their ids.
    pub nodes: BTreeMap<String, PlannedNode>,
    /// The ids in topological order: tools come before their agents.
    pub order: Vec<String>,
}

/// The action for one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlannedNode {
    /// The action.
    pub action: Action,
    /// The component.
    #[serde(rename = "type")]
    pub kind: String,
    /// How a registered tool is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<ToolKind>,
    /// The inputs of a registered tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// The outputs that are active once a tool is registered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active_ports: Vec<String>,
    /// Whether it is an agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent: bool,
    /// As [`CompiledNode::connected_tool_node_ids`](super::CompiledNode::connected_tool_node_ids).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_tool_node_ids: Option<Vec<String>>,
}

/// What a run does with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Action {
    /// Executes it as a step.
    Run,
    /// Registers it as a tool, without executing it.
    Register,
    /// Nothing: it is UI-only.
    Skip,
}

/// Returns the action for each node, in time linear in the size of the graph.
///
/// # Errors
/// As [`compile`](super::compile).
pub fn plan(workflow: &Workflow, rules: &Rules) -> Result<Plan, GraphError> {
    let checked = check(workflow, rules)?;
    let id = |index: &usize| checked.nodes[*index].node.id.clone();
    let order = checked.order.iter().map(id).collect();
    let nodes =
        checked.nodes.into_iter().map(|node| (node.node.id.clone(), plan_node(node, rules))).collect();
    Ok(Plan { nodes, order })
}

fn plan_node(checked: CheckedNode<'_>, rules: &Rules) -> PlannedNode {
    let node = checked.node;
    let action = match checked.mode {
        _ if checked.is_ui_only => Action::Skip,
        Mode::Tool => Action::Register,
        Mode::Normal => Action::Run,
    };
    let is_tool = action == Action::Register;
    PlannedNode {
        action,
        kind: node.kind.clone(),
        tool_kind: is_tool.then(|| rules.kind_of_tool(&node.kind)),
        tool_config: node.effective_tool_config().filter(|_| is_tool).cloned(),
        active_ports: if is_tool { vec![DEFAULT_PORT.to_owned()] } else { Vec::new() },
        agent: checked.is_agent,
        connected_tool_node_ids: checked.tools,
    }
}
