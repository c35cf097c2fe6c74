//! Workflows as saved by editors. Unknown members are preserved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A graph of nodes and edges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Workflow {
    /// Its display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The nodes, each with a unique id.
    pub nodes: Vec<Node>,
    /// The edges; their order defines the order of an agent's tools.
    #[serde(default)]
    pub edges: Vec<Edge>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A step of a workflow, or a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Node {
    /// The id that edges refer to; unique in a workflow.
    pub id: String,
    /// The component that it is, such as `core.ai.agent`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is run or registered as a tool. May also be given in `data.config`; if both are given, they must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The inputs of a tool. May also be given in `data.config`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// The ids of the tools that it may use. [`compile`](super::compile) computes it from the edges and ignores what is given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_tool_node_ids: Option<Vec<String>>,
    /// Data of an editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<NodeData>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Data of an editor about a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NodeData {
    /// The settings of the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<NodeConfig>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The settings of a component; `params` and others are in `rest`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NodeConfig {
    /// As [`Node::mode`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// As [`Node::tool_config`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
    /// As [`Node::connected_tool_node_ids`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_tool_node_ids: Option<Vec<String>>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What a run does with a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Mode {
    /// Executes it as a step.
    #[default]
    Normal,
    /// Registers it as a tool, which runs when an agent calls it.
    Tool,
}

/// The sources of a tool's inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolConfig {
    /// Inputs that the workflow sets, such as credentials. Agents neither see nor set them.
    #[serde(default)]
    pub bound_input_ids: Vec<String>,
    /// Inputs that the agent sets with each call.
    #[serde(default)]
    pub exposed_input_ids: Vec<String>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A connection from an output of one node to an input of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Edge {
    /// Its id in the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of the source node.
    pub source: String,
    /// The output of the source node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_handle: Option<String>,
    /// The id of the target node.
    pub target: String,
    /// The input of the target node; `tools` for tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_handle: Option<String>,
    /// All other members.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Node {
    fn config(&self) -> Option<&NodeConfig> {
        self.data.as_ref()?.config.as_ref()
    }

    /// The mode, from the node or its `data.config`; [`Mode::Normal`] by default.
    ///
    /// # Errors
    /// Both are given and differ.
    pub(super) fn effective_mode(&self) -> Result<Mode, ()> {
        let inner = self.config().and_then(|config| config.mode);
        match (self.mode, inner) {
            (Some(outer), Some(inner)) if outer != inner => Err(()),
            (outer, inner) => Ok(outer.or(inner).unwrap_or_default()),
        }
    }

    /// The inputs of the tool, from the node itself before its `data.config`.
    pub(super) fn effective_tool_config(&self) -> Option<&ToolConfig> {
        self.tool_config.as_ref().or_else(|| self.config()?.tool_config.as_ref())
    }
}
