//! One value for every kind of tool, so that tools of all kinds stand in one list.
//!
//! A [`ToolValue`] is a command, a workflow, a tool of an MCP server, an endpoint of an HTTP API, or a tool of a kind that
//! is not known yet. It is written as one JSON object whose `tool_type` says which, and whose `schema_version` says in
//! which version of the form ([`SchemaVersion`]):
//!
//! ```
//! use toolwright_agent::value::{McpTool, ToolValue};
//!
//! let value = ToolValue::from(McpTool::new("add", "https://example.com/mcp", "add"));
//! assert_eq!(
//!     value.to_json(),
//!     r#"{"tool_type":"MCP","schema_version":"1.0","name":"add","description":"","parameter_schema":{},"server_uri":"https://example.com/mcp","tool_name":"add"}"#
//! );
//! assert_eq!(ToolValue::from_json(&value.to_json())?, value);
//! # Ok::<(), toolwright_agent::value::ValueError>(())
//! ```
//!
//! Several values are a [`ToolCollection`]: JSON lines, one record each. Other forms of records are entries of a registry,
//! [`ToolCodec`]: the flat record for table programs, and older forms, which are read and rewritten in the current one.
//!
//! The set of kinds is closed in data and open in time: a `match` on [`ToolValue`] handles every kind, so that a new one
//! breaks the build until it is handled, and [`ToolValue::Other`] carries what a later version writes. What tools *do* is
//! behind traits.

#[cfg(feature = "arrow")]
pub mod arrow;

mod address;
mod codec;
mod collection;
mod error;
mod kinds;
mod version;
mod workflow;

mod flat;
mod historic;
mod positional;
mod tagged;

use std::str::FromStr;

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;

pub use address::{AddressError, STDIO_SCHEME, stdio_command, stdio_uri};
pub use codec::{FLAT, MCP_ONLY, TAGGED, ToolCodec, WORKFLOW_ONLY, Written};
#[expect(deprecated, reason = "they are for those who still name them")]
pub use codec::{McpToolCodec, WorkflowToolCodec};
pub use collection::{
    Deprecation, Duplicate, Place, Problem, ProblemKind, ReadLimits, ToolCollection, ToolEntry,
};
pub use error::ValueError;
pub use kinds::{CommandTool, HttpMethod, HttpTool, McpTool, NO_PORT, OtherTool, ToolType, WorkflowTool};
pub use version::{SchemaVersion, VersionError};
pub use workflow::{BlobRef, ToolPort};

/// A tool of any kind.
///
/// Not `#[non_exhaustive]`: who dispatches on the kind is to notice a new one when compiling. This does not, since one kind
/// is missing:
///
/// ```compile_fail,E0004
/// # use toolwright_agent::value::ToolValue;
/// fn place(value: &ToolValue) -> &str {
///     match value {
///         ToolValue::Command(tool) => tool.server.as_deref().unwrap_or_default(),
///         ToolValue::Workflow(tool) => &tool.name,
///         ToolValue::Mcp(tool) => &tool.server_uri,
///         ToolValue::Other(tool) => tool.tool_type(),
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum ToolValue {
    /// A command of a Rust service.
    Command(CommandTool),
    /// A workflow.
    Workflow(WorkflowTool),
    /// A tool of an MCP server.
    Mcp(McpTool),
    /// An endpoint of an HTTP API.
    Http(HttpTool),
    /// A kind that this version of Toolwright does not know.
    Other(OtherTool),
}

impl ToolValue {
    /// Reads a tagged record. A record of an unknown kind is [`ToolValue::Other`].
    ///
    /// # Errors
    /// [`ValueError`]; an older form is [`ValueError::Unknown`] here: [`ToolCodec::detect`] reads those.
    pub fn from_json(text: &str) -> Result<Self, ValueError> {
        tagged::read(text)
    }

    /// The tagged record, as one line: the same bytes for the same value. A record of an unknown kind is as it came.
    pub fn to_json(&self) -> String {
        match self {
            Self::Other(tool) => tool.record().to_owned(),
            known => json!(known).to_string(),
        }
    }

