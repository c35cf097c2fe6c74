//! Why an input request has no answer.

use toolwright_core::json::JsonFault;
use toolwright_core::request::MissingCapability;
use toolwright_core::schema::FormProblem;

/// Why an input request to the client has no answer.
///
/// It becomes a [`ToolError`](toolwright_core::result::ToolError) or a
/// [`RequestError`](toolwright_core::request::RequestError) by `?`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputRequestError {
    /// The client has not declared the capability for it; check [`Context::client`](crate::Context::client) first.
    /// If a handler returns this error, a client of revision 2026-07-28 gets the error -32021, others a tool error.
    #[error("the client does not support this input request")]
    Unsupported(#[from] MissingCapability),
    /// There is no client: the call was made within the process, or is a completion, which cannot send input requests.
    #[error("this call has no client that could answer input requests")]
    NoClient,
    /// The client accepts only a JSON response, so no request can reach it (up to 2025-11-25, over HTTP).
    #[error(
        "the client does not accept an event stream, so input requests cannot reach it; it must accept `text/event-stream`"
    )]
    NoStream,
    /// The type or schema is not supported as a form.
    #[error(transparent)]
    Form(#[from] FormProblem),
    /// The input request cannot be sent: it is nested too deeply, for example.
    #[error("the input request cannot be sent: it {0}")]
    Unwritable(#[from] JsonFault),
    /// The form has a rule that cannot be checked, such as a pattern that does not compile.
    #[error("the form cannot be checked: {0}")]
    Schema(String),
    /// The method is not that of an input request.
    #[error(
        "`{0}` is not an input request; use `elicitation/create`, `sampling/createMessage` or `roots/list`"
    )]
    Method(String),
    /// Two input requests of one call have the same key.
    #[error("two input requests have the key `{0}`; use a different key for each")]
    SameKey(String),
    /// The call has as many open input requests as [`Limits::max_input_requests`](crate::Limits::max_input_requests) allows.
    #[error("{0} input requests are open already; wait for an answer first")]
    TooMany(usize),
    /// The responses of the call have reached
    /// [`Limits::max_input_responses`](crate::Limits::max_input_responses), [`Limits::max_input_response_bytes`](crate::Limits::max_input_response_bytes)
    /// and [`CallerLimits::max_received_bytes`](crate::CallerLimits::max_received_bytes) (up to 2025-11-25, and for tasks).
    #[error("the response exceeds a limit: {0}")]
    NoRoom(String),
    /// The client answered with an error.
    #[error("the client refused the input request: {message} ({code})")]
    Refused {
        /// The error's code.
        code: i64,
        /// The error's text.
        message: String,
    },
    /// The client's response does not match the input request (up to 2025-11-25; later clients are asked again).
    #[error("the client's response does not match the input request: {0}")]
    Unusable(String),
    /// The call has ended, or its client has left.
    #[error("the call has ended")]
    Ended,
}
