//! Connections of one exchange each: over HTTP every request is on its own, and a session is what they share.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Connection;
use crate::context::LogLevel;
use crate::outbox::Outbox;
use crate::service::Shared;

impl Connection {
    /// A connection for one exchange, within a session if there is one. Word of changes does not reach it.
    pub(crate) fn for_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        session: Option<&Self>,
    ) -> Arc<Self> {
        let (agreed, log_level) = session.map_or((0, LogLevel::Info as u8), |session| {
            (session.agreed.load(Ordering::Acquire), session.log_level.load(Ordering::Relaxed))
        });
        Self::unlisted(service, outbox, agreed, log_level)
    }

    /// Takes over the log level that an exchange of this session has set.
    pub(crate) fn keep_log_level_of(&self, exchange: &Self) {
        self.log_level.store(exchange.log_level.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether `initialize` has succeeded.
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed_revision().is_some()
    }
}
