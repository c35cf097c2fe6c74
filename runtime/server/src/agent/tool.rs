//! One command as a tool.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::{arguments, docs};

use super::ask::{AgentError, envelope, run};
use super::envelope::ToolCall;
use super::message::{AgentMessage, Source};
use super::router::{self, RouteError};
use super::text::{Part, parts};
use crate::context::Context;
use crate::provider::Provider;

/// The form of calls that a tool's documentation teaches. Every tool accepts both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputForm {
    /// Text: `key=value …`.
    Query,
    /// The envelope of a tool call.
    Json,
}

/// One command of a provider as a tool for an agent framework: a name, documentation, and a function from text to a
/// message.
#[derive(Clone)]
pub struct TextTool {
    provider: Arc<dyn Provider>,
    definition: ToolDefinition,
    form: InputForm,
    context_path: Option<String>,
}

impl std::fmt::Debug for TextTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextTool")
            .field("name", &self.definition.name)
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

impl TextTool {
    /// Creates a tool whose documentation teaches text.
    pub fn query(provider: Arc<dyn Provider>, definition: ToolDefinition) -> Self {
        Self::new(provider, definition, InputForm::Query)
    }

    /// Creates a tool whose documentation teaches the envelope.
    pub fn json(provider: Arc<dyn Provider>, definition: ToolDefinition) -> Self {
        Self::new(provider, definition, InputForm::Json)
    }

    pub(super) fn new(provider: Arc<dyn Provider>, definition: ToolDefinition, form: InputForm) -> Self {
        Self { provider, definition, form, context_path: None }
    }

    /// Sets the application context of calls, such as `orders/42`, instead of that of each call's [`Context`].
    pub fn in_context(self, path: impl Into<String>) -> Self {
        Self { context_path: Some(path.into()), ..self }
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the definition, with the JSON Schema of the arguments.
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Returns the form that the documentation teaches.
    pub fn form(&self) -> InputForm {
        self.form
    }

    /// Returns everything that an agent needs to call the tool: [`docs::full`], and a call in the tool's form.
    pub fn docs(&self) -> String {
        format!("{}\nCall it with: `{}`\n", docs::full(&self.definition), self.example())
    }

    /// An example of a call in the tool's form, with valid arguments.
    fn example(&self) -> String {
        let arguments = arguments::example(&self.definition.input_schema);
        match self.form {
            InputForm::Query => query(self.name(), &arguments),
            InputForm::Json => serde_json::json!({
                "type": "mcp_tool_call",
                "tool_call": {"name": self.name(), "arguments": arguments},
            })
            .to_string(),
        }
    }

    /// Calls the tool. JSON is tried first: the envelope, or an object with only the arguments. Anything else is text:
    /// the tool's name, which is optional, and `key=value` arguments. If the only parameter is a string, its bare value
    /// suffices.
    ///
    /// # Errors
    /// [`AgentError`] if the input is neither, or there is no result. A failed tool is a result with `is_error`.
    pub async fn call(&self, input: &str, cx: &Context) -> Result<AgentMessage, AgentError> {
        let (call, source) = self.read(input)?;
        run(&*self.provider, &call, source, self.context_path.as_deref(), cx).await
    }

    fn read(&self, input: &str) -> Result<(ToolCall, Source), AgentError> {
        let refused = match envelope(input) {
            Some(Ok(call)) if router::is_name(&self.definition, &call.name) => {
                return Ok((call, Source::Mcp));
            }
            Some(Ok(call)) => {
                return Err(AgentError::OtherTool { tool: self.definition.name.clone(), called: call.name });
            }
            Some(Err(refused)) => {
                if let Some(arguments) = bare_arguments(input) {
                    let call = ToolCall { name: self.definition.name.clone(), arguments: Some(arguments) };
                    return Ok((call, Source::Mcp));
                }
                Some(refused)
            }
            None => None,
        };
        let call = self.read_text(input).map_err(|route| AgentError::Input { refused, route })?;
        Ok((call, Source::Command))
    }

    fn read_text(&self, input: &str) -> Result<ToolCall, RouteError> {
        let text = router::without_name(&self.definition, input);
        if let (Some(parameter), false) =
            (self.only_text_parameter(), text.is_empty() || text.starts_with('{'))
        {
            let is_pair = |word: &str| {
                word.split_once('=').is_some_and(|(key, _)| router::fold(key) == router::fold(parameter))
            };
            if !text.split_whitespace().any(is_pair) {
                let arguments = Map::from_iter([(parameter.to_owned(), Value::from(text))]);
                return router::tool_call(&self.definition, &arguments);
            }
        }
        let parts: Vec<Part<'_>> = parts(text)?;
        router::call(&self.definition, &parts)
    }

    /// The only parameter, if it is a string.
    fn only_text_parameter(&self) -> Option<&str> {
        let properties = self.definition.input_schema.get("properties")?.as_object()?;
        match properties.iter().next() {
            Some((name, property)) if properties.len() == 1 && property.get("type")? == "string" => {
                Some(name)
            }
            _ => None,
        }
    }
}

/// The arguments, if the input is an object and not a malformed envelope.
fn bare_arguments(input: &str) -> Option<Box<RawValue>> {
    let arguments: Box<RawValue> = serde_json::from_str(input.trim_start_matches('\u{feff}')).ok()?;
    let members: Map<String, Value> = serde_json::from_str(arguments.get()).ok()?;
    let is_envelope = members.get("type").is_some_and(|kind| kind == "mcp_tool_call");
    (!is_envelope).then_some(arguments)
}

/// Formats a call as text.
fn query(name: &str, arguments: &Value) -> String {
    let pairs = arguments.as_object().into_iter().flatten().map(|(key, value)| match value {
        Value::String(text) => format!(" {key}=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        other => format!(" {key}={other}"),
    });
    std::iter::once(name.to_owned()).chain(pairs).collect()
}
