//! A server of its own, on hyper: HTTP/1.1 without TLS, and nothing but the WebSocket.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service as _;

use super::super::PeerAddr;
use super::super::body::HttpBody;
use super::super::place::{self, Place};
use super::{HttpConfig, WebSocketService, answer};
use crate::error::ServeError;
use crate::service::Service;
use crate::transport::{Transport, peers};

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
        let (listener, path) = self.place.open()?;
        let endpoint = Mounted { service: WebSocketService::of_server(service, self.config), path };
        // If this future is dropped, its sockets end all the same.
        let _stop = endpoint.service.0.stop.clone().drop_guard();
        let handshakes = peers::accept(
            |task| listener.poll_accept(task),
            service.limits().max_http_connections,
            shutdown,
            |(stream, peer)| endpoint.clone().serve_connection(stream, peer),
        )
        .await;
        drop(listener);
        // A socket that is not open yet is refused.
        drop(handshakes);
        endpoint.service.end().await;
        Ok(())
    }
}

impl From<WebSocket> for Transport {
    fn from(socket: WebSocket) -> Self {
        Self::WebSocket(socket)
    }
}

/// The service at its path.
#[derive(Debug, Clone)]
struct Mounted {
    service: WebSocketService,
    /// Without a final slash, so empty for the root.
    path: Arc<str>,
}

impl Mounted {
    /// Serves a connection until it is a WebSocket.
    async fn serve_connection(self, stream: TcpStream, peer: SocketAddr) {
        let Some(_taken) = place::admit(peer, &self.service.0.service) else { return };
        let builder = place::http1(&stream, self.service.0.service.limits());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(PeerAddr(peer));
            let mut mounted = self.clone();
            async move { mounted.call(request).await }
        });
        // An error is the peer's leaving, or its not speaking HTTP: nobody is left to tell.
        let _ = builder.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
    }

    async fn call(&mut self, request: Request<Incoming>) -> Result<Response<HttpBody>, Infallible> {
        if place::without_slash(request.uri().path()) == &*self.path {
            return self.service.call(request).await;
        }
        Ok(answer::empty(StatusCode::NOT_FOUND))
    }
}
