//! JSON-RPC errors: the object, its codes, and a constructor for each error that the protocol defines
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
/// The receiver failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// A resource does not exist; up to 2025-11-25 (2025-11-25, server/resources "Error Handling"). Since 2026-07-28 this is
/// [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// A header is missing or does not match the body (2026-07-28, basic/transports/streamable-http "Server Validation").
pub const HEADER_MISMATCH: i64 = -32020;
/// The client has not declared a capability that the request needs (2026-07-28, basic "_meta").
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not support the revision that the request names (2026-07-28, basic/versioning).
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// The user must visit a page before the request can succeed; 2025-11-25 only (2025-11-25, client/elicitation
/// "URL Elicitation Required Error").
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

/// The most characters of a name from outside that an error repeats.
const MAX_NAME_CHARS: usize = 200;
/// The most characters of a URI from outside that an error repeats.
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
    /// What sort of error it is.
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// More about the error; `null` is a value and not an absence.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
    /// Members that the protocol does not define; most errors have none, so that they are boxed.
    #[serde(flatten, with = "super::boxed")]
    pub other: Option<Box<Map<String, Value>>>,
}

impl ErrorObject {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, other: None }
    }

    /// The error with data. A value that cannot be written as JSON is left out.
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

/// Equal where the members are, data as the same text.
impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let text = |error: &Self| error.data.as_ref().map(|data| data.get().to_owned());
        self.code == other.code
            && self.message == other.message
            && text(self) == text(other)
            && self.other == other.other
    }
}

/// [`PARSE_ERROR`].
pub fn parse(why: &str) -> ErrorObject {
    ErrorObject::new(PARSE_ERROR, format!("parse error: {why}"))
}

/// [`INVALID_REQUEST`].
pub fn invalid_request(why: &str) -> ErrorObject {
    ErrorObject::new(INVALID_REQUEST, format!("invalid request: {why}"))
}

/// [`METHOD_NOT_FOUND`].
pub fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::new(METHOD_NOT_FOUND, format!("method not found: {}", shortened(method)))
}

/// [`INVALID_PARAMS`].
pub fn invalid_params(why: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("invalid params: {why}"))
}

/// [`INTERNAL_ERROR`].
pub fn internal(why: &str) -> ErrorObject {
    ErrorObject::new(INTERNAL_ERROR, format!("internal error: {why}"))
}

/// [`INVALID_PARAMS`]: there is no `what` (a tool, a prompt) of this name (2026-07-28, server/tools and server/prompts
/// "Error Handling"). The names that there are stay unsaid: the caller may not be allowed to know them.
pub fn unknown(what: &str, name: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("unknown {what}: {}", shortened(name)))
}

/// There is no resource at `uri`, with the code of the revision (server/resources "Error Handling" of each).
pub fn unknown_resource(uri: &str, revision: Revision) -> ErrorObject {
    about_resource(revision.resource_not_found_code(), "resource not found", uri)
}

/// An error about the resource at `uri`, which is repeated in the data.
pub fn about_resource(code: i64, message: impl Into<String>, uri: &str) -> ErrorObject {
    ErrorObject::new(code, message).with_data(&json!({"uri": cut(uri, MAX_URI_CHARS)}))
}

/// [`MISSING_CLIENT_CAPABILITY`]; `required` has the form of [`ClientCapabilities`](super::ClientCapabilities).
pub fn missing_capability(why: &str, required: &Value) -> ErrorObject {
    ErrorObject::new(MISSING_CLIENT_CAPABILITY, why).with_data(&json!({"requiredCapabilities": required}))
}

/// [`HEADER_MISMATCH`].
pub fn header_mismatch(why: &str) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, format!("header mismatch: {why}"))
}

/// [`UNSUPPORTED_PROTOCOL_VERSION`], with the revisions that are supported, newest first (2026-07-28, schema
/// `UnsupportedProtocolVersionError`).
pub fn unsupported_version(requested: &str, supported: &[&str]) -> ErrorObject {
    version_error(UNSUPPORTED_PROTOCOL_VERSION, requested, supported)
}

/// The same up to 2025-11-25, with the code [`INVALID_PARAMS`] (2025-11-25, basic/lifecycle "Error Handling").
pub fn unsupported_legacy_version(requested: &str, supported: &[&str]) -> ErrorObject {
    version_error(INVALID_PARAMS, requested, supported)
}

fn version_error(code: i64, requested: &str, supported: &[&str]) -> ErrorObject {
    // There are clients that show the message alone.
    let message = format!("Unsupported protocol version; this server speaks {}", supported.join(", "));
    ErrorObject::new(code, message)
        .with_data(&json!({"supported": supported, "requested": shortened(requested)}))
}

/// The start of a name from outside: an error must not become a way to send megabytes back.
pub fn shortened(name: &str) -> String {
    cut(name, MAX_NAME_CHARS)
}

/// At most so many characters of a text, with `…` where it was cut.
pub fn cut(text: &str, max_chars: usize) -> String {
    let mut short: String = text.chars().take(max_chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
