//! Questions, as they go to the client.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_core::content::{ContentBlock, Role};
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;
use toolwright_core::schema;

use super::AskError;

/// What a server asks: a form or a page for the user (`elicitation/create`), a text of the model
/// (`sampling/createMessage`), or the folders (`roots/list`).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct InputRequest {
    /// The method.
    pub method: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Value,
}

impl InputRequest {
    /// A request: the parameters are those of `ElicitRequest`, `CreateMessageRequest` or `ListRootsRequest` of the schema
    /// of 2026-07-28.
    pub fn new(method: impl Into<String>, params: Value) -> Self {
        Self { method: method.into(), params }
    }
}

/// A question: a request of the server in the schema's words (2026-07-28, schema `InputRequest`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Question {
    method: &'static str,
    params: Value,
    #[serde(skip)]
    kind: Kind,
}

/// What a client must be able to do to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Form,
    Url,
    Sampling,
    SamplingWithTools,
    Roots,
}

impl Question {
    pub(crate) fn form(message: &str, form: &Value) -> Self {
        let params = json!({"mode": "form", "message": message, "requestedSchema": form});
        Self { method: method::ELICITATION_CREATE, params, kind: Kind::Form }
    }

    pub(super) fn url(message: &str, url: &str) -> Self {
        let params = json!({"mode": "url", "message": message, "url": url});
        Self { method: method::ELICITATION_CREATE, params, kind: Kind::Url }
    }

    pub(crate) fn roots() -> Self {
        Self { method: method::ROOTS_LIST, params: json!({}), kind: Kind::Roots }
    }

    /// A request that comes from elsewhere.
    pub(crate) fn of(request: &InputRequest) -> Result<Self, AskError> {
        let InputRequest { method, params } = request;
        let (method, kind) = match method.as_str() {
            method::ELICITATION_CREATE if params.get("mode").is_some_and(|mode| mode == "url") => {
                (method::ELICITATION_CREATE, Kind::Url)
            }
            method::ELICITATION_CREATE => (method::ELICITATION_CREATE, Kind::Form),
            method::SAMPLING_CREATE_MESSAGE if params.get("tools").or(params.get("toolChoice")).is_some() => {
                (method::SAMPLING_CREATE_MESSAGE, Kind::SamplingWithTools)
            }
            method::SAMPLING_CREATE_MESSAGE => (method::SAMPLING_CREATE_MESSAGE, Kind::Sampling),
            method::ROOTS_LIST => (method::ROOTS_LIST, Kind::Roots),
            other => return Err(AskError::Method(toolwright_core::protocol::error::shortened(other))),
        };
        let params = if params.is_object() { params.clone() } else { json!({}) };
        Ok(Self { method, params, kind })
    }

    /// Refuses a key under which another question was asked before.
    pub(crate) fn check_key(&self, key: &str, asked: Option<&Self>) -> Result<(), AskError> {
        match asked {
            Some(other) if other != self => Err(AskError::SameKey(key.to_owned())),
            _ => Ok(()),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn method(&self) -> &'static str {
        self.method
    }

    /// The parameters in the words of a legacy revision; a page gets the id that 2025-11-25 wants.
    pub(crate) fn legacy_params(
        &self,
        revision: Revision,
        elicitation_id: Option<&str>,
    ) -> Result<Value, AskError> {
        let mut params = self.params.clone();
        let Some(members) = params.as_object_mut() else { return Ok(params) };
        match self.kind {
            Kind::Form if revision < Revision::V2025_11_25 => {
                members.shift_remove("mode");
                if let Some(form) = members.get_mut("requestedSchema") {
                    *form = schema::form_for(form, revision)?;
                }
            }
            Kind::Sampling | Kind::SamplingWithTools => {
                for message in members.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten()
                {
                    let content = message.get("content").cloned().unwrap_or_default();
                    if let Ok(block) = serde_json::from_value::<ContentBlock>(content) {
                        message["content"] = json!(block.for_revision(revision));
                    }
                }
            }
            _ => {}
        }
        if let Some(id) = elicitation_id {
            members.insert("elicitationId".to_owned(), id.into());
        }
        Ok(params)
    }
}

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

    pub(super) fn into_question(self) -> Question {
        let uses_tools = self.members.contains_key("tools") || self.members.contains_key("toolChoice");
        let kind = if uses_tools { Kind::SamplingWithTools } else { Kind::Sampling };
        let mut params = Map::from_iter([("messages".to_owned(), Value::Array(self.messages))]);
        params.extend(self.members);
        Question { method: method::SAMPLING_CREATE_MESSAGE, params: Value::Object(params), kind }
    }
}
