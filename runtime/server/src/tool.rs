//! A tool of a server: its definition and the code that runs it.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::external;
use toolwright_core::future::BoxFuture;
use toolwright_core::revision::Revision;
use toolwright_core::tool::TaskSupport;

use crate::context::Context;
use crate::pagination::Listed;
use crate::provider::Outcome;
#[cfg(feature = "tasks")]
use crate::provider::RawResult;

/// An entry of the tool table.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) definition: ToolDefinition,
    /// Former names, which can be called as well.
    pub(crate) was: Vec<String>,
    /// Whether a call may or must become a task.
    pub(crate) task: Option<TaskSupport>,
    /// The scopes that a caller needs to see and call it.
    pub(crate) scopes: Box<[String]>,
    pub(crate) run: Box<dyn Run>,
    /// The index of the provider that it comes from; `None` for a typed handler.
    pub(crate) provider: Option<usize>,
    /// Whether structured content is wrapped in `{"result": …}` for peers that support only objects.
    pub(crate) wraps: bool,
    /// The parameters that callers over HTTP mirror in headers.
    #[cfg(feature = "http")]
    pub(crate) header_params: toolwright_wire::params::HeaderParams,
}

/// Returns whether the structured content of a tool is wrapped for peers that support only objects.
pub(crate) fn wraps(definition: &ToolDefinition) -> bool {
    definition.output_schema.as_ref().is_some_and(|schema| schema.get("type") != Some(&"object".into()))
}

impl ToolEntry {
    pub(crate) fn new(definition: ToolDefinition, was: &[&str], run: Box<dyn Run>) -> Self {
        Self {
            #[cfg(feature = "http")]
            header_params: toolwright_wire::params::HeaderParams::of(&definition.input_schema),
            wraps: wraps(&definition),
            task: definition.task(),
            scopes: definition.scopes().into(),
            definition,
            was: was.iter().map(|&name| name.to_owned()).collect(),
            run,
            provider: None,
        }
    }

    /// Iterates over the current and former names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.definition.name.as_str()).chain(self.was.iter().map(String::as_str))
    }

    /// Whether it is the entry of this definition from the provider with this index.
    pub(crate) fn is_of(&self, number: usize, definition: &ToolDefinition) -> bool {
        self.provider == Some(number) && self.definition == *definition
    }
}

/// Starts a call: decoding borrows the message, the future does not.
pub(crate) trait Run: std::fmt::Debug + Send + Sync {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started;

    /// Validates a result of an earlier call that became a task elsewhere, in the form of the newest revision.
    #[cfg(feature = "tasks")]
    fn check_later(&self, result: RawResult) -> Outcome {
        Outcome::Raw(result)
    }
}

/// A started call.
pub(crate) enum Started {
    /// It has completed, for example because of invalid arguments.
    Ready(Outcome),
    /// It continues when polled.
    Running(BoxFuture<'static, Outcome>),
}

impl Listed for ToolEntry {
    const MEMBER: &'static str = "tools";

    type Wire = ToolDefinition;

    fn key(&self) -> &str {
        &self.definition.name
    }

    fn to_wire(&self, revision: Revision) -> Cow<'_, ToolDefinition> {
        for_revision(&self.definition, revision)
    }

    fn is_in(&self, revision: Revision) -> bool {
        revision.has_tasks() || self.task != Some(TaskSupport::Required)
    }

    fn is_visible_in(&self, path: &str) -> bool {
        self.definition.is_visible_in(path)
    }

    fn scopes(&self) -> &[String] {
        &self.scopes
    }
}

/// The definition with the members that the revision defines (its schema `Tool`).
fn for_revision(definition: &ToolDefinition, revision: Revision) -> Cow<'_, ToolDefinition> {
    if revision == Revision::NEWEST {
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

/// Up to 2025-11-25, the root of an output schema is an object (schema `Tool.outputSchema`).
fn wrap_unless_object(schema: Value) -> Value {
    match schema {
        Value::Object(members) if members.get("type") != Some(&"object".into()) => {
            external::wrap(members, "result").into()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::wrap_unless_object;

    // As reported in longbridge/longbridge-mcp#150, modelcontextprotocol/rust-sdk#532, modelcontextprotocol/rust-sdk#566.
    #[test]
    fn non_object_output_schemas_are_wrapped() {
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
