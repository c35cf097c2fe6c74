//! The state of a legacy peer: the negotiated revision, log level and resource subscriptions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
#[cfg(feature = "tracing")]
use std::sync::{Arc, OnceLock};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolwright_core::protocol::{LogLevel, Revision};

use super::server_requests::PendingRequests;
use crate::input_requests::ClientCapabilities;
#[cfg(feature = "tracing")]
use crate::observed::SessionInfo;
use crate::subscriptions::Watch;

/// The state of a legacy peer. Over HTTP, the exchanges of a session share it.
#[derive(Debug)]
pub(crate) struct PeerSession {
    /// The revision that `initialize` negotiated: its index in [`Revision::ALL`] plus one; 0
    /// before.
    agreed: AtomicU8,
    /// The minimum level of log messages, as an index into [`LEVELS`].
    log_level: AtomicU8,
    /// The resources that the peer has subscribed to.
    watched: Mutex<Watched>,
    /// The supported input requests, as the bits of [`ClientCapabilities`].
    declared: AtomicU8,
    /// The requests to the peer that wait for responses.
    pub(crate) waiting: PendingRequests,
    /// What the spans of requests have from the session.
    #[cfg(feature = "tracing")]
    pub(crate) observed: OnceLock<Arc<SessionInfo>>,
}

/// The resources that a legacy peer has subscribed to.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// The URIs, each with the subscription that providers know about.
    pub(crate) uris: BTreeMap<String, Option<Watch>>,
    pub(crate) bytes: usize,
}

impl Default for PeerSession {
    fn default() -> Self {
        Self {
            agreed: AtomicU8::new(0),
            log_level: AtomicU8::new(LogLevel::Info as u8),
            watched: Mutex::default(),
            declared: AtomicU8::new(0),
            waiting: PendingRequests::default(),
            #[cfg(feature = "tracing")]
            observed: OnceLock::new(),
        }
    }
}

const LEVELS: [LogLevel; 8] = [
    LogLevel::Debug,
    LogLevel::Info,
    LogLevel::Notice,
    LogLevel::Warning,
    LogLevel::Error,
    LogLevel::Critical,
    LogLevel::Alert,
    LogLevel::Emergency,
];

impl PeerSession {
    /// The revision that `initialize` negotiated.
    pub(crate) fn revision(&self) -> Option<Revision> {
        let agreed = self.agreed.load(Ordering::Acquire);
        Revision::ALL.get(usize::from(agreed).checked_sub(1)?).copied()
    }

    /// Stores the revision, and the input requests that the peer supports.
    pub(crate) fn agree(&self, revision: Revision, declared: ClientCapabilities) {
        self.declared.store(declared.bits(), Ordering::Release);
        self.agreed.store(revision as u8 + 1, Ordering::Release);
        #[cfg(feature = "tracing")]
        if let Some(session) = self.observed.get() {
            // It is negotiated once.
            let _ = session.revision.set(revision.as_str());
        }
    }

    /// The input requests that the peer supports.
    pub(crate) fn declared(&self) -> ClientCapabilities {
        ClientCapabilities::from_bits(self.declared.load(Ordering::Acquire))
    }

    /// The minimum level of log messages.
    pub(crate) fn log_level(&self) -> LogLevel {
        LEVELS.get(usize::from(self.log_level.load(Ordering::Relaxed))).copied().unwrap_or(LogLevel::Info)
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        self.log_level.store(level as u8, Ordering::Relaxed);
    }

    /// Unsubscribes from a resource.
    pub(crate) fn unwatch(&self, uri: &str) {
        let mut watched = self.watched();
        if watched.uris.remove(uri).is_some() {
            watched.bytes -= uri.len();
        }
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.watched().uris.contains_key(uri)
    }

    pub(crate) fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
