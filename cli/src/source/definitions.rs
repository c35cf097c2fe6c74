//! The definitions of a server, wherever they are known from.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Kind, Manifest, ManifestError, Server, visible};

use super::saved;

/// Definitions by what they are called by.
pub(crate) type Entries = BTreeMap<String, Map<String, Value>>;

/// What a server offers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ServerDefinitions {
    /// How the server introduces itself.
    pub(crate) server: Map<String, Value>,
    /// How a model should use it.
    pub(crate) instructions: Option<String>,
    /// Nobody knows whether there are instructions, as of a list that was saved alone.
    pub(crate) is_list: bool,
    /// Tools by name.
    pub(crate) tools: Entries,
    /// Prompts by name.
    pub(crate) prompts: Entries,
    /// Resources by address.
    pub(crate) resources: Entries,
    /// Resource templates by the form of their addresses.
    pub(crate) templates: Entries,
    /// The lists that are known; nothing is known of what the others hold.
    pub(crate) kinds: BTreeSet<Kind>,
}

/// Why a text or a list holds no definitions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DefinitionsError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("it is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error(
        "it has no `manifestVersion`, and is neither an answer to `tools/list`, `prompts/list`, `resources/list` or \
         `resources/templates/list` nor a tool"
    )]
    Unknown,
    #[error("it is the error {message} of a server")]
    Failed { message: String },
    #[error("`{}` is not a list of objects with a text `{}` each", .0.member(), .0.key())]
    NoList(Kind),
    #[error(
        "two entries of `{}` have the {} `{}`, so that a client could use only one of them",
        .kind.member(), .kind.key(), visible(.name)
    )]
    Twice { kind: Kind, name: String },
    #[error("its `{0}` go on on another page: save all pages, one after the other, or ask the server itself")]
    GoesOn(Kind),
    #[error("the tool `{}` is no definition: {source}", visible(.name))]
    Tool { name: String, source: serde_json::Error },
}

impl ServerDefinitions {
    /// The four lists.
    pub(crate) fn lists(&self) -> [(Kind, &Entries); 4] {
        Kind::ALL.map(|kind| (kind, self.list(kind)))
    }

    /// One of them.
    pub(crate) fn list(&self, kind: Kind) -> &Entries {
        match kind {
            Kind::Tools => &self.tools,
            Kind::Prompts => &self.prompts,
            Kind::Resources => &self.resources,
            Kind::ResourceTemplates => &self.templates,
        }
    }

    fn list_mut(&mut self, kind: Kind) -> &mut Entries {
        match kind {
            Kind::Tools => &mut self.tools,
            Kind::Prompts => &mut self.prompts,
            Kind::Resources => &mut self.resources,
            Kind::ResourceTemplates => &mut self.templates,
        }
    }

    /// Adds entries to a list, which is known from now on.
    pub(super) fn extend(&mut self, kind: Kind, entries: Value) -> Result<(), DefinitionsError> {
        let Value::Array(entries) = entries else { return Err(DefinitionsError::NoList(kind)) };
        self.kinds.insert(kind);
        for entry in entries {
            let Value::Object(entry) = entry else { return Err(DefinitionsError::NoList(kind)) };
            let name = kind.name_of(&entry).ok_or(DefinitionsError::NoList(kind))?.to_owned();
            match self.list_mut(kind).entry(name) {
                Entry::Vacant(place) => drop(place.insert(entry)),
                Entry::Occupied(other) => {
                    return Err(DefinitionsError::Twice { kind, name: other.key().clone() });
                }
            }
        }
        Ok(())
    }

    /// What a manifest shows.
    pub(crate) fn from_manifest(manifest: &Manifest) -> Result<Self, DefinitionsError> {
        let mut offer = Self {
            server: toolwright_core::manifest::entry(&manifest.server),
            instructions: manifest.instructions.clone(),
            ..Self::default()
        };
        for kind in manifest.kinds() {
            offer.extend(kind, json!(manifest.entries(kind).unwrap_or_default()))?;
        }
        Ok(offer)
    }

    /// Reads the text of a manifest, or saved answers of a server.
    pub(crate) fn parse(text: &str) -> Result<Self, DefinitionsError> {
        saved::read(text)
    }

    /// The manifest of the server. `name` is for one that does not introduce itself, as in a saved list.
    pub(super) fn to_manifest(&self, name: &str) -> Result<Manifest, DefinitionsError> {
        let text = |key: &str| self.server.get(key).and_then(Value::as_str).map(str::to_owned);
        let server = Server {
            name: text("name").unwrap_or_else(|| name.to_owned()),
            version: text("version").unwrap_or_else(|| "0.0.0".to_owned()),
            title: text("title"),
        };
        let tool = |(name, entry): (&String, &Map<String, Value>)| {
            serde_json::from_value::<ToolDefinition>(Value::Object(entry.clone()))
                .map_err(|source| DefinitionsError::Tool { name: name.clone(), source })
        };
        let tools = self.tools.iter().map(tool).collect::<Result<_, _>>()?;
        let mut manifest = Manifest::new(server, self.instructions.clone(), tools)?;
        for kind in Kind::FEATURES.into_iter().filter(|kind| self.kinds.contains(kind)) {
            manifest = manifest.with(kind, self.list(kind).values().cloned())?;
        }
        Ok(manifest)
    }
}
