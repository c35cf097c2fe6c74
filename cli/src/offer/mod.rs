//! What a server offers, wherever that is known from: a file, a revision of it, a package, or the server itself.

mod git;
mod live;
mod source;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Map, Value};
use toolwright_core::manifest::{Manifest, ManifestError};

pub(crate) use source::{Source, SourceError, read};

/// Definitions by what they are called by.
pub(crate) type Entries = BTreeMap<String, Map<String, Value>>;

/// What a server offers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Offer {
    /// How the server introduces itself.
    pub(crate) server: Map<String, Value>,
    /// How a model should use it.
    pub(crate) instructions: Option<String>,
    /// Tools by name.
    pub(crate) tools: Entries,
    /// Prompts by name.
    pub(crate) prompts: Entries,
    /// Resources by address.
    pub(crate) resources: Entries,
    /// Resource templates by the form of their addresses.
    pub(crate) templates: Entries,
}

/// Why a list is no list of definitions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OfferError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("`{list}` is not a list of objects with a text `{key}` each")]
    NoList { list: &'static str, key: &'static str },
    #[error("two entries of `{list}` have the {key} `{name}`, so that a client could use only one of them")]
    Twice { list: &'static str, key: &'static str, name: String },
}

/// The four lists: the member of a document, and the key of an entry.
pub(crate) const LISTS: [(&str, &str); 4] =
    [("tools", "name"), ("prompts", "name"), ("resources", "uri"), ("resourceTemplates", "uriTemplate")];

impl Offer {
    /// The lists in the order of [`LISTS`].
    pub(crate) fn lists(&self) -> [&Entries; 4] {
        [&self.tools, &self.prompts, &self.resources, &self.templates]
    }

    fn list_mut(&mut self, list: &str) -> &mut Entries {
        match list {
            "tools" => &mut self.tools,
            "prompts" => &mut self.prompts,
            "resources" => &mut self.resources,
            _ => &mut self.templates,
        }
    }

    /// Adds the entries of one of [`LISTS`].
    pub(crate) fn extend(
        &mut self,
        list: &'static str,
        key: &'static str,
        entries: Value,
    ) -> Result<(), OfferError> {
        let Value::Array(entries) = entries else { return Err(OfferError::NoList { list, key }) };
        for entry in entries {
            let Value::Object(entry) = entry else { return Err(OfferError::NoList { list, key }) };
            let name =
                entry.get(key).and_then(Value::as_str).ok_or(OfferError::NoList { list, key })?.to_owned();
            match self.list_mut(list).entry(name) {
                Entry::Vacant(place) => drop(place.insert(entry)),
                Entry::Occupied(other) => {
                    return Err(OfferError::Twice { list, key, name: other.key().clone() });
                }
            }
        }
        Ok(())
    }

    /// What a manifest shows. Its lists of prompts and resources, if it has some, are those of the protocol.
    pub(crate) fn of_manifest(manifest: &Manifest) -> Result<Self, OfferError> {
        let mut offer = Self {
            server: object(&serde_json::json!(manifest.server)),
            instructions: manifest.instructions.clone(),
            ..Self::default()
        };
        offer.extend("tools", "name", serde_json::json!(manifest.tools))?;
        for (list, key) in &LISTS[1..] {
            if let Some(entries) = manifest.other.get(*list) {
                offer.extend(list, key, entries.clone())?;
            }
        }
        Ok(offer)
    }

    /// Reads the text of a manifest.
    pub(crate) fn of_text(text: &str) -> Result<Self, OfferError> {
        Self::of_manifest(&Manifest::from_json(text)?)
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
