//! What requests and results of all methods have in common.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ClientCapabilities, Implementation, LogLevel, RequestId, Revision, meta};

/// What notifications of progress name: a string or an integer, as ids are.
pub type ProgressToken = RequestId<'static>;

/// `_meta` of a request (2026-07-28, basic "_meta"; up to 2025-11-25 only the token).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RequestMeta {
    /// [`meta::PROTOCOL_VERSION`].
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// [`meta::CLIENT_CAPABILITIES`].
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", skip_serializing_if = "Option::is_none")]
    pub client_capabilities: Option<ClientCapabilities>,
    /// [`meta::CLIENT_INFO`].
    #[serde(rename = "io.modelcontextprotocol/clientInfo", skip_serializing_if = "Option::is_none")]
    pub client_info: Option<Implementation>,
    /// [`meta::LOG_LEVEL`].
    #[serde(rename = "io.modelcontextprotocol/logLevel", skip_serializing_if = "Option::is_none")]
    pub log_level: Option<LogLevel>,
    /// [`meta::PROGRESS_TOKEN`].
    #[serde(rename = "progressToken", skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// Keys that the protocol does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl RequestMeta {
    /// What every request of a revision with request metadata says.
    pub fn modern(revision: Revision, client: Implementation, capabilities: ClientCapabilities) -> Self {
        Self {
            protocol_version: Some(revision.as_str().to_owned()),
            client_capabilities: Some(capabilities),
            client_info: Some(client),
            ..Self::default()
        }
    }
}

/// Who gave a result: [`meta::SERVER_INFO`] of its `_meta`; none if it is not said or has another form.
pub fn server_info_in(result_meta: &Map<String, Value>) -> Option<Implementation> {
    Implementation::deserialize(result_meta.get(meta::SERVER_INFO)?).ok()
}

/// Parameters without members of their own: `ping`, `server/discover`, `roots/list` (2026-07-28, schema `RequestParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RequestParams {
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Parameters of a notification without members of its own (2026-07-28, schema `NotificationParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotificationParams {
    /// What goes with the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// `_meta` of a notification (2026-07-28, schema `NotificationMetaObject`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotificationMeta {
    /// [`meta::SUBSCRIPTION_ID`].
    #[serde(rename = "io.modelcontextprotocol/subscriptionId", skip_serializing_if = "Option::is_none")]
    pub subscription_id: Option<RequestId<'static>>,
    /// Keys that the protocol does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What sort of result a result is (2026-07-28, schema `ResultType`). One that says nothing is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultType {
    /// The result of the method.
    Complete,
    /// Requests to the client, see [`InputRequiredResult`](super::InputRequiredResult).
    InputRequired,
    /// A task that goes on, see [`Task`](super::Task).
    Task,
    /// What this version of Toolwright does not know; a client must not read such a result.
    #[serde(untagged)]
    Other(String),
}

/// A result without members of its own (2026-07-28, schema `EmptyResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EmptyResult {
    /// Always `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/cancelled` (2026-07-28, schema `CancelledNotificationParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelledParams {
    /// The request that is cancelled; left out where it is a task, in 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId<'static>>,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What goes with the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/progress` (2026-07-28, schema `ProgressNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgressParams {
    /// The token of the request.
    pub progress_token: ProgressToken,
    /// How far it has come; grows with each notification.
    #[serde(with = "super::number")]
    pub progress: f64,
    /// How far it will come, if known.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub total: Option<f64>,
    /// The same in words; since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What goes with the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ProgressParams {
    /// Progress without a total.
    pub fn new(progress_token: ProgressToken, progress: f64) -> Self {
        Self { progress_token, progress, total: None, message: None, meta: None, other: Map::new() }
    }
}

/// Reads the parameters of a request or a notification, or a result, of which the type is known.
///
/// # Errors
/// What does not fit: an object is needed, and members of the right types.
pub fn read<T: serde::de::DeserializeOwned>(text: Option<&RawValue>) -> Result<T, serde_json::Error> {
    use serde::de::Error as _;
    let text = text.map_or("{}", RawValue::get);
    // Derived code would take an array as well, member by member.
    if !text.starts_with('{') {
        return Err(serde_json::Error::custom("it must be an object"));
    }
    serde_json::from_str(text)
}
