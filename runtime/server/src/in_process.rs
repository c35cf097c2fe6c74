//! Clients in the same process, without a transport.

use std::sync::Arc;

use toolwright_wire::memory::{MemoryChannel, MemoryServer};
use toolwright_wire::outbox::Outbox;

use crate::auth::Access;
use crate::connection::Connection;
use crate::observed::ObservedSession;
use crate::service::Service;

/// Converts a service for clients in the same process, as used by `toolwright_client::Client::in_process`.
/// Clients have full access. Messages are handled as over any transport, without a limit on their size.
///
/// Connect within a tokio runtime: handlers that wait run as tasks.
///
/// ```
/// # use toolwright_server::Server;
/// use toolwright_wire::memory::MemoryServer;
///
/// # fn main() -> Result<(), toolwright_server::BuildError> {
/// let service = Server::new(()).build()?;
/// let mut answers = Vec::new();
/// let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// MemoryServer::from(&service).open().receive(ping, &mut answers);
/// assert_eq!(answers, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// # Ok(())
/// # }
/// ```
impl From<&Service> for MemoryServer {
    fn from(service: &Service) -> Self {
        let service = service.clone();
        let name = service.shared().info().name.clone();
        Self::new(name, move || {
            let outbox = Arc::new(Outbox::new(service.limits().max_unsent_bytes));
            let connection = Connection::open(service.shared(), Arc::clone(&outbox), Access::Trusted);
            let peer = InProcessPeer { _session: connection.observe(None, None), connection };
            MemoryChannel::new(outbox, move |message, answers| {
                if let Some(later) = peer.connection.receive(message, answers) {
                    peer.connection.answer_later(later);
                }
            })
        })
    }
}

/// The peer of one connection. Dropping it cancels its calls.
struct InProcessPeer {
    connection: Arc<Connection>,
    _session: ObservedSession,
}

impl Drop for InProcessPeer {
    fn drop(&mut self) {
        self.connection.end();
    }
}
