//! Why a request has no result.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use toolwright_core::manifest::visible;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::result::ToolResult;

/// The longest text of a server that an error repeats, in characters.
const MAX_QUOTED: usize = 600;
/// The longest problem, in characters: whatever a server says, an error is a line or a few.
const MAX_PROBLEM: usize = 4000;

/// Why a request has no result.
///
/// The text names the server, what happened and what to do next; [`ClientError::kind`] is for programs. Cloning is cheap.
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

/// What kind of failure it is. Each has an exit code in `cargo mcp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server cannot be reached or started, or refuses to be connected to.
    Connect,
    /// The server answered with an error, or with something that the protocol does not allow.
    Protocol,
    /// No answer came in time. The request was cancelled.
    Timeout,
    /// The tool failed and says why.
    Tool,
    /// The connection ended before the answer came. The request may have been carried out.
    Lost,
}

impl ClientError {
    /// An error of a kind, about a server: what happened, and what to do next.
    pub(crate) fn new(
        kind: ErrorKind,
        server: &Arc<str>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        // Much of it may be what the server sent.
        let (problem, advice) = (truncate(&problem.into(), MAX_PROBLEM), advice.into());
        Self(Arc::new(Inner { kind, server: Arc::clone(server), problem, advice, detail: Detail::default() }))
    }

    /// The same error, for a further request that was not even attempted.
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

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The server: its command or address, without secrets.
    pub fn server(&self) -> &str {
        &self.0.server
    }

    /// What happened, without the server's name and the advice.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// What to do next.
    pub fn advice(&self) -> &str {
        &self.0.advice
    }

    /// The error that the server answered with, if it is one.
    pub fn rpc(&self) -> Option<&ErrorObject> {
        self.0.detail.rpc.as_ref()
    }

    /// The result of the tool that failed, if one did.
    pub fn result(&self) -> Option<&ToolResult> {
        self.0.detail.result.as_deref()
    }

    /// The status of the HTTP response, if the server refused the request with one.
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

/// What to do about a request whose answer is lost with the connection.
#[cfg(feature = "http")]
pub(crate) const AFTER_LOSS: &str =
    "see whether the request was carried out before you send it again; the next one connects again";

/// A text of the server as an error repeats it: bounded, with hidden characters made visible.
pub(crate) fn quoted(text: &str) -> String {
    truncate(text.trim(), MAX_QUOTED)
}

fn truncate(text: &str, max: usize) -> String {
    let mut shown = visible(text);
    if let Some((end, _)) = shown.char_indices().nth(max) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

/// A number of bytes in words.
pub(crate) fn bytes(count: usize) -> String {
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
        assert_eq!(quoted(" a\u{1b}[31m \n"), r"a\u{1b}[31m");
        assert_eq!(quoted(&"é".repeat(10_000)).chars().count(), MAX_QUOTED + 1);
    }
}
