//! Where a server of its own is found: an address that it listens on, and a path there.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use tokio::net::{TcpListener, TcpStream};

use crate::clock::FAR;
use crate::error::ServeError;
use crate::limits::Limits;
use crate::quotas::{TakenShare, What};
use crate::service::Service;

/// An address that is listened on already, and a path: `/mcp` unless it is moved.
#[derive(Debug)]
pub(super) struct Place {
    listener: std::net::TcpListener,
    path: String,
}

impl Place {
    pub(super) fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path: "/mcp".to_owned() })
    }

    pub(super) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    pub(super) fn move_to(&mut self, path: &str) {
        self.path = format!("/{}", path.trim_matches('/'));
    }

    /// What accepts connections, and the path without a final slash, so empty for the root.
    pub(super) fn open(self) -> Result<(TcpListener, Arc<str>), ServeError> {
        let listener = TcpListener::from_std(self.listener).map_err(ServeError::Listen)?;
        Ok((listener, self.path.trim_end_matches('/').into()))
    }
}

/// The path of a request as [`Place::open`] has it: with and without a final slash is one place.
pub(super) fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

/// One more connection of a peer; none where its address has as many as it may.
pub(super) fn admit(peer: SocketAddr, service: &Service) -> Option<TakenShare> {
    let caller = service.shared().callers().of(None, Some(peer.ip()));
    caller.take(What::Connections, service.limits().per_caller.max_connections)
}

/// What hyper wants to be able to hold.
const LEAST_BUFFER: usize = 8 << 10;

/// How a connection speaks HTTP/1.1.
pub(super) fn http1(stream: &TcpStream, limits: &Limits) -> http1::Builder {
    // An answer, or a message, is one write; waiting for more to send would only delay it.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.http_read_timeout.min(FAR));
    builder.max_buf_size(limits.max_header_bytes.max(LEAST_BUFFER));
    builder
}
