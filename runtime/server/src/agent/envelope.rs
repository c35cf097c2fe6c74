//! The envelope of a tool call.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::provider::ToolRequest;

/// A call as agents write it: `{"name": …, "arguments": {…}}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// The arguments: a JSON object, or `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
}

/// A tool call with its type tag.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<Call> {
    #[serde(rename = "type")]
    kind: Kind,
    tool_call: Call,
}

#[derive(Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "mcp_tool_call")]
    McpToolCall,
}

impl ToolCall {
    /// Parses `{"type":"mcp_tool_call","tool_call":{"name":…,"arguments":{…}}}` strictly: unknown members, a
    /// missing or empty name, and arguments that are not an object are errors; `arguments` may be `null` or
    /// absent.
    pub fn from_envelope(text: &str) -> Result<Self, EnvelopeError> {
        let envelope: Envelope<Self> = serde_json::from_str(text)?;
        let call = envelope.tool_call;
        if call.name.is_empty() {
            return Err(EnvelopeError::NoName);
        }
        if call.arguments.as_ref().is_some_and(|arguments| !arguments.get().starts_with('{')) {
            return Err(EnvelopeError::Arguments);
        }
        Ok(call)
    }

    /// Writes the envelope that [`ToolCall::from_envelope`] parses.
    ///
    /// # Errors
    /// These types cannot cause any; serde's signature has one.
    pub fn to_envelope(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Envelope { kind: Kind::McpToolCall, tool_call: self })
    }

    /// Creates the provider's request, in the caller's application context.
    pub fn request<'a>(&'a self, context_path: Option<&'a str>) -> ToolRequest<'a> {
        ToolRequest::new(&self.name, self.arguments.as_deref()).in_context(context_path)
    }
}

/// A text is not a valid tool call envelope.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// It is not JSON, or has another shape.
    #[error(r#"not a tool call of the form {{"type":"mcp_tool_call","tool_call":{{"name":…,"arguments":{{…}}}}}}: {0}"#)]
    Shape(#[from] serde_json::Error),
    /// The name is empty.
    #[error("the tool call has no tool name; set `name`")]
    NoName,
    /// The arguments are not a JSON object.
    #[error("the arguments of the tool call are not a JSON object; write `{{}}` for none")]
    Arguments,
}
