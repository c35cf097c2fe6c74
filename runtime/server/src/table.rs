//! The table of tools: a name leads to its entry, and the list shows them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use jsonrpsee_types::ErrorObjectOwned;
use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::revision::Revision;
use toolwright_core::tool::TaskSupport;

use crate::auth::Access;
use crate::error::{self, BuildError};
use crate::list::{List, Listed};
use crate::router::Entry;

/// The tools of a server at one moment. A change makes a new table.
#[derive(Debug)]
pub(crate) struct Table {
    list: List<Entry>,
    /// Present and former names.
    index: HashMap<String, Arc<Entry>>,
}

impl Listed for Entry {
    const MEMBER: &'static str = "tools";

    type Shown = ToolDefinition;

    fn key(&self) -> &str {
        &self.definition.name
    }

    fn shown(&self, revision: Revision) -> Cow<'_, ToolDefinition> {
        for_revision(&self.definition, revision)
    }

    fn is_in(&self, revision: Revision) -> bool {
        // Tasks are an extension of the modern era.
        revision.is_modern() || self.task != Some(TaskSupport::Required)
    }

    fn is_visible_in(&self, path: &str) -> bool {
        self.definition.is_visible_in(path)
    }

    fn scopes(&self) -> &[String] {
        &self.scopes
    }
}

impl Table {
    /// The table of these entries.
    pub(crate) fn new(entries: Vec<Arc<Entry>>) -> Result<Self, BuildError> {
        #[cfg(not(feature = "tasks"))]
        if let Some(entry) = entries.iter().find(|entry| entry.task == Some(TaskSupport::Required)) {
            return Err(BuildError::Tool {
                tool: entry.key().to_owned(),
                reason: "it runs as a task only; turn the feature `tasks` on".to_owned(),
            });
        }
        let list = List::new(entries).map_err(BuildError::DuplicateTool)?;
        let present = list.entries().iter().map(|entry| (entry.key().to_owned(), Arc::clone(entry)));
        let mut index: HashMap<String, Arc<Entry>> = present.collect();
        for entry in list.entries() {
            for name in &entry.was {
                if index.insert(name.clone(), Arc::clone(entry)).is_some() {
                    return Err(BuildError::DuplicateTool(name.clone()));
                }
            }
        }
        Ok(Self { list, index })
    }

    /// The tool of this name or former name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.index.get(name)
    }

    /// The scopes of all tools.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &String> {
        self.list.entries().iter().flat_map(|entry| &entry.scopes)
    }

    /// Whether the change from this table to `newer` is one that the caller can see. Where nothing has changed, it
    /// is told to all.
    pub(crate) fn change_shows(&self, newer: &Self, access: &Access) -> bool {
        let is_only_in = |entry: &&Arc<Entry>, other: &Self| {
            other.list.get(entry.key()).is_none_or(|other| other.definition != entry.definition)
        };
        let gone = self.list.entries().iter().filter(|entry| is_only_in(entry, newer));
        let new = newer.list.entries().iter().filter(|entry| is_only_in(entry, self));
        let mut changed = gone.chain(new).peekable();
        access.is_trusted() || changed.peek().is_none() || changed.any(|entry| access.covers(&entry.scopes))
    }

    /// The list of the tools.
    pub(crate) fn list(&self) -> &List<Entry> {
        &self.list
    }

    /// All definitions, in the order of the list.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.list.entries().iter().map(|entry| &entry.definition)
    }
}

/// Why a call cannot reach its tool.
#[derive(Debug)]
pub(crate) enum Denied {
    /// There is none of that name, as far as the caller may know.
    Unknown,
    /// It needs more scopes than the caller has.
    #[cfg(feature = "auth")]
    Scopes(Arc<Entry>),
}

impl Denied {
    /// What the caller is told.
    pub(crate) fn error(&self, name: &str) -> ErrorObjectOwned {
        match self {
            Self::Unknown => error::unknown_tool(name),
            #[cfg(feature = "auth")]
            Self::Scopes(entry) => error::insufficient_scope(&entry.scopes),
        }
    }
}

/// The definition with the members that the revision has (schema `Tool` of each).
fn for_revision(definition: &ToolDefinition, revision: Revision) -> Cow<'_, ToolDefinition> {
    if revision.is_modern() {
        return Cow::Borrowed(definition);
    }
    let mut shown = definition.clone();
    shown.output_schema = shown.output_schema.map(wrap_unless_object);
    if revision < Revision::V2025_11_25 {
        shown.icons.clear();
    }
    if revision < Revision::V2025_06_18 {
        shown.title = None;
        shown.output_schema = None;
        shown.meta = None;
        shown.other = Map::new();
    }
    if revision < Revision::V2025_03_26 {
        shown.annotations = None;
    }
    Cow::Owned(shown)
}

/// Up to 2025-11-25 the root of an output schema is an object (schema `Tool.outputSchema`).
fn wrap_unless_object(mut schema: Value) -> Value {
    if schema.get("type") == Some(&"object".into()) {
        return schema;
    }
    let definitions = schema.as_object_mut().and_then(|schema| schema.shift_remove("$defs"));
    let mut wrapped = json!({"type": "object", "properties": {"result": schema}, "required": ["result"]});
    if let (Some(definitions), Some(root)) = (definitions, wrapped.as_object_mut()) {
        root.insert("$defs".to_owned(), definitions);
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::wrap_unless_object;

    #[test]
    fn res_03_output_schemas_that_are_no_objects_are_wrapped_with_their_definitions() {
        let list = json!({"type": "array", "items": {"$ref": "#/$defs/Node"}, "$defs": {"Node": {"type": "object"}}});
        assert_eq!(
            wrap_unless_object(list),
            json!({
                "type": "object",
                "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
                "required": ["result"],
                "$defs": {"Node": {"type": "object"}},
            })
        );
        let object = json!({"type": "object"});
        assert_eq!(wrap_unless_object(object.clone()), object);
    }
}
