//! The built-in WebSocket server.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio::task::JoinSet;
use tower_service::Service as _;

use super::super::PeerAddr;
use super::super::body::HttpBody;
use super::super::caller::Arrival;
use super::super::listener::{self, Place, Site};
#[cfg(feature = "tls")]
use super::super::tls::Tls;
use super::{HttpConfig, WebSocketService, answer};
use crate::error::ServeError;
use crate::service::Service;
use crate::transport::Transport;

/// A built-in WebSocket server, bound to an address.
///
/// It speaks plain `ws:`. That suffices on the same machine; otherwise, use a proxy in front for TLS, or `WebSocket::tls`
/// (feature `tls`). Sockets are
/// opened at `/mcp`, with or without a trailing slash; [`WebSocket::path`] changes it. See [`WebSocketService`] for the
/// handling of each socket; [`Service::serve_until`](crate::Service::serve_until) shuts down like
/// [`WebSocketService::end`].
///
/// ```no_run
/// # async fn example(service: toolwright_server::Service) -> Result<(), Box<dyn std::error::Error>> {
/// use toolwright_server::WebSocket;
///
/// service.serve(WebSocket::bind("127.0.0.1:8081")?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct WebSocket {
    place: Place,
    config: HttpConfig,
}

impl WebSocket {
    /// Binds to `address`; with port 0, the system chooses one. Use a loopback address unless other machines have to
    /// connect; for those, allow the host name with [`HttpConfig::allow_host`].
    ///
    /// # Errors
    /// The system's error, for example if the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self { place: Place::bind(address)?, config: HttpConfig::default() })
    }

    /// Returns the bound address, with the port that the system chose.
    ///
    /// # Errors
    /// The system's error.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.place.local_addr()
    }

    /// Sets the configuration.
    pub fn config(mut self, config: HttpConfig) -> Self {
        self.config = config;
        self
    }

    /// Serves `wss:` with this certificate; without it, the server speaks plain `ws:`. A request without TLS is not answered.
    /// Handshakes are limited by [`Limits::max_tls_handshakes`](crate::Limits::max_tls_handshakes) and
    /// [`Limits::tls_handshake_timeout`](crate::Limits::tls_handshake_timeout). Requires the feature `tls`.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.place.secure(tls);
        self
    }

    /// Sets the path; `/mcp` by default.
    pub fn path(mut self, path: &str) -> Self {
        self.place.move_to(path);
        self
    }

    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let path = self.place.path().into();
        let service = WebSocketService::of_server(service, self.config);
        // If this future is dropped, its sockets still end.
        let _stop = service.0.stop.clone().drop_guard();
        self.place.serve(SocketSite { service, path }, shutdown).await
    }
}

impl From<WebSocket> for Transport {
    fn from(socket: WebSocket) -> Self {
        Self::WebSocket(socket)
    }
}

/// The service at its path.
#[derive(Debug, Clone)]
struct SocketSite {
    service: WebSocketService,
    /// Without its trailing slash, so empty for the root.
    path: Arc<str>,
}

impl Site for SocketSite {
    fn service(&self) -> &Service {
        &self.service.0.service
    }

    async fn respond(&self, mut request: Request<Incoming>, arrival: Arrival<'_>) -> Response<HttpBody> {
        request.extensions_mut().insert(PeerAddr(arrival.address));
        if listener::without_slash(request.uri().path()) == &*self.path {
            let Ok(response) = self.service.clone().call(request).await;
            return response;
        }
        answer::empty(StatusCode::NOT_FOUND)
    }

    async fn end(&self, handshakes: JoinSet<()>) {
        // A socket that is not open yet is rejected.
        drop(handshakes);
        self.service.end().await;
    }
}
