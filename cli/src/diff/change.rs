//! One change, as the reports show it.

use serde::Serialize;
use serde_json::Value;

use super::rule::{ChangeRule, get};

/// What a change belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    Server,
    Tool,
    Prompt,
    Resource,
    Template,
}

/// One change.
#[derive(Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) rule: &'static ChangeRule,
    pub(crate) part: Part,
    /// The name of the tool or prompt, the address of the resource; empty for the server.
    pub(crate) name: String,
    /// Where in the definition: a JSON Pointer, empty for the whole.
    pub(crate) pointer: String,
    /// The value before, if there was one.
    pub(crate) old: Option<Value>,
    /// The value after, if there is one.
    pub(crate) new: Option<Value>,
    /// A value that shows the difference: accepted before and not now, or not promised before.
    pub(crate) witness: Option<Value>,
    /// Why it is undecided whether the change breaks callers; then it counts as breaking.
    pub(crate) undecided: Option<String>,
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
        }
    }

    pub(super) fn values(mut self, old: Option<&Value>, new: Option<&Value>) -> Self {
        self.old = old.cloned();
        self.new = new.cloned();
        self
    }

    /// Sets the keywords before and after; an empty object counts as absent.
    pub(super) fn rules(self, old: &Value, new: &Value) -> Self {
        let is_something = |rules: &&Value| rules.as_object().is_none_or(|rules| !rules.is_empty());
        self.values(Some(old).filter(is_something), Some(new).filter(is_something))
    }

    /// The place, for people: `get_order /inputSchema/properties/id`.
    pub(super) fn place(&self) -> String {
        let name = if self.part == Part::Server { "server" } else { &self.name };
        if self.pointer.is_empty() { name.to_owned() } else { format!("{name} {}", self.pointer) }
    }
}
