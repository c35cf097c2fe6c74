//! Input requests of servers: elicitation, sampling and roots.
//!
//! Up to 2025-11-25, they are requests from the server; in 2026-07-28, they are part of a result (basic/patterns/mrtr).

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_core::protocol::method;

use crate::config::BoxFuture;

/// An elicitation: a request for input from the user (2026-07-28, client/elicitation).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elicitation {
    /// A form.
    Form {
        /// The message for the user.
        message: String,
        /// The JSON Schema of the fields: a flat object.
        schema: Value,
    },
    /// A page for the user to open. Show its host and ask for consent before opening it.
    Url {
        /// The message for the user.
        message: String,
        /// The URL of the page.
        url: String,
    },
}

/// The user's response to an elicitation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationResponse {
    /// The user accepted, with these values of a form.
    Accept(Map<String, Value>),
    /// The user declined.
    Decline,
    /// The user dismissed it without a choice.
    Cancel,
}

/// A request to the client's model (2026-07-28, client/sampling).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampling {
    /// The parameters: `messages`, `maxTokens` and so on.
    pub params: Map<String, Value>,
}

/// A root: a folder that the server may work in (2026-07-28, client/roots).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// The folder as a `file:` URI.
    pub uri: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The rejection of an input request, as a JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) code: i64,
    pub(crate) message: String,
}

type Elicit = dyn Fn(Elicitation) -> BoxFuture<'static, ElicitationResponse> + Send + Sync;
type Sample = dyn Fn(Sampling) -> BoxFuture<'static, Option<Value>> + Send + Sync;

/// The handlers of input requests.
#[derive(Clone, Default)]
pub(crate) struct InputHandlers {
    pub(crate) elicit: Option<Arc<Elicit>>,
    /// Whether `elicit` also handles URLs.
    pub(crate) url_elicitation: bool,
    pub(crate) sample: Option<Arc<Sample>>,
    pub(crate) roots: Option<Arc<[Root]>>,
    /// Whether input requests are forwarded to the senders of relayed requests.
    pub(crate) relays: bool,
}

impl Root {
    /// Creates a root from a `file:` URI.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None }
    }
}

impl Elicitation {
    /// Returns the default values of a form's fields; empty for a URL.
    pub fn defaults(&self) -> Map<String, Value> {
        let Self::Form { schema, .. } = self else { return Map::new() };
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let defaults = fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())));
        defaults.collect()
    }

    fn read(params: &Value) -> Option<Self> {
        let string = |key: &str| params.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = string("message").unwrap_or_default();
        match string("mode").as_deref() {
            Some("url") => Some(Self::Url { message, url: string("url")? }),
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
    /// Returns the capabilities that the handlers provide.
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

    /// Responds to an input request, with a result as JSON.
    pub(crate) async fn respond(&self, method: &str, params: &str) -> Result<String, Rejection> {
        let rejection = |code, message: &str| Rejection { code, message: message.to_owned() };
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        let result = match method {
            method::ELICITATION_CREATE => match (&self.elicit, Elicitation::read(&params)) {
                (Some(elicit), Some(elicitation)) => {
                    if matches!(elicitation, Elicitation::Url { .. }) && !self.url_elicitation {
                        return Err(rejection(-32602, "this client does not support elicitation with URLs"));
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
                    return Err(rejection(-32602, "unknown elicitation mode"));
                }
                (None, _) => return Err(rejection(-32601, "this client does not support elicitation")),
            },
            method::SAMPLING_CREATE_MESSAGE => match (&self.sample, params) {
                (Some(sample), Value::Object(params)) => match sample(Sampling { params }).await {
                    Some(result) => result,
                    None => return Err(rejection(-1, "the user rejected the sampling request")),
                },
                (Some(_), _) => return Err(rejection(-32602, "the parameters must be an object")),
                (None, _) => return Err(rejection(-32601, "this client does not support sampling")),
            },
            method::ROOTS_LIST => match &self.roots {
                Some(roots) => json!({"roots": &**roots}),
                None => return Err(rejection(-32601, "this client does not support roots")),
            },
            _ => return Err(rejection(-32601, "method not found")),
        };
        Ok(result.to_string())
    }

    /// Responds to the input requests of a result, with the JSON of `inputResponses`.
    ///
    /// # Errors
    /// The first rejection, with its method: 2026-07-28 has no way to send one.
    pub(crate) async fn respond_to_all(
        &self,
        requests: &Map<String, Value>,
    ) -> Result<String, (String, Rejection)> {
        let mut responses = Map::new();
        for (key, request) in requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").map_or_else(|| "{}".to_owned(), Value::to_string);
            let response =
                self.respond(method, &params).await.map_err(|rejection| (method.to_owned(), rejection))?;
            responses.insert(key.clone(), serde_json::from_str(&response).unwrap_or_default());
        }
        Ok(Value::Object(responses).to_string())
    }
}

impl fmt::Debug for InputHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InputHandlers").field(&self.capabilities()).finish()
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
    async fn requests_without_a_handler_are_rejected() {
        let handlers = InputHandlers::default();
        assert!(handlers.capabilities().is_empty());
        for method in ["elicitation/create", "sampling/createMessage", "roots/list", "vendor/ask"] {
            assert_eq!(handlers.respond(method, "{}").await.unwrap_err().code, -32601, "{method}");
        }
    }

    #[tokio::test]
    async fn handlers_respond_and_are_declared() {
        let handlers = handlers();
        let declared = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}});
        assert_eq!(Value::Object(handlers.capabilities()), declared);
        let form = json!({"message": "m", "requestedSchema": {"properties": {"n": {"type": "integer", "default": 7}}}});
        let response = handlers.respond("elicitation/create", &form.to_string()).await.unwrap();
        assert_eq!(response, r#"{"action":"accept","content":{"n":7}}"#);
        assert_eq!(handlers.respond("roots/list", "{}").await.unwrap(), r#"{"roots":[{"uri":"file:///a"}]}"#);
        let rejected = handlers.respond("sampling/createMessage", "{}").await.unwrap_err();
        assert_eq!(rejected.message, "the user rejected the sampling request");
        let page = r#"{"mode":"url","message":"m","url":"https://example.com"}"#;
        assert_eq!(handlers.respond("elicitation/create", page).await.unwrap_err().code, -32602);
    }

    #[tokio::test]
    async fn one_rejection_ends_a_round_of_requests() {
        let requests =
            json!({"a": {"method": "roots/list"}, "b": {"method": "sampling/createMessage", "params": {}}});
        let (method, rejection) = handlers().respond_to_all(requests.as_object().unwrap()).await.unwrap_err();
        assert_eq!((&*method, rejection.code), ("sampling/createMessage", -1));
    }
}
