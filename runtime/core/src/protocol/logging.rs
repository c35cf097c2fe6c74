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
    /// Something to look at.
    Warning,
    /// An operation failed.
    Error,
    /// A component failed.
    Critical,
    /// Act at once.
    Alert,
    /// The system is unusable.
    Emergency,
}

/// The parameters of `notifications/message` (2026-07-28, schema `LoggingMessageNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogMessage {
    /// How severe it is.
    pub level: LogLevel,
    /// The part of the server that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What is said: a string or any other JSON value.
    pub data: Value,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl LogMessage {
    /// A message without a logger.
    pub fn new(level: LogLevel, data: impl Into<Value>) -> Self {
        Self { level, logger: None, data: data.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `logging/setLevel`; up to 2025-11-25 (2025-11-25, schema `SetLevelRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetLevelParams {
    /// From which level on messages are sent.
    pub level: LogLevel,
    /// Whatever else belongs to the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SetLevelParams {
    /// Messages from this level on.
    pub fn new(level: LogLevel) -> Self {
        Self { level, meta: None, other: Map::new() }
    }
}
