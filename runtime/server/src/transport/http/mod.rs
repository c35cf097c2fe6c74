//! Streamable HTTP (2026-07-28, basic/transports/streamable-http; 2025-11-25, basic/transports): one endpoint for all
//! revisions, as a service to mount and as a server of its own.
//!
//! A request on its way: `config` (may this caller ask at all) → `guard`, `caller` (who is it) → `body` (bytes of bounded length) → `headers`,
//! `params` (which era, and do headers and body agree) → `modern` or `legacy` → `connection` → `exchange` (one text, or
//! events) → `answer`.
//!
//! What the legacy era alone has is in `legacy`: sessions, streams that outlive their connections, and HTTP+SSE.
//!
//! A check reads what the code that runs reads. Headers are compared with the members that dispatch uses, as strings
//! and not as JSON text, and with arguments member by member: an argument that the tool could not read is still
//! compared, an alias counts as its argument, and a duplicate member is rejected, because two readers may take
//! different ones.

mod answer;
mod body;
mod caller;
mod config;
mod cors;
mod exchange;
#[cfg(feature = "auth")]
mod guard;
mod half_close;
mod headers;
mod hidden;
mod legacy;
mod listener;
mod modern;
mod serve;
#[cfg(feature = "ws")]
mod websocket;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tokio_util::sync::CancellationToken;
use toolwright_core::protocol::Era;

use crate::auth::Visitor;
use crate::error;
use crate::future::BoxFuture;
use crate::limits::Limits;
use crate::message::{Envelope, Malformed, RequestId, trimmed};
use crate::quotas::Received;
use crate::service::Service;

use caller::Arrival;
use exchange::{Count, ResponseForm, Step};
use half_close::HalfClose;
use legacy::{Sessions, SseStreams};
use toolwright_wire::body::Unread;
use toolwright_wire::headers::Accept;
use toolwright_wire::outbox::Outbox;

pub use body::HttpBody;
pub use caller::PeerAddr;
pub use config::HttpConfig;
pub use legacy::{EventLimits, EventStore, MemoryEventStore, StoredEvent};
pub use serve::Http;
#[cfg(feature = "ws")]
pub use websocket::{WebSocket, WebSocketService};

/// A [`Service`] over HTTP, to be mounted in axum or any other stack of `tower` services. Cheap to clone; clones share
/// their sessions.
///
/// It looks at no path: mount it where clients are to find it, best with and without a final slash. It needs a tokio
/// runtime with time. A handler that blocks keeps a thread of that runtime; others go on if it has more.
///
/// Set `TCP_NODELAY` where you accept connections (with axum: `ListenerExt::tap_io`), as [`Http`] does by itself: what is
/// ready together is one write all the same, but an event that follows another by some milliseconds would wait in the
/// kernel until the client has acknowledged the first.
///
/// Clients of revision 2026-07-28 are served without state. Older ones get sessions, which live in this process: behind
/// a balancer, requests of one session must come to one process. A legacy client that loses the connection of a stream
/// comes back with `Last-Event-ID` for what it missed, also for the answer to a call, which goes on without it
/// ([`HttpConfig::event_store`]). For clients of revision 2024-11-05, which have another transport, see
/// [`HttpService::sse`].
#[derive(Debug, Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
    route: Route,
}

/// What the requests to one endpoint share.
#[derive(Debug)]
struct Endpoint {
    service: Service,
    config: HttpConfig,
    sessions: Sessions,
    sse: SseStreams,
    unanswered: Count,
    /// Ends the streams that have no end of their own.
    stop: CancellationToken,
    /// Ends the calls that have not finished in time.
    abandoned: CancellationToken,
}

impl HttpService {
    /// The service with the defaults of [`HttpConfig`].
    pub fn new(service: &Service) -> Self {
        Self::with_config(service, HttpConfig::default())
    }

    /// The service with these settings.
    pub fn with_config(service: &Service, config: HttpConfig) -> Self {
        service.shared().serve_for_good();
        Self::of_server(service, config)
    }

    /// The service of a server of ours, which says by itself how long it serves.
    fn of_server(service: &Service, config: HttpConfig) -> Self {
        hidden::report(service, &config);
        let limits = service.limits();
        let endpoint = Endpoint {
            sessions: Sessions::new(limits, config.store().clone()),
            sse: SseStreams::default(),
            service: service.clone(),
            config,
            unanswered: Count::default(),
            stop: CancellationToken::new(),
            abandoned: CancellationToken::new(),
        };
        Self { endpoint: Arc::new(endpoint), route: Route::Mcp }
    }

