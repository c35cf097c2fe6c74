//! The definitions of a server from any source.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Kind, Manifest, ManifestError, Server, visible};

use super::saved;

/// Definitions by name or URI.
pub(crate) type Entries = BTreeMap<String, Map<String, Value>>;

/// The definitions of a server.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ServerDefinitions {
    /// The implementation info of the server.
    pub(crate) server: Map<String, Value>,
    /// The instructions for models.
    pub(crate) instructions: Option<String>,
    /// Whether it is a saved list without information about its server.
    pub(crate) is_list: bool,
    /// Tools by name.
    pub(crate) tools: Entries,
    /// Prompts by name.
    pub(crate) prompts: Entries,
    /// Resources by URI.
    pub(crate) resources: Entries,
    /// Resource templates by URI template.
    pub(crate) templates: Entries,
    /// The lists that are known; the contents of others are unknown.
    pub(crate) kinds: BTreeSet<Kind>,
    /// Unknown members of a manifest.
    pub(crate) other: Map<String, Value>,
}

/// Why definitions cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DefinitionsError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("it is not valid JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    #[error(
        "it has no `manifestVersion`, and is neither a response to `tools/list`, `prompts/list`, `resources/list` or \
         `resources/templates/list` nor a tool"
    )]
    Unknown,
    #[error("it is the error response {message} of a server")]
    Failed { message: String },
    #[error("`{}` is not a list of objects with a string `{}` each", .0.member(), .0.key())]
    NoList(Kind),
    #[error(
        "two entries of `{}` have the {} `{}`, so that a client could use only one of them",
        .kind.member(), .kind.key(), visible(.name)
    )]
    Twice { kind: Kind, name: String },
    #[error(
        "its `{0}` continue on another page: save all pages, one after the other, or query the server itself"
    )]
    GoesOn(Kind),
    #[error("the definition of the tool `{}` is invalid: {source}", visible(.name))]
    Tool { name: String, source: serde_json::Error },
}

impl ServerDefinitions {
    /// The four lists.
    pub(crate) fn lists(&self) -> [(Kind, &Entries); 4] {
        Kind::ALL.map(|kind| (kind, self.list(kind)))
    }

    /// Returns one of them.
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

    /// Parses a manifest.
    pub(crate) fn from_manifest(manifest: &Manifest) -> Result<Self, DefinitionsError> {
        let mut definitions = Self {
            server: toolwright_core::manifest::entry(&manifest.server),
            instructions: manifest.instructions.clone(),
            other: manifest.other.clone(),
            ..Self::default()
        };
        for kind in manifest.kinds() {
            definitions.extend(kind, json!(manifest.entries(kind).unwrap_or_default()))?;
        }
        Ok(definitions)
    }

    /// Parses the text of a manifest, or saved responses of a server.
    pub(crate) fn parse(text: &str) -> Result<Self, DefinitionsError> {
        saved::read(text)
    }

    /// Returns the manifest of the server. `name` is used if the source has no implementation info, such as a
    /// saved list.
    pub(super) fn to_manifest(&self, name: &str) -> Result<Manifest, DefinitionsError> {
        let mut other = self.server.clone();
        let mut take = |key: &str| match other.shift_remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let server = Server {
            name: take("name").unwrap_or_else(|| name.to_owned()),
            version: take("version").unwrap_or_else(|| "0.0.0".to_owned()),
            title: take("title"),
            other,
        };
        let tool = |(name, entry): (&String, &Map<String, Value>)| {
            serde_json::from_value::<ToolDefinition>(Value::Object(entry.clone()))
                .map_err(|source| DefinitionsError::Tool { name: name.clone(), source })
        };
        let tools = self.tools.iter().map(tool).collect::<Result<_, _>>()?;
        let mut manifest = Manifest::new(server, self.instructions.clone(), tools)?;
        manifest.other.clone_from(&self.other);
        for kind in Kind::FEATURES.into_iter().filter(|kind| self.kinds.contains(kind)) {
            manifest = manifest.with(kind, self.list(kind).values().cloned())?;
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unknown members are forwarded, since a later revision may define them (2026-07-28, basic "General
    /// fields"). A manifest of a server is such a copy.
    #[test]
    fn a_manifest_keeps_unknown_members() {
        let unknown = json!({"x-a": 1, "x-b": {"c": [null, "d"]}});
        let with_unknown = |mut value: Value| {
            value.as_object_mut().unwrap().extend(unknown.as_object().unwrap().clone());
            value
        };
        let icons = json!([with_unknown(json!({"src": "https://example.com/a.png", "sizes": ["any"]}))]);
        let tool = with_unknown(json!({
            "name": "find",
            "inputSchema": with_unknown(json!({"type": "object"})),
            "annotations": with_unknown(json!({"readOnlyHint": true})),
            "icons": icons,
            "execution": {"taskSupport": "optional"},
            "_meta": unknown,
        }));
        let argument = with_unknown(json!({"name": "code"}));
        let server = with_unknown(
            json!({"name": "shop", "version": "1", "websiteUrl": "https://example.com", "icons": icons}),
        );
        let document = with_unknown(json!({
            "manifestVersion": 1,
            "server": server,
            "instructions": "Ask.",
            "tools": [tool],
            "prompts": [with_unknown(json!({"name": "review", "arguments": [argument], "icons": icons}))],
            "resources": [with_unknown(json!({"uri": "a:b", "name": "b", "annotations": unknown}))],
            "resourceTemplates": [with_unknown(json!({"uriTemplate": "a:{b}", "name": "b"}))],
        }));
        let manifest = ServerDefinitions::parse(&document.to_string()).unwrap().to_manifest("other").unwrap();
        assert_eq!(json!(manifest), document);
        assert_eq!(json!(Manifest::from_json(&manifest.to_json()).unwrap()), document);
        let again = ServerDefinitions::from_manifest(&manifest).unwrap().to_manifest("other").unwrap();
        assert_eq!(again, manifest);
    }

    #[test]
    fn a_server_without_info_gets_a_name() {
        let definitions = ServerDefinitions::parse(r#"{"tools": []}"#).unwrap();
        assert_eq!(definitions.to_manifest("saved").unwrap().server, Server::new("saved", "0.0.0"));
    }
}
