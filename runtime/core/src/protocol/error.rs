//! JSON-RPC errors: the object, its codes and a constructor for each error that the protocol defines
//! (2026-07-28, basic "Error Codes").

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::Revision;

/// The message is not valid JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is valid JSON, but not a JSON-RPC message.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist or is not available.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters of the request are invalid.
pub const INVALID_PARAMS: i64 = -32602;
/// An internal error of the receiver.
pub const INTERNAL_ERROR: i64 = -32603;
/// A resource does not exist; up to 2025-11-25 (2025-11-25, server/resources "Error Handling"). Since 2026-07-28 this is
/// [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// A header is missing or does not match the body (2026-07-28, basic/transports/streamable-http "Server Validation").
pub const HEADER_MISMATCH: i64 = -32020;
/// The client lacks a capability that the request needs (2026-07-28, basic "_meta").
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not support the revision that the request names (2026-07-28, basic/versioning).
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// The user must visit a page before the request can succeed; 2025-11-25 only (2025-11-25, client/elicitation
/// "URL Elicitation Required Error").
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

/// Maximum number of characters of an untrusted name in an error.
const MAX_NAME_CHARS: usize = 200;
/// Maximum number of characters of an untrusted URI in an error.
const MAX_URI_CHARS: usize = 2_000;

/// A JSON-RPC error: a code, a message, and data for programs (2026-07-28, schema `Error`).
///
/// ```
/// use toolwright_core::protocol::{ErrorObject, error};
///
/// let error: ErrorObject = serde_json::from_str(r#"{"code":-32602,"message":"unknown tool: x"}"#)?;
/// assert_eq!(error.code, error::INVALID_PARAMS);
/// assert_eq!(error.to_string(), "unknown tool: x (code -32602)");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// The error code.
    pub code: i64,
    /// A one-sentence message.
    pub message: String,
    /// Additional data; an explicit `null` differs from absent data.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
    /// Members that the protocol does not define; boxed, since most errors have none.
    #[serde(flatten, with = "super::boxed")]
    pub other: Option<Box<Map<String, Value>>>,
}

impl ErrorObject {
    /// Creates an error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, other: None }
    }

    /// Sets the data. A value that cannot be serialized is omitted.
    pub fn with_data(mut self, data: &(impl Serialize + ?Sized)) -> Self {
        self.data = to_raw_value(data).ok();
        self
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

/// Compares all members; data is compared as JSON text.
impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let text = |error: &Self| error.data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code
            && self.message == other.message
            && text(self) == text(other)
            && self.other == other.other
    }
}

/// Creates a [`PARSE_ERROR`].
pub fn parse(why: &str) -> ErrorObject {
    ErrorObject::new(PARSE_ERROR, format!("parse error: {why}"))
}

/// Creates an [`INVALID_REQUEST`] error.
pub fn invalid_request(why: &str) -> ErrorObject {
    ErrorObject::new(INVALID_REQUEST, format!("invalid request: {why}"))
}

/// Creates a [`METHOD_NOT_FOUND`] error.
pub fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::new(METHOD_NOT_FOUND, format!("method not found: {}", shorten(method)))
}

/// Creates an [`INVALID_PARAMS`] error.
pub fn invalid_params(why: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("invalid params: {why}"))
}

/// Creates an [`INTERNAL_ERROR`].
pub fn internal(why: &str) -> ErrorObject {
    ErrorObject::new(INTERNAL_ERROR, format!("internal error: {why}"))
}

/// Creates an [`INVALID_PARAMS`] error for an unknown tool or prompt (`what`) (2026-07-28, server/tools and
/// server/prompts "Error Handling"). Existing names are not listed, since the caller may not be authorized to
/// see them.
pub fn unknown(what: &str, name: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("unknown {what}: {}", shorten(name)))
}

/// Creates the error for an unknown resource, with the code of the revision (server/resources "Error Handling"
/// of each).
pub fn unknown_resource(uri: &str, revision: Revision) -> ErrorObject {
    about_resource(revision.resource_not_found_code(), "resource not found", uri)
}

/// Creates an error about the resource at `uri`, with the URI in its data.
pub fn about_resource(code: i64, message: impl Into<String>, uri: &str) -> ErrorObject {
    ErrorObject::new(code, message).with_data(&json!({"uri": truncate(uri, MAX_URI_CHARS)}))
}

/// Creates a [`MISSING_CLIENT_CAPABILITY`] error; `required` has the form of
/// [`ClientCapabilities`](super::ClientCapabilities).
pub fn missing_capability(why: &str, required: &Value) -> ErrorObject {
    ErrorObject::new(MISSING_CLIENT_CAPABILITY, why).with_data(&json!({"requiredCapabilities": required}))
}

/// Creates a [`HEADER_MISMATCH`] error.
pub fn header_mismatch(why: &str) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, format!("header mismatch: {why}"))
}

/// Creates an [`UNSUPPORTED_PROTOCOL_VERSION`] error with the supported revisions, newest first (2026-07-28,
/// schema `UnsupportedProtocolVersionError`).
pub fn unsupported_version(requested: &str, supported: &[&str]) -> ErrorObject {
    version_error(UNSUPPORTED_PROTOCOL_VERSION, requested, supported)
}

/// Creates the corresponding error of revisions up to 2025-11-25, with the code [`INVALID_PARAMS`] (2025-11-25,
/// basic/lifecycle "Error Handling").
pub fn unsupported_legacy_version(requested: &str, supported: &[&str]) -> ErrorObject {
    version_error(INVALID_PARAMS, requested, supported)
}

fn version_error(code: i64, requested: &str, supported: &[&str]) -> ErrorObject {
    // Some clients display only the message.
    let message = format!("Unsupported protocol version; supported: {}", supported.join(", "));
    ErrorObject::new(code, message)
        .with_data(&json!({"supported": supported, "requested": shorten(requested)}))
}

/// Truncates an untrusted name, so that errors cannot be used to send megabytes back.
pub fn shorten(name: &str) -> String {
    truncate(name, MAX_NAME_CHARS)
}

/// Truncates `text` to `max_chars` characters and marks the cut with `…`.
pub fn truncate(text: &str, max_chars: usize) -> String {
    let mut short: String = text.chars().take(max_chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
