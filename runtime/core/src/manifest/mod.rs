//! The manifest: what one server offers, as one JSON document that a repository can keep and a build can check.
//!
//! `tools` holds each tool exactly as `tools/list` shows it (2026-07-28, server/tools "Tool"), sorted by name in
//! byte order; `prompts`, `resources` and `resourceTemplates` do the same for their lists. A list that is missing is not
//! held: nothing is known of what the server has of that kind. A list that is there is all of it, though it may be empty.
//! The bytes of [`Manifest::to_json`] depend on the definitions only: no time stamps, no paths.
//! [`SCHEMA`] describes the document.

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

pub use canonical::canonical;
pub use diff::{Change, Difference, Named, diff, shown, shown_change};
pub use hidden::{Hidden, hidden_characters};
pub use kind::{Declare, Entry, Kind, entry};
pub use meaning::{by_value, same_document};
pub use visible::{is_hidden, visible, visible_json};

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
    /// The prompts, sorted by name; `None` if it is not known which there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<Vec<Entry>>,
    /// The resources, sorted by address; `None` if it is not known which there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<Entry>>,
    /// The resource templates, sorted by their forms; `None` if it is not known which there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_templates: Option<Vec<Entry>>,
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
    /// What else the server says about itself, such as its icons; kept as it came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Server {
    /// A server of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None, other: Map::new() }
    }
}

impl Manifest {
    /// A manifest of these tools, in any order; it holds no other lists.
    ///
    /// # Errors
    /// [`ManifestError::DuplicateTool`] if two tools have one name, [`ManifestError::InputIsNoObject`] if the
    /// arguments of one are not an object.
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
        .checked()
    }

    /// The manifest with these entries in a list besides tools, which it holds from now on, even if there are none.
    ///
    /// # Errors
    /// [`ManifestError::Twice`] for a name that is in the list already, [`ManifestError::Nameless`] for an entry without
    /// one.
    pub fn with(
        mut self,
        kind: Kind,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<Self, ManifestError> {
        if let Some(list) = self.list_mut(kind) {
            list.get_or_insert_default().extend(entries);
        }
        self.checked()
    }

    /// Reads a manifest; the lists come out sorted, whatever their order in `text`. A byte order mark is skipped.
    ///
    /// # Errors
    /// [`ManifestError::NotAManifest`] if `text` is not JSON or not of this form,
    /// [`ManifestError::NewerVersion`] if a later Toolwright wrote it, and the errors of [`Manifest::new`] and
    /// [`Manifest::with`].
    pub fn from_json(text: &str) -> Result<Self, ManifestError> {
        // The version is read first: a newer document may differ in any other member.
        let document: Value = serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        if let Some(found) = document.get("manifestVersion").and_then(Value::as_u64)
            && found > u64::from(VERSION)
        {
            return Err(ManifestError::NewerVersion { found, known: VERSION });
        }
        serde_json::from_value::<Self>(document)?.checked()
    }

    /// The document: two spaces a level, one newline at the end, the same bytes for the same manifest. Characters that a
    /// reader does not see are written out, so that a review shows them.
    pub fn to_json(&self) -> String {
        let mut text = Vec::new();
        let mut writer = serde_json::Serializer::pretty(&mut text);
        // Writing to memory cannot fail, and JSON is UTF-8.
        _ = serde_json::json!(self).serialize(&mut writer);
        text.push(b'\n');
        visible_json(&String::from_utf8_lossy(&text))
    }

    /// The entries of a list; `None` if the manifest does not hold it.
    pub fn entries(&self, kind: Kind) -> Option<Vec<Entry>> {
        match kind {
            Kind::Tools => Some(self.tools.iter().map(entry).collect()),
            Kind::Prompts => self.prompts.clone(),
            Kind::Resources => self.resources.clone(),
            Kind::ResourceTemplates => self.resource_templates.clone(),
        }
    }

    /// The lists that the manifest holds.
    pub fn kinds(&self) -> Vec<Kind> {
        let holds =
            [true, self.prompts.is_some(), self.resources.is_some(), self.resource_templates.is_some()];
        Kind::ALL.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect()
    }

    /// A list besides tools.
    fn list_mut(&mut self, kind: Kind) -> Option<&mut Option<Vec<Entry>>> {
        match kind {
            Kind::Tools => None,
            Kind::Prompts => Some(&mut self.prompts),
            Kind::Resources => Some(&mut self.resources),
            Kind::ResourceTemplates => Some(&mut self.resource_templates),
        }
    }

    /// The manifest with its lists sorted, if each name is in its list once.
    fn checked(mut self) -> Result<Self, ManifestError> {
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
                return Err(ManifestError::Twice { kind, name });
            }
        }
        Ok(self)
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
    #[error("two tools are named `{}`: rename one of them with `#[mcp(name = \"…\")]`", visible(.0))]
    DuplicateTool(String),
    /// MCP calls a tool with a JSON object (2026-07-28, schema `Tool`: `inputSchema.type` is `"object"`).
    #[error(
        "the input schema of the tool `{}` has no `\"type\": \"object\"`: make its struct one with named fields",
        visible(.0)
    )]
    InputIsNoObject(String),
    /// Two entries of a list have one name or address, so that a client could use only one of them.
    #[error("two {kind} are named `{}`: rename one of them", visible(.name))]
    Twice {
        /// The list.
        kind: Kind,
        /// The name or address.
        name: String,
    },
    /// An entry of a list has no name or address.
    #[error("an entry of `{}` has no text `{}`", .0.member(), .0.key())]
    Nameless(Kind),
}

/// Sorts by name in byte order, and refuses a repeated name and an input that is not an object.
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
