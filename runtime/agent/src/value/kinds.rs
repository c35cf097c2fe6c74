//! The kinds of tools.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

use super::version::SchemaVersion;
use super::workflow::{BlobRef, ToolPort};

/// The known kinds of tools, as `tool_type` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ToolType {
    /// A command of a Rust service: [`CommandTool`].
    Command,
    /// A workflow: [`WorkflowTool`].
    Workflow,
    /// A tool of an MCP server: [`McpTool`].
    Mcp,
    /// An endpoint of an HTTP API: [`HttpTool`].
    Http,
}

impl ToolType {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Command, Self::Workflow, Self::Mcp, Self::Http];

    /// Returns the name in records: `COMMAND`, `WORKFLOW`, `MCP` or `HTTP`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "COMMAND",
            Self::Workflow => "WORKFLOW",
            Self::Mcp => "MCP",
            Self::Http => "HTTP",
        }
    }

    /// Returns the kind with this exact name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for ToolType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A command of a Rust service, as `#[derive(Tool)]` describes it.
///
/// The record describes the command's arguments; the program that defines the command runs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandTool {
    /// The version of the record format.
    #[serde(rename = "schema_version")]
    #[schemars(with = "String")]
    pub version: SchemaVersion,
    /// The name, which its program uses as well.
    pub name: String,
    /// The description for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameter_schema: Map<String, Value>,
    /// The name of the server that offers the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Other members of the MCP definition, as the protocol names them: `title`, `icons`, `annotations`,
    /// `outputSchema`, `_meta` (2026-07-28, server/tools "Tool").
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub definition: Map<String, Value>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CommandTool {
    /// Converts a command's definition; `server` is the name of the server that offers it.
    pub fn from_definition(server: Option<&str>, definition: &ToolDefinition) -> Self {
        let parts = Parts::of(definition);
        Self {
            version: SchemaVersion::CURRENT,
            name: parts.name,
            description: parts.description,
            parameter_schema: parts.parameter_schema,
            server: server.map(str::to_owned),
            definition: parts.rest,
            other: Map::new(),
        }
    }
}

/// A workflow of another program, which has ports for data in addition to parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowTool {
    /// The version of the record format.
    #[serde(rename = "schema_version")]
    #[schemars(with = "String")]
    pub version: SchemaVersion,
    /// The name.
    pub name: String,
    /// The description for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameter_schema: Map<String, Value>,
    /// The location of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<BlobRef>,
    /// The ports that accept data; `None` if unspecified, as opposed to an empty list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_ports: Option<Vec<ToolPort>>,
    /// The ports that produce data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_ports: Option<Vec<ToolPort>>,
    /// The index of the output port with the message for the model, from 0; -1 if there is none. `None` is written as
    /// `null`.
    #[serde(default = "no_port")]
    pub message_output_port_index: Option<i32>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The default of [`WorkflowTool::message_output_port_index`].
#[expect(clippy::unnecessary_wraps, reason = "it is the default of an optional member")]
fn no_port() -> Option<i32> {
    Some(NO_PORT)
}

/// The index that means "no port".
pub const NO_PORT: i32 = -1;

