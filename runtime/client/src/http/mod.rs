//! Streamable HTTP: each message is a POST, whose response is the answer or a stream of events with the answer in it.
//!
//! `exchange` is one of them, `refusal` what a status means, `listen` the streams of GET, `pool` the connections.
//!
//! Connections are driven by the calls that use them, without tasks of their own: a call polls its connection next to
//! its own response. So an idle client has no tasks, and dropping a call drops its connection, which is how
//! 2026-07-28 cancels.

mod address;
mod authorize;
mod exchange;
#[cfg(any(feature = "agent", feature = "oauth"))]
mod fetch;
mod listen;
mod meet;
mod pool;
mod refusal;
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
use exchange::Answer;
#[cfg(all(feature = "oauth", not(feature = "agent")))]
pub(crate) use fetch::Fetched;
#[cfg(feature = "oauth")]
pub(crate) use fetch::fetch;
#[cfg(feature = "agent")]
pub(crate) use fetch::{Fetched, fetch_from};
pub(crate) use meet::{Expected, Met};
pub(crate) use pool::Pool;

use crate::era::Identity;
use crate::error::{ClientError, ErrorKind};
use crate::host::Host;
use crate::message::{self, OutgoingRequest};
use crate::pending::{PendingInput, Reply, RequestFailure, RequestOptions, TimeLimit};

/// How often a request is sent again because the server refused its token.
const MAX_REFUSALS: usize = 3;
/// How many redirections of one request are followed.
const MAX_REDIRECTS: usize = 5;

/// A server over Streamable HTTP.
pub(crate) struct Http {
    pub(crate) host: Arc<Host>,
    pool: Pool,
    settings: HttpSettings,
    next_id: AtomicU64,
    state: Mutex<State>,
    /// Held while a session is begun, so that one is begun for all that miss it.
    gate: tokio::sync::Mutex<()>,
}

/// How a server is to be reached.
#[derive(Clone)]
pub(crate) struct HttpSettings {
    pub(crate) fixed: Vec<(HeaderName, HeaderValue)>,
    pub(crate) authorize: Vec<Arc<dyn Authorize>>,
    /// How long a connection may take, and the answer to whatever is not a call to begin.
    pub(crate) timeout: Duration,
    /// How long a stream of events may be silent.
    pub(crate) silence: Duration,
    pub(crate) terminates: bool,
    pub(crate) max_message_bytes: usize,
}

struct State {
    address: Arc<Address>,
    revision: Option<Revision>,
    session: Option<HeaderValue>,
    /// Counts the sessions.
    generation: u64,
    listener: Option<tokio::task::AbortHandle>,
    /// The session in which the server has refused its stream.
    without_stream: Option<u64>,
    /// What a new session is begun with.
    handshake: Option<(Arc<Identity>, Revision)>,
}

/// How long a request may still take.
struct Clock<'a> {
    time_limit: TimeLimit,
    timer: Pin<&'a mut Sleep>,
    pending_input: &'a PendingInput,
}

impl Clock<'_> {
    /// Waits for `future`, but no longer than the request may take.
    async fn within<T>(&mut self, future: impl Future<Output = T>) -> Result<T, RequestFailure> {
        let mut future = pin!(future);
        loop {
            tokio::select! {
                biased;
                value = future.as_mut() => return Ok(value),
                () = self.timer.as_mut() => {}
            }
            if !self.time_limit.extend_for_input(self.pending_input.last()) {
                return Err(self.time_limit.failure());
            }
            self.timer.as_mut().reset(self.time_limit.deadline());
        }
    }

    fn restart(&mut self) {
        self.time_limit.restart();
        self.timer.as_mut().reset(self.time_limit.deadline());
    }

    /// Waits for `future`, whose time does not count: a user may log in.
    async fn beside<T>(&mut self, future: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let value = future.await;
        self.time_limit.exclude(began.elapsed());
        self.timer.as_mut().reset(self.time_limit.deadline());
        value
    }
}

impl Http {
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
            gate: tokio::sync::Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn address(&self) -> Arc<Address> {
        Arc::clone(&self.lock().address)
    }

