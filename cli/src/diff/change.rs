//! A change, as reports show it.

use serde::Serialize;
use serde_json::Value;
use toolwright_core::manifest::Kind;

use super::rule::{ChangeRule, get};

/// The part of a server that a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    Server,
    Tool,
    Prompt,
    Resource,
    Template,
}

impl Part {
    /// Returns the list that has it; `None` for the server.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Server => None,
            Self::Tool => Some(Kind::Tools),
            Self::Prompt => Some(Kind::Prompts),
            Self::Resource => Some(Kind::Resources),
            Self::Template => Some(Kind::ResourceTemplates),
        }
    }
}

/// One change.
#[derive(Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) rule: &'static ChangeRule,
    pub(crate) part: Part,
    /// The name of the tool or prompt, or the URI of the resource; empty for the server.
    pub(crate) name: String,
    /// The location in the definition, as a JSON Pointer; empty for the definition as a whole.
    pub(crate) pointer: String,
    /// The old value, if any.
    pub(crate) old: Option<Value>,
    /// The new value, if any.
    pub(crate) new: Option<Value>,
    /// A value that proves the difference: an argument that is no longer accepted, or a result that is newly possible.
    pub(crate) witness: Option<Value>,
    /// Why it is unknown whether the change breaks callers, if so; it then counts as breaking.
    pub(crate) undecided: Option<String>,
    /// What to do instead, where it depends on the names; otherwise the advice of the rule applies.
    pub(crate) advice: Option<String>,
}

impl Change {
    pub(super) fn new(id: &str, part: Part, name: &str, pointer: &str) -> Self {
        Self {
            rule: get(id),
            part,
            name: name.to_owned(),
            pointer: pointer.to_owned(),
            old: None,
            new: None,
            witness: None,
            undecided: None,
            advice: None,
        }
    }

    /// Returns what to do instead.
    pub(super) fn advice(&self) -> &str {
        self.advice.as_deref().unwrap_or(&self.rule.info.advice)
    }

    pub(super) fn with_values(mut self, old: Option<&Value>, new: Option<&Value>) -> Self {
        self.old = old.cloned();
        self.new = new.cloned();
        self
    }

    /// Sets the old and new keywords; an empty object counts as absent.
    pub(super) fn with_keywords(self, old: &Value, new: &Value) -> Self {
        let is_present = |keywords: &&Value| keywords.as_object().is_none_or(|keywords| !keywords.is_empty());
        self.with_values(Some(old).filter(is_present), Some(new).filter(is_present))
    }

    /// Returns the location for people: `get_order /inputSchema/properties/id`.
    pub(super) fn place(&self) -> String {
        let name = if self.part == Part::Server { "server" } else { &self.name };
        if self.pointer.is_empty() { name.to_owned() } else { format!("{name} {}", self.pointer) }
    }
}
