//! What a server may ask of the client: input of the user, a text of a model, the folders that are worked in.
//!
//! Up to 2025-11-25 these are requests of the server; in 2026-07-28 they stand in a result (basic/patterns/mrtr).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_core::protocol::method;

use crate::config::BoxFuture;

/// Input that a server asks of the user (2026-07-28, client/elicitation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elicitation {
    /// A form.
    Form {
        /// Why the server asks.
        message: String,
        /// The fields, as a JSON Schema of a flat object.
        schema: Value,
    },
    /// A page that the user is to open. Show its host and ask before it is opened.
    Url {
        /// Why the server asks.
        message: String,
        /// The address of the page.
        url: String,
    },
}

/// What the user did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationResponse {
    /// Agreed; of a form, with these values.
    Accept(Map<String, Value>),
    /// Said no.
    Decline,
    /// Closed it without saying.
    Cancel,
}

/// A text that a server asks of the client's model (2026-07-28, client/sampling).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampling {
    /// The parameters: `messages`, `maxTokens` and so on.
    pub params: Map<String, Value>,
}

/// A folder that is worked in (2026-07-28, client/roots).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// The folder as a `file:` URI.
    pub uri: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) code: i64,
    pub(crate) message: String,
}

type Elicit = dyn Fn(Elicitation) -> BoxFuture<'static, ElicitationResponse> + Send + Sync;
type Sample = dyn Fn(Sampling) -> BoxFuture<'static, Option<Value>> + Send + Sync;

/// What answers.
#[derive(Clone, Default)]
pub(crate) struct InputHandlers {
    pub(crate) elicit: Option<Arc<Elicit>>,
    /// Pages are shown too.
    pub(crate) url_elicitation: bool,
    pub(crate) sample: Option<Arc<Sample>>,
    pub(crate) roots: Option<Arc<[Root]>>,
    /// Whoever has sent a request that is relayed answers.
    pub(crate) relays: bool,
}

impl Root {
    /// A folder.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }
}

impl Elicitation {
    /// The defaults of a form's fields, for those who agree to all of them; empty for a page.
    pub fn defaults(&self) -> Map<String, Value> {
        let Self::Form { schema, .. } = self else { return Map::new() };
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let defaults = fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())));
        defaults.collect()
    }

    fn read(params: &Value) -> Option<Self> {
        let text = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = text("message").unwrap_or_default();
        match text("mode").as_deref() {
            Some("url") => Some(Self::Url { message, url: text("url")? }),
            // "Clients MUST treat requests without a `mode` field as form mode" (client/elicitation).
            Some("form") | None => Some(Self::Form {
                message,
                schema: params.get("requestedSchema").cloned().unwrap_or_default(),
            }),
            Some(_) => None,
        }
    }
}

impl InputHandlers {
    /// What the client says that it can be asked for.
    pub(crate) fn capabilities(&self) -> Map<String, Value> {
        let mut capabilities = Map::new();
        if self.elicit.is_some() {
            let mut modes = json!({"form": {}});
            if self.url_elicitation {
                modes["url"] = json!({});
            }
            capabilities.insert("elicitation".to_owned(), modes);
        }
        if self.sample.is_some() {
            capabilities.insert("sampling".to_owned(), json!({}));
        }
        if self.roots.is_some() {
            capabilities.insert("roots".to_owned(), json!({}));
        }
        if self.relays {
            capabilities.insert("elicitation".to_owned(), json!({"form": {}, "url": {}}));
            capabilities.insert("sampling".to_owned(), json!({"tools": {}}));
            capabilities.insert("roots".to_owned(), json!({}));
        }
        capabilities
    }

