//! Connections of one exchange each: over HTTP, and in a table of methods, every request is on its own; a session is what they share.

use std::sync::Arc;

use super::Connection;
use crate::outbox::Outbox;
use crate::service::Shared;

impl Connection {
    /// A connection for one exchange, within a session if there is one. Word of changes does not reach it.
    pub(crate) fn for_exchange(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        session: Option<&Self>,
    ) -> Arc<Self> {
        let session = session.map_or_else(Arc::default, |session| Arc::clone(&session.session));
        Self::unlisted(service, outbox, session)
    }

    /// Whether `initialize` has succeeded.
    #[cfg(feature = "http")]
    pub(crate) fn is_agreed(&self) -> bool {
        self.agreed_revision().is_some()
    }
}
