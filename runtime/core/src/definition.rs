//! The definition of a tool as `tools/list` shows it (2026-07-28, server/tools "Tool").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arguments::{ArgumentReader, SchemaError};
use crate::schema::{self, Draft, Profile};
use crate::tool::{TaskSupport, Tool};

/// A tool as a client sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// What clients call.
    pub name: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the tool does, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// JSON Schema of the arguments; its root is always an object.
    pub input_schema: Value,
    /// JSON Schema of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about the tool's behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Whatever else belongs to the tool.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolDefinition {
    /// A definition with a name and an input schema, whose root must be an object.
    pub fn new(name: impl Into<String>, input_schema: Value) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            icons: Vec::new(),
            input_schema,
            output_schema: None,
            annotations: None,
            meta: None,
            other: Map::new(),
        }
    }

    /// The application context that the tool belongs to ([`meta_keys::CONTEXT`]); a tool without one belongs to all.
    pub fn context(&self) -> Option<&str> {
        self.meta.as_ref()?.get(meta_keys::CONTEXT)?.as_str()
    }

    /// Whether calls of the tool become tasks ([`meta_keys::TASK`]).
    pub fn task(&self) -> Option<TaskSupport> {
        TaskSupport::from_name(self.meta.as_ref()?.get(meta_keys::TASK)?.as_str()?)
    }

    /// The scopes that a caller needs, all of them ([`meta_keys::SCOPES`]).
    ///
    /// What stands there and is no text counts as a scope that nobody has: a mistake must not open a tool.
    pub fn scopes(&self) -> Vec<String> {
        scopes_in(self.meta.as_ref())
    }

    /// Whether the tool can be used in the application context at `path`: it belongs to that context, to one above it,
    /// or to none. For how paths are compared see [`is_within`].
    pub fn is_visible_in(&self, path: &str) -> bool {
        self.context().is_none_or(|context| is_within(path, context))
    }
}

/// The scopes that the `_meta` of a tool, a prompt, a resource or a resource template says that a caller needs, all of them
/// ([`meta_keys::SCOPES`]).
///
/// What stands there and is no text counts as a scope that nobody has: a mistake must not open anything.
pub fn scopes_in(meta: Option<&Map<String, Value>>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match meta.and_then(|meta| meta.get(meta_keys::SCOPES)) {
        None => Vec::new(),
        Some(Value::Array(scopes)) => scopes.iter().map(text).collect(),
        Some(other) => vec![text(other)],
    }
}

/// Adds scopes to those that `_meta` says that a caller needs.
pub(crate) fn add_scopes<S: Into<String>>(
    meta: &mut Option<Map<String, Value>>,
    scopes: impl IntoIterator<Item = S>,
) {
    let mut all = scopes_in(meta.as_ref());
    all.extend(scopes.into_iter().map(Into::into));
    meta.get_or_insert_default().insert(meta_keys::SCOPES.to_owned(), all.into());
}

