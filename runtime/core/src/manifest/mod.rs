//! The manifest: everything that a server offers, as one JSON document that can be committed and checked in CI.
//!
//! `tools` holds each tool exactly as `tools/list` returns it (2026-07-28, server/tools "Tool"), sorted by name
//! in byte order; `prompts`, `resources` and `resourceTemplates` correspond to the other lists. A missing list
//! means that nothing is known about that kind; a list that is present is complete and may be empty.
//! [`Manifest::to_json`] depends only on the definitions: it contains no timestamps and no paths. [`SCHEMA`] is
//! the schema of the document.

pub mod answer;
mod canonical;
mod diff;
mod hidden;
mod kind;
mod meaning;
mod visible;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::ToolDefinition;

pub use canonical::to_canonical_json;
pub use diff::{Change, Difference, Named, diff, format_change, format_value};
pub use hidden::{Hidden, hidden_characters};
pub use kind::{Declare, Entry, Kind, entry};
pub use meaning::{are_equivalent, normalize};
pub use visible::{is_hidden, visible, visible_json};

/// The version of the document format that this library reads and writes, as `manifestVersion`.
///
/// It is incremented when older readers would misinterpret the document. New members do not increment it.
pub const VERSION: u32 = 1;

/// The JSON Schema (2020-12) of the document.
pub const SCHEMA: &str = include_str!("manifest.schema.json");

/// Everything that a server offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Manifest {
    /// The version of the format: [`VERSION`].
    pub manifest_version: u32,
    /// The server's implementation info.
    pub server: Server,
    /// Usage instructions for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The tools, sorted by name.
    pub tools: Vec<ToolDefinition>,
    /// The prompts, sorted by name; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<Vec<Entry>>,
    /// The resources, sorted by URI; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<Entry>>,
    /// The resource templates, sorted by URI template; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_templates: Option<Vec<Entry>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The implementation info of a server (2026-07-28, schema `Implementation`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// Programmatic name.
    pub name: String,
    /// The version of the server.
    pub version: String,
    /// Human-readable name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Other members, such as icons; preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Server {
    /// Creates a server with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None, other: Map::new() }
    }
}

impl Manifest {
    /// Creates a manifest from tools in any order, without other lists.
    ///
    /// # Errors
    /// [`ManifestError::DuplicateTool`] if two tools have the same name, [`ManifestError::InputIsNoObject`] if
    /// the arguments of a tool are not an object.
    pub fn new(
        server: Server,
        instructions: Option<String>,
        tools: Vec<ToolDefinition>,
    ) -> Result<Self, ManifestError> {
        Self {
            manifest_version: VERSION,
            server,
            instructions,
            tools,
            prompts: None,
            resources: None,
            resource_templates: None,
            other: Map::new(),
        }
        .validate()
    }

    /// Adds entries to a list other than tools. The manifest contains the list afterwards, even if there are no
    /// entries.
    ///
    /// # Errors
    /// [`ManifestError::DuplicateEntry`] for a duplicate name, [`ManifestError::Nameless`] for an entry without a name.
    pub fn with(
        mut self,
        kind: Kind,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<Self, ManifestError> {
        if let Some(list) = self.list_mut(kind) {
            list.get_or_insert_default().extend(entries);
        }
        self.validate()
    }

    /// Parses a manifest and sorts its lists. A byte order mark is skipped.
    ///
    /// # Errors
    /// [`ManifestError::NotAManifest`] if `text` is invalid, [`ManifestError::NewerVersion`] if a later version
    /// of Toolwright wrote it, and the errors of [`Manifest::new`] and [`Manifest::with`].
    pub fn from_json(text: &str) -> Result<Self, ManifestError> {
        // The version is read first: all other members of a newer document may differ.
        let document: Value = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        if let Some(found) = document.get("manifestVersion").and_then(Value::as_u64)
            && found > u64::from(VERSION)
        {
            return Err(ManifestError::NewerVersion { found, known: VERSION });
        }
        serde_json::from_value::<Self>(document)?.validate()
    }

    /// Serializes the document: two spaces per level, one newline at the end, and deterministic. Hidden
    /// characters are escaped, so that they are visible in reviews.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        let mut writer = serde_json::Serializer::pretty(&mut text);
        // Writing to memory cannot fail, and JSON is UTF-8.
        _ = serde_json::json!(self).serialize(&mut writer);
        text.push(b'\n');
        visible_json(&String::from_utf8_lossy(&text))
    }