    /// The same service over HTTP+SSE, the transport of revision 2024-11-05, to be mounted beside this one. Later revisions
    /// have replaced that transport; clients that speak one of them do not need it.
    ///
    /// Mount it twice, as `sse`, where clients GET their stream, and next to it as `messages`, where they are told to POST.
    /// They are told so by an address relative to that of their stream, which is right behind any prefix;
    /// [`HttpConfig::messages_uri`] sets another. With axum:
    ///
    /// ```text
    /// let mcp = HttpService::new(&service);
    /// Router::new()
    ///     .route_service("/mcp", mcp.clone())
    ///     .route_service("/sse", mcp.sse())
    ///     .route_service("/messages", mcp.sse())
    /// ```
    ///
    /// As many streams may be open as sessions ([`Limits::max_sessions`](crate::Limits::max_sessions)), beside those. A
    /// stream is open as long as its client reads it, but for one without `initialize`, which ends after
    /// [`Limits::http_read_timeout`](crate::Limits::http_read_timeout). The calls that run end with it.
    pub fn sse(&self) -> Self {
        self.at(Route::Sse)
    }

    fn at(&self, route: Route) -> Self {
        Self { endpoint: Arc::clone(&self.endpoint), route }
    }

    /// Where the metadata document of a protected endpoint is to be found on its host; none if there is no document.
    /// Mount [`HttpService::metadata`] there.
    #[cfg(feature = "auth")]
    pub fn metadata_path(&self) -> Option<&str> {
        let protection = self.endpoint.config.protection()?;
        protection.metadata_url().map(|_| protection.metadata_path())
    }

    /// The metadata document of a protected endpoint (RFC 9728), as a service to mount at
    /// [`HttpService::metadata_path`]. It answers anybody, from any origin.
    #[cfg(feature = "auth")]
    pub fn metadata(&self) -> Self {
        self.at(Route::Metadata)
    }

    /// Ends the open streams in order: subscriptions with their last message. Calls go on; end the server that the
    /// service is mounted in as it has it.
    pub fn end_streams(&self) {
        self.endpoint.stop.cancel();
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _task: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Self { endpoint, route } = self.clone();
        Box::pin(async move { Ok(endpoint.respond(route, request, None).await) })
    }
}

/// What of an endpoint a service answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Streamable HTTP.
    Mcp,
    /// HTTP+SSE.
    Sse,
    /// The metadata document of a protected endpoint.
    #[cfg(feature = "auth")]
    Metadata,
}

impl Endpoint {
    /// Answers a request. `connection` says when its client has sent all that it will, where that is known.
    async fn respond<B: Body>(
        &self,
        route: Route,
        request: Request<B>,
        arrival: Option<Arrival<'_>>,
    ) -> Response<HttpBody> {
        #[cfg(feature = "auth")]
        if route == Route::Metadata {
            return self.metadata(request.method());
        }
        let (mut head, body) = request.into_parts();
        if let Some(arrival) = arrival.filter(|_| !self.config.address().is_of_peer()) {
            head.extensions.insert(PeerAddr(arrival.address));
        }
        let mut response = self.answer(route, &head, body, arrival).await;
        if let Some(origin) = self.config.cors_origin(&head.headers) {
            cors::expose(&mut response, origin);
        }
        response
    }

    async fn answer<B: Body>(
        &self,
        route: Route,
        head: &Parts,
        body: B,
        arrival: Option<Arrival<'_>>,
    ) -> Response<HttpBody> {
        if let Err(why) = self.config.admit(head) {
            return answer::refused(StatusCode::FORBIDDEN, why);
        }
        if head.method == Method::OPTIONS && self.config.cors_origin(&head.headers).is_some() {
            // A browser asks so before it sends the token.
            return cors::preflight();
        }
        let access = match caller::visitor(&self.config, &self.service, head, arrival).await {
            Ok(access) => access,
            Err(response) => return *response,
        };
        let callers = self.service.shared().callers();
        let unread = Arc::clone(access.caller().unwrap_or_else(|| callers.nobody()).unread());
        if unread.is_full() || callers.everybody().unread().is_full() {
            return too_many(None, "too much waits to be read");
        }
        let connection = arrival.map(|arrival| arrival.half_close);
        let end = access.principal().and_then(|principal| principal.end()).cloned();
        let mut response = self.answer_to(route, head, access, body, connection).await;
        response.body_mut().end_with(end.as_ref());
        if response.body_mut().count(&unread) {
            return response;
        }
        // What was asked has happened, as where a response is lost.
        too_many(None, "too much of this caller waits to be read")
    }

