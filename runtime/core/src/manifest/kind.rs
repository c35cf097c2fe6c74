//! The four kinds of things that a server offers, each with its list in the protocol.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};

/// What can be in a list of the protocol (2026-07-28, schemas `ListToolsResult`, `ListPromptsResult`,
/// `ListResourcesResult`, `ListResourceTemplatesResult`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Tools, by name.
    Tools,
    /// Prompts, by name.
    Prompts,
    /// Resources, by address.
    Resources,
    /// Resource templates, by the form of their addresses.
    ResourceTemplates,
}

/// A definition as the protocol shows it.
pub type Entry = Map<String, Value>;

impl Kind {
    /// All, in the order in which documents have them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// All but tools.
    pub const FEATURES: [Self; 3] = [Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// The member of a result or a manifest that holds the list.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
        }
    }

    /// The member of an entry that names it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }

    /// One of them, in words.
    pub const fn one(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Prompts => "prompt",
            Self::Resources => "resource",
            Self::ResourceTemplates => "resource template",
        }
    }

    /// The request that lists them.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::ResourceTemplates => "resources/templates/list",
        }
    }

    /// What an entry is named by; `None` if it has no such text.
    pub fn name_of(self, entry: &Entry) -> Option<&str> {
        entry.get(self.key()).and_then(Value::as_str)
    }
}

/// Several of them, in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ResourceTemplates => "resource templates",
            other => other.member(),
        })
    }
}

/// What a function returns that `toolwright::declare!` puts into the manifest: a [`Prompt`], a [`Resource`], a
/// [`ResourceTemplate`], or a list of one of them, which may be empty.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be declared",
    label = "return a `Prompt`, a `Resource`, a `ResourceTemplate`, or a `Vec` of one of these"
)]
pub trait Declare {
    /// Which list it belongs to.
    const KIND: Kind;

    /// The definitions, as the protocol shows them.
    fn entries(self) -> Vec<Entry>;
}

impl Declare for Prompt {
    const KIND: Kind = Kind::Prompts;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl Declare for Resource {
    const KIND: Kind = Kind::Resources;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl Declare for ResourceTemplate {
    const KIND: Kind = Kind::ResourceTemplates;

    fn entries(self) -> Vec<Entry> {
        vec![entry(&self)]
    }
}

impl<T: Declare> Declare for Vec<T> {
    const KIND: Kind = T::KIND;

    fn entries(self) -> Vec<Entry> {
        self.into_iter().flat_map(T::entries).collect()
    }
}

/// A prompt, a resource or a template as JSON.
pub fn entry(definition: &impl Serialize) -> Entry {
    match serde_json::json!(definition) {
        Value::Object(entry) => entry,
        _ => Entry::new(),
    }
}
