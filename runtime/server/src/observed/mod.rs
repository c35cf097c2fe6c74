//! Events and sessions for subscribers of `tracing` (feature `tracing`), with the names of OpenTelemetry where it has some. Without the
//! feature, nothing is compiled, and nothing is evaluated.
//!
//! No event has a token, an argument, a result, or a message that may quote one. What a peer can cause is at most `INFO`, so
//! that peers cannot fill a log of warnings. [`Spans`](crate::middleware::Spans) lists the events.

mod session;

pub(crate) use session::ObservedSession;
#[cfg(feature = "tracing")]
pub(crate) use session::SessionInfo;

/// How messages travel (semantic conventions for MCP, `gen-ai/mcp` "Recording MCP transport").
#[cfg(feature = "tracing")]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wire {
    /// `network.transport`: `pipe`, `tcp` or `unix`.
    pub(crate) transport: Option<&'static str>,
    /// `network.protocol.name`: `http` or `websocket`.
    pub(crate) protocol: Option<&'static str>,
}

/// Maximum length of a field from a request in bytes; longer ones are truncated.
#[cfg(feature = "tracing")]
const MAX_FIELD: usize = 256;

/// Records an event: a level, fields, and what happened.
macro_rules! observe {
    ($level:ident, $($event:tt)+) => {
        #[cfg(feature = "tracing")]
        {
            tracing::event!(target: "toolwright", tracing::Level::$level, $($event)+);
        }
    };
}
pub(crate) use observe;

/// Truncates a field from a request.
#[cfg(feature = "tracing")]
pub(crate) fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_FIELD)]
}
