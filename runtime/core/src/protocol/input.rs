//! Input requests: what a server asks its client before it can give a result (2026-07-28, basic/patterns/mrtr). Up to
//! 2025-11-25 the same questions are requests of the server.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CreateMessageParams, ElicitParams, RequestMeta, RequestParams, ResultType, method};

/// Input requests by their keys, which the answers repeat.
pub type InputRequests = BTreeMap<String, InputRequest>;

/// Answers by the keys of the requests: [`ElicitResult`](super::ElicitResult),
/// [`CreateMessageResult`](super::CreateMessageResult) or [`ListRootsResult`](super::ListRootsResult), which nothing but
/// the request tells apart.
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
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequestKind {
    /// The user is asked.
    Elicit(ElicitParams),
    /// The model is asked.
    CreateMessage(Box<CreateMessageParams>),
    /// The roots are asked for.
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
                "unknown input request `{}`; known are elicitation, sampling and roots",
                super::error::shortened(other)
            ))),
        }
    }
}

impl InputRequestKind {
    /// The question as it is sent.
    ///
    /// # Errors
    /// What of the parameters has no form in JSON.
    pub fn to_request(&self) -> Result<InputRequest, serde_json::Error> {
        let (method, params) = match self {
            Self::Elicit(params) => (method::ELICITATION_CREATE, serde_json::to_value(params)?),
            Self::CreateMessage(params) => (method::SAMPLING_CREATE_MESSAGE, serde_json::to_value(params)?),
            Self::ListRoots(params) => (method::ROOTS_LIST, serde_json::to_value(params)?),
        };
        Ok(InputRequest::new(method, params))
    }
}

/// In place of a result: the client answers, and asks again (2026-07-28, schema `InputRequiredResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// Always `input_required`.
    pub result_type: ResultType,
    /// What the server asks; left out where there is nothing to ask, and the client just asks again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// What the client repeats, unread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl InputRequiredResult {
    /// These questions.
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

/// The parameters of any request that answers input requests (2026-07-28, schema `InputResponseRequestParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputResponseParams {
    /// The answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server said when it asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
