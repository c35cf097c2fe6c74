//! Assigns each tool a unique name for the model, independent of the order of the tools.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use toolwright_core::names::{distinct_name, public_name};
use toolwright_core::schema::Profile;

use crate::value::ToolValue;

/// A value that could not be listed unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Two values are equal in every member; one is listed.
    Repeated {
        /// The name.
        name: String,
    },
    /// Another tool has the name.
    Renamed {
        /// The value's name.
        name: String,
        /// The tool's kind and location.
        tool: String,
        /// The name for the model.
        listed: String,
    },
    /// Other tools have every name that it could get.
    Omitted {
        /// The value's name.
        name: String,
        /// The tool's kind and location.
        tool: String,
    },
    /// The kind is unknown: the tool is not listed, and calls of it fail.
    Unsupported {
        /// The name; empty if it has none.
        name: String,
        /// The kind.
        tool_type: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repeated { name } => write!(f, "the tool {name:?} appears twice and is listed once"),
            Self::Renamed { name, tool, listed } => {
                write!(f, "another tool has the name {name:?}; the one of {tool:?} is listed as {listed:?}")
            }
            Self::Omitted { name, tool } => {
                write!(
                    f,
                    "other tools have every variant of the name {name:?}; the one of {tool:?} is not listed; rename it"
                )
            }
            Self::Unsupported { name, tool_type } => {
                write!(f, "the tool {name:?} is not listed: its type {tool_type:?} is not supported")
            }
        }
    }
}

/// The tools with their names, in the order of their values.
pub(super) struct NamedTools {
    pub(super) tools: Vec<(String, ToolValue)>,
    pub(super) unsupported: HashMap<String, String>,
    pub(super) notes: Vec<Note>,
}

/// Assigns a name to every value.
pub(super) fn assign(values: Vec<ToolValue>) -> NamedTools {
    let mut named = NamedTools { tools: Vec::new(), unsupported: HashMap::new(), notes: Vec::new() };
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for value in values {
        let name = value.name().unwrap_or_default();
        if let ToolValue::Other(tool) = &value {
            let tool_type = tool.tool_type().to_owned();
            named.notes.push(Note::Unsupported { name: name.clone(), tool_type: tool_type.clone() });
            named.unsupported.insert(name, tool_type);
        } else if seen.insert(value.to_json()) {
            kept.push((name, value));
        } else {
            named.notes.push(Note::Repeated { name });
        }
    }

    // Tools whose names need no change come first; ties are sorted by identity.
    let mut wishes: Vec<(bool, String, usize)> = kept
        .iter()
        .enumerate()
        .map(|(index, (name, value))| {
            (public_name(name, Profile::Portable) != name.as_str(), identity(value), index)
        })
        .collect();
    wishes.sort_by(|(left, left_place, a), (right, right_place, b)| {
        let records = || kept[*a].1.to_json().cmp(&kept[*b].1.to_json());
        left.cmp(right).then_with(|| left_place.cmp(right_place)).then_with(records)
    });
    let mut taken = HashSet::new();
    let mut listed: BTreeMap<usize, String> = BTreeMap::new();
    for (_, place, index) in wishes {
        let (name, value) = &kept[index];
        let wanted = public_name(name, Profile::Portable).into_owned();
        if taken.insert(wanted.clone()) {
            listed.insert(index, wanted);
            continue;
        }
        // Two tools of one location are distinguished by the rest of their records.
        let others = [place.clone(), value.to_json()];
        let mut others = others.iter().map(|what| distinct_name(name, what, Profile::Portable));
        let (name, tool) = (name.clone(), place);
        match others.find(|other| taken.insert(other.clone())) {
            Some(public) => {
                named.notes.push(Note::Renamed { name, tool, listed: public.clone() });
                listed.insert(index, public);
            }
            // Digests are searched for a free name: a tool that was named to look like another must not receive
            // its calls.
            None => named.notes.push(Note::Omitted { name, tool }),
        }
    }
    let listed_values = kept.into_iter().enumerate();
    named.tools =
        listed_values.filter_map(|(index, (_, value))| Some((listed.remove(&index)?, value))).collect();
    named
}

/// A tool's identity, independent of its name: its kind and location.
fn identity(value: &ToolValue) -> String {
    let place = match value {
        ToolValue::Mcp(tool) => {
            format!(
                "{} {} {}",
                tool.server_uri,
                tool.credential_ref.as_deref().unwrap_or_default(),
                tool.tool_name
            )
        }
        ToolValue::Http(tool) => tool.url.clone(),
        ToolValue::Command(tool) => tool.server.clone().unwrap_or_default(),
        ToolValue::Workflow(_) | ToolValue::Other(_) => String::new(),
    };
    format!("{} {place}", value.tool_type())
}
