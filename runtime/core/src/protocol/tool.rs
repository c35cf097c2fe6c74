//! Tools: their definitions, calls of them, and results (2026-07-28, server/tools).

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::meta::{self, scopes_in};
use super::metadata::title_builders;
use super::{
    ContentBlock, Icon, InputResponses, MissingCapability, RequestMeta, StructuredContent, TaskRequest,
};

/// A tool as a client sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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

    /// The same with a JSON Schema of the structured content.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The same with hints about the tool's behaviour.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The application context that the tool belongs to ([`meta::CONTEXT`]); a tool without one belongs to all.
    pub fn context(&self) -> Option<&str> {
        self.meta.as_ref()?.get(meta::CONTEXT)?.as_str()
    }

    /// Whether calls of the tool become tasks ([`meta::TASK`]).
    pub fn task(&self) -> Option<TaskSupport> {
        TaskSupport::from_name(self.meta.as_ref()?.get(meta::TASK)?.as_str()?)
    }

    /// The scopes that a caller needs, all of them ([`meta::SCOPES`]).
    ///
    /// An entry that is not a string counts as a scope that no caller has: a mistake must not open a tool.
    pub fn scopes(&self) -> Vec<String> {
        scopes_in(self.meta.as_ref())
    }

    /// Whether the tool can be used in the application context at `path`: it belongs to that context, to one above it,
    /// or to none. For how paths are compared see [`is_within`].
    pub fn is_visible_in(&self, path: &str) -> bool {
        self.context().is_none_or(|context| is_within(path, context))
    }
}

title_builders!(ToolDefinition);

/// Whether the application context at `path` is `context` or one below it.
///
/// A path has `/` between its parts, and whole parts are compared: `orders/42` is within `orders`, `orders2` is not.
pub fn is_within(path: &str, context: &str) -> bool {
    path.strip_prefix(context).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Hints about a tool's behaviour (2026-07-28, schema `ToolAnnotations`). Absent is "not said".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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

/// Whether calls of a tool become tasks, for clients that know them (SEP-2663, extension `io.modelcontextprotocol/tasks`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskSupport {
    /// `task`: they may. Other clients call it like any tool.
    Optional,
    /// `task = "required"`: they do, and other clients cannot call it.
    Required,
}

impl TaskSupport {
    /// Its name in definitions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }

    /// Reads the name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Optional, Self::Required].into_iter().find(|support| support.as_str() == name)
    }
}

/// The parameters of `tools/call` (2026-07-28, schema `CallToolRequestParams`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams {
    /// The tool.
    pub name: String,
    /// Its arguments: an object, kept as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Answers to what the server asked when the tool was called before; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server said then; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// The call may be answered with a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CallToolParams {
    /// A call without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            task: None,
            meta: None,
            other: Map::new(),
        }
    }

    /// The call with these arguments.
    ///
    /// # Errors
    /// What the `Serialize` of the arguments says.
    pub fn with_arguments(
        mut self,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        self.arguments = Some(to_raw_value(arguments)?);
        Ok(self)
    }
}

/// The result of a call (2026-07-28, server/tools "Tool Result").
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResult {
    /// The blocks for the model, in order; an empty list is a success with nothing to say.
    pub content: Vec<ContentBlock>,
    /// The result as data, any JSON value, `null` among them. Peers up to 2025-11-25 get a value that is not an object as
    /// `{"result": …}`, peers before 2025-06-18 get none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<StructuredContent>,
    /// Whether the call failed in a way that the model should hear about.
    pub is_error: bool,
    /// Whatever else belongs to the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// What the client has not declared, if that is why the call failed. It is not part of the JSON: a client of 2026-07-28
    /// gets the error -32021 in place of the result, and no text that comes from elsewhere can say so.
    #[serde(skip)]
    pub missing_capability: Option<Box<MissingCapability>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolResult {
    /// A success with these blocks.
    pub fn new(content: impl Into<Vec<ContentBlock>>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// A success with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// A failure that the model should hear about, as one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// A success with `value` as structured content and the same JSON as text, for clients that read text only.
    ///
    /// # Errors
    /// What `value`'s `Serialize` says.
    pub fn structured(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let structured = StructuredContent::new(value)?;
        Ok(Self {
            content: vec![ContentBlock::text(structured.get())],
            structured_content: Some(structured),
            ..Self::default()
        })
    }

    /// The text of all text blocks, joined with a blank line.
    ///
    /// A result without content shows its structured content: a string as it is, anything else as JSON
    /// (as clients do that were shown nothing: nicobailon/pi-mcp-adapter#113).
    pub fn as_text(&self) -> String {
        if let (true, Some(structured)) = (self.content.is_empty(), &self.structured_content) {
            return structured.as_text();
        }
        let blocks: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        blocks.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scopes_that_are_not_strings_are_held_by_nobody() {
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
            tool.meta = Some(Map::from_iter([(meta::SCOPES.to_owned(), meta.clone())]));
            assert_eq!(tool.scopes(), scopes, "{meta}");
        }
    }

    /// A context shows its own commands and those of the contexts above.
    #[test]
    fn a_tool_is_visible_in_its_context_and_below() {
        let mut tool = ToolDefinition::new("refund", json!({"type": "object"}));
        assert!(tool.is_visible_in("orders") && tool.is_visible_in(""), "no context is every context");

        tool.meta = Some(Map::from_iter([(meta::CONTEXT.to_owned(), "orders/open".into())]));
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