    /// Counts the sessions of a legacy server: what was learned in another one may not hold any more.
    pub(crate) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let time_limit = TimeLimit::new(options.timeout, options.max_duration);
        let timer = pin!(sleep_until(time_limit.deadline()));
        let mut clock = Clock { time_limit, timer, pending_input: &self.host.pending_input };
        let mut cancel = CancelOnDrop { http: self, id, is_armed: self.is_legacy() };
        let outcome = self.answered(id, outgoing, meta, &mut clock, options).await;
        cancel.is_armed &=
            matches!(outcome, Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)));
        outcome
    }

    async fn answered(
        self: &Arc<Self>,
        id: u64,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let mut body = Vec::new();
        message::write_request(&mut body, id, outgoing, meta);
        let body = Bytes::from(body);
        let (mut refusals, mut redirects, mut has_renewed) = (0, 0, false);
        loop {
            let generation = self.generation();
            let refused = match self.exchange(id, &body, outgoing, clock, options).await? {
                Answer::Reply { reply, .. } => return Ok(reply),
                Answer::Nothing { status } => return Err(self.no_message(status).into()),
                Answer::Ended(ended) => return Box::pin(self.resume(id, ended, clock, options)).await,
                Answer::Refused(refused) => refused,
            };
            match refused.status {
                401 | 403
                    if refusals < MAX_REFUSALS
                        && clock.beside(Box::pin(self.authorize_again(&refused, refusals))).await? =>
                {
                    refusals += 1;
                }
                404 if refused.had_session && !has_renewed => {
                    has_renewed = true;
                    clock.within(Box::pin(self.renew(generation))).await??;
                }
                301 | 302 | 303 | 307 | 308 if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    self.redirect(&refused)?;
                }
                _ => return Err(self.refusal(&refused).into()),
            }
        }
    }

    pub(crate) fn is_legacy(&self) -> bool {
        self.lock().revision.is_some_and(Revision::has_sessions)
    }

    /// Sends a message that has no answer, without waiting for it.
    pub(crate) fn send(self: &Arc<Self>, message: Vec<u8>) {
        // Without a runtime nothing can be sent, as where the program ends.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let http = Arc::clone(self);
        runtime.spawn(async move {
            if let Err(error) = http.post(message, "").await {
                http.host.warn(&format!("a message to it was not taken: {}", error.problem()));
            }
        });
    }

    /// Sends a message that has no answer. Says whether it was taken, or is to be sent again with another token.
    async fn post_checked(self: &Arc<Self>, message: Vec<u8>, attempt: usize) -> Result<bool, ClientError> {
        match self.post_once(message, "").await? {
            Answer::Refused(refused) => {
                if matches!(refused.status, 401 | 403) && self.authorize_again(&refused, attempt).await? {
                    return Ok(false);
                }
                Err(self.refusal(&refused))
            }
            _ => Ok(true),
        }
    }

    /// Sends a message that has no answer.
    pub(crate) async fn post(self: &Arc<Self>, message: Vec<u8>, method: &str) -> Result<(), ClientError> {
        match self.post_once(message, method).await? {
            Answer::Refused(refused) => Err(self.refusal(&refused)),
            _ => Ok(()),
        }
    }

    async fn post_once(self: &Arc<Self>, message: Vec<u8>, method: &str) -> Result<Answer, ClientError> {
        // To begin a session twice is to begin it once.
        let is_idempotent = method == method::INITIALIZED;
        let outgoing =
            OutgoingRequest { method: method.to_owned().into(), is_idempotent, ..OutgoingRequest::default() };
        let time_limit = TimeLimit::new(self.settings.timeout, self.settings.timeout);
        let timer = pin!(sleep_until(time_limit.deadline()));
        let mut options = RequestOptions {
            timeout: self.settings.timeout,
            max_duration: self.settings.timeout,
            on_notice: None,
            relay: None,
        };
        let mut clock = Clock { time_limit, timer, pending_input: &self.host.pending_input };
        match self.exchange(0, &Bytes::from(message), &outgoing, &mut clock, &mut options).await {
            Ok(answer) => Ok(answer),
            Err(RequestFailure::Failed(error)) => Err(error),
            Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)) => Err(self.host.error(
                ErrorKind::Timeout,
                "a message was not taken in time",
                "see whether the server hangs",
            )),
        }
    }
}

/// Tells a legacy server that nobody waits any more. A modern one sees that the connection ends (2026-07-28,
/// basic/transports/streamable-http "Cancellation").
struct CancelOnDrop<'a> {
    http: &'a Arc<Http>,
    id: u64,
    is_armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.is_armed {
            let params = format!(r#"{{"requestId":{},"reason":"the client no longer waits"}}"#, self.id);
            self.http.send(message::notification(method::CANCELLED, &params));
        }
    }
}
