//! A peer of the server: its outgoing messages, identity and subscriptions. Connections own it; calls and the server
//! reach it for as long as they do.

pub(crate) mod server_requests;
mod session;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolwright_wire::outbox::Outbox;

use crate::auth::{Access, Visitor};
use crate::buckets::Limiter;
use crate::input_requests::Room;
use crate::limits::{Limits, RateLimit};
use crate::quotas::{Caller, Quotas};
use crate::subscriptions::{Changed, Subscriptions};

pub(crate) use session::PeerSession;

/// A peer of the server.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) session: Arc<PeerSession>,
    access: Visitor,
    /// The caller whose share of the limits it uses.
    caller: Caller,
    quotas: Arc<Quotas>,
    subscriptions: Mutex<Subscriptions>,
}

impl Peer {
    pub(crate) fn new(
        outbox: Arc<Outbox>,
        session: Arc<PeerSession>,
        access: Visitor,
        quotas: Arc<Quotas>,
    ) -> Self {
        let caller = access.caller().unwrap_or_else(|| quotas.callers().anonymous()).clone();
        Self { outbox, session, access, caller, quotas, subscriptions: Mutex::default() }
    }

    /// What the peer may use.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// The caller whose share of the limits it uses.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Counts a call of a tool against the caller's rate.
    ///
    /// # Errors
    /// The time until the next call is allowed, if the rate is exceeded.
    pub(crate) fn pace(&self, limiter: Limiter, tool: &str, rate: RateLimit) -> Result<(), Duration> {
        self.caller.pace(limiter, tool, rate, self.quotas.callers().now())
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.quotas.limits()
    }

    /// Creates the storage for the responses of one call.
    pub(crate) fn room_for_answers(&self) -> Room {
        Room::new(&self.quotas, &self.caller)
    }

    /// Whether messages can still be sent.
    pub(crate) fn can_send(&self) -> bool {
        !self.outbox.is_closed()
    }

    /// Sends a message as soon as there is room.
    pub(crate) async fn send(&self, message: &[u8]) {
        self.outbox.send(message).await;
    }

    /// Sends a message regardless of room.
    pub(crate) fn push(&self, message: &[u8]) {
        self.outbox.push(message);
    }

    /// The subscriptions of 2026-07-28.
    pub(crate) fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the peer of a change, once for the legacy session and once for each matching subscription. `may_watch`
    /// is whether it may be notified about a URI.
    pub(crate) fn notify(&self, changed: Changed<'_>, may_watch: impl Fn(&str) -> bool) {
        let is_wanted = match changed {
            Changed::Resource(uri) => {
                let is_watched = self.session.watches(uri);
                let is_wanted = is_watched || self.subscriptions().want(changed);
                if !is_wanted || !may_watch(uri) {
                    return;
                }
                is_watched
            }
            Changed::Tools | Changed::Prompts | Changed::Resources => true,
            #[cfg(feature = "tasks")]
            Changed::Task(_) | Changed::ProviderTask(_) => false,
        };
        if is_wanted && self.session.revision().is_some() {
            let _ = changed.legacy_notification().map(|notification| self.outbox.push_once(&notification));
        }
        self.subscriptions().notify(changed, &self.outbox);
    }
}
