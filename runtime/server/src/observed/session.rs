//! Sessions, with their span and their duration.
//!
//! A session is the connection of one peer; over HTTP, that of a client before 2026-07-28, which spans several requests. The
//! id of such a session lets its bearer use it, so it is never recorded: sessions are numbered instead.

#[cfg(feature = "tracing")]
use std::sync::{Arc, OnceLock};
#[cfg(feature = "tracing")]
use std::time::Instant;

#[cfg(feature = "tracing")]
use tracing::Span;
#[cfg(feature = "tracing")]
use tracing::field::Empty;

#[cfg(feature = "tracing")]
use super::Wire;

/// A session, until it is dropped. Without the feature `tracing`, it is empty.
#[derive(Debug)]
pub(crate) struct ObservedSession {
    #[cfg(feature = "tracing")]
    session: Arc<SessionInfo>,
    #[cfg(feature = "tracing")]
    span: Span,
    #[cfg(feature = "tracing")]
    start: Instant,
}

#[cfg(not(feature = "tracing"))]
impl ObservedSession {
    /// Starts a session over a transport, in the terms of OpenTelemetry.
    pub(crate) fn start(_transport: Option<&'static str>, _protocol: Option<&'static str>) -> Self {
        Self {}
    }
}

/// What the spans of its requests have from a session.
#[cfg(feature = "tracing")]
#[derive(Debug)]
pub(crate) struct SessionInfo {
    /// Unique, but not secret; `None` for a request without a session.
    pub(crate) id: Option<String>,
    pub(crate) wire: Wire,
    /// The revision that `initialize` negotiated.
    pub(crate) revision: OnceLock<&'static str>,
}

#[cfg(all(feature = "tracing", feature = "http"))]
impl SessionInfo {
    /// What requests over HTTP have that belong to no session.
    pub(crate) fn without_session() -> Arc<Self> {
        static HTTP: OnceLock<Arc<SessionInfo>> = OnceLock::new();
        let wire = Wire { transport: Some("tcp"), protocol: Some("http") };
        Arc::clone(HTTP.get_or_init(|| Arc::new(Self { id: None, wire, revision: OnceLock::new() })))
    }
}

#[cfg(feature = "tracing")]
impl ObservedSession {
    /// Starts a session over a transport, in the terms of OpenTelemetry.
    pub(crate) fn start(transport: Option<&'static str>, protocol: Option<&'static str>) -> Self {
        let wire = Wire { transport, protocol };
        let session = Arc::new(SessionInfo { id: Some(next_id()), wire, revision: OnceLock::new() });
        let span = tracing::info_span!(
            target: "toolwright",
            parent: None,
            "mcp.session",
            otel.kind = "server",
            mcp.session.id = session.id.as_deref(),
            mcp.protocol.version = Empty,
            network.transport = wire.transport,
            network.protocol.name = wire.protocol,
        );
        Self { session, span, start: Instant::now() }
    }

    pub(crate) fn info(&self) -> &Arc<SessionInfo> {
        &self.session
    }
}

#[cfg(feature = "tracing")]
impl Drop for ObservedSession {
    fn drop(&mut self) {
        let SessionInfo { wire, revision, .. } = &*self.session;
        let revision = revision.get().copied();
        self.span.record("mcp.protocol.version", revision);
        tracing::event!(
            target: "toolwright::metrics",
            parent: None,
            tracing::Level::TRACE,
            histogram.mcp.server.session.duration = self.start.elapsed().as_secs_f64(),
            mcp.protocol.version = revision,
            network.transport = wire.transport,
            network.protocol.name = wire.protocol,
        );
    }
}

/// Returns the id of another session: a number that is random for the process, and a count.
#[cfg(feature = "tracing")]
fn next_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};

    static PROCESS: OnceLock<String> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(1);
    // Without random numbers, ids are unique within the process.
    let process = PROCESS.get_or_init(|| crate::hex::random_id::<4>().unwrap_or_default());
    format!("{process}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}
