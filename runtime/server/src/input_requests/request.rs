//! Input requests that the server supports: their kinds, and their form in each revision.

use serde::Serialize;
use serde_json::{Map, Value, json};
use toolwright_core::content::ContentBlock;
use toolwright_core::protocol::{InputRequest, method};
use toolwright_core::revision::Revision;
use toolwright_core::schema;

use super::InputRequestError;

/// An input request of a known kind (2026-07-28, schema `InputRequest`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct KnownRequest {
    method: &'static str,
    params: Value,
    #[serde(skip)]
    kind: InputKind,
}

/// The kind of an input request, which determines the capability that it requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    Form,
    Url,
    Sampling,
    SamplingWithTools,
    Roots,
}

impl KnownRequest {
    pub(crate) fn form(message: &str, form: &Value) -> Self {
        let params = json!({"mode": "form", "message": message, "requestedSchema": form});
        Self { method: method::ELICITATION_CREATE, params, kind: InputKind::Form }
    }

    pub(crate) fn url(message: &str, url: &str) -> Self {
        let params = json!({"mode": "url", "message": message, "url": url});
        Self { method: method::ELICITATION_CREATE, params, kind: InputKind::Url }
    }

    pub(super) fn sampling(params: Map<String, Value>, uses_tools: bool) -> Self {
        let kind = if uses_tools { InputKind::SamplingWithTools } else { InputKind::Sampling };
        Self { method: method::SAMPLING_CREATE_MESSAGE, params: Value::Object(params), kind }
    }

    pub(crate) fn roots() -> Self {
        Self { method: method::ROOTS_LIST, params: json!({}), kind: InputKind::Roots }
    }

    /// Converts a request that a provider or user code created.
    pub(crate) fn of(request: &InputRequest) -> Result<Self, InputRequestError> {
        let InputRequest { method, params, .. } = request;
        let (method, kind) = match method.as_str() {
            method::ELICITATION_CREATE if params.get("mode").is_some_and(|mode| mode == "url") => {
                (method::ELICITATION_CREATE, InputKind::Url)
            }
            method::ELICITATION_CREATE => (method::ELICITATION_CREATE, InputKind::Form),
            method::SAMPLING_CREATE_MESSAGE if params.get("tools").or(params.get("toolChoice")).is_some() => {
                (method::SAMPLING_CREATE_MESSAGE, InputKind::SamplingWithTools)
            }
            method::SAMPLING_CREATE_MESSAGE => (method::SAMPLING_CREATE_MESSAGE, InputKind::Sampling),
            method::ROOTS_LIST => (method::ROOTS_LIST, InputKind::Roots),
            other => {
                return Err(InputRequestError::Method(toolwright_core::protocol::error::shorten(other)));
            }
        };
        let params = if params.is_object() { params.clone() } else { json!({}) };
        Ok(Self { method, params, kind })
    }

    /// Rejects a key that another input request of the call has used.
    pub(crate) fn check_key(&self, key: &str, asked: Option<&Self>) -> Result<(), InputRequestError> {
        match asked {
            Some(other) if other != self => Err(InputRequestError::SameKey(key.to_owned())),
            _ => Ok(()),
        }
    }

    pub(crate) fn kind(&self) -> InputKind {
        self.kind
    }

    pub(crate) fn method(&self) -> &'static str {
        self.method
    }

    /// The parameters in the form of a legacy revision; URL mode gets the id that 2025-11-25 requires.
    pub(crate) fn legacy_params(
        &self,
        revision: Revision,
        elicitation_id: Option<&str>,
    ) -> Result<Value, InputRequestError> {
        let mut params = self.params.clone();
        let Some(members) = params.as_object_mut() else { return Ok(params) };
        match self.kind {
            InputKind::Form if revision < Revision::V2025_11_25 => {
                members.shift_remove("mode");
                if let Some(form) = members.get_mut("requestedSchema") {
                    *form = schema::form_for(form, revision)?;
                }
            }
            InputKind::Sampling | InputKind::SamplingWithTools => {
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
