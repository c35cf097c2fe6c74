//! Members shared by the requests and results of all methods.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ClientCapabilities, Implementation, LogLevel, RequestId, Revision, meta};

/// A progress token: a string or an integer, like an id.
pub type ProgressToken = RequestId<'static>;

/// `_meta` of a request (2026-07-28, basic "_meta"; up to 2025-11-25 only the progress token).
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
    /// Creates the metadata that a modern revision requires on every request.
    pub fn modern(revision: Revision, client: Implementation, capabilities: ClientCapabilities) -> Self {
        Self {
            protocol_version: Some(revision.as_str().to_owned()),
            client_capabilities: Some(capabilities),
            client_info: Some(client),
            ..Self::default()
        }
    }
}

/// Returns [`meta::SERVER_INFO`] of a result's `_meta`; `None` if it is absent or invalid.
pub fn server_info_in(result_meta: &Map<String, Value>) -> Option<Implementation> {
    Implementation::deserialize(result_meta.get(meta::SERVER_INFO)?).ok()
}

/// Parameters without members of their own: `ping`, `server/discover`, `roots/list` (2026-07-28, schema `RequestParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RequestParams {
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Parameters of a notification without members of its own (2026-07-28, schema `NotificationParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotificationParams {
    /// `_meta` of the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
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

/// The type of a result (2026-07-28, schema `ResultType`). A result without one is complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultType {
    /// The result of the method.
    Complete,
    /// Input requests, see [`InputRequiredResult`](super::InputRequiredResult).
    InputRequired,
    /// A task that continues, see [`Task`](super::Task).
    Task,
    /// An unknown type; a client must not interpret such a result.
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
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/cancelled` (2026-07-28, schema `CancelledNotificationParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelledParams {
    /// The request to cancel; absent for a task, in 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId<'static>>,
    /// The reason, for users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `_meta` of the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/progress` (2026-07-28, schema `ProgressNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProgressParams {
    /// The progress token of the request.
    pub progress_token: ProgressToken,
    /// The progress so far; increases with each notification.
    #[serde(with = "super::number")]
    pub progress: f64,
    /// The total, if known.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub total: Option<f64>,
    /// A human-readable message; since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `_meta` of the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ProgressParams {
    /// Creates parameters without a total.
    pub fn new(progress_token: ProgressToken, progress: f64) -> Self {
        Self { progress_token, progress, total: None, message: None, meta: None, other: Map::new() }
    }
}

/// Parses the parameters of a request or notification, or a result, as the type `T`.
///
/// # Errors
/// Returns an error if the value is not an object, or a member has the wrong type.
pub fn read<T: serde::de::DeserializeOwned>(text: Option<&RawValue>) -> Result<T, serde_json::Error> {
    use serde::de::Error as _;
    let text = text.map_or("{}", RawValue::get);
    // A derived implementation would accept an array as well.
    if !text.starts_with('{') {
        return Err(serde_json::Error::custom("expected an object"));
    }
    serde_json::from_str(text)
}
