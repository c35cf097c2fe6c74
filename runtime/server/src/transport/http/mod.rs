//! Streamable HTTP (2026-07-28, basic/transports/streamable-http; 2025-11-25, basic/transports): one endpoint for all
//! revisions, as a service to mount and as a built-in server.
//!
//! The path of a request: `config` (are host and origin allowed) → `guard`, `caller` (who is the caller) → `body`
//! (bytes of bounded length) → `headers`, `params` (the era, and whether headers and body match) → `modern` or `legacy`
//! → `connection` → `exchange` (JSON or events) → `answer`.
//!
//! `legacy` contains what only the legacy era has: sessions, streams that outlive their connections, and HTTP+SSE.
//!
//! A check reads the same data as the code that runs. Headers are compared with the members that dispatch uses, as
//! strings rather than JSON, and with arguments member by member: an argument that the tool could not parse is still
//! compared, an alias counts as its argument, and a duplicate member is rejected, because two readers may choose
//! different ones.

mod answer;
mod body;
mod caller;
mod config;
mod cors;
mod discard;
mod exchange;
#[cfg(feature = "auth")]
mod guard;
mod half_close;
mod headers;
mod hidden;
mod legacy;
mod listener;
mod modern;
#[cfg(feature = "axum")]
mod routes;
mod serve;
mod stream;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "ws")]
mod websocket;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tokio_util::sync::CancellationToken;
use toolwright_core::future::{BoxFuture, boxed};
use toolwright_core::protocol::Era;

use crate::auth::Visitor;
use crate::error;
use crate::limits::Limits;
use crate::message::{Envelope, Malformed, RequestId, trimmed};
use crate::quotas::Received;
use crate::service::Service;

use caller::Arrival;
use exchange::{Count, ResponseForm, Step};
use half_close::HalfClose;
use legacy::{Sessions, SseStreams};
use toolwright_wire::body::BodyError;
use toolwright_wire::headers::Accept;
use toolwright_wire::outbox::Outbox;

pub use body::HttpBody;
pub use caller::PeerAddr;
pub use config::HttpConfig;
pub use legacy::{EventLimits, EventStore, EventStoreError, MemoryEventStore, StoredEvent};
#[cfg(feature = "axum")]
pub use routes::no_delay;
pub use serve::Http;
#[cfg(feature = "tls")]
pub use tls::{Tls, TlsError};
#[cfg(feature = "ws")]
pub use websocket::{WebSocket, WebSocketService};

/// Serves a [`Service`] over HTTP, to be mounted in axum or any other `tower` stack. Cheap to clone; clones share their
/// sessions.
///
/// It ignores the path of requests: mount it where clients expect it, preferably with and without a trailing slash, as
/// `HttpService::router` does in axum (feature `axum`). It requires a tokio runtime with time enabled. A handler that blocks occupies a thread of that runtime; others continue
/// if it has more.
///
/// Set `TCP_NODELAY` on accepted connections (with axum: `no_delay`), as [`Http`] does automatically: otherwise
/// an event that follows another within milliseconds waits in the kernel until the client has acknowledged the first.
/// Data that is ready together is sent in one write anyway.
///
/// Clients of revision 2026-07-28 are served statelessly. Older ones get sessions, which live in this process: behind a
/// load balancer, requests of one session must reach the same process. A legacy client that loses a stream's connection
/// reconnects with `Last-Event-ID` to get what it missed, including the response to a call, which continues in the
/// meantime ([`HttpConfig::event_store`]). Clients of revision 2024-11-05 use another transport; see
/// [`HttpService::sse`].
#[derive(Debug, Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
    route: Route,
}

/// The state that the requests of one endpoint share.
#[derive(Debug)]
struct Endpoint {
    service: Service,
    config: HttpConfig,
    sessions: Sessions,
    sse: SseStreams,
    unanswered: Count,
    /// Ends streams that have no end of their own.
    stop: CancellationToken,
    /// Ends calls that have not completed in time.
    abandoned: CancellationToken,
}

impl HttpService {
    /// Creates the service with the defaults of [`HttpConfig`].
    pub fn new(service: &Service) -> Self {
        Self::with_config(service, HttpConfig::default())
    }

    /// Creates the service with this configuration.
    pub fn with_config(service: &Service, config: HttpConfig) -> Self {
        service.shared().serve_for_good();
        Self::of_server(service, config)
    }

    /// Creates the service of a built-in server, whose shutdown is observable.
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

    /// Returns the same service over HTTP+SSE, the transport of revision 2024-11-05, to be mounted beside this one.
    /// Later revisions replace that transport; their clients do not need it.
    ///
    /// Mount it twice: as `sse`, where clients GET their stream, and next to it as `messages`, where they POST. Clients
    /// learn the latter as an address relative to their stream, which is correct behind any prefix;
    /// [`HttpConfig::messages_uri`] overrides it. With axum:
    ///
    /// ```text
    /// let mcp = HttpService::new(&service);
    /// Router::new()
    ///     .route_service("/mcp", mcp.clone())
    ///     .route_service("/sse", mcp.sse())
    ///     .route_service("/messages", mcp.sse())
    /// ```
    ///
    /// In addition to sessions, as many streams as [`Limits::max_sessions`](crate::Limits::max_sessions) may be open. A
    /// stream stays open while its client reads it, except for one without `initialize`, which ends after
    /// [`Limits::http_read_timeout`](crate::Limits::http_read_timeout). Running calls end with it.
    pub fn sse(&self) -> Self {
        self.at(Route::Sse)
    }

