//! The table of tools: a name leads to its entry, and lists are made once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::revision::Revision;

use crate::error::BuildError;
use crate::router::Entry;

/// The tools of a server at one moment. A change makes a new table.
#[derive(Debug)]
pub(crate) struct Table {
    /// Sorted by name.
    entries: Vec<Arc<Entry>>,
    /// Present and former names.
    index: HashMap<String, usize>,
    /// `tools/list` results as JSON text, by revision and first entry.
    pages: Mutex<Pages>,
}

type Pages = HashMap<(Revision, usize), Arc<[u8]>>;

/// What a list result says beside the tools.
#[derive(Debug)]
pub(crate) struct ListSettings<'a> {
    pub(crate) page_size: usize,
    pub(crate) ttl_ms: u64,
    pub(crate) server_meta: &'a RawValue,
}

impl Table {
    /// The table of these entries.
    pub(crate) fn new(mut entries: Vec<Arc<Entry>>) -> Result<Self, BuildError> {
        entries.sort_by(|a, b| a.definition.name.cmp(&b.definition.name));
        let mut index = HashMap::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            if index.insert(entry.definition.name.clone(), position).is_some() {
                return Err(BuildError::DuplicateTool(entry.definition.name.clone()));
            }
        }
        for (position, entry) in entries.iter().enumerate() {
            for name in &entry.was {
                if index.insert(name.clone(), position).is_some() {
                    return Err(BuildError::DuplicateTool(name.clone()));
                }
            }
        }
        Ok(Self { entries, index, pages: Mutex::default() })
    }

    /// The tool of this name or former name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.index.get(name).map(|&position| &self.entries[position])
    }

    /// All definitions, in the order of the list.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.entries.iter().map(|entry| &entry.definition)
    }

    /// One page of `tools/list` as the JSON text of the result; none if the cursor is not one of ours.
    ///
    /// A cursor names the last tool of the page before, so it stays good while tools come and go.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        context_path: Option<&str>,
        revision: Revision,
        settings: &ListSettings<'_>,
    ) -> Option<Arc<[u8]>> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = cursor_name(cursor)?;
                self.entries.partition_point(|entry| entry.definition.name <= last)
            }
        };
        if context_path.is_some() {
            return Some(self.write_page(start, context_path, revision, settings));
        }
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages.get(&(revision, start)) {
            return Some(Arc::clone(page));
        }
        let page = self.write_page(start, None, revision, settings);
        pages.insert((revision, start), Arc::clone(&page));
        Some(page)
    }

    fn write_page(
        &self,
        start: usize,
        context_path: Option<&str>,
        revision: Revision,
        settings: &ListSettings<'_>,
    ) -> Arc<[u8]> {
        let mut shown = self.entries[start..]
            .iter()
            .filter(|entry| context_path.is_none_or(|path| entry.definition.is_visible_in(path)))
            .peekable();
        let page: Vec<&Arc<Entry>> = shown.by_ref().take(settings.page_size).collect();
        let next_cursor =
            page.last().filter(|_| shown.peek().is_some()).map(|last| cursor_after(&last.definition.name));
        let list = ListResult {
            result_type: revision.is_modern().then_some("complete"),
            tools: Definitions { page: &page, revision },
            next_cursor,
            ttl_ms: revision.is_modern().then_some(settings.ttl_ms),
            cache_scope: revision.is_modern().then_some("public"),
            meta: revision.is_modern().then_some(settings.server_meta),
        };
        serde_json::to_vec(&list).unwrap_or_default().into()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    tools: Definitions<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

/// Definitions in the form of one revision; written one by one, so that not all are copied at once.
struct Definitions<'a> {
    page: &'a [&'a Arc<Entry>],
    revision: Revision,
}

impl Serialize for Definitions<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.page.iter().map(|entry| for_revision(&entry.definition, self.revision)))
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

/// An opaque cursor for "after this name": hexadecimal, so that nobody is tempted to write one by hand.
fn cursor_after(name: &str) -> String {
    use std::fmt::Write as _;
    name.bytes().fold(String::with_capacity(name.len() * 2), |mut cursor, byte| {
        let _ = write!(cursor, "{byte:02x}");
        cursor
    })
}

fn cursor_name(cursor: &str) -> Option<String> {
    if cursor.is_empty()
        || !cursor.len().is_multiple_of(2)
        || !cursor.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..cursor.len()).step_by(2).map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{cursor_after, cursor_name, wrap_unless_object};

    #[test]
    fn cursors_lead_back_to_their_name_and_nonsense_does_not() {
        assert_eq!(cursor_name(&cursor_after("get_order")).as_deref(), Some("get_order"));
        for nonsense in ["", "x", "zz", "+1", "ö1", "ff"] {
            assert_eq!(cursor_name(nonsense), None, "{nonsense}");
        }
    }

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
