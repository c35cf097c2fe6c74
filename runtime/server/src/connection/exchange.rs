//! Connections of a single exchange. Over HTTP, and in a method table, every request is separate, and only a session
//! connects them.
//!
//! Since no two exchanges share a connection, calls with the same id do not collide, and what a call sends can reach
//! only its own response. A modern call is polled by its response and dropped with it. A pending legacy call is
//! spawned, because before 2026-07-28 a disconnect does not cancel (2025-11-25, basic/transports).

use std::sync::Arc;

use toolwright_wire::outbox::Outbox;

use super::Connection;
use crate::auth::Visitor;
use crate::service::Shared;

impl Connection {
    /// Creates a connection for one exchange of a modern caller, which is notified of changes if it subscribes.
    /// `is_modern_only` is whether the endpoint serves only modern clients.
    #[cfg(feature = "http")]
    pub(crate) fn for_modern_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: Visitor,
        listens: bool,
        is_modern_only: bool,
    ) -> Arc<Self> {
        let connection = Self::with_peer(service, outbox, access, Arc::default(), is_modern_only);
        #[cfg(feature = "tracing")]
        // The session is new.
        let _ = connection.peer.session.observed.set(crate::observed::SessionInfo::without_session());
        if listens { connection.subscribe_to_changes() } else { connection }
    }

    /// Creates a connection for one exchange of a caller, within a session if there is one. It is not notified of
    /// changes.
    pub(crate) fn for_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: impl Into<Visitor>,
        session: Option<&Self>,
    ) -> Arc<Self> {
        let session = session.map_or_else(Arc::default, |session| Arc::clone(&session.peer.session));
        Self::with_peer(service, outbox, access.into(), session, false)
    }

    /// Creates a connection of the same session that is notified of changes on behalf of another caller.
    #[cfg(feature = "http")]
    pub(crate) fn listening_as(&self, outbox: Arc<Outbox>, access: Visitor) -> Arc<Self> {
        Self::with_peer(&self.service, outbox, access, Arc::clone(&self.peer.session), false)
            .subscribe_to_changes()
    }

    /// Whether `initialize` has succeeded.
    #[cfg(feature = "http")]
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed_revision().is_some()
    }
}
