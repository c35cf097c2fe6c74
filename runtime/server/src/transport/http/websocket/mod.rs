//! WebSocket (RFC 6455): one text frame per message, in both directions, and every revision on one socket. The protocol
//! leaves this binding to implementations (2026-07-28, basic/transports "Custom Transports").
//!
//! The path of a socket: `HttpConfig` (are host and origin allowed) → `handshake` (is it a WebSocket) → hyper's upgrade
//! → `peer` (frames to messages and back) → `connection`.
//!
//! Frames are handled by tokio-tungstenite rather than jsonrpsee's server, which does not expose them to a transport:
//! - it parses each message itself and answers those without a method with -32600, such as a response to a server's
//!   input request; its ids cannot be negative integers;
//! - a message reaches the method table in a separate task, so a cancellation may overtake its call;
//! - it does not distinguish text and binary frames;
//! - a method can send notifications only as part of jsonrpsee's own subscriptions.
//!
//! soketto, on which that server is built, provides only frames as well, but with an older `rand`, `getrandom`,
//! `base64` and `sha1` in addition to those that are compiled already.

mod handshake;
mod peer;
mod serve;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use toolwright_core::future::BoxFuture;

use super::body::HttpBody;
use super::caller::visitor;
use super::{HttpConfig, answer, hidden, too_many_of_caller};
use crate::quotas::What;
use crate::service::Service;
use crate::transport::peers::LAST_WORDS;

pub use serve::WebSocket;

/// Serves a [`Service`] over WebSocket, to be mounted in axum or any other `tower` stack on hyper. Cheap to clone;
/// clones share their limits.
///
/// It answers the GET that opens a socket, and ignores the path. If the client offers the subprotocol `mcp`, it is
/// selected. Each text frame contains one message; a binary frame closes the socket with 1003, and a message over
/// [`Limits::max_message_bytes`](crate::Limits::max_message_bytes) with 1009. When a socket closes, its calls are
/// cancelled and cannot be resumed.
///
/// [`HttpConfig::keep_alive`] sets the interval of pings, and
/// [`Limits::websocket_silence`](crate::Limits::websocket_silence) how long a peer may be silent, or not read, before
/// it is disconnected. Without pings, a peer may be silent forever. It requires a tokio runtime with time enabled. A
/// handler that blocks occupies a thread of that runtime, and blocks its own peer.
#[derive(Debug, Clone)]
pub struct WebSocketService(Arc<SocketEndpoint>);

/// The state that the sockets of one endpoint share.
#[derive(Debug)]
struct SocketEndpoint {
    service: Service,
    config: HttpConfig,
    /// One permit for each socket that may be open.
    room: Arc<Semaphore>,
    /// Shuts the sockets down gracefully.
    stop: CancellationToken,
}

impl WebSocketService {
    /// Creates the service with the defaults of [`HttpConfig`].
    pub fn new(service: &Service) -> Self {
        Self::with_config(service, HttpConfig::default())
    }

    /// Creates the service with this configuration. If it requires a token, the request that opens a socket must have
    /// it; its access then applies to the socket, even if the token expires in the meantime. Settings for sessions and
    /// CORS have no effect: the origin of a page is checked before its socket is opened.
    pub fn with_config(service: &Service, config: HttpConfig) -> Self {
        service.shared().serve_for_good();
        Self::of_server(service, config)
    }

    /// Creates the service of a built-in server, whose shutdown is observable.
    fn of_server(service: &Service, config: HttpConfig) -> Self {
        hidden::report(service, &config);
        Self(Arc::new(SocketEndpoint {
            room: Arc::new(Semaphore::new(most_sockets(service))),
            service: service.clone(),
            config,
            stop: CancellationToken::new(),
        }))
    }

    /// Closes all sockets gracefully, and waits until they are closed: no new message is read, calls get
    /// [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish, subscriptions end with their last message,
    /// and each peer receives close code 1001. New sockets are rejected with status 503. Does not wait for handlers
    /// that block their thread.
    pub async fn end(&self) {
        let SocketEndpoint { service, room, stop, .. } = &*self.0;
        stop.cancel();
        let all = u32::try_from(most_sockets(service)).unwrap_or(u32::MAX);
        // All permits are available once all sockets are closed. A handler that blocks its thread may hold one forever.
        let all_gone = room.acquire_many(all);
        let _ =
            tokio::time::timeout(service.limits().shutdown_grace.saturating_add(3 * LAST_WORDS), all_gone)
                .await;
    }
}

/// A semaphore has fewer permits than `usize::MAX`, and at least one socket may be open.
fn most_sockets(service: &Service) -> usize {
    service.limits().max_socket_peers.clamp(1, 1 << 24)
}

impl<B> tower_service::Service<Request<B>> for WebSocketService {
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _task: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let upgrade = request.extensions_mut().remove::<OnUpgrade>();
        let (head, _) = request.into_parts();
        let endpoint = Arc::clone(&self.0);
        Box::pin(async move { Ok(endpoint.open(&head, upgrade).await) })
    }
}

impl SocketEndpoint {
    /// Answers the request for a socket, and serves the socket once it is open.
    async fn open(self: &Arc<Self>, head: &Parts, upgrade: Option<OnUpgrade>) -> Response<HttpBody> {
        if let Err(why) = self.config.admit(head) {
            return answer::refused(StatusCode::FORBIDDEN, why);
        }
        let access = match visitor(&self.config, &self.service, head, None).await {
            Ok(access) => access,
            Err(response) => return *response,
        };
        let response = match handshake::answer(head) {
            Ok(response) => response,
            Err(refusal) => return refusal.response(),
        };
        let Some(upgrade) = upgrade else {
            return answer::refused(
                StatusCode::NOT_IMPLEMENTED,
                "a WebSocket requires HTTP/1.1, on a server that supports upgrades",
            );
        };
        if self.stop.is_cancelled() {
            return answer::refused(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down");
        }
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            return answer::refused(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many sockets are already open; try again later",
            );
        };
        let own = self.service.limits().per_caller.max_sockets;
        let taken = access.caller().and_then(|caller| caller.take(What::Sockets, own));
        let Some(taken) = taken else {
            return too_many_of_caller(None, &format!("{own} sockets of this caller are open"));
        };
        let endpoint = Arc::clone(self);
        tokio::spawn(async move {
            // A client that disconnects before its socket is open needs no handling.
            let time_limit = endpoint.service.limits().http_read_timeout;
            if let Ok(Ok(upgraded)) = tokio::time::timeout(time_limit, upgrade).await {
                let silence = endpoint.config.reading().keep_alive;
                peer::serve(&endpoint.service, access, upgraded, silence, &endpoint.stop).await;
            }
            drop((permit, taken));
        });
        response
    }
}