    /// The result of a question as JSON text.
    pub(crate) async fn respond(&self, method: &str, params: &str) -> Result<String, Rejection> {
        let rejection = |code, message: &str| Rejection { code, message: message.to_owned() };
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        let result = match method {
            method::ELICITATION_CREATE => match (&self.elicit, Elicitation::read(&params)) {
                (Some(elicit), Some(elicitation)) => {
                    if matches!(elicitation, Elicitation::Url { .. }) && !self.url_elicitation {
                        return Err(rejection(-32602, "this client opens no pages"));
                    }
                    let is_form = matches!(elicitation, Elicitation::Form { .. });
                    match elicit(elicitation).await {
                        ElicitationResponse::Accept(content) if is_form => {
                            json!({"action": "accept", "content": content})
                        }
                        ElicitationResponse::Accept(_) => json!({"action": "accept"}),
                        ElicitationResponse::Decline => json!({"action": "decline"}),
                        ElicitationResponse::Cancel => json!({"action": "cancel"}),
                    }
                }
                (Some(_), None) => {
                    return Err(rejection(-32602, "the elicitation has no mode that is known"));
                }
                (None, _) => return Err(rejection(-32601, "this client has no user to ask")),
            },
            method::SAMPLING_CREATE_MESSAGE => match (&self.sample, params) {
                (Some(sample), Value::Object(params)) => match sample(Sampling { params }).await {
                    Some(result) => result,
                    None => return Err(rejection(-1, "the user did not agree")),
                },
                (Some(_), _) => return Err(rejection(-32602, "the parameters are not an object")),
                (None, _) => return Err(rejection(-32601, "this client offers no model")),
            },
            method::ROOTS_LIST => match &self.roots {
                Some(roots) => json!({"roots": &**roots}),
                None => return Err(rejection(-32601, "this client has no roots")),
            },
            _ => return Err(rejection(-32601, "method not found")),
        };
        Ok(result.to_string())
    }

    /// The answers to what a result asks for, as the JSON text of `inputResponses`.
    ///
    /// # Errors
    /// The first question that is refused: 2026-07-28 has no way to send a refusal.
    pub(crate) async fn respond_to_all(
        &self,
        requests: &Map<String, Value>,
    ) -> Result<String, (String, Rejection)> {
        let mut answers = Map::new();
        for (key, request) in requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").map_or_else(|| "{}".to_owned(), Value::to_string);
            let answer =
                self.respond(method, &params).await.map_err(|rejection| (method.to_owned(), rejection))?;
            answers.insert(key.clone(), serde_json::from_str(&answer).unwrap_or_default());
        }
        Ok(Value::Object(answers).to_string())
    }
}

impl fmt::Debug for InputHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Questions").field(&self.capabilities()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handlers() -> InputHandlers {
        InputHandlers {
            elicit: Some(Arc::new(|request: Elicitation| {
                Box::pin(async move { ElicitationResponse::Accept(request.defaults()) })
            })),
            sample: Some(Arc::new(|_| Box::pin(async { None }))),
            roots: Some([Root::new("file:///a")].into()),
            url_elicitation: false,
            relays: false,
        }
    }

    #[tokio::test]
    async fn nothing_is_answered_without_a_handler() {
        let handlers = InputHandlers::default();
        assert!(handlers.capabilities().is_empty());
        for method in ["elicitation/create", "sampling/createMessage", "roots/list", "vendor/ask"] {
            assert_eq!(handlers.respond(method, "{}").await.unwrap_err().code, -32601, "{method}");
        }
    }

    #[tokio::test]
    async fn handlers_answer_and_are_declared() {
        let handlers = handlers();
        let declared = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}});
        assert_eq!(Value::Object(handlers.capabilities()), declared);
        let form = json!({"message": "m", "requestedSchema": {"properties": {"n": {"type": "integer", "default": 7}}}});
        let answer = handlers.respond("elicitation/create", &form.to_string()).await.unwrap();
        assert_eq!(answer, r#"{"action":"accept","content":{"n":7}}"#);
        assert_eq!(handlers.respond("roots/list", "{}").await.unwrap(), r#"{"roots":[{"uri":"file:///a"}]}"#);
        let rejected = handlers.respond("sampling/createMessage", "{}").await.unwrap_err();
        assert_eq!(rejected.message, "the user did not agree");
        let page = r#"{"mode":"url","message":"m","url":"https://example.com"}"#;
        assert_eq!(handlers.respond("elicitation/create", page).await.unwrap_err().code, -32602);
    }

    #[tokio::test]
    async fn one_refusal_ends_a_round_of_questions() {
        let requests =
            json!({"a": {"method": "roots/list"}, "b": {"method": "sampling/createMessage", "params": {}}});
        let (method, rejection) = handlers().respond_to_all(requests.as_object().unwrap()).await.unwrap_err();
        assert_eq!((&*method, rejection.code), ("sampling/createMessage", -1));
    }
}
