//! One tool of an agent.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

use super::backend::Backends;
use super::message::ToolMessage;
use crate::value::ToolValue;

/// A tool of an agent: a name, a description, an argument schema and a call.
/// [`Toolbox::builder`](super::Toolbox::builder) creates it from a value of any kind.
#[derive(Debug, Clone)]
pub struct AgentTool {
    value: ToolValue,
    definition: ToolDefinition,
    backends: Arc<Backends>,
}

impl AgentTool {
    /// Creates the tool under this name. If that is not the value's name, the definition's title shows the
    /// original one.
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

    /// Returns the name for the model: `^[a-zA-Z0-9_-]{1,64}$`.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the tool's description for the model.
    pub fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }

    /// Returns the JSON Schema of the arguments, with an object at its root.
    pub fn args_schema(&self) -> &Value {
        &self.definition.input_schema
    }

    /// Returns the tool's definition.
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Returns the underlying value.
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

/// Parses the arguments of a call as models write them.
fn read_arguments(arguments: Value) -> Result<Map<String, Value>, String> {
    let arguments = match arguments {
        Value::String(text) if text.trim().is_empty() => return Ok(Map::new()),
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| format!("the arguments are not valid JSON: {error}"))?,
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
