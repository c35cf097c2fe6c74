//! The outcome of a request, for logs.

#[cfg(feature = "tracing")]
use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, Instant};

use super::invocation::{Invocation, InvocationResult};
use crate::context::Context;
use crate::provider::Outcome;

/// How a request ended, as far as this server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// With a result.
    Ok,
    /// With a tool result that has `isError`.
    ToolError,
    /// With a protocol error of this code.
    Error(i64),
    /// With input requests: it runs again with the responses of the client.
    InputRequired,
    /// It continues as a task.
    Task,
    /// It was cancelled by the client, or the connection was closed.
    Cancelled,
    /// It reached its deadline.
    TimedOut,
    /// It panicked.
    Panicked,
}

impl Ending {
    /// Returns the ending for this outcome.
    pub fn of(outcome: &Outcome<InvocationResult>) -> Self {
        let is_error = match outcome {
            Outcome::Result(InvocationResult::Tool(result)) => result.is_error,
            Outcome::Result(_) => false,
            Outcome::Raw(raw) => raw.is_error(),
            Outcome::Error(error) => return Self::Error(error.code),
            Outcome::InputRequired(_) => return Self::InputRequired,
            Outcome::Task(_) | Outcome::Created(_) => return Self::Task,
        };
        if is_error { Self::ToolError } else { Self::Ok }
    }

    /// Returns why a request was dropped before it had an outcome.
    fn of_dropped(cx: &Context) -> Self {
        if std::thread::panicking() {
            Self::Panicked
        } else if cx.deadline() <= Instant::now() {
            Self::TimedOut
        } else if cx.has_ended() || cx.cancellation().is_cancelled() {
            Self::Cancelled
        } else if cx.may_pause() {
            Self::InputRequired
        } else {
            Self::Cancelled
        }
    }

    /// The `error.type` of OpenTelemetry (semantic conventions for MCP, `gen-ai/mcp`); `None` if it did not fail.
    #[cfg(feature = "tracing")]
    pub(super) fn error_type(self) -> Option<Cow<'static, str>> {
        match self {
            Self::Ok | Self::InputRequired | Self::Task => None,
            Self::Error(code) => Some(code.to_string().into()),
            other => Some(other.as_str().into()),
        }
    }

    /// The code of a protocol error.
    pub(super) fn status_code(self) -> Option<i64> {
        match self {
            Self::Error(code) => Some(code),
            _ => None,
        }
    }

    /// Returns its name in logs: `ok`, `tool_error`, `error`, `input_required`, `task`, `cancelled`, `timed_out`
    /// or `panicked`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::Error(_) => "error",
            Self::InputRequired => "input_required",
            Self::Task => "task",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
            Self::Panicked => "panicked",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(code) => write!(f, "error {code}"),
            other => f.write_str(other.as_str()),
        }
    }
}

/// Reports an ending once, at the latest when it is dropped.
pub(super) struct Observer<F: FnOnce(&Invocation, Ending, Duration)> {
    invocation: Invocation,
    start: Instant,
    report: Option<F>,
}

impl<F: FnOnce(&Invocation, Ending, Duration)> Observer<F> {
    pub(super) fn new(invocation: Invocation, start: Instant, report: F) -> Self {
        Self { invocation, start, report: Some(report) }
    }

    pub(super) fn end(mut self, ending: Ending) {
        self.report(ending);
    }

    fn report(&mut self, ending: Ending) {
        if let Some(report) = self.report.take() {
            report(&self.invocation, ending, self.start.elapsed());
        }
    }
}

impl<F: FnOnce(&Invocation, Ending, Duration)> Drop for Observer<F> {
    fn drop(&mut self) {
        if self.report.is_some() {
            self.report(Ending::of_dropped(self.invocation.context()));
        }
    }
}
