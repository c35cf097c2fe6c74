//! Input requests: what the server needs from the client before it can return a result (2026-07-28,
//! basic/patterns/mrtr). Up to 2025-11-25 these are requests from the server.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CreateMessageParams, ElicitParams, RequestMeta, RequestParams, ResultType, method};

/// Input requests by key. The responses use the same keys.
pub type InputRequests = BTreeMap<String, InputRequest>;

/// Input responses by the keys of the requests: [`ElicitResult`](super::ElicitResult),
/// [`CreateMessageResult`](super::CreateMessageResult) or [`ListRootsResult`](super::ListRootsResult), which
/// only the request distinguishes.
pub type InputResponses = BTreeMap<String, Value>;

/// An input request to the client (2026-07-28, schema `InputRequest`), unparsed; [`InputRequest::read`] parses it.
///
/// ```
/// use serde_json::json;
/// use toolwright_core::protocol::{InputRequest, InputRequestKind};
///
/// let request = InputRequest::new("roots/list", json!({}));
/// assert!(matches!(request.read(), Ok(InputRequestKind::ListRoots(_))));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputRequest {
    /// The method: `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The parameters: an object, or `null` if there are none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub params: Value,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A parsed input request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequestKind {
    /// Elicitation.
    Elicit(ElicitParams),
    /// Sampling.
    CreateMessage(Box<CreateMessageParams>),
    /// Roots.
    ListRoots(RequestParams),
}

impl InputRequest {
    /// Creates an input request. The parameters are those of `ElicitRequest`, `CreateMessageRequest` or
    /// `ListRootsRequest` of the schema.
    pub fn new(method: impl Into<String>, params: Value) -> Self {
        Self { method: method.into(), params, other: Map::new() }
    }

    /// Parses the parameters according to the method.
    ///
    /// # Errors
    /// An unknown method, or invalid parameters; the message says which.
    pub fn read(&self) -> Result<InputRequestKind, serde_json::Error> {
        let params = || if self.params.is_null() { Value::Object(Map::new()) } else { self.params.clone() };
        match self.method.as_str() {
            method::ELICITATION_CREATE => ElicitParams::deserialize(params()).map(InputRequestKind::Elicit),
            method::SAMPLING_CREATE_MESSAGE => CreateMessageParams::deserialize(params())
                .map(|params| InputRequestKind::CreateMessage(Box::new(params))),
            method::ROOTS_LIST => RequestParams::deserialize(params()).map(InputRequestKind::ListRoots),
            other => Err(serde_json::Error::custom(format_args!(
                "unknown input request `{}`; expected elicitation, sampling or roots",
                super::error::shorten(other)
            ))),
        }
    }
}

impl InputRequestKind {
    /// Converts into the form that is sent.
    ///
    /// # Errors
    /// Returns an error if the parameters cannot be serialized.
    pub fn to_request(&self) -> Result<InputRequest, serde_json::Error> {
        let (method, params) = match self {
            Self::Elicit(params) => (method::ELICITATION_CREATE, serde_json::to_value(params)?),
            Self::CreateMessage(params) => (method::SAMPLING_CREATE_MESSAGE, serde_json::to_value(params)?),
            Self::ListRoots(params) => (method::ROOTS_LIST, serde_json::to_value(params)?),
        };
        Ok(InputRequest::new(method, params))
    }
}

/// Replaces a result: the client collects input and repeats the request (2026-07-28, schema `InputRequiredResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// Always `input_required`.
    pub result_type: ResultType,
    /// The input requests; omitted if the client only has to repeat the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// Opaque state that the client returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl InputRequiredResult {
    /// Creates a result with input requests.
    pub fn new(input_requests: InputRequests) -> Self {
        Self {
            result_type: ResultType::InputRequired,
            input_requests: Some(input_requests),
            request_state: None,
            meta: None,
            other: Map::new(),
        }
    }
}

/// The parameters of any request that carries input responses (2026-07-28, schema `InputResponseRequestParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputResponseParams {
    /// The input responses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The `requestState` of the earlier result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
