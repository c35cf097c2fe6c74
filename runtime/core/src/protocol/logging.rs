//! Log messages (2026-07-28, server/utilities/logging).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The severity of a log message, least severe first (RFC 5424; 2026-07-28, server/utilities/logging "Log Levels").
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Detailed debugging information.
    Debug,
    /// General information.
    Info,
    /// Normal but significant.
    Notice,
    /// Warning conditions.
    Warning,
    /// Error conditions.
    Error,
    /// Critical conditions.
    Critical,
    /// Action must be taken immediately.
    Alert,
    /// The system is unusable.
    Emergency,
}

/// The parameters of `notifications/message` (2026-07-28, schema `LoggingMessageNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogMessage {
    /// The severity.
    pub level: LogLevel,
    /// The name of the logger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// The payload: a string or any other JSON value.
    pub data: Value,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl LogMessage {
    /// Creates a message without a logger.
    pub fn new(level: LogLevel, data: impl Into<Value>) -> Self {
        Self { level, logger: None, data: data.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `logging/setLevel`; up to 2025-11-25 (2025-11-25, schema `SetLevelRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetLevelParams {
    /// The minimum severity of messages that the client wants.
    pub level: LogLevel,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SetLevelParams {
    /// Requests messages of `level` and above.
    pub fn new(level: LogLevel) -> Self {
        Self { level, meta: None, other: Map::new() }
    }
}