/// Whether the application context at `path` is `context` or one below it.
///
/// A path has `/` between its parts, and whole parts are compared: `orders/42` is within `orders`, `orders2` is not.
pub fn is_within(path: &str, context: &str) -> bool {
    path.strip_prefix(context).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Hints about a tool's behaviour (2026-07-28, schema `ToolAnnotations`). Absent is "not said".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may destroy or overwrite; "not said" counts as true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// A second call with the same arguments has no further effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool reaches beyond the server's own data; "not said" counts as true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A picture (2026-07-28, basic "icons").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// An `https:` or `data:` URI.
    pub src: String,
    /// The media type, where the source does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// `light` or `dark`: the background the icon is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Keys under `_meta` that Toolwright writes.
pub mod meta_keys {
    /// The scopes a caller needs: an array of strings.
    pub const SCOPES: &str = "io.toolwright/scopes";
    /// Former names: an array of strings.
    pub const WAS: &str = "io.toolwright/was";
    /// Categories for people: an array of strings.
    pub const TAGS: &str = "io.toolwright/tags";
    /// The application context a command belongs to: a string.
    pub const CONTEXT: &str = "io.toolwright/context";
    /// Whether calls become tasks: `optional` or `required`.
    pub const TASK: &str = "io.toolwright/task";
}

/// The definition of `T`, in the portable profile.
///
/// # Panics
/// Where serde does not read `T` from an object; the text names the tool and says what to do.
pub(crate) fn of<T: Tool>() -> ToolDefinition {
    let draft = Draft::of::<T>();
    // A mistake in the program, found by whatever asks for the definitions first: a test, the manifest or the start.
    if let Some(problem) = draft.problem() {
        panic!("the tool `{}` cannot be registered: {problem}", T::NAME);
    }
    of_draft::<T>(draft)
}

/// The definition of `T` and the reader of its arguments, from one draft: what a server needs of a tool.
///
/// # Errors
/// A schema that cannot be enforced; the error names the tool.
pub fn with_reader<T: Tool>() -> Result<(ToolDefinition, ArgumentReader), SchemaError> {
    let draft = Draft::of::<T>();
    let reader = ArgumentReader::of_draft::<T>(&draft)?;
    Ok((of_draft::<T>(draft), reader))
}

fn of_draft<T: Tool>(draft: Draft) -> ToolDefinition {
    let metadata = T::METADATA;
    let hints = metadata.hints;
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: hints.read_only,
        destructive_hint: hints.destructive,
        idempotent_hint: hints.idempotent,
        open_world_hint: hints.open_world,
        other: Map::new(),
    };
    ToolDefinition {
        name: T::NAME.to_owned(),
        title: metadata.title.map(str::to_owned),
        description: metadata.description.map(schema::plain_lines).filter(|text| !text.is_empty()),
        icons: metadata.icons.iter().map(|icon| from_text(icon)).collect(),
        input_schema: draft.finish(Profile::Portable),
        output_schema: metadata.output.map(|output| output()),
        annotations: (annotations != ToolAnnotations::default()).then_some(annotations),
        meta: meta_of(&metadata),
        other: Map::new(),
    }
}

fn meta_of(metadata: &crate::tool::ToolMetadata) -> Option<Map<String, Value>> {
    let mut meta: Map<String, Value> = metadata.meta.map(from_text).unwrap_or_default();
    for (key, list) in [
        (meta_keys::SCOPES, metadata.scopes),
        (meta_keys::WAS, metadata.was),
        (meta_keys::TAGS, metadata.tags),
    ] {
        if !list.is_empty() {
            meta.insert(key.to_owned(), list.into());
        }
    }
    if let Some(context) = metadata.context {
        meta.insert(meta_keys::CONTEXT.to_owned(), context.into());
    }
    if let Some(task) = metadata.task {
        meta.insert(meta_keys::TASK.to_owned(), task.as_str().into());
    }
    (!meta.is_empty()).then_some(meta)
}

/// Reads JSON text that the derive wrote.
fn from_text<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the derive wrote broken JSON: {error}: {text}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scopes_that_are_no_texts_are_scopes_that_nobody_has() {
        let mut tool = ToolDefinition::new("refund", json!({"type": "object"}));
        assert!(tool.scopes().is_empty());
        for (meta, scopes) in [
            (json!([]), vec![]),
            (json!(["a", "b"]), vec!["a", "b"]),
            (json!("a"), vec!["a"]),
            (json!([1, "b"]), vec!["1", "b"]),
            (json!({"a": true}), vec![r#"{"a":true}"#]),
            (json!(null), vec!["null"]),
        ] {
            tool.meta = Some(Map::from_iter([(meta_keys::SCOPES.to_owned(), meta.clone())]));
            assert_eq!(tool.scopes(), scopes, "{meta}");
        }
    }

    /// A context shows its own commands and those of the contexts above.
    #[test]
    fn a_tool_is_visible_in_its_context_and_below() {
        let mut tool = ToolDefinition::new("refund", json!({"type": "object"}));
        assert!(tool.is_visible_in("orders") && tool.is_visible_in(""), "no context is every context");

        tool.meta = Some(Map::from_iter([(meta_keys::CONTEXT.to_owned(), "orders/open".into())]));
        assert_eq!(tool.context(), Some("orders/open"));
        for (path, expected) in [
            ("orders/open", true),
            ("orders/open/42", true),
            ("orders/open/", true),
            ("orders", false),
            ("orders/opened", false),
            ("shop/orders/open", false),
            ("", false),
        ] {
            assert_eq!(tool.is_visible_in(path), expected, "{path}");
        }
    }
}
