//! One tool of an agent.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

use super::backend::Backends;
use super::message::ToolMessage;
use crate::value::ToolValue;

/// A tool as an agent has it: a name, a description, the schema of the arguments, and a call. Made by
/// [`Toolbox::builder`](super::Toolbox::builder) of a value of any kind.
#[derive(Debug, Clone)]
pub struct AgentTool {
    value: ToolValue,
    definition: ToolDefinition,
    backends: Arc<Backends>,
}

impl AgentTool {
    /// The tool under this name. Where that is not the value's own name, people still see that one, as the title.
    pub(super) fn new(name: String, value: ToolValue, backends: &Arc<Backends>) -> Self {
        let mut definition = value.definition().unwrap_or_else(|| {
            ToolDefinition::new(&name, Value::Object(Map::from_iter([("type".to_owned(), "object".into())])))
        });
        if definition.name != name && definition.title.is_none() {
            definition.title = Some(definition.name);
        }
        definition.name = name;
        Self { value, definition, backends: backends.clone() }
    }

    /// What the model calls: `^[a-zA-Z0-9_-]{1,64}$`.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What the tool does, for the model.
    pub fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }

    /// JSON Schema of the arguments, with an object at its root.
    pub fn args_schema(&self) -> &Value {
        &self.definition.input_schema
    }

    /// All that is shown of the tool.
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// The value behind it.
    pub fn value(&self) -> &ToolValue {
        &self.value
    }

    /// Calls the tool; see [`Toolbox::call`](super::Toolbox::call).
    pub async fn call(&self, arguments: impl Into<Value>) -> ToolMessage {
        let arguments = match read_arguments(arguments.into()) {
            Ok(arguments) => arguments,
            Err(problem) => return ToolMessage::failed(self.name(), problem),
        };
        match self.backends.run(&self.value, arguments).await {
            Ok(result) => ToolMessage::of_result(self.name(), result),
            Err(error) => ToolMessage::failed(self.name(), error),
        }
    }
}

/// The arguments of a call as a model makes them.
fn read_arguments(arguments: Value) -> Result<Map<String, Value>, String> {
    let arguments = match arguments {
        Value::String(text) if text.trim().is_empty() => return Ok(Map::new()),
        Value::String(text) => {
            serde_json::from_str(&text).map_err(|error| format!("the arguments are not JSON: {error}"))?
        }
        arguments => arguments,
    };
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        Value::Array(_) | Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            Err("the arguments are not a JSON object; write `{}` for none".to_owned())
        }
    }
}
