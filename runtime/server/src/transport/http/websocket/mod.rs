//! WebSocket (RFC 6455): one text frame is one message, in both directions; every revision on one socket. The protocol
//! leaves the binding to the implementation (2026-07-28, basic/transports "Custom Transports").
//!
//! A socket on its way: `HttpConfig` (may this caller ask at all) → `handshake` (is it a WebSocket) → hyper's upgrade →
//! `peer` (frames to messages and back) → `connection`.
//!
//! The frames are tokio-tungstenite's, and not those of jsonrpsee's server, which does not let a transport see them:
//! - it reads each message itself and answers what has no method, as a response to a server's input request has none, with
//!   -32600; its ids hold no negative integers;
//! - a message reaches the method table in a task of its own, so that a cancellation may overtake its call;
//! - text and binary frames are one to it;
//! - a method of a table sends notifications as parts of jsonrpsee's own subscriptions, or none.
//!
//! soketto, on which that server stands, has the frames alone as well, but with an older `rand`, `getrandom`, `base64`
//! and `sha1` beside those that are compiled already.

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

use super::body::HttpBody;
use super::caller::visitor;
use super::{HttpConfig, answer, hidden, too_many_of_caller};
use crate::future::BoxFuture;
use crate::quotas::What;
use crate::service::Service;
use crate::transport::peers::LAST_WORDS;

pub use serve::WebSocket;

/// A [`Service`] over WebSocket, to be mounted in axum or any other stack of `tower` services on hyper. Cheap to clone;
/// clones share their limits.
///
/// It answers the GET that opens a socket, and looks at no path. The subprotocol `mcp` is chosen where the client offers
/// it. Text frames hold one message each; a binary frame closes the socket with 1003, a message over
/// [`Limits::max_message_bytes`](crate::Limits::max_message_bytes) with 1009. When the socket is gone, so are its calls:
/// nothing is resumed.
///
/// [`HttpConfig::keep_alive`] is how often a peer is sent a ping, and
/// [`Limits::websocket_silence`](crate::Limits::websocket_silence) how long it may be silent before it counts as gone,
/// which a peer that does not read does as well. Without pings a peer may be silent forever. It needs a tokio runtime with
/// time. A handler that blocks keeps a thread of that runtime, and holds up its own peer.
#[derive(Debug, Clone)]
pub struct WebSocketService(Arc<SocketEndpoint>);

/// What the sockets of one endpoint share.
#[derive(Debug)]
struct SocketEndpoint {
    service: Service,
    config: HttpConfig,
    /// One permit for each socket that may be open.
    room: Arc<Semaphore>,
    /// Ends the sockets in order.
    stop: CancellationToken,
}

impl WebSocketService {
    /// The service with the defaults of [`HttpConfig`].
    pub fn new(service: &Service) -> Self {
        Self::with_config(service, HttpConfig::default())
    }

    /// The service with these settings. Where they ask for a token, the request that opens a socket must have it; what it
    /// allows then goes for the socket, also when it expires meanwhile. What they say of sessions and of CORS does not matter here: the origin of a page
    /// is checked before its socket is opened.
    pub fn with_config(service: &Service, config: HttpConfig) -> Self {
        service.shared().serve_for_good();
        Self::of_server(service, config)
    }

    /// The service of a server of ours, which says by itself how long it serves.
    fn of_server(service: &Service, config: HttpConfig) -> Self {
        hidden::report(service, &config);
        Self(Arc::new(SocketEndpoint {
            room: Arc::new(Semaphore::new(most_sockets(service))),
            service: service.clone(),
            config,
            stop: CancellationToken::new(),
        }))
    }

    /// Ends all sockets in order, and waits until they are gone: no new message is read, calls get
    /// [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish, subscriptions end with their last message, and
    /// each peer is told with close code 1001. New sockets are refused with status 503. A handler that blocks its thread
    /// is not waited for.
    pub async fn end(&self) {
        let SocketEndpoint { service, room, stop, .. } = &*self.0;
        stop.cancel();
        let all = u32::try_from(most_sockets(service)).unwrap_or(u32::MAX);
        // All permits are free when all sockets are gone. A handler that blocks its thread may keep one forever.
        let all_gone = room.acquire_many(all);
        let _ =
            tokio::time::timeout(service.limits().shutdown_grace.saturating_add(3 * LAST_WORDS), all_gone)
                .await;
    }
}

/// A semaphore has fewer permits than an integer has numbers, and at least one socket may be open.
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
    /// Answers the request for a socket, and has it served once it is open.
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
                "a WebSocket needs HTTP/1.1, on a server that can upgrade",
            );
        };
        if self.stop.is_cancelled() {
            return answer::refused(StatusCode::SERVICE_UNAVAILABLE, "the server is ending");
        }
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            return answer::refused(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many sockets are open already; try again when some have ended",
            );
        };
        let own = self.service.limits().per_caller.max_sockets;
        let taken = access.caller().and_then(|caller| caller.take(What::Sockets, own));
        let Some(taken) = taken else {
            return too_many_of_caller(None, &format!("{own} sockets of this caller are open"));
        };
        let endpoint = Arc::clone(self);
        tokio::spawn(async move {
            // A client that leaves before its socket is open is its own matter.
            let patience = endpoint.service.limits().http_read_timeout;
            if let Ok(Ok(upgraded)) = tokio::time::timeout(patience, upgrade).await {
                let silence = endpoint.config.reading().keep_alive;
                peer::serve(&endpoint.service, access, upgraded, silence, &endpoint.stop).await;
            }
            drop((permit, taken));
        });
        response
    }
}
