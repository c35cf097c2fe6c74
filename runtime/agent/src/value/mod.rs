//! A single type for tools of every kind, so that lists can mix them.
//!
//! A [`ToolValue`] is a command, a workflow, a tool of an MCP server, an endpoint of an HTTP API, or a tool of an
//! unknown kind. It is written as one JSON object, in which `tool_type` states the kind, and `schema_version` the
//! version of the format ([`SchemaVersion`]):
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
//! A [`ToolCollection`] stores several values as JSON lines, one record each. [`ToolCodec`] is the registry of other
//! record formats: the flat record for tabular programs, and older formats, which can be read and are rewritten in the
//! current one.
//!
//! A `match` on [`ToolValue`] handles every kind, so that adding a kind breaks the build until it is handled;
//! [`ToolValue::Other`] preserves what later versions write. What tools *do* is behind traits.

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
pub use codec::{EncodedRecord, FLAT, MCP_ONLY, TAGGED, ToolCodec, WORKFLOW_ONLY};
#[expect(deprecated, reason = "re-exported for programs that still use them")]
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
/// Not `#[non_exhaustive]`: code that matches on the kind should fail to compile when a kind is added. This does not
/// compile, since one kind is missing:
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
    /// A tool of an unknown kind.
    Other(OtherTool),
}

impl ToolValue {
    /// Reads a tagged record. A record of an unknown kind becomes [`ToolValue::Other`].
    ///
    /// # Errors
    /// [`ValueError`]; an older format is [`ValueError::Unknown`] here. [`ToolCodec::detect`] recognizes those.
    pub fn from_json(text: &str) -> Result<Self, ValueError> {
        tagged::read(text)
    }

    /// Writes the tagged record as one line. Equal values have equal bytes; a record of an unknown kind is unchanged.
    pub fn to_json(&self) -> String {
        match self {
            Self::Other(tool) => tool.record().to_owned(),
            known => json!(known).to_string(),
        }
    }

    /// Returns the kind, as records name it.
    pub fn tool_type(&self) -> &str {
        match self {
            Self::Command(_) => ToolType::Command.as_str(),
            Self::Workflow(_) => ToolType::Workflow.as_str(),
            Self::Mcp(_) => ToolType::Mcp.as_str(),
            Self::Http(_) => ToolType::Http.as_str(),
            Self::Other(tool) => tool.tool_type(),
        }
    }

    /// Returns the name. A record of an unknown kind may have none.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::Command(tool) => Some(tool.name.clone()),
            Self::Workflow(tool) => Some(tool.name.clone()),
            Self::Mcp(tool) => Some(tool.name.clone()),
            Self::Http(tool) => Some(tool.name.clone()),
            Self::Other(tool) => tool.text("name"),
        }
    }

    /// Returns the definition for models and MCP clients: name, description, argument schema, and other known members
    /// of the protocol. `None` for an unknown kind, which cannot be called.
    ///
    /// The schema is that of the parameters, with the `"type": "object"` at its root that the protocol requires
    /// (2026-07-28, schema `Tool`).
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
        // The other members of a server's definition may have any type: if they are invalid, they are dropped, and the
        // tool is kept.
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

    /// Returns the JSON Schema (2020-12) of tagged records of the known kinds.
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
