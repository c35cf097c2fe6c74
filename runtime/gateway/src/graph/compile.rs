//! Compiles a workflow: each agent gets the ids of its tools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::check::{CheckedNode, check};
use super::model::{Edge, Mode, NodeData, ToolConfig, Workflow};
use super::problem::GraphError;
use super::rules::Rules;

/// A compiled workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Compiled {
    /// The name of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The nodes by their ids.
    pub nodes: BTreeMap<String, CompiledNode>,
    /// The edges, unchanged.
    pub edges: Vec<Edge>,
    /// The ids in topological order: tools come before their agents.
    pub order: Vec<String>,
    /// All other members of the workflow.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A node of a compiled workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompiledNode {
    /// The component.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is run or registered as a tool.
    pub mode: Mode,
    /// The inputs of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// The ids of the tools that it may use, in edge order without duplicates. Empty for an agent without tools; absent for
    /// other nodes without tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_tool_node_ids: Option<Vec<String>>,
    /// Data of the editor, without the members above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<NodeData>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Collects the tools of each node from the edges into its input `tools`.
///
/// `connectedToolNodeIds` in the input is ignored, so that a file cannot give an agent a tool that is not connected to it.
/// Takes time linear in the size of the graph.
///
/// # Errors
/// [`GraphError`] with every problem: duplicate ids, unknown nodes, edges into `tools` from nodes that are not tools, cycles.
pub fn compile(workflow: &Workflow, rules: &Rules) -> Result<Compiled, GraphError> {
    let checked = check(workflow, rules)?;
    let id = |index: &usize| checked.nodes[*index].node.id.clone();
    let order = checked.order.iter().map(id).collect();
    let nodes = checked.nodes.into_iter().map(|node| (node.node.id.clone(), compile_node(node))).collect();
    let (name, edges, rest) = (workflow.name.clone(), workflow.edges.clone(), workflow.rest.clone());
    Ok(Compiled { name, nodes, edges, order, rest })
}

fn compile_node(checked: CheckedNode<'_>) -> CompiledNode {
    let node = checked.node;
    let mut data = node.data.clone();
    if let Some(config) = data.as_mut().and_then(|data| data.config.as_mut()) {
        (config.mode, config.tool_config, config.connected_tool_node_ids) = (None, None, None);
    }
    CompiledNode {
        kind: node.kind.clone(),
        mode: checked.mode,
        tool_config: node.effective_tool_config().cloned(),
        connected_tool_node_ids: checked.tools,
        data,
        rest: node.rest.clone(),
    }
}
