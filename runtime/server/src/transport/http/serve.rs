//! A server of its own, on hyper: HTTP/1.1 without TLS.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::pin;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use super::body::HttpBody;
use super::half_close::{HalfClose, Socket};
use super::place::{self, Place};
use super::{HttpConfig, HttpService, PeerAddr, Route, answer};
use crate::error::ServeError;
use crate::service::Service;
use crate::transport::Transport;
use crate::transport::bounded::Bounded;
use crate::transport::peers::{self, LAST_WORDS};

/// An HTTP server that listens already.
///
/// It speaks HTTP/1.1 without TLS: on this machine that is enough, anywhere else a proxy in front brings TLS. The
/// endpoint is `/mcp`, with or without a final slash, and [`Http::path`] moves it; [`Http::with_sse`] adds the transport of
/// revision 2024-11-05. At the end of
/// [`Service::serve_until`](crate::Service::serve_until) no connection is taken any more, calls get
/// [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish and are answered with -32603 then, and subscriptions
/// end with their last message.
///
/// ```no_run
/// # async fn example(service: toolwright_server::Service) -> Result<(), Box<dyn std::error::Error>> {
/// use toolwright_server::Http;
///
/// service.serve(Http::bind("127.0.0.1:8080")?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Http {
    place: Place,
    has_sse: bool,
    config: HttpConfig,
}

impl Http {
    /// Listens on `address`; port 0 lets the system choose one. Choose an address of loopback unless other machines
    /// are to call (2026-07-28, basic/transports/streamable-http "Security & Endpoint"); for those, say by which name
    /// with [`HttpConfig::allow_host`].
    ///
    /// # Errors
    /// What the system says, such as that the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self { place: Place::bind(address)?, has_sse: false, config: HttpConfig::default() })
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

    /// Serves HTTP+SSE as well, for clients that speak revision 2024-11-05 alone: GET `/sse` opens a stream, POST
    /// `/messages` takes what the client says ([`SseService`](super::SseService)). They stand next to the path of the
    /// endpoint. It is off unless asked for: later revisions have replaced this transport and advise against it
    /// (2026-07-28, basic/transports/streamable-http "HTTP+SSE Transport").
    pub fn with_sse(mut self) -> Self {
        self.has_sse = true;
        self
    }

    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let (listener, path) = self.place.open()?;
        let limits = service.limits();
        let stop = CancellationToken::new();
        let endpoint =
            Mounted { service: HttpService::of_server(service, self.config), path, has_sse: self.has_sse };
        let mut open = peers::accept(
            |task| listener.poll_accept(task),
            limits.max_http_connections,
            shutdown,
            |(stream, peer)| endpoint.clone().serve_connection(stream, peer, stop.clone()),
        )
        .await;
        drop(listener);
        stop.cancel();
        endpoint.service.end_streams();
        peers::join(&mut open, limits.shutdown_grace).await;
        endpoint.service.abandon_calls();
        peers::join(&mut open, LAST_WORDS).await;
        // What is left does not read.
        drop(open);
        endpoint.service.end_sessions();
        Ok(())
    }
}

impl From<Http> for Transport {
    fn from(http: Http) -> Self {
        Self::Http(http)
    }
}

/// The service at its path.
#[derive(Debug, Clone)]
struct Mounted {
    service: HttpService,
    /// Without a final slash, so empty for the root.
    path: std::sync::Arc<str>,
    has_sse: bool,
}

impl Mounted {
    async fn serve_connection(self, stream: TcpStream, peer: SocketAddr, stop: CancellationToken) {
        let Some(_taken) = place::admit(peer, &self.service.0.service) else { return };
        let limits = self.service.0.service.limits();
        let builder = place::http1(&stream, limits);
        let half_close = HalfClose::default();
        let socket = Bounded::new(Socket::new(stream, half_close.clone()), limits.write_timeout);
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(PeerAddr(peer));
            let (mut mounted, half_close) = (self.clone(), half_close.clone());
            async move { mounted.call(request, &half_close).await }
        });
        let mut connection = pin!(builder.serve_connection(TokioIo::new(socket), service));
        let mut stopped = pin!(stop.cancelled());
        let mut is_stopping = false;
        // An error is the peer's leaving, or its not speaking HTTP: nobody is left to tell.
        let _ = std::future::poll_fn(|task| {
            if !is_stopping && stopped.as_mut().poll(task).is_ready() {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
            let polled = connection.as_mut().poll(task);
            if polled.is_ready() || is_stopping || !half_close.has_ended() {
                return polled;
            }
            // No further request can come.
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
            connection.as_mut().poll(task)
        })
        .await;
    }

    async fn call(
        &mut self,
        request: Request<Incoming>,
        half_close: &HalfClose,
    ) -> Result<Response<HttpBody>, Infallible> {
        let path = place::without_slash(request.uri().path());
        if path == &*self.path {
            return Ok(self.service.0.respond(Route::Mcp, request, Some(half_close)).await);
        }
        if self.has_sse && self.is_sse(path) {
            return self.service.sse().call(request).await;
        }
        #[cfg(feature = "auth")]
        if self.service.metadata_path().map(place::without_slash) == Some(path) {
            return Ok(self.service.0.metadata(request.method()));
        }
        Ok(answer::empty(StatusCode::NOT_FOUND))
    }

    /// Whether a path is one of HTTP+SSE, next to that of the endpoint.
    fn is_sse(&self, path: &str) -> bool {
        let parent = self.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        path.strip_prefix(parent).is_some_and(|name| matches!(name, "/sse" | "/messages"))
    }
}
