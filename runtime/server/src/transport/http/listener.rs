//! The listener of the built-in HTTP and WebSocket servers: an address and a path, an accept loop, connection limits,
//! HTTP/1.1 on hyper, over TLS if asked for, and graceful shutdown. A [`Site`] answers requests.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::pin;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolwright_core::future::boxed;

use super::body::HttpBody;
use super::caller::Arrival;
use super::half_close::{HalfClose, Socket};
use super::stream::Stream;
#[cfg(feature = "tls")]
use super::tls::{Door, Tls};
use crate::clock::FAR;
use crate::error::ServeError;
use crate::limits::Limits;
use crate::quotas::{Caller, TakenShare, What};
use crate::service::Service;
use crate::transport::bounded::Bounded;
use crate::transport::peers;

/// What a listener serves at its address.
pub(super) trait Site: Clone + Send + Sync + 'static {
    fn service(&self) -> &Service;

    /// Answers a request for a path without its trailing slash.
    fn respond(
        &self,
        request: Request<Incoming>,
        arrival: Arrival<'_>,
    ) -> impl Future<Output = Response<HttpBody>> + Send;

    /// Shuts down. No further connection is accepted, and those in `open` accept no further request.
    fn end(&self, open: JoinSet<()>) -> impl Future<Output = ()> + Send;
}

/// A bound address and a path, `/mcp` by default.
#[derive(Debug)]
pub(super) struct Place {
    listener: std::net::TcpListener,
    path: String,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl Place {
    pub(super) fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            path: "/mcp".to_owned(),
            #[cfg(feature = "tls")]
            tls: None,
        })
    }

    pub(super) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    pub(super) fn move_to(&mut self, path: &str) {
        self.path = format!("/{}", path.trim_matches('/'));
    }

    /// Serves over TLS.
    #[cfg(feature = "tls")]
    pub(super) fn secure(&mut self, tls: Tls) {
        self.tls = Some(tls);
    }

    /// The path without its trailing slash, which is empty for the root.
    pub(super) fn path(&self) -> &str {
        self.path.trim_end_matches('/')
    }

    /// Serves a site until `shutdown`, and shuts it down.
    pub(super) async fn serve(
        self,
        site: impl Site,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let listener = TcpListener::from_std(self.listener).map_err(ServeError::Listen)?;
        let stop = CancellationToken::new();
        let security = Security {
            #[cfg(feature = "tls")]
            door: self.tls.map(|tls| Door::new(tls, site.service().limits())),
        };
        let open = peers::accept(
            |task| listener.poll_accept(task),
            site.service().limits().max_http_connections,
            shutdown,
            |(stream, peer)| serve_connection(site.clone(), stream, peer, security.clone(), stop.clone()),
        )
        .await;
        drop(listener);
        stop.cancel();
        site.end(open).await;
        Ok(())
    }
}

/// What a connection has to pass before its first request.
#[derive(Debug, Clone)]
struct Security {
    /// The handshake of TLS.
    #[cfg(feature = "tls")]
    door: Option<Door>,
}

impl Security {
    #[cfg(feature = "tls")]
    async fn enter(&self, stream: TcpStream, peer: &Caller, limits: &Limits) -> Option<Stream> {
        match &self.door {
            Some(door) => door.enter(stream, peer, limits).await,
            None => Some(Stream::Plain(stream)),
        }
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_self, reason = "with TLS, it decides")]
    fn enter(&self, stream: TcpStream, _: &Caller, _: &Limits) -> std::future::Ready<Option<Stream>> {
        std::future::ready(Some(Stream::Plain(stream)))
    }
}

/// Serves one connection until it ends or is upgraded.
async fn serve_connection(
    site: impl Site,
    stream: TcpStream,
    peer: SocketAddr,
    security: Security,
    stop: CancellationToken,
) {
    let Some(taken) = admit(peer, site.service()) else { return };
    let limits = site.service().limits();
    // Each response or message is a single write; waiting for more data would only delay it.
    let _ = stream.set_nodelay(true);
    let Some(Some(stream)) = stop.run_until_cancelled(security.enter(stream, taken.caller(), limits)).await
    else {
        return;
    };
    let builder = http1(limits);
    let half_close = HalfClose::default();
    let socket = Bounded::new(Socket::new(stream, half_close.clone()), limits.write_timeout);
    let arrival = Arrival { half_close: &half_close, address: peer, peer: taken.caller() };
    let site = &site;
    // Boxed, since most connections are idle most of the time.
    let service = service_fn(|request: Request<Incoming>| {
        boxed(move || async move { Ok::<_, Infallible>(site.respond(request, arrival).await) })
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(socket), service).with_upgrades());
    let mut stopped = pin!(stop.cancelled());
    let mut is_stopping = false;
    // An error means that the peer disconnected or does not use HTTP; it cannot be reported to anyone.
    let _ = std::future::poll_fn(|task| {
        if !is_stopping && stopped.as_mut().poll(task).is_ready() {
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        let polled = connection.as_mut().poll(task);
        if polled.is_ready() || is_stopping || !half_close.has_ended() {
            return polled;
        }
        // No further request can arrive.
        is_stopping = true;
        connection.as_mut().graceful_shutdown();
        connection.as_mut().poll(task)
    })
    .await;
}

/// The path of a request in the form of [`Place::path`]: the trailing slash does not matter.
pub(super) fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

/// Counts a connection of a peer; `None` if its address has reached the limit.
fn admit(peer: SocketAddr, service: &Service) -> Option<TakenShare> {
    let caller = service.shared().callers().of(None, Some(peer.ip()));
    caller.take(What::Connections, service.limits().per_caller.max_connections)
}

/// The minimum buffer size of hyper.
const LEAST_BUFFER: usize = 8 << 10;

/// Configures HTTP/1.1 for a connection.
fn http1(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.http_read_timeout.min(FAR));
    builder.max_buf_size(limits.max_header_bytes.max(LEAST_BUFFER));
    builder
}
