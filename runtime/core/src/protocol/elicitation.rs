//! Elicitation: a server asks the client's user (2026-07-28, client/elicitation).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{RequestMeta, TaskRequest};

/// The parameters of `elicitation/create` (2026-07-28, schema `ElicitRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ElicitParams {
    /// The user fills in a form.
    Form(ElicitFormParams),
    /// The user visits a page; since 2025-11-25.
    Url(ElicitUrlParams),
}

/// Without a `mode` it is a form. Any other mode is refused, since no client could show it.
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
                return Err(D::Error::custom(format_args!("unknown mode {mode} of an elicitation")));
            }
        };
        read.map_err(D::Error::custom)
    }
}

/// How an elicitation reaches the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitMode {
    /// By a form.
    Form,
    /// By a page.
    Url,
}

/// A form for the user (2026-07-28, schema `ElicitRequestFormParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitFormParams {
    /// Always a form; revisions before 2025-11-25 leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ElicitMode>,
    /// What the user is asked.
    pub message: String,
    /// JSON Schema of an object whose members are text, numbers, booleans, choices, or lists of choices.
    pub requested_schema: Map<String, Value>,
    /// The answer may be a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitFormParams {
    /// A form without a mode.
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

/// A page for the user (2026-07-28, schema `ElicitRequestURLParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitUrlParams {
    /// Always a page.
    pub mode: ElicitMode,
    /// Why the user should visit it.
    pub message: String,
    /// Its address.
    pub url: String,
    /// What [`ElicitationCompleteParams`] names; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// The answer may be a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitUrlParams {
    /// A page.
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

/// What the user did (2026-07-28, client/elicitation "Response Actions").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Agreed.
    Accept,
    /// Said no.
    Decline,
    /// Left without an answer.
    Cancel,
}

/// The answer to an elicitation (2026-07-28, schema `ElicitResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What was filled in, if the user agreed to a form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitResult {
    /// An action without content.
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
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ElicitationCompleteParams {
    /// What was to be done at the page of this id is done.
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
    /// The pages that the user must visit first.
    pub elicitations: Vec<ElicitUrlParams>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl UrlElicitationRequired {
    /// These pages.
    pub fn new(elicitations: Vec<ElicitUrlParams>) -> Self {
        Self { elicitations, other: Map::new() }
    }
}