    /// Answers a request of a caller.
    async fn answer_to<B: Body>(
        &self,
        route: Route,
        head: &Parts,
        access: Visitor,
        body: B,
        connection: Option<&HalfClose>,
    ) -> Response<HttpBody> {
        if route == Route::Sse {
            return match head.method {
                _ if !self.config.has_sessions() => answer::empty(StatusCode::NOT_FOUND),
                Method::GET => self.sse_stream(head, access),
                Method::POST => self.sse_message(head, &access, body).await,
                _ => answer::method_not_allowed("GET, POST"),
            };
        }
        if head.method == Method::POST {
            return self.post(head, access, body, connection).await;
        }
        if !self.config.has_sessions() {
            return answer::method_not_allowed("POST");
        }
        match headers::version(&head.headers) {
            Ok(Some(revision)) if !revision.has_sessions() => return answer::method_not_allowed("POST"),
            Ok(_) => {}
            Err(error) => return answer::refusal(StatusCode::BAD_REQUEST, None, &error),
        }
        match head.method {
            Method::GET => self.stream(&head.headers, &access).await,
            Method::DELETE => self.end_session(&head.headers, &access),
            _ => answer::method_not_allowed("POST, GET, DELETE"),
        }
    }

    async fn post<B: Body>(
        &self,
        head: &Parts,
        access: Visitor,
        body: B,
        connection: Option<&HalfClose>,
    ) -> Response<HttpBody> {
        if let Err(refused) = headers::check_content(&head.headers) {
            return *refused;
        }
        let accept = Accept::of(&head.headers);
        if !accept.json && !accept.events {
            return not_acceptable();
        }
        match self.read(body, &access).await {
            Ok((bytes, received)) => {
                let step = self.take(head, access.with(received), accept, trimmed(&bytes));
                step.finish(connection).await
            }
            Err(refused) => *refused,
        }
    }

    /// The whole body with what it takes up, or why it is refused.
    async fn read<B: Body>(
        &self,
        body: B,
        visitor: &Visitor,
    ) -> Result<(Vec<u8>, Received), Box<Response<HttpBody>>> {
        let (shared, limits) = (self.service.shared(), self.service.limits());
        let limit = limits.max_message_bytes;
        let caller = visitor.caller().unwrap_or_else(|| shared.callers().nobody());
        let mut received = shared.receive(caller);
        let read =
            toolwright_wire::body::read(body, limit, limits.http_read_timeout, |bytes| received.grow(bytes))
                .await;
        let read = read.map_err(|unread| {
            Box::new(match unread {
                Unread::NoRoom => too_many(None, "too much is being received"),
                Unread::TooLong => answer::refused(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    &format!("the body is longer than the {limit} bytes that this server reads"),
                ),
                Unread::TooSlow => {
                    answer::refused(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")
                }
                Unread::Broken => {
                    answer::refused(StatusCode::BAD_REQUEST, "the body could not be read to its end")
                }
            })
        });
        read.map(|bytes| (bytes, received))
    }

    /// Takes one body: a message or a batch.
    fn take(&self, head: &Parts, access: Visitor, accept: Accept, frame: &[u8]) -> Step {
        let form = |era| ResponseForm { era, accept, reading: self.config.reading() };
        let headers = &head.headers;
        if frame.first() == Some(&b'[') {
            return self.batch(headers, access, form(Era::Legacy), frame);
        }
        let envelope = match Envelope::parse(frame) {
            Ok(envelope) => envelope,
            Err(malformed) => return Step::Done(refuse_malformed(&malformed)),
        };
        match headers::era(headers, &envelope, self.config.has_sessions()) {
            Ok(Era::Modern) => self.modern(headers, access, form(Era::Modern), envelope),
            Ok(Era::Legacy) => self.legacy(headers, access, form(Era::Legacy), envelope),
            Err(error) => {
                let id = envelope.request_id();
                Step::Done(answer::refusal(StatusCode::BAD_REQUEST, id.as_ref(), &error))
            }
        }
    }
}

fn refuse_malformed(malformed: &Malformed<'_>) -> Response<HttpBody> {
    let error = error::malformed(malformed.fault, "body");
    answer::refusal(StatusCode::BAD_REQUEST, malformed.id.as_ref(), &error)
}

fn not_acceptable() -> Response<HttpBody> {
    answer::refused(
        StatusCode::NOT_ACCEPTABLE,
        "`Accept` must list `application/json` and `text/event-stream`",
    )
}

/// What waits to be sent to a caller in answer to one request.
fn outbox_of(limits: &Limits, caller: &Visitor, listens: bool) -> Outbox {
    let room = limits.max_unsent_bytes;
    let outbox = if listens { Outbox::dropping(room) } else { Outbox::new(room) };
    match caller.caller() {
        Some(caller) => outbox.within(caller.unread()),
        None => outbox,
    }
}

/// One caller has as much as it may.
fn too_many_of_caller(id: Option<&RequestId<'_>>, what: &str) -> Response<HttpBody> {
    let error = error::internal(&format!("{what} already; end one, or try again when one has ended"));
    answer::refusal(StatusCode::TOO_MANY_REQUESTS, id, &error)
}

fn too_many(id: Option<&RequestId<'_>>, what: &str) -> Response<HttpBody> {
    let error = error::internal(&format!("{what} already; try again when some have ended"));
    answer::refusal(StatusCode::SERVICE_UNAVAILABLE, id, &error)
}
