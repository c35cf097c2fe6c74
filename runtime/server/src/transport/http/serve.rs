//! The built-in HTTP server: the endpoint at its path, and the routes beside it.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio::task::JoinSet;

use super::body::HttpBody;
use super::caller::Arrival;
use super::listener::{self, Place, Site};
#[cfg(feature = "tls")]
use super::tls::Tls;
use super::{HttpConfig, HttpService, Route, answer};
use crate::error::ServeError;
use crate::service::Service;
use crate::transport::Transport;
use crate::transport::peers::{self, LAST_WORDS};

/// A built-in HTTP server, bound to an address.
///
/// It speaks HTTP/1.1 without TLS. That suffices on the same machine; otherwise, use a proxy in front for TLS, or
/// `Http::tls` (feature `tls`). The
/// endpoint is `/mcp`, with or without a trailing slash; [`Http::path`] changes it, and [`Http::with_sse`] adds the
/// transport of revision 2024-11-05. When [`Service::serve_until`](crate::Service::serve_until) shuts down, no further
/// connection is accepted, calls get [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish and are then
/// answered with -32603, and subscriptions end with their last message.
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
    /// Binds to `address`; with port 0, the system chooses one. Use a loopback address unless other machines have to
    /// connect (2026-07-28, basic/transports/streamable-http "Security & Endpoint"); for those, allow the host name
    /// with [`HttpConfig::allow_host`].
    ///
    /// # Errors
    /// The system's error, for example if the port is in use.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        Ok(Self { place: Place::bind(address)?, has_sse: false, config: HttpConfig::default() })
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

    /// Serves `https:` with this certificate; without it, the server speaks plain HTTP. A request without TLS is not answered.
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

    /// Serves HTTP+SSE as well, for clients that only support revision 2024-11-05: GET `/sse` opens a stream, and POST
    /// `/messages` accepts the client's messages ([`HttpService::sse`]). Both are located next to the endpoint's path.
    /// Off by default: later revisions replace this transport and advise against it (2026-07-28,
    /// basic/transports/streamable-http "HTTP+SSE Transport").
    pub fn with_sse(mut self) -> Self {
        self.has_sse = true;
        self
    }

    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let path = self.place.path().into();
        let service = HttpService::of_server(service, self.config);
        self.place.serve(HttpSite { service, path, has_sse: self.has_sse }, shutdown).await
    }
}

impl From<Http> for Transport {
    fn from(http: Http) -> Self {
        Self::Http(http)
    }
}

/// The service at its path.
#[derive(Debug, Clone)]
struct HttpSite {
    service: HttpService,
    /// Without its trailing slash, so empty for the root.
    path: Arc<str>,
    has_sse: bool,
}

impl Site for HttpSite {
    fn service(&self) -> &Service {
        &self.service.endpoint.service
    }

    async fn respond(&self, request: Request<Incoming>, arrival: Arrival<'_>) -> Response<HttpBody> {
        let Some(route) = self.route_of(listener::without_slash(request.uri().path())) else {
            return answer::empty(StatusCode::NOT_FOUND);
        };
        self.service.endpoint.respond(route, request, Some(arrival)).await
    }

    async fn end(&self, mut open: JoinSet<()>) {
        let endpoint = &self.service.endpoint;
        endpoint.stop.cancel();
        peers::join(&mut open, endpoint.service.limits().shutdown_grace).await;
        // The grace period of the running calls has ended.
        endpoint.abandoned.cancel();
        peers::join(&mut open, LAST_WORDS).await;
        // The remaining connections do not read.
        drop(open);
        endpoint.sessions.end_all();
    }
}

impl HttpSite {
    /// What is served at a path, if anything.
    fn route_of(&self, path: &str) -> Option<Route> {
        if path == &*self.path {
            return Some(Route::Mcp);
        }
        if self.has_sse && self.is_sse(path) {
            return Some(Route::Sse);
        }
        #[cfg(feature = "auth")]
        if self.service.metadata_path().map(listener::without_slash) == Some(path) {
            return Some(Route::Metadata);
        }
        None
    }

    /// Whether a path is one of HTTP+SSE, next to that of the endpoint.
    fn is_sse(&self, path: &str) -> bool {
        let parent = self.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        path.strip_prefix(parent).is_some_and(|name| matches!(name, "/sse" | "/messages"))
    }
}