    fn at(&self, route: Route) -> Self {
        Self { endpoint: Arc::clone(&self.endpoint), route }
    }

    /// Returns the path of a protected endpoint's metadata document on its host; `None` if there is no document. Mount
    /// [`HttpService::metadata`] there.
    #[cfg(feature = "auth")]
    pub fn metadata_path(&self) -> Option<&str> {
        let protection = self.endpoint.config.protection()?;
        protection.metadata_url().map(|_| protection.metadata_path())
    }

    /// Returns a service for the metadata document of a protected endpoint (RFC 9728), to be mounted at
    /// [`HttpService::metadata_path`]. It answers everyone, from any origin.
    #[cfg(feature = "auth")]
    pub fn metadata(&self) -> Self {
        self.at(Route::Metadata)
    }

    /// Ends the open streams gracefully: subscriptions with their last message. Calls continue; shut down the server in
    /// which the service is mounted by its own means.
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
        boxed(move || async move { Ok(endpoint.respond(route, request, None).await) })
    }
}

/// The part of an endpoint that a service serves.
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
    /// Answers a request. `connection` signals when its client has finished sending, if that is known.
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
            return discard::reject(head, body, answer::refused(StatusCode::FORBIDDEN, why)).await;
        }
        if head.method == Method::OPTIONS && self.config.cors_origin(&head.headers).is_some() {
            // A browser sends this before it sends the token.
            return cors::preflight();
        }
        let access = match caller::visitor(&self.config, &self.service, head, arrival).await {
            Ok(access) => access,
            Err(response) => return discard::reject(head, body, *response).await,
        };
        let callers = self.service.shared().callers();
        let unread = Arc::clone(access.caller().unwrap_or_else(|| callers.anonymous()).unread());
        if unread.is_full() || callers.overall().unread().is_full() {
            return discard::reject(head, body, too_many(None, "too many unread responses")).await;
        }
        let connection = arrival.map(|arrival| arrival.half_close);
        let end = access.principal().and_then(|principal| principal.end()).cloned();
        let mut response = self.answer_to(route, head, access, body, connection).await;
        response.body_mut().end_with(end.as_ref());
        if response.body_mut().count(&unread) {
            return response;
        }
        // The request has been executed, as if the response had been lost.
        too_many(None, "too many unread responses of this caller")
    }

    /// Answers a request of an identified caller.
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
            return discard::reject(head, body, *refused).await;
        }
        let accept = Accept::of(&head.headers);
        if !accept.json && !accept.events {
            return discard::reject(head, body, not_acceptable()).await;
        }
        match self.read(body, &access).await {
            Ok((bytes, received)) => {
                let step = self.take(head, access.with(received), accept, trimmed(&bytes));
                step.finish(connection).await
            }
            Err(refused) => *refused,
        }
    }

    /// Reads the complete body, with its share of the limits, or returns the rejection.
    async fn read<B: Body>(
        &self,
        body: B,
        visitor: &Visitor,
    ) -> Result<(Vec<u8>, Received), Box<Response<HttpBody>>> {
        let (shared, limits) = (self.service.shared(), self.service.limits());
        let limit = limits.max_message_bytes;
        let caller = visitor.caller().unwrap_or_else(|| shared.callers().anonymous());
        let mut received = shared.receive(caller);
        let read =
            toolwright_wire::body::read(body, limit, limits.http_read_timeout, |bytes| received.grow(bytes))
                .await;
        let read = read.map_err(|unread| {
            Box::new(match unread {
                BodyError::NoRoom => too_many(None, "the server is receiving too much"),
                BodyError::TooLong => answer::refused(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    &format!("the body exceeds the limit of {limit} bytes"),
                ),
                BodyError::TooSlow => {
                    answer::refused(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
                }
                BodyError::Broken => {
                    answer::refused(StatusCode::BAD_REQUEST, "the body could not be read completely")
                }
            })
        });
        read.map(|bytes| (bytes, received))
    }

    /// Handles one body: a message or a batch.
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

/// Creates the outbox for the response to one request.
fn outbox_of(limits: &Limits, caller: &Visitor, listens: bool) -> Outbox {
    let room = limits.max_unsent_bytes;
    let outbox = if listens { Outbox::dropping(room) } else { Outbox::new(room) };
    match caller.caller() {
        Some(caller) => outbox.within(caller.unread()),
        None => outbox,
    }
}

/// The caller has reached a limit.
fn too_many_of_caller(id: Option<&RequestId<'_>>, what: &str) -> Response<HttpBody> {
    let error = error::internal(&format!("{what} already; end one, or try again later"));
    answer::refusal(StatusCode::TOO_MANY_REQUESTS, id, &error)
}

fn too_many(id: Option<&RequestId<'_>>, what: &str) -> Response<HttpBody> {
    let error = error::internal(&format!("{what} already; try again later"));
    answer::refusal(StatusCode::SERVICE_UNAVAILABLE, id, &error)
}
