//! Connections of one exchange each: over HTTP, and in a table of methods, every request is on its own; a session is what they share.
//!
//! Because no two exchanges share a connection, two calls with the same id never meet, and what a call sends can only
//! go to its own response. A modern call is polled by its response and dropped with it. A legacy call that waits is
//! spawned, because before 2026-07-28 a disconnect does not cancel (2025-11-25, basic/transports).

use std::sync::Arc;

use toolwright_wire::outbox::Outbox;

use super::Connection;
use crate::auth::Visitor;
use crate::service::Shared;

impl Connection {
    /// A connection for one exchange of a modern caller, which is notified of changes if it listens. `is_modern_only` says
    /// whether the endpoint serves others as well.
    #[cfg(feature = "http")]
    pub(crate) fn for_modern_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: Visitor,
        listens: bool,
        is_modern_only: bool,
    ) -> Arc<Self> {
        let connection = Self::with_peer(service, outbox, access, Arc::default(), is_modern_only);
        if listens { connection.notified_of_changes() } else { connection }
    }

    /// A connection for one exchange of a caller, within a session if there is one. Word of changes does not reach it.
    pub(crate) fn for_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: impl Into<Visitor>,
        session: Option<&Self>,
    ) -> Arc<Self> {
        let session = session.map_or_else(Arc::default, |session| Arc::clone(&session.peer.session));
        Self::with_peer(service, outbox, access.into(), session, false)
    }

    /// A connection of the same session that is notified of changes as someone else.
    #[cfg(feature = "http")]
    pub(crate) fn listening_as(&self, outbox: Arc<Outbox>, access: Visitor) -> Arc<Self> {
        Self::with_peer(&self.service, outbox, access, Arc::clone(&self.peer.session), false)
            .notified_of_changes()
    }

    /// Whether `initialize` has succeeded.
    #[cfg(feature = "http")]
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed_revision().is_some()
    }
}
