//! Streamable HTTP: each message is a POST request, whose response is a message or an event stream that ends with the response.
//!
//! `negotiate` determines the revision, `exchange` sends a request and reads its response, `errors` explains failures,
//! `authorize` adds authorization headers, `session` and `listen` have the sessions and GET streams of legacy servers, `sse` and
//! `ws` the other transports over HTTP, and `pool` the connections.
//!
//! A connection has no task of its own: the request that uses it polls it together with the response. So an idle client has no
//! tasks, and dropping a request drops its connection, which cancels the request in 2026-07-28.

mod address;
mod authorize;
mod errors;
mod exchange;
#[cfg(any(feature = "agent", feature = "oauth"))]
mod fetch;
mod listen;
mod negotiate;
mod pool;
mod session;
mod sse;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "ws")]
mod ws;

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use tokio::time::{Instant, Sleep, sleep_until};
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

pub(crate) use address::Address;
pub use authorize::{Authorize, Rejection, RequestTarget};
pub(crate) use authorize::{ConfiguredHeaders, parse_header};
use exchange::Outcome;
#[cfg(all(feature = "oauth", not(feature = "agent")))]
pub(crate) use fetch::Fetched;
#[cfg(feature = "oauth")]
pub(crate) use fetch::fetch;
#[cfg(feature = "agent")]
pub(crate) use fetch::{Fetched, fetch_from};
pub(crate) use negotiate::Negotiated;
pub(crate) use pool::Pool;

use crate::era::Identity;
use crate::error::{ClientError, ErrorKind};
use crate::host::Host;
use crate::message::{self, OutgoingRequest};
use crate::pending::{PendingInput, Reply, RequestFailure, RequestOptions, TimeLimit};

/// The maximum number of times that a request is sent again with another token.
const MAX_REJECTIONS: usize = 3;
/// The maximum number of redirects that are followed per request.
const MAX_REDIRECTS: usize = 5;

/// The transport to a server over HTTP.
pub(crate) struct HttpTransport {
    pub(crate) host: Arc<Host>,
    pool: Pool,
    settings: HttpSettings,
    next_id: AtomicU64,
    state: Mutex<State>,
    /// Held while a session is created, so that concurrent requests share it.
    session_lock: tokio::sync::Mutex<()>,
}

/// The settings of a transport.
#[derive(Clone)]
pub(crate) struct HttpSettings {
    /// Headers for each request.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) authorize: Vec<Arc<dyn Authorize>>,
    /// The timeout for a connection, and for the start of a response, except for tool calls.
    pub(crate) timeout: Duration,
    /// The maximum time without data on an event stream.
    pub(crate) read_timeout: Duration,
    /// Whether to end the session with DELETE.
    pub(crate) deletes_session: bool,
    pub(crate) max_message_bytes: usize,
}

struct State {
    address: Arc<Address>,
    revision: Option<Revision>,
    session: Option<HeaderValue>,
    /// The number of sessions so far.
    generation: u64,
    listener: Option<tokio::task::AbortHandle>,
    /// The generation of the session in which the server has no GET stream.
    without_stream: Option<u64>,
    /// The handshake that creates a new session.
    handshake: Option<(Arc<Identity>, Revision)>,
}

/// The remaining time of a request.
struct RequestTimer<'a> {
    time_limit: TimeLimit,
    sleep: Pin<&'a mut Sleep>,
    pending_input: &'a PendingInput,
}

impl RequestTimer<'_> {
    /// Waits for `future` within the time limit of the request.
    async fn within<T>(&mut self, future: impl Future<Output = T>) -> Result<T, RequestFailure> {
        let mut future = pin!(future);
        loop {
            tokio::select! {
                biased;
                value = future.as_mut() => return Ok(value),
                () = self.sleep.as_mut() => {}
            }
            if !self.time_limit.extend_for_input(self.pending_input.last()) {
                return Err(self.time_limit.failure());
            }
            self.sleep.as_mut().reset(self.time_limit.deadline());
        }
    }

    fn restart(&mut self) {
        self.time_limit.restart();
        self.sleep.as_mut().reset(self.time_limit.deadline());
    }

    /// Waits for `future`, whose duration does not count against the time limit, since a user may log in.
    async fn pause_during<T>(&mut self, future: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let value = future.await;
        self.time_limit.exclude(start.elapsed());
        self.sleep.as_mut().reset(self.time_limit.deadline());
        value
    }
}

