//! A server of its own with nothing but the WebSocket.

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
use super::{HttpConfig, WebSocketService, answer};
use crate::error::ServeError;
use crate::service::Service;
use crate::transport::Transport;

/// A WebSocket server that listens already.
///
/// It speaks plain `ws:`; on this machine that is enough, anywhere else a proxy in front brings TLS. Sockets are opened
/// at `/mcp`, with or without a final slash, and [`WebSocket::path`] moves that. What holds for each socket stands at
/// [`WebSocketService`]; the end of [`Service::serve_until`](crate::Service::serve_until) is that of
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
    /// Listens on `address`; port 0 lets the system choose one. Choose an address of loopback unless other machines
    /// are to call; for those, say by which name with [`HttpConfig::allow_host`].
    ///
    /// # Errors
    /// What the system says, such as that the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self { place: Place::bind(address)?, config: HttpConfig::default() })
    }

    /// The address that it listens on, with the port that the system chose.
    ///
    /// # Errors
    /// What the system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.place.local_addr()
    }

    /// Other settings than the defaults.
    pub fn config(mut self, config: HttpConfig) -> Self {
        self.config = config;
        self
    }

    /// Another path than `/mcp`.
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
        // If this future is dropped, its sockets end all the same.
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
    /// Without a final slash, so empty for the root.
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
        // A socket that is not open yet is refused.
        drop(handshakes);
        self.service.end().await;
    }
}
