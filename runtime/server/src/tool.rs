//! One tool of a server: its definition with the code that runs it.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::external;
use toolwright_core::revision::Revision;
use toolwright_core::tool::TaskSupport;

use crate::context::Context;
use crate::future::BoxFuture;
use crate::pagination::Listed;
use crate::provider::Outcome;

/// One tool of the table.
#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) definition: ToolDefinition,
    /// Former names that call it too.
    pub(crate) was: Vec<String>,
    /// Whether a call may become a task, or must.
    pub(crate) task: Option<TaskSupport>,
    /// What a caller needs to see it and to call it.
    pub(crate) scopes: Box<[String]>,
    pub(crate) run: Box<dyn Run>,
    /// The number of the provider that it comes from, unless it has a typed handler.
    pub(crate) provider: Option<usize>,
    /// Whether peers that take only objects as structured content get `{"result": …}`.
    pub(crate) wraps: bool,
    /// The parameters that callers over HTTP repeat in headers.
    #[cfg(feature = "http")]
    pub(crate) header_params: toolwright_wire::params::HeaderParams,
}

impl ToolEntry {
    pub(crate) fn new(definition: ToolDefinition, was: &[&str], run: Box<dyn Run>) -> Self {
        let wraps = definition
            .output_schema
            .as_ref()
            .is_some_and(|schema| schema.get("type") != Some(&"object".into()));
        Self {
            #[cfg(feature = "http")]
            header_params: toolwright_wire::params::HeaderParams::of(&definition.input_schema),
            task: definition.task(),
            scopes: definition.scopes().into(),
            definition,
            was: was.iter().map(|&name| name.to_owned()).collect(),
            run,
            provider: None,
            wraps,
        }
    }

    /// The name and the former names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.definition.name.as_str()).chain(self.was.iter().map(String::as_str))
    }

    /// Whether it stands for what the provider of this number lists.
    pub(crate) fn is_of(&self, number: usize, definition: &ToolDefinition) -> bool {
        self.provider == Some(number) && self.definition == *definition
    }
}

/// Starts a call: decoding borrows the message, what goes on after it does not.
pub(crate) trait Run: std::fmt::Debug + Send + Sync {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started;
}

/// How a call has started.
pub(crate) enum Started {
    /// It is done already, as arguments that do not fit are.
    Ready(Outcome),
    /// It goes on when polled.
    Running(BoxFuture<'static, Outcome>),
}

impl Listed for ToolEntry {
    const MEMBER: &'static str = "tools";

    type Shown = ToolDefinition;

    fn key(&self) -> &str {
        &self.definition.name
    }

    fn shown(&self, revision: Revision) -> Cow<'_, ToolDefinition> {
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

/// The definition with the members that the revision has (schema `Tool` of each).
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

/// Up to 2025-11-25 the root of an output schema is an object (schema `Tool.outputSchema`).
fn wrap_unless_object(schema: Value) -> Value {
    match schema {
        Value::Object(members) if members.get("type") != Some(&"object".into()) => {
            external::wrapped(members, "result").into()
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
