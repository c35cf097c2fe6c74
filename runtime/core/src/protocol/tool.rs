//! Tools: definitions, calls and results (2026-07-28, server/tools).

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::meta::{self, scopes_in};
use super::metadata::title_builders;
use super::{
    ContentBlock, Icon, InputResponses, MissingCapability, RequestMeta, StructuredContent, TaskRequest,
};

/// The definition of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The name; unique per server.
    pub name: String,
    /// Human-readable name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Icons for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// JSON Schema of the arguments; its root is always an object.
    pub input_schema: Value,
    /// JSON Schema of the structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about the tool's behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// `_meta`.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolDefinition {
    /// Creates a definition with a name and an input schema, whose root must be an object.
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

    /// Sets the JSON Schema of the structured content.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Sets the hints about the tool's behaviour.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Returns the application context of the tool ([`meta::CONTEXT`]); a tool without one belongs to all contexts.
    pub fn context(&self) -> Option<&str> {
        self.meta.as_ref()?.get(meta::CONTEXT)?.as_str()
    }

    /// Returns whether calls of the tool become tasks ([`meta::TASK`]).
    pub fn task(&self) -> Option<TaskSupport> {
        TaskSupport::from_name(self.meta.as_ref()?.get(meta::TASK)?.as_str()?)
    }

    /// Returns the scopes that a caller needs, all of them ([`meta::SCOPES`]).
    ///
    /// An entry that is not a string counts as a scope that no caller has, so that a mistake never grants access.
    pub fn scopes(&self) -> Vec<String> {
        scopes_in(self.meta.as_ref())
    }

    /// Returns whether the tool is available in the application context `path`: it belongs to that context, to
    /// a parent of it, or to none. See [`is_within`] for how paths are compared.
    pub fn is_visible_in(&self, path: &str) -> bool {
        self.context().is_none_or(|context| is_within(path, context))
    }
}

title_builders!(ToolDefinition);

/// Returns whether the application context `path` is `context` or below it.
///
/// Paths are compared segment by segment: `orders/42` is within `orders`, `orders2` is not.
pub fn is_within(path: &str, context: &str) -> bool {
    path.strip_prefix(context).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Hints about a tool's behaviour (2026-07-28, schema `ToolAnnotations`). Absent members are unspecified.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// Human-readable name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The tool does not modify its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// The tool may perform destructive updates; unspecified means true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Repeated calls with the same arguments have no further effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// The tool interacts with external entities; unspecified means true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether calls of a tool become tasks, for clients that support them (SEP-2663, extension
/// `io.modelcontextprotocol/tasks`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskSupport {
    /// `task`: calls may become tasks. Other clients call the tool as usual.
    Optional,
    /// `task = "required"`: calls become tasks; other clients cannot call the tool.
    Required,
}

impl TaskSupport {
    /// Returns the name used in definitions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Required => "required",
        }
    }

    /// Returns the variant with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Optional, Self::Required].into_iter().find(|support| support.as_str() == name)
    }
}

/// The parameters of `tools/call` (2026-07-28, schema `CallToolRequestParams`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams {
    /// The name of the tool.
    pub name: String,
    /// The arguments: an object, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Responses to the input requests of an earlier response; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The `requestState` of that response; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Allows the server to respond with a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CallToolParams {
    /// Creates a call without arguments.
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

    /// Sets the arguments.
    ///
    /// # Errors
    /// Returns the error of the `Serialize` implementation of the arguments.
    pub fn with_arguments(
        mut self,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        self.arguments = Some(to_raw_value(arguments)?);
        Ok(self)
    }
}

/// The result of a tool call (2026-07-28, server/tools "Tool Result").
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResult {
    /// The content blocks for the model, in order; may be empty.
    pub content: Vec<ContentBlock>,
    /// The structured content: any JSON value, including `null`. Peers up to 2025-11-25 receive a value that is
    /// not an object as `{"result": …}`, peers before 2025-06-18 receive none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<StructuredContent>,
    /// Whether the call failed with an error that the model should see.
    pub is_error: bool,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// The missing client capability, if that is why the call failed. Not part of the JSON: a client of
    /// 2026-07-28 receives the error -32021 instead of the result, and results from elsewhere cannot forge it.
    #[serde(skip)]
    pub missing_capability: Option<Box<MissingCapability>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolResult {
    /// Creates a successful result from content blocks.
    pub fn new(content: impl Into<Vec<ContentBlock>>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// Creates a successful result with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Creates an error result for the model, with one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Creates a successful result with `value` as structured content, and the same JSON as text for clients
    /// that do not read it.
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

    /// Returns the text of all text blocks, joined with blank lines.
    ///
    /// If there are no blocks, returns the structured content: a string as is, any other value as JSON (some
    /// clients display nothing else: nicobailon/pi-mcp-adapter#113).
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
    fn scopes_that_are_not_strings_match_no_caller() {
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

    /// A context shows its own commands and those of its parents.
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