    /// The kind, as records name it.
    pub fn tool_type(&self) -> &str {
        match self {
            Self::Command(_) => ToolType::Command.as_str(),
            Self::Workflow(_) => ToolType::Workflow.as_str(),
            Self::Mcp(_) => ToolType::Mcp.as_str(),
            Self::Http(_) => ToolType::Http.as_str(),
            Self::Other(tool) => tool.tool_type(),
        }
    }

    /// The name. A record of an unknown kind may have none.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Command(tool) => Some(tool.name.clone()),
            Self::Workflow(tool) => Some(tool.name.clone()),
            Self::Mcp(tool) => Some(tool.name.clone()),
            Self::Http(tool) => Some(tool.name.clone()),
            Self::Other(tool) => tool.text("name"),
        }
    }

    /// The definition for a model and for MCP clients: name, description, the schema of the arguments, and what else is
    /// known in the protocol's words. Nothing for a kind that is not known, since nobody can call it.
    ///
    /// The schema is that of the parameters with `"type": "object"` at its root, which the protocol asks for (2026-07-28,
    /// schema `Tool`).
    pub fn definition(&self) -> Option<ToolDefinition> {
        let (name, description, schema, rest) = match self {
            Self::Command(tool) => {
                (&tool.name, &tool.description, &tool.parameter_schema, Some(&tool.definition))
            }
            Self::Mcp(tool) => {
                (&tool.name, &tool.description, &tool.parameter_schema, Some(&tool.definition))
            }
            Self::Workflow(tool) => (&tool.name, &tool.description, &tool.parameter_schema, None),
            Self::Http(tool) => (&tool.name, &tool.description, &tool.parameter_schema, None),
            Self::Other(_) => return None,
        };
        let mut schema = schema.clone();
        if !schema.contains_key("type") {
            schema.shift_insert(0, "type".to_owned(), "object".into());
        }
        let bare = |schema: Map<String, Value>| ToolDefinition::new(name, schema.into());
        // What a server said beside the schema may be of any form: then the rest is left out, and the tool is not.
        let whole = rest.filter(|rest| !rest.is_empty()).and_then(|rest| {
            let mut members = Map::from_iter([("name".to_owned(), name.as_str().into())]);
            members.extend(rest.clone());
            members.insert("name".to_owned(), name.as_str().into());
            members.insert("inputSchema".to_owned(), schema.clone().into());
            serde_json::from_value::<ToolDefinition>(members.into()).ok()
        });
        let mut definition = whole.unwrap_or_else(|| bare(schema));
        if !description.is_empty() {
            definition.description = Some(description.clone());
        }
        Some(definition)
    }

    /// The JSON Schema (2020-12) of tagged records of the known kinds.
    pub fn json_schema() -> Value {
        let kinds = [
            (ToolType::Command, schemars::schema_for!(CommandTool)),
            (ToolType::Workflow, schemars::schema_for!(WorkflowTool)),
            (ToolType::Mcp, schemars::schema_for!(McpTool)),
            (ToolType::Http, schemars::schema_for!(HttpTool)),
        ];
        let mut definitions = Map::new();
        let mut branches = Vec::new();
        for (kind, schema) in kinds {
            let mut schema = Value::from(schema);
            if let Some(keywords) = schema.as_object_mut() {
                keywords.shift_remove("$schema");
                if let Some(Value::Object(own)) = keywords.shift_remove("$defs") {
                    definitions.extend(own);
                }
                if let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) {
                    properties.shift_insert(0, "tool_type".to_owned(), json!({"const": kind}));
                }
                if let Some(required) = keywords.get_mut("required").and_then(Value::as_array_mut) {
                    required.insert(0, "tool_type".into());
                }
            }
            branches.push(schema);
        }
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "ToolValue",
            "description": "A tool of any kind. Other values of `tool_type` are passed on as they are.",
            "oneOf": branches,
            "$defs": definitions,
        })
    }
}

impl FromStr for ToolValue {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Self::from_json(text)
    }
}

macro_rules! from_kind {
    ($($kind:ident($tool:ty))*) => {$(
        impl From<$tool> for ToolValue {
            fn from(tool: $tool) -> Self {
                Self::$kind(tool)
            }
        }
    )*};
}
from_kind!(Command(CommandTool) Workflow(WorkflowTool) Mcp(McpTool) Http(HttpTool));

#[cfg(test)]
mod tests;