    /// Returns the entries of a list; `None` if the manifest does not contain it.
    pub fn entries(&self, kind: Kind) -> Option<Vec<Entry>> {
        match kind {
            Kind::Tools => Some(self.tools.iter().map(entry).collect()),
            Kind::Prompts => self.prompts.clone(),
            Kind::Resources => self.resources.clone(),
            Kind::ResourceTemplates => self.resource_templates.clone(),
        }
    }

    /// Returns the lists that the manifest contains.
    pub fn kinds(&self) -> Vec<Kind> {
        let holds =
            [true, self.prompts.is_some(), self.resources.is_some(), self.resource_templates.is_some()];
        Kind::ALL.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect()
    }

    /// Returns a list other than tools.
    fn list_mut(&mut self, kind: Kind) -> Option<&mut Option<Vec<Entry>>> {
        match kind {
            Kind::Tools => None,
            Kind::Prompts => Some(&mut self.prompts),
            Kind::Resources => Some(&mut self.resources),
            Kind::ResourceTemplates => Some(&mut self.resource_templates),
        }
    }

    /// Sorts the lists and rejects duplicate names.
    fn validate(mut self) -> Result<Self, ManifestError> {
        in_order(&mut self.tools)?;
        for kind in Kind::FEATURES {
            let Some(Some(entries)) = self.list_mut(kind) else { continue };
            if entries.iter().any(|entry| kind.name_of(entry).is_none()) {
                return Err(ManifestError::Nameless(kind));
            }
            entries.sort_by(|left, right| kind.name_of(left).cmp(&kind.name_of(right)));
            let twice = entries.windows(2).find(|pair| kind.name_of(&pair[0]) == kind.name_of(&pair[1]));
            if let Some([first, ..]) = twice {
                let name = kind.name_of(first).unwrap_or_default().to_owned();
                return Err(ManifestError::DuplicateEntry { kind, name });
            }
        }
        Ok(self)
    }
}

/// Why a text or a list of tools is not a valid manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Invalid JSON, or a member is missing or has the wrong type.
    #[error("not a manifest: {0}")]
    NotAManifest(#[from] serde_json::Error),
    /// A later version of Toolwright wrote the document.
    #[error(
        "the manifest has version {found}, but this program supports versions up to {known}: use a newer Toolwright"
    )]
    NewerVersion {
        /// The version of the document.
        found: u64,
        /// [`VERSION`].
        known: u32,
    },
    /// Two tools have the same name, so clients could call only one of them.
    #[error("two tools are named `{}`: rename one of them with `#[mcp(name = \"…\")]`", visible(.0))]
    DuplicateTool(String),
    /// MCP calls a tool with a JSON object (2026-07-28, schema `Tool`: `inputSchema.type` is `"object"`).
    #[error(
        "the input schema of the tool `{}` has no `\"type\": \"object\"`: make its struct one with named fields",
        visible(.0)
    )]
    InputIsNoObject(String),
    /// Two entries have the same name or URI, so clients could use only one of them.
    #[error("two {kind} are named `{}`: rename one of them", visible(.name))]
    DuplicateEntry {
        /// The list.
        kind: Kind,
        /// The name or URI.
        name: String,
    },
    /// An entry has no name or URI.
    #[error("an entry of `{}` has no string `{}`", .0.member(), .0.key())]
    Nameless(Kind),
}

/// Sorts by name in byte order. Rejects duplicate names and inputs that are not objects.
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
