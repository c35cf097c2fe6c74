//! Why a question has no answer.

use toolwright_core::json::JsonFault;
use toolwright_core::request::MissingCapability;
use toolwright_core::schema::FormProblem;

/// Why a question to the client has no answer.
///
/// It becomes a [`ToolError`](toolwright_core::result::ToolError) or a
/// [`RequestError`](toolwright_core::request::RequestError) by `?`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The client has not declared that it can be asked this; [`Context::client`](crate::Context::client) tells before.
    /// Where it leaves a handler, a client of revision 2026-07-28 gets the error -32021, others a failure in words.
    #[error("the question cannot be asked")]
    Unsupported(#[from] MissingCapability),
    /// There is no client to ask: the call was made within the process, or is one of completion, which asks nothing.
    #[error("there is no client that could be asked here")]
    NoClient,
    /// The client has asked for its answer as one JSON text, so no request can reach it (up to 2025-11-25, over HTTP).
    #[error("the client takes no event stream, so it cannot be asked; it must accept `text/event-stream`")]
    NoStream,
    /// The type or schema cannot be a form.
    #[error(transparent)]
    Form(#[from] FormProblem),
    /// The question cannot be sent: it is nested too deeply, for example.
    #[error("the question cannot be sent: it {0}")]
    Unwritable(#[from] JsonFault),
    /// The form has a rule that cannot be checked, such as a pattern that does not compile.
    #[error("the form cannot be checked: {0}")]
    Schema(String),
    /// There is no request of this method that a client could be asked.
    #[error(
        "`{0}` is not a request that a client answers; ask with `elicitation/create`, `sampling/createMessage` or `roots/list`"
    )]
    Method(String),
    /// Two questions of one call have the same key.
    #[error("two questions have the key `{0}`; give each its own")]
    SameKey(String),
    /// The call has as many open questions as [`Limits::max_questions`](crate::Limits::max_questions) allows.
    #[error("{0} questions are open already; wait for an answer first")]
    TooMany(usize),
    /// The answers of the call are as many, or take up as much, as
    /// [`Limits::max_answers`](crate::Limits::max_answers), [`Limits::max_answer_bytes`](crate::Limits::max_answer_bytes)
    /// and [`CallerLimits::max_received_bytes`](crate::CallerLimits::max_received_bytes) allow (up to 2025-11-25; a task is
    /// told to answer in fewer words).
    #[error("there is no room for the answer: {0}")]
    NoRoom(String),
    /// The client answered with an error.
    #[error("the client refused the question: {message} ({code})")]
    Refused {
        /// The error's code.
        code: i64,
        /// The error's text.
        message: String,
    },
    /// The client's answer is not one to the question (up to 2025-11-25; later ones are asked again).
    #[error("the client's answer does not fit the question: {0}")]
    Unusable(String),
    /// The call has ended, or its client has left.
    #[error("the call has ended")]
    Ended,
}
