//! Workflow graphs: which nodes are tools, and which agents get them.
//!
//! A [`Workflow`] has nodes and edges. A node in mode `tool` is not run as a step but registered as a tool, and an edge into
//! the handle `tools` gives its target that tool. [`compile`] collects these edges in `connectedToolNodeIds`, [`plan`] says
//! what happens to each node in a run. Both reject the same graphs, with errors that name the edge.
//!
//! `model` has the types, `rules` says which types of nodes are agents, `check` validates a graph in time linear in its size.
//!
//! ```
//! use toolwright_gateway::graph::{Action, Rules, Workflow, compile, plan};
//!
//! let workflow: Workflow = serde_json::from_str(
//!     r#"{
//!         "nodes": [
//!             {"id": "reputation", "type": "security.reputation", "mode": "tool"},
//!             {"id": "agent", "type": "core.ai.agent"}
//!         ],
//!         "edges": [{"source": "reputation", "target": "agent", "targetHandle": "tools"}]
//!     }"#,
//! )?;
//! let compiled = compile(&workflow, &Rules::default())?;
//! let wired = compiled.nodes["agent"].connected_tool_node_ids.as_deref();
//! assert_eq!(wired, Some(&["reputation".to_owned()][..]));
//!
//! let plan = plan(&workflow, &Rules::default())?;
//! assert_eq!(plan.nodes["reputation"].action, Action::Register);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod compile;
mod model;
mod plan;
mod problem;
mod rules;
mod schema;

pub use check::{MAX_EDGES, MAX_NODES};
pub use compile::{Compiled, CompiledNode, compile};
pub use model::{Edge, Mode, Node, NodeConfig, NodeData, ToolConfig, Workflow};
pub use plan::{Action, Plan, PlannedNode, plan};
pub use problem::{EdgeName, GraphError, MAX_PROBLEMS, Problem};
pub use rules::{Rules, ToolKind};
pub use schema::{Document, schema};

#[cfg(test)]
mod tests;
