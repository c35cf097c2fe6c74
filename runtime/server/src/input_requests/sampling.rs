//! Sampling: what the client's model is to write, and what it wrote.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::content::{ContentBlock, Role};

use super::{KnownRequest, object};

/// A text that the client's model is to write (2026-07-28, client/sampling "Creating Messages").
///
/// The client decides which model that is, and its user may change or refuse the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    messages: Vec<Value>,
    members: Map<String, Value>,
}

impl Sampling {
    /// A message of the user; 1,000 tokens at most unless [`Sampling::max_tokens`] says otherwise.
    pub fn new(message: impl Into<ContentBlock>) -> Self {
        let members = Map::from_iter([("maxTokens".to_owned(), json!(1_000))]);
        Self { messages: Vec::new(), members }.message(Role::User, message)
    }

    /// One message more, in the order of the conversation.
    pub fn message(mut self, role: Role, content: impl Into<ContentBlock>) -> Self {
        self.messages.push(json!({"role": role, "content": content.into()}));
        self
    }

    /// How many tokens the model writes at most.
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.with("maxTokens", tokens)
    }

    /// The system prompt.
    pub fn system_prompt(self, prompt: impl Into<String>) -> Self {
        self.with("systemPrompt", prompt.into())
    }

    /// The temperature.
    pub fn temperature(self, temperature: f64) -> Self {
        self.with("temperature", temperature)
    }

    /// Texts at which the model stops.
    pub fn stop_sequences<S: Into<String>>(self, sequences: impl IntoIterator<Item = S>) -> Self {
        self.with("stopSequences", sequences.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// A name, or a part of one, of a model that would be good; of several the first counts most.
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

    /// A member of `CreateMessageRequest` as it is, for what has no method here: `tools` and `toolChoice`, or `messages` in
    /// place of those given, with the uses of tools and their results. With the first two the client must have declared
    /// `sampling.tools`, which came with 2025-11-25.
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

/// What the client's model wrote (2026-07-28, schema `CreateMessageResult`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sampled {
    /// Who speaks: the assistant, as a rule.
    pub role: Role,
    /// What was written. A use of a tool is a [`ContentBlock::Unknown`].
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<ContentBlock>,
    /// The model.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the client's own.
    #[serde(default)]
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// The text of all text blocks, joined with a blank line.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn read(answer: &RawValue) -> Result<Self, String> {
        object(answer)
    }
}

/// Before 2025-11-25 the content is one block; later it may be a list.
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