impl HttpTransport {
    pub(crate) fn new(host: Arc<Host>, address: Address, settings: HttpSettings) -> Self {
        let address = Arc::new(address);
        let state = State {
            address,
            revision: None,
            session: None,
            generation: 0,
            listener: None,
            without_stream: None,
            handshake: None,
        };
        Self {
            host,
            pool: Pool::default(),
            settings,
            next_id: AtomicU64::new(1),
            state: Mutex::new(state),
            session_lock: tokio::sync::Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn address(&self) -> Arc<Address> {
        Arc::clone(&self.lock().address)
    }

    /// Returns the number of sessions so far. State of an earlier session may be outdated.
    pub(crate) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// Sends a request and waits for its response.
    pub(crate) async fn request(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let time_limit = TimeLimit::new(options.timeout, options.max_duration);
        let sleep = pin!(sleep_until(time_limit.deadline()));
        let mut timer = RequestTimer { time_limit, sleep, pending_input: &self.host.pending_input };
        let mut cancel = CancelOnDrop { http: self, id, is_armed: self.is_legacy() };
        let outcome = self.send_request(id, outgoing, meta, &mut timer, options).await;
        cancel.is_armed &=
            matches!(outcome, Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)));
        outcome
    }

    /// Sends a request, again if it is rejected or redirected, or if the session is lost.
    async fn send_request(
        self: &Arc<Self>,
        id: u64,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let mut body = Vec::new();
        message::write_request(&mut body, id, outgoing, meta);
        let body = Bytes::from(body);
        let (mut rejections, mut redirects, mut has_new_session) = (0, 0, false);
        loop {
            let generation = self.generation();
            let response = match self.exchange(id, &body, outgoing, timer, options).await? {
                Outcome::Reply { reply, .. } => return Ok(reply),
                Outcome::Empty { status } => return Err(self.empty_response_error(status).into()),
                Outcome::StreamEnded(end) => return Box::pin(self.resume(id, end, timer, options)).await,
                Outcome::ErrorStatus(response) => response,
            };
            match response.status {
                401 | 403
                    if rejections < MAX_REJECTIONS
                        && timer.pause_during(Box::pin(self.reauthorize(&response, rejections))).await? =>
                {
                    rejections += 1;
                }
                404 if response.had_session && !has_new_session => {
                    has_new_session = true;
                    timer.within(Box::pin(self.replace_session(generation))).await??;
                }
                301 | 302 | 303 | 307 | 308 if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    self.follow_redirect(&response)?;
                }
                _ => return Err(self.status_error(&response).into()),
            }
        }
    }

    pub(crate) fn is_legacy(&self) -> bool {
        self.lock().revision.is_some_and(Revision::has_sessions)
    }

    /// Sends a message that has no response, in the background.
    pub(crate) fn send(self: &Arc<Self>, message: Vec<u8>) {
        // There may be no runtime while the program exits.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let http = Arc::clone(self);
        runtime.spawn(async move {
            if let Err(error) = http.post(message, "").await {
                http.host.warn(&format!("failed to send a message: {}", error.problem()));
            }
        });
    }

    /// Sends a message that has no response. Returns `false` if it is to be sent again with another token.
    async fn try_post(self: &Arc<Self>, message: Vec<u8>, attempt: usize) -> Result<bool, ClientError> {
        match self.post_once(message, "").await? {
            Outcome::ErrorStatus(response) => {
                if matches!(response.status, 401 | 403) && self.reauthorize(&response, attempt).await? {
                    return Ok(false);
                }
                Err(self.status_error(&response))
            }
            _ => Ok(true),
        }
    }

    /// Sends a message that has no response.
    pub(crate) async fn post(self: &Arc<Self>, message: Vec<u8>, method: &str) -> Result<(), ClientError> {
        match self.post_once(message, method).await? {
            Outcome::ErrorStatus(response) => Err(self.status_error(&response)),
            _ => Ok(()),
        }
    }

    async fn post_once(self: &Arc<Self>, message: Vec<u8>, method: &str) -> Result<Outcome, ClientError> {
        // A repeated `notifications/initialized` has no effect.
        let is_idempotent = method == method::INITIALIZED;
        let outgoing =
            OutgoingRequest { method: method.to_owned().into(), is_idempotent, ..OutgoingRequest::default() };
        let time_limit = TimeLimit::new(self.settings.timeout, self.settings.timeout);
        let sleep = pin!(sleep_until(time_limit.deadline()));
        let mut options = RequestOptions::new(self.settings.timeout, self.settings.timeout);
        let mut timer = RequestTimer { time_limit, sleep, pending_input: &self.host.pending_input };
        match self.exchange(0, &Bytes::from(message), &outgoing, &mut timer, &mut options).await {
            Ok(outcome) => Ok(outcome),
            Err(RequestFailure::Failed(error)) => Err(error),
            Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)) => Err(self.host.error(
                ErrorKind::Timeout,
                "sending a message timed out",
                "check whether the server hangs",
            )),
        }
    }
}

/// Cancels a request at a legacy server. For modern servers, the closed connection cancels it (2026-07-28,
/// basic/transports/streamable-http "Cancellation").
struct CancelOnDrop<'a> {
    http: &'a Arc<HttpTransport>,
    id: u64,
    is_armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.is_armed {
            let params = format!(
                r#"{{"requestId":{},"reason":"the client no longer waits for the response"}}"#,
                self.id
            );
            self.http.send(message::notification(method::CANCELLED, &params));
        }
    }
}
