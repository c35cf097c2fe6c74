//! Elicitation: the server requests input from the client's user (2026-07-28, client/elicitation).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{RequestMeta, TaskRequest};

/// The parameters of `elicitation/create` (2026-07-28, schema `ElicitRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ElicitParams {
    /// Form mode: the user fills in a form.
    Form(ElicitFormParams),
    /// URL mode: the user visits a page; since 2025-11-25.
    Url(ElicitUrlParams),
}

/// A missing `mode` means a form. Unknown modes are rejected, since no client could display them.
impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::<String, Value>::deserialize(deserializer)?;
        let read = match members.get("mode") {
            None => ElicitFormParams::deserialize(Value::Object(members)).map(Self::Form),
            Some(mode) if mode == "form" => {
                ElicitFormParams::deserialize(Value::Object(members)).map(Self::Form)
            }
            Some(mode) if mode == "url" => {
                ElicitUrlParams::deserialize(Value::Object(members)).map(Self::Url)
            }
            Some(mode) => {
                return Err(D::Error::custom(format_args!("unknown elicitation mode {mode}")));
            }
        };
        read.map_err(D::Error::custom)
    }
}

/// The mode of an elicitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitMode {
    /// A form.
    Form,
    /// A URL.
    Url,
}

/// Form elicitation (2026-07-28, schema `ElicitRequestFormParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitFormParams {
    /// Always the form mode; omitted in revisions before 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitMode>,
    /// The message for the user.
    pub message: String,
    /// JSON Schema of a flat object: strings, numbers, booleans, single and multiple choices.
    pub requested_schema: Map<String, Value>,
    /// Allows the client to respond with a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitFormParams {
    /// Creates parameters without a mode.
    pub fn new(message: impl Into<String>, requested_schema: Map<String, Value>) -> Self {
        Self {
            mode: None,
            message: message.into(),
            requested_schema,
            task: None,
            meta: None,
            other: Map::new(),
        }
    }
}

/// URL elicitation (2026-07-28, schema `ElicitRequestURLParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitUrlParams {
    /// Always the URL mode.
    pub mode: ElicitMode,
    /// The reason for the visit, for the user.
    pub message: String,
    /// The URL.
    pub url: String,
    /// The id that [`ElicitationCompleteParams`] refers to; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// Allows the client to respond with a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitUrlParams {
    /// Creates parameters for a URL.
    pub fn new(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self {
            mode: ElicitMode::Url,
            message: message.into(),
            url: url.into(),
            elicitation_id: None,
            task: None,
            meta: None,
            other: Map::new(),
        }
    }
}

/// The user's response (2026-07-28, client/elicitation "Response Actions").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// The user accepted.
    Accept,
    /// The user declined.
    Decline,
    /// The user dismissed the request.
    Cancel,
}

/// The result of an elicitation (2026-07-28, schema `ElicitResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitResult {
    /// The user's response.
    pub action: ElicitAction,
    /// The form data, if the user accepted a form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitResult {
    /// Creates a result without content.
    pub fn new(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None, other: Map::new() }
    }
}

/// The parameters of `notifications/elicitation/complete` (2025-11-25, schema `ElicitationCompleteNotification`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCompleteParams {
    /// The id of the elicitation.
    pub elicitation_id: String,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitationCompleteParams {
    /// Reports that the elicitation of this id is complete.
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self { elicitation_id: elicitation_id.into(), meta: None, other: Map::new() }
    }
}

/// The data of the error [`URL_ELICITATION_REQUIRED`](super::error::URL_ELICITATION_REQUIRED) (2025-11-25, schema
/// `URLElicitationRequiredError`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitationRequired {
    /// The elicitations that must be completed first.
    pub elicitations: Vec<ElicitUrlParams>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl UrlElicitationRequired {
    /// Creates the error data.
    pub fn new(elicitations: Vec<ElicitUrlParams>) -> Self {
        Self { elicitations, other: Map::new() }
    }
}
