//! Errors of a graph.

use std::fmt;

use serde::Serialize;
use toolwright_core::manifest::visible;

use super::check::{MAX_EDGES, MAX_NODES};
use super::model::Edge;

/// Maximum number of reported problems per graph; the rest are counted.
pub const MAX_PROBLEMS: usize = 100;

/// Maximum number of characters of an id in a message.
const NAME_LIMIT: usize = 100;

/// An edge as errors name it: its index, its id and its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EdgeName {
    /// Its index in `edges`.
    pub index: usize,
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of its source node.
    pub source: String,
    /// The id of its target node.
    pub target: String,
    /// The input of its target node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_handle: Option<String>,
}

/// One problem of a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "problem", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Problem {
    /// More than [`MAX_NODES`].
    #[error("{count} nodes are too many, {MAX_NODES} are allowed; split the workflow")]
    TooManyNodes {
        /// The number of nodes.
        count: usize,
    },
    /// More than [`MAX_EDGES`].
    #[error("{count} edges are too many, {MAX_EDGES} are allowed; split the workflow")]
    TooManyEdges {
        /// The number of edges.
        count: usize,
    },
    /// A node without an id.
    #[error("nodes[{index}] has an empty id; give it one that no other node has")]
    EmptyId {
        /// Its index in `nodes`.
        index: usize,
    },
    /// Two nodes with the same id.
    #[error("nodes[{first}] and nodes[{second}] both have the id {}; rename one of them", name(.node))]
    DuplicateNode {
        /// The id.
        node: String,
        /// The index of the first in `nodes`.
        first: usize,
        /// The index of the second.
        second: usize,
    },
    /// `mode` and `data.config.mode` of a node differ.
    #[error("the node {} has one mode in `mode` and another in `data.config.mode`; remove one of them", name(.node))]
    TwoModes {
        /// The id.
        node: String,
    },
    /// An input is both bound and exposed.
    #[error(
        "the input {} of the node {} is both bound and exposed; remove it from `exposedInputIds` if it holds a credential",
        name(.input), name(.node)
    )]
    BoundAndExposed {
        /// The id of the node.
        node: String,
        /// The input.
        input: String,
    },
    /// An edge from a node that does not exist.
    #[error("{edge}: there is no node {}; correct `source` or add the node", name(&.edge.source))]
    UnknownSource {
        /// The edge.
        edge: EdgeName,
    },
    /// An edge to a node that does not exist.
    #[error("{edge}: there is no node {}; correct `target` or add the node", name(&.edge.target))]
    UnknownTarget {
        /// The edge.
        edge: EdgeName,
    },
    /// An edge into `tools` from a node in normal mode.
    #[error("{edge}: the node {} is not a tool; set its `mode` to `tool` or connect the edge to another input", name(&.edge.source))]
    NotATool {
        /// The edge.
        edge: EdgeName,
    },
    /// An edge into `tools` from or to a UI-only node.
    #[error("{edge}: the node {} is UI-only and cannot be or use a tool; remove the edge", name(.node))]
    UiOnly {
        /// The edge.
        edge: EdgeName,
        /// The id of the node.
        node: String,
    },
    /// An edge that closes a cycle.
    #[error("{edge}: it closes a cycle of {length} nodes, which cannot be run in any order; remove it")]
    Cycle {
        /// The edge.
        edge: EdgeName,
        /// How many nodes the cycle has.
        length: usize,
    },
}

/// All problems of a graph: up to [`MAX_PROBLEMS`], and the number of further ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError {
    problems: Vec<Problem>,
    left_out: usize,
}

impl GraphError {
    /// Returns the problems, first of nodes and then of edges.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the number of further problems.
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

impl std::error::Error for GraphError {}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the workflow cannot be used")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        match self.left_out {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Problems {
    found: Vec<Problem>,
    left_out: usize,
}

impl Problems {
    pub(super) fn add(&mut self, problem: Problem) {
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(problem);
        } else {
            self.left_out += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn into_error(self) -> GraphError {
        GraphError { problems: self.found, left_out: self.left_out }
    }
}

impl EdgeName {
    pub(super) fn of(index: usize, edge: &Edge) -> Self {
        Self {
            index,
            id: edge.id.clone(),
            source: edge.source.clone(),
            target: edge.target.clone(),
            target_handle: edge.target_handle.clone(),
        }
    }
}

impl fmt::Display for EdgeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edges[{}]", self.index)?;
        if let Some(id) = &self.id {
            write!(f, " {}", name(id))?;
        }
        write!(f, " from {} to {}", name(&self.source), name(&self.target))?;
        match &self.target_handle {
            Some(handle) => write!(f, " (input {})", name(handle)),
            None => Ok(()),
        }
    }
}

/// Formats an id for a message: one line, visible, truncated.
fn name(text: &str) -> String {
    let mut short: String = text.chars().take(NAME_LIMIT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("`{}`", visible(&short))
}
