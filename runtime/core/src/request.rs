//! Errors of requests for prompts, resources and completions.

use std::fmt;

pub use crate::protocol::MissingCapability;

/// An error that answers a request for a prompt, a resource or a completion. Tools answer with
/// [`ToolError`](crate::result::ToolError) instead, which a model reads; this one is for the client.
///
/// Every `std::error::Error` turns into one by `?`; the client gets its message and the messages of its sources, so
/// keep secrets out of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestError {
    kind: RequestErrorKind,
    text: String,
    missing: Option<Box<MissingCapability>>,
}

/// The kinds of [`RequestError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestErrorKind {
    /// It does not exist: -32602, for resources -32002 up to 2025-11-25.
    NotFound,
    /// The request's values are invalid: -32602.
    Invalid,
    /// The server failed: -32603.
    Failed,
    /// The client has not declared what the request needs: -32021, up to 2025-11-25 -32600.
    MissingCapability,
}

impl RequestError {
    /// It does not exist: for resource templates, whose URIs match more than there is.
    pub fn not_found(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::NotFound, text: text.into(), missing: None }
    }

    /// The values of the request are invalid; the text says which and what would be valid.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::Invalid, text: text.into(), missing: None }
    }

    /// The server failed, and the same request may succeed later.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::Failed, text: text.into(), missing: None }
    }

    /// The kind of error.
    pub fn kind(&self) -> RequestErrorKind {
        self.kind
    }

    /// What the client has not declared, if that is why.
    pub fn missing_capability(&self) -> Option<&MissingCapability> {
        self.missing.as_deref()
    }

    /// The text for the client.
    pub fn message(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<E: std::error::Error> From<E> for RequestError {
    fn from(error: E) -> Self {
        let text = crate::result::with_sources(&error);
        match error.source().and_then(MissingCapability::among) {
            Some(missing) => Self {
                kind: RequestErrorKind::MissingCapability,
                text,
                missing: Some(Box::new(missing.clone())),
            },
            None => Self::failed(text),
        }
    }
}
