//! Errors of requests.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use toolwright_core::manifest::visible;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::result::ToolResult;

/// Maximum length of a quotation from the server in an error, in characters.
const MAX_QUOTED: usize = 600;
/// Maximum length of the problem, in characters, so that errors stay short whatever a server sends.
const MAX_PROBLEM: usize = 4000;

/// An error of a request or a connection.
///
/// The message names the server, what happened and what to do next; [`ClientError::kind`] is for programs. Cloning is
/// cheap.
#[derive(Clone)]
pub struct ClientError(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    kind: ErrorKind,
    server: Arc<str>,
    problem: String,
    advice: Cow<'static, str>,
    detail: Detail,
}

#[derive(Debug, Clone, Default)]
struct Detail {
    rpc: Option<ErrorObject>,
    result: Option<Box<ToolResult>>,
    status: Option<u16>,
}

/// The kind of an error. Each kind has an exit code in `cargo mcp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server cannot be reached or started, or rejects the connection.
    Connect,
    /// The server responded with an error, or violated the protocol.
    Protocol,
    /// The response did not arrive in time. The request was cancelled.
    Timeout,
    /// The tool reported an error.
    Tool,
    /// The connection was lost before the response arrived. The request may have been executed.
    Lost,
}

impl ClientError {
    /// Creates an error about a server, from what happened and what to do next.
    pub(crate) fn new(
        kind: ErrorKind,
        server: &Arc<str>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        // It may contain text from the server.
        let (problem, advice) = (truncate(&problem.into(), MAX_PROBLEM), advice.into());
        Self(Arc::new(Inner { kind, server: Arc::clone(server), problem, advice, detail: Detail::default() }))
    }

    /// Returns the same error for a later request that was not attempted.
    pub(crate) fn not_retried(&self, why: &str) -> Self {
        let mut error = self.clone();
        let inner = Arc::make_mut(&mut error.0);
        inner.problem = format!("{} ({why})", inner.problem);
        error
    }

    pub(crate) fn with_rpc(mut self, error: ErrorObject) -> Self {
        Arc::make_mut(&mut self.0).detail.rpc = Some(error);
        self
    }

    pub(crate) fn with_result(mut self, result: ToolResult) -> Self {
        Arc::make_mut(&mut self.0).detail.result = Some(Box::new(result));
        self
    }

    #[cfg(feature = "http")]
    pub(crate) fn with_status(mut self, status: u16) -> Self {
        Arc::make_mut(&mut self.0).detail.status = Some(status);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the server: its command or URL, without secrets.
    pub fn server(&self) -> &str {
        &self.0.server
    }

    /// Returns what happened, without the name of the server and the advice.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// Returns what to do next.
    pub fn advice(&self) -> &str {
        &self.0.advice
    }

    /// Returns the JSON-RPC error of the server, if any.
    pub fn rpc(&self) -> Option<&ErrorObject> {
        self.0.detail.rpc.as_ref()
    }

    /// Returns the result of the failed tool, if any.
    pub fn result(&self) -> Option<&ToolResult> {
        self.0.detail.result.as_deref()
    }

    /// Returns the status of the HTTP response with which the server rejected the request, if any.
    pub fn status(&self) -> Option<u16> {
        self.0.detail.status
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { server, problem, advice, .. } = &*self.0;
        write!(f, "server `{server}`: {problem}")?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientError").field(&self.0.kind).field(&self.to_string()).finish()
    }
}

impl std::error::Error for ClientError {}

/// The advice for a request that was lost with its connection.
#[cfg(feature = "http")]
pub(crate) const AFTER_LOSS: &str =
    "check whether the request was executed before you repeat it; the next request reconnects";

/// Quotes text from the server: truncated, and with invisible characters escaped.
pub(crate) fn quote(text: &str) -> String {
    truncate(text.trim(), MAX_QUOTED)
}

fn truncate(text: &str, max: usize) -> String {
    let mut text = visible(text);
    if let Some((end, _)) = text.char_indices().nth(max) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Formats a number of bytes.
pub(crate) fn format_bytes(count: usize) -> String {
    match count {
        0 => "0 bytes".to_owned(),
        _ if count.is_multiple_of(1 << 20) => format!("{} MiB", count >> 20),
        _ if count.is_multiple_of(1 << 10) => format!("{} KiB", count >> 10),
        _ => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_server_problem_and_advice() {
        let error = ClientError::new(ErrorKind::Timeout, &"a b".into(), "no answer", "raise the timeout");
        assert_eq!(error.to_string(), "server `a b`: no answer; raise the timeout");
        assert_eq!((error.kind(), error.rpc(), error.status()), (ErrorKind::Timeout, None, None));
    }

    #[test]
    fn a_problem_is_one_line_whatever_it_repeats() {
        let error =
            ClientError::new(ErrorKind::Protocol, &"a".into(), "x\n\u{1b}[2J".repeat(9999), "report this");
        assert!(error.problem().starts_with(r"x\u{a}\u{1b}[2Jx"), "{error}");
        assert_eq!(error.problem().chars().count(), MAX_PROBLEM + 1);
    }

    #[test]
    fn what_a_server_says_is_bounded_and_visible() {
        assert_eq!(quote(" a\u{1b}[31m \n"), r"a\u{1b}[31m");
        assert_eq!(quote(&"é".repeat(10_000)).chars().count(), MAX_QUOTED + 1);
    }
}
