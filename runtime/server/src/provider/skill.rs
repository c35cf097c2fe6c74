//! Skills of providers (extension `io.modelcontextprotocol/skills`, SEP-2640).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::resource::Resource;

/// An entry of `skills/list`, in the form that clients receive: with `uri`, `frontmatter` and `resources`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct ProvidedSkill(Map<String, Value>);

impl ProvidedSkill {
    /// Creates an entry; `None` unless its `uri` is a string.
    pub fn new(entry: Map<String, Value>) -> Option<Self> {
        entry.get("uri").is_some_and(Value::is_string).then_some(Self(entry))
    }

    /// Returns the URI of its `SKILL.md`.
    pub fn uri(&self) -> &str {
        self.0.get("uri").and_then(Value::as_str).unwrap_or_default()
    }
}

/// A page of the entries of a directory, the result of `resources/directory/read`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Directory {
    /// The files and directories.
    pub resources: Vec<Resource>,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Directory {
    /// Creates the only page of a directory.
    pub fn new(resources: Vec<Resource>) -> Self {
        Self { resources, next_cursor: None }
    }
}
