//! The manifest: what one server offers, as one JSON document that a repository can keep and a build can check.
//!
//! `tools` holds each tool exactly as `tools/list` shows it (2026-07-28, server/tools "Tool"), sorted by name in
//! byte order. The bytes of [`Manifest::to_json`] depend on the definitions only: no time stamps, no paths.
//! [`SCHEMA`] describes the document.

pub mod answer;
mod diff;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::ToolDefinition;

pub use diff::{Change, Difference, diff, is_hidden, shown, shown_change, visible};

/// The version of the document that this library reads and writes, as `manifestVersion`.
///
/// It rises when a reader of the former version would misunderstand the document; new members do not raise it.
pub const VERSION: u32 = 1;

/// The JSON Schema (2020-12) of the document.
pub const SCHEMA: &str = include_str!("manifest.schema.json");

/// What one server offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The version of the document's form: [`VERSION`].
    pub manifest_version: u32,
    /// The server, as it introduces itself to clients.
    pub server: Server,
    /// How a model should use the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The tools, sorted by name.
    pub tools: Vec<ToolDefinition>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a server introduces itself (2026-07-28, schema `Implementation`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// The name for programs.
    pub name: String,
    /// The server's own version.
    pub version: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Manifest {
    /// A manifest of these tools, in any order.
    ///
    /// # Errors
    /// [`ManifestError::DuplicateTool`] if two tools have one name, [`ManifestError::InputIsNoObject`] if the
    /// arguments of one are not an object.
    pub fn new(
        server: Server,
        instructions: Option<String>,
        mut tools: Vec<ToolDefinition>,
    ) -> Result<Self, ManifestError> {
        in_order(&mut tools)?;
        Ok(Self { manifest_version: VERSION, server, instructions, tools, other: Map::new() })
    }

    /// Reads a manifest; the tools come out sorted, whatever their order in `text`.
    ///
    /// # Errors
    /// [`ManifestError::NotAManifest`] if `text` is not JSON or not of this form,
    /// [`ManifestError::NewerVersion`] if a later Toolwright wrote it, and the errors of [`Manifest::new`].
    pub fn from_json(text: &str) -> Result<Self, ManifestError> {
        // The version is read first: a newer document may differ in any other member.
        let document: Value = serde_json::from_str(text)?;
        if let Some(found) = document.get("manifestVersion").and_then(Value::as_u64)
            && found > u64::from(VERSION)
        {
            return Err(ManifestError::NewerVersion { found, known: VERSION });
        }
        let mut manifest: Self = serde_json::from_value(document)?;
        in_order(&mut manifest.tools)?;
        Ok(manifest)
    }

    /// The document: two spaces a level, one newline at the end, the same bytes for the same manifest.
    pub fn to_json(&self) -> String {
        format!("{:#}\n", serde_json::json!(self))
    }
}

/// Why a text or a list of tools is not a manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Not JSON, or a member is missing or of another type.
    #[error("not a manifest: {0}")]
    NotAManifest(#[from] serde_json::Error),
    /// A later version of Toolwright wrote the document.
    #[error(
        "the manifest has version {found}, but this program knows versions up to {known}: use a newer Toolwright"
    )]
    NewerVersion {
        /// The version that the document names.
        found: u64,
        /// [`VERSION`].
        known: u32,
    },
    /// Two tools have one name, so that a client could call only one of them.
    #[error("two tools are named `{0}`: rename one of them with `#[mcp(name = \"…\")]`")]
    DuplicateTool(String),
    /// MCP calls a tool with a JSON object (2026-07-28, schema `Tool`: `inputSchema.type` is `"object"`).
    #[error(
        "the input schema of the tool `{0}` has no `\"type\": \"object\"`: make its struct one with named fields"
    )]
    InputIsNoObject(String),
}

/// Sorts by name in byte order, and refuses a name that comes twice and an input that is no object.
fn in_order(tools: &mut [ToolDefinition]) -> Result<(), ManifestError> {
    tools.sort_by(|left, right| left.name.cmp(&right.name));
    if let Some(pair) = tools.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(ManifestError::DuplicateTool(pair[0].name.clone()));
    }
    let is_object = |tool: &&ToolDefinition| tool.input_schema.get("type") == Some(&Value::from("object"));
    match tools.iter().find(|tool| !is_object(tool)) {
        Some(tool) => Err(ManifestError::InputIsNoObject(tool.name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
