//! Sampling: requests to the client's model, and their results.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::content::{ContentBlock, Role};

use super::{KnownRequest, object};

/// A completion to request from the client's model (2026-07-28, client/sampling "Creating Messages").
///
/// The client chooses the model, and its user may modify or reject the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    messages: Vec<Value>,
    members: Map<String, Value>,
}

impl Sampling {
    /// Creates a request with a user message and a limit of 1,000 tokens, which [`Sampling::max_tokens`] overrides.
    pub fn new(message: impl Into<ContentBlock>) -> Self {
        let members = Map::from_iter([("maxTokens".to_owned(), json!(1_000))]);
        Self { messages: Vec::new(), members }.message(Role::User, message)
    }

    /// Appends a message to the conversation.
    pub fn message(mut self, role: Role, content: impl Into<ContentBlock>) -> Self {
        self.messages.push(json!({"role": role, "content": content.into()}));
        self
    }

    /// Sets the maximum number of tokens to generate.
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.with("maxTokens", tokens)
    }

    /// Sets the system prompt.
    pub fn system_prompt(self, prompt: impl Into<String>) -> Self {
        self.with("systemPrompt", prompt.into())
    }

    /// Sets the temperature.
    pub fn temperature(self, temperature: f64) -> Self {
        self.with("temperature", temperature)
    }

    /// Sets strings at which the model stops.
    pub fn stop_sequences<S: Into<String>>(self, sequences: impl IntoIterator<Item = S>) -> Self {
        self.with("stopSequences", sequences.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Adds the name, or a part of the name, of a preferred model; earlier hints take precedence.
    pub fn model_hint(mut self, name: impl Into<String>) -> Self {
        let preferences = self.members.entry("modelPreferences").or_insert_with(|| json!({}));
        if let Some(preferences) = preferences.as_object_mut() {
            let hints = preferences.entry("hints").or_insert_with(|| json!([]));
            if let Some(hints) = hints.as_array_mut() {
                hints.push(json!({"name": name.into()}));
            }
        }
        self
    }

    /// Sets a member of `CreateMessageRequest` that has no method here: `tools` and `toolChoice`, or `messages` in
    /// place of those added, including tool uses and their results. The first two require that the client has declared
    /// `sampling.tools`, which was added in 2025-11-25.
    pub fn with(mut self, member: impl Into<String>, value: impl Into<Value>) -> Self {
        self.members.insert(member.into(), value.into());
        self
    }

    pub(crate) fn into_request(self) -> KnownRequest {
        let uses_tools = self.members.contains_key("tools") || self.members.contains_key("toolChoice");
        let mut params = Map::from_iter([("messages".to_owned(), Value::Array(self.messages))]);
        params.extend(self.members);
        KnownRequest::sampling(params, uses_tools)
    }
}

/// A completion from the client's model (2026-07-28, schema `CreateMessageResult`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sampled {
    /// The role of the message, normally the assistant.
    pub role: Role,
    /// The content. A tool use is a [`ContentBlock::Unknown`].
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<ContentBlock>,
    /// The model.
    pub model: String,
    /// Why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a client-specific reason.
    #[serde(default)]
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// Returns the text of all text blocks, joined with blank lines.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn read(answer: &RawValue) -> Result<Self, String> {
        object(answer)
    }
}

/// Before 2025-11-25, the content is one block; later it may be a list.
fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    use serde::de::Error;
    let text = <&RawValue>::deserialize(deserializer)?.get();
    let blocks = match text.as_bytes().first() {
        Some(b'[') => serde_json::from_str(text),
        Some(b'{') => serde_json::from_str(text).map(|block| vec![block]),
        _ => return Err(D::Error::custom("`content` must be a block or a list of blocks")),
    };
    blocks.map_err(D::Error::custom)
}