impl WorkflowTool {
    /// Creates a workflow without ports.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            version: SchemaVersion::CURRENT,
            name: name.into(),
            description: description.into(),
            parameter_schema: Map::new(),
            workflow: None,
            input_ports: None,
            output_ports: None,
            message_output_port_index: no_port(),
            other: Map::new(),
        }
    }
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct McpTool {
    /// The version of the record format.
    #[serde(rename = "schema_version")]
    #[schemars(with = "String")]
    pub version: SchemaVersion,
    /// The name for the agent.
    pub name: String,
    /// The description for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments, as the agent sees it.
    pub parameter_schema: Map<String, Value>,
    /// The address of the server.
    pub server_uri: String,
    /// The tool's name on its server, byte for byte; calls use it.
    pub tool_name: String,
    /// JSON Schema of the arguments as the server defines it, if `parameter_schema` is simplified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Map<String, Value>>,
    /// The type of result to expect, such as `string`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_type: Option<String>,
    /// The *name* of the credential for the server; never the secret itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_ref: Option<String>,
    /// Other members of the server's definition, as the protocol names them: `title`, `icons`, `annotations`,
    /// `outputSchema`, `_meta` (2026-07-28, server/tools "Tool").
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub definition: Map<String, Value>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl McpTool {
    /// Creates a tool without parameters, called `name` by the agent and `tool_name` on its server.
    pub fn new(name: impl Into<String>, server_uri: impl Into<String>, tool_name: impl Into<String>) -> Self {
        Self {
            version: SchemaVersion::CURRENT,
            name: name.into(),
            description: String::new(),
            parameter_schema: Map::new(),
            server_uri: server_uri.into(),
            tool_name: tool_name.into(),
            input_schema: None,
            output_type: None,
            credential_ref: None,
            definition: Map::new(),
            other: Map::new(),
        }
    }

    /// Converts a tool that a server lists. Members of the definition cannot replace members of the record: they are
    /// kept in [`McpTool::definition`].
    pub fn from_definition(server_uri: impl Into<String>, definition: &ToolDefinition) -> Self {
        let parts = Parts::of(definition);
        Self {
            description: parts.description,
            parameter_schema: parts.parameter_schema,
            definition: parts.rest,
            ..Self::new(parts.name, server_uri, &definition.name)
        }
    }
}

/// An endpoint of an HTTP API.
///
/// Parameters that appear in `url` as `{name}` are substituted there. GET and DELETE send the others in the query, all
/// other methods as a JSON object in the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HttpTool {
    /// The version of the record format.
    #[serde(rename = "schema_version")]
    #[schemars(with = "String")]
    pub version: SchemaVersion,
    /// The name.
    pub name: String,
    /// The description for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameter_schema: Map<String, Value>,
    /// The URL, with `{name}` in place of parameters.
    pub url: String,
    /// The method.
    #[serde(default)]
    pub method: HttpMethod,
    /// The *name* of the credential for the API; never the secret itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_ref: Option<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl HttpTool {
    /// Creates a tool without parameters.
    pub fn new(name: impl Into<String>, method: HttpMethod, url: impl Into<String>) -> Self {
        Self {
            version: SchemaVersion::CURRENT,
            name: name.into(),
            description: String::new(),
            parameter_schema: Map::new(),
            url: url.into(),
            method,
            credential_ref: None,
            other: Map::new(),
        }
    }
}

/// The method of an HTTP request (RFC 9110 §9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum HttpMethod {
    /// `GET`.
    Get,
    /// `POST`.
    #[default]
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
}

/// A tool of an unknown kind, which is preserved and forwarded, but never called.
#[derive(Debug, Clone)]
pub struct OtherTool {
    pub(super) tool_type: String,
    pub(super) record: Box<RawValue>,
}

impl OtherTool {
    /// Returns the kind that the record names.
    pub fn tool_type(&self) -> &str {
        &self.tool_type
    }

    /// Returns the record, byte for byte.
    pub fn record(&self) -> &str {
        self.record.get()
    }

    /// Returns a string member of the record. Future kinds still have a `name`, a `description` and a `schema_version`.
    pub fn text(&self, member: &str) -> Option<String> {
        let members: Map<String, Value> = serde_json::from_str(self.record()).ok()?;
        members.get(member)?.as_str().map(str::to_owned)
    }
}

impl PartialEq for OtherTool {
    fn eq(&self, other: &Self) -> bool {
        self.record() == other.record()
    }
}

/// The members that all kinds share, for the reader.
pub(super) trait Tagged {
    /// The unknown members.
    fn other_mut(&mut self) -> &mut Map<String, Value>;
}

macro_rules! tagged {
    ($($tool:ty)*) => {$(
        impl Tagged for $tool {
            fn other_mut(&mut self) -> &mut Map<String, Value> {
                &mut self.other
            }
        }
    )*};
}
tagged!(CommandTool WorkflowTool McpTool HttpTool);

/// A definition, split up the way records store it.
struct Parts {
    name: String,
    description: String,
    parameter_schema: Map<String, Value>,
    /// All other members, as the protocol names them.
    rest: Map<String, Value>,
}

impl Parts {
    fn of(definition: &ToolDefinition) -> Self {
        let mut rest = toolwright_core::manifest::entry(definition);
        // An empty description differs from a missing one, which only the definition shows.
        let is_empty = definition.description.as_deref() == Some("");
        rest.retain(|member, _| match member.as_str() {
            "name" | "inputSchema" => false,
            "description" => is_empty,
            _ => true,
        });
        Self {
            name: definition.name.clone(),
            description: definition.description.clone().unwrap_or_default(),
            parameter_schema: definition.input_schema.as_object().cloned().unwrap_or_default(),
            rest,
        }
    }
}
