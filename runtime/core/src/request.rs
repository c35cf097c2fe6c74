//! Errors of requests for prompts, resources and completions.

use std::error::Error;
use std::fmt;

use crate::error_chain::{self, AsError, Kept};
use crate::result::HandlerError;

pub use crate::protocol::MissingCapability;

/// An error of a prompt, resource or completion request, which is reported to the client. Tools return
/// [`ToolError`](crate::result::ToolError) instead, which is reported to the model.
///
/// Whatever converts into a `Box<dyn Error + Send + Sync>` converts into it with `?`, as an internal error: every
/// `std::error::Error`, `anyhow::Error`, `eyre::Report`, boxed errors and strings. The client receives its message and those
/// of its sources, and nothing else, so keep secrets out of them.
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
    /// Not found: -32602; for resources -32002 up to 2025-11-25.
    NotFound,
    /// Invalid values in the request: -32602.
    Invalid,
    /// Internal error: -32603.
    Failed,
    /// The client lacks a required capability: -32021, up to 2025-11-25 -32600.
    MissingCapability,
}

impl RequestError {
    /// Creates a not-found error, for resource templates whose URIs match more than exists.
    pub fn not_found(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::NotFound, text: text.into(), missing: None }
    }

    /// Creates an error for invalid values; the text says which and what would be valid.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::Invalid, text: text.into(), missing: None }
    }

    /// Creates an internal error; the same request may succeed later.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::Failed, text: text.into(), missing: None }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> RequestErrorKind {
        self.kind
    }

    /// Returns the missing client capability, if that is the cause.
    pub fn missing_capability(&self) -> Option<&MissingCapability> {
        self.missing.as_deref()
    }

    /// Returns the message for the client.
    pub fn message(&self) -> &str {
        &self.text
    }

    /// Converts into a `std::error::Error`, for functions that return `anyhow::Error` or a boxed error. If a handler returns
    /// that error, with or without context added, its kind is kept.
    ///
    /// ```
    /// use std::error::Error;
    ///
    /// use toolwright_core::request::{RequestError, RequestErrorKind};
    ///
    /// fn find(ticket: u32) -> Result<String, Box<dyn Error + Send + Sync>> {
    ///     Err(RequestError::not_found(format!("there is no ticket {ticket}")).into_error())?
    /// }
    ///
    /// let error = RequestError::from(find(7).unwrap_err());
    /// assert_eq!((error.kind(), error.message()), (RequestErrorKind::NotFound, "there is no ticket 7"));
    /// ```
    pub fn into_error(self) -> impl Error + Send + Sync + 'static {
        AsError::new(self)
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<E: HandlerError> From<E> for RequestError {
    fn from(error: E) -> Self {
        let error = error.into();
        let text = error_chain::message(&*error);
        if let Some(Kept(original)) = error_chain::find::<Kept<Self>>(&*error) {
            return Self { text, ..original.clone() };
        }
        match error_chain::find::<MissingCapability>(&*error) {
            Some(missing) => Self {
                kind: RequestErrorKind::MissingCapability,
                text,
                missing: Some(Box::new(missing.clone())),
            },
            None => Self::failed(text),
        }
    }
}
