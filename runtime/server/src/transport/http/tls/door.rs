//! Handshakes of TLS: bounded in number and in time, for each address and for all.

use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::Tls;
use crate::limits::Limits;
use crate::observed::observe;
use crate::quotas::{Caller, What};
use crate::transport::http::stream::Stream;

/// Lets connections in that complete a handshake. Clones share their limits.
#[derive(Debug, Clone)]
pub(in crate::transport::http) struct Door {
    tls: Tls,
    /// One permit for each handshake that may run.
    room: Arc<Semaphore>,
}

impl Door {
    pub(in crate::transport::http) fn new(tls: Tls, limits: &Limits) -> Self {
        // A semaphore has fewer permits than `usize::MAX`, and at least one handshake may run.
        Self { tls, room: Arc::new(Semaphore::new(limits.max_tls_handshakes.clamp(1, 1 << 24))) }
    }

    /// Completes the handshake of a connection; `None` if it fails, takes too long, or the address has too many.
    pub(in crate::transport::http) async fn enter(
        &self,
        stream: TcpStream,
        peer: &Caller,
        limits: &Limits,
    ) -> Option<Stream> {
        match self.handshake(stream, peer, limits).await {
            Ok(stream) => Some(Stream::Tls(Box::new(stream))),
            Err(kind) => {
                report(kind);
                None
            }
        }
    }

    /// # Errors
    /// The kind of the failure.
    async fn handshake(
        &self,
        stream: TcpStream,
        peer: &Caller,
        limits: &Limits,
    ) -> Result<TlsStream<TcpStream>, &'static str> {
        let _own = peer.take(What::Handshakes, limits.per_caller.max_tls_handshakes).ok_or("too_many")?;
        let handshake = async {
            let _room = self.room.acquire().await.map_err(|_| "too_many")?;
            let acceptor = TlsAcceptor::from(self.tls.current());
            // A peer that does not speak TLS is told by an alert.
            acceptor.accept(stream).await.map_err(|_| "handshake_failed")
        };
        tokio::time::timeout(limits.tls_handshake_timeout, handshake).await.unwrap_or(Err("timed_out"))
    }
}

#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only the event has it"))]
fn report(kind: &'static str) {
    observe!(DEBUG, error.r#type = kind, "a TLS handshake failed");
}
