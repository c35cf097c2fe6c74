//! Many requests over one channel: which are open, what is to be sent, and where each message that arrives belongs.
//!
//! Transports differ in how bytes come and go; what they have in common is here.
//!
//! One task serves both directions. What is ready together is one write, and answers reach their callers as text,
//! which the callers deserialize into the types they want.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use toolwright_core::protocol::method;

use crate::error::{ClientError, ErrorKind, bytes, quoted};
use crate::host::Host;
use crate::message::{self, Id, Message, OutgoingRequest};
use crate::pending::{Notice, Reply, RequestFailure, RequestOptions, ResponseSlot};
use crate::progress::read_progress;

/// How many requests are open at once; further ones wait.
const MAX_CONCURRENT: usize = 1024;
/// How many bytes of answers to the server's own requests wait for it to read them. A server that asks and does not read is
/// not served any further.
const MAX_UNREAD: usize = 256 << 10;
/// How many lines that are no messages a server may send before its first message.
const MAX_STRAY: usize = 1000;

/// One channel to a server.
#[derive(Debug)]
pub(crate) struct Mux {
    pub(crate) host: Arc<Host>,
    state: Mutex<State>,
    next_id: AtomicU64,
    permits: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<u64, Arc<ResponseSlot>, BuildHasherDefault<IdHasher>>,
    /// What is to be sent, each message with a line feed.
    out: Vec<u8>,
    /// How many bytes of `out` answer the server's requests.
    response_bytes: usize,
    /// The same of what was taken to be written, and perhaps is not yet.
    taken_response_bytes: usize,
    writer: Option<Waker>,
    closed: Option<ClientError>,
    /// The channel is to end.
    is_ending: bool,
    has_sent_message: bool,
    stray: Stray,
}

/// What came that is no message.
#[derive(Debug, Default)]
struct Stray {
    count: usize,
    first: Option<String>,
}

/// Ids are ours and count up, so that they need no protection against collisions.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, id: u64) {
        // The table looks at the upper bits too.
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// A request that was sent. Dropping it before the answer came cancels it at the server.
pub(crate) struct PendingRequest {
    mux: Arc<Mux>,
    id: u64,
    slot: Arc<ResponseSlot>,
    /// Whether the server is told when nobody waits any more (`initialize` must not be cancelled: 2025-11-25,
    /// basic/utilities/cancellation "Behavior Requirements").
    cancels: bool,
    is_answered: bool,
}

impl Mux {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        let (state, next_id) = (Mutex::default(), AtomicU64::new(1));
        Self { host, state, next_id, permits: Semaphore::new(MAX_CONCURRENT) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let _permit = match self.permits.try_acquire() {
            Ok(permits) => Some(permits),
            // It is never closed.
            Err(_) => self.permits.acquire().await.ok(),
        };
        self.open(outgoing, meta, true)?.wait(options).await
    }

    /// Sends a request, whose answer can be waited for later.
    pub(crate) fn open(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        cancels: bool,
    ) -> Result<PendingRequest, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(ResponseSlot::default());
        let mut state = self.lock();
        if let Some(error) = &state.closed {
            return Err(error.clone());
        }
        state.open.insert(id, Arc::clone(&slot));
        message::write_request(&mut state.out, id, outgoing, meta);
        state.out.push(b'\n');
        state.wake_writer();
        drop(state);
        Ok(PendingRequest { mux: Arc::clone(self), id, slot, cancels, is_answered: false })
    }

    /// Sends a message that has no answer.
    pub(crate) fn send(&self, message: &[u8]) {
        let mut state = self.lock();
        if state.closed.is_none() {
            state.out.extend_from_slice(message);
            state.out.push(b'\n');
            state.wake_writer();
        }
    }

    /// Sends the answer to a request of the server.
    pub(crate) fn respond(&self, message: &[u8]) {
        self.lock().response_bytes += message.len() + 1;
        self.send(message);
    }

    /// Takes what is to be sent, each message with a line feed; ready with `false` when nothing will follow.
    pub(crate) fn poll_outgoing(&self, out: &mut Vec<u8>, cx: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.lock();
        // Who asks for more has written the last.
        state.taken_response_bytes = std::mem::take(&mut state.response_bytes);
        if !state.out.is_empty() {
            std::mem::swap(&mut state.out, out);
            return Poll::Ready(true);
        }
        if state.is_ending || state.closed.is_some() {
            return Poll::Ready(false);
        }
        match &state.writer {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => state.writer = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Asks whoever drives the channel to end it, after what is to be sent.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        state.wake_writer();
    }

    /// Fails what is open, and whatever comes, with this error.
    pub(crate) fn close(&self, error: &ClientError) {
        let mut state = self.lock();
        state.closed.get_or_insert_with(|| error.clone());
        state.wake_writer();
        let open = std::mem::take(&mut state.open);
        drop(state);
        for slot in open.into_values() {
            slot.complete(Err(error.clone()));
        }
    }

    /// Fails one request, which could not be sent.
    #[cfg(feature = "http")]
    pub(crate) fn fail(&self, id: u64, error: ClientError) {
        let slot = self.lock().open.remove(&id);
        if let Some(slot) = slot {
            slot.complete(Err(error));
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        let state = self.lock();
        state.closed.is_some() || state.is_ending
    }

    /// Whether something that is no message came, and the beginning of the first of it.
    pub(crate) fn stray(&self) -> Option<String> {
        self.lock().stray.first.clone()
    }

    /// Whether the server has sent a message.
    pub(crate) fn has_sent_message(&self) -> bool {
        self.lock().has_sent_message
    }

    /// Takes a message that arrived.
    ///
    /// # Errors
    /// Why no further message is to be read.
    pub(crate) fn receive(self: &Arc<Self>, text: &[u8]) -> Result<(), ClientError> {
        if let Some((id, result)) = message::read_simple_response(text) {
            self.complete(Id::Own(id), Reply::Result(self.host.buffers.copy(result)));
            return Ok(());
        }
        match message::read(text) {
            Ok(message) => {
                self.dispatch(message);
                self.check_unread_responses()
            }
            Err(problem) => match message::split_batch(text) {
                Some(batch) => {
                    for text in batch {
                        match message::read(text.get().as_bytes()) {
                            Ok(message) => self.dispatch(message),
                            Err(problem) => self.receive_invalid(text.get().as_bytes(), &problem)?,
                        }
                    }
                    self.check_unread_responses()
                }
                None => self.receive_invalid(text, &problem),
            },
        }
    }

    fn dispatch(self: &Arc<Self>, message: Message<'_>) {
        match message {
            Message::Response { id, outcome } => {
                let reply = match outcome {
                    Ok(result) => Reply::Result(self.host.buffers.copy(result.get())),
                    Err(error) => Reply::Error(error.get().into()),
                };
                self.complete(id, reply);
            }
            Message::Notification { method, params } => self.handle_notification(&method, params),
            Message::Request { id, method, params } => {
                self.lock().has_sent_message = true;
                let mux = Arc::clone(self);
                self.host.handle_request(id, &method, params, None, move |response| mux.respond(&response));
            }
        }
    }

    fn complete(&self, id: Id, reply: Reply) {
        let mut state = self.lock();
        state.has_sent_message = true;
        let slot = match id {
            Id::Own(id) => state.open.remove(&id),
            // Of an error without an id there is no doubt whom it is for if one request is open.
            Id::Unknown if matches!(reply, Reply::Error(_)) => state.remove_only(),
            Id::Unknown => None,
        };
        drop(state);
        match slot {
            Some(slot) => slot.complete(Ok(reply)),
            None => self.host.warn("it answered a request that is not open; the answer is dropped"),
        }
    }

    fn handle_notification(&self, method: &str, params: Option<&RawValue>) {
        self.lock().has_sent_message = true;
        let params = params.map_or("{}", RawValue::get);
        if method == method::PROGRESS {
            if let Some((id, progress)) = read_progress(params)
                && let Some(slot) = self.slot(id)
            {
                slot.notify(Notice::Progress(progress));
            }
            return;
        }
        if let Some(slot) = read_subscription_id(params).and_then(|id| self.slot(id)) {
            slot.notify(Notice::Subscription { method: method.to_owned(), params: params.to_owned() });
        }
        self.host.handle_notification(method, params, None);
    }

    fn slot(&self, id: u64) -> Option<Arc<ResponseSlot>> {
        self.lock().open.get(&id).cloned()
    }

    fn receive_invalid(&self, text: &[u8], problem: &str) -> Result<(), ClientError> {
        if let Some(slot) = message::find_id(text).and_then(|id| self.lock().open.remove(&id)) {
            slot.complete(Err(self.host.error(
                ErrorKind::Protocol,
                format!("its answer cannot be read: {problem}"),
                "report this to those who make the server, or set the `encoding` that it writes",
            )));
            return Ok(());
        }
        let mut state = self.lock();
        state.stray.count += 1;
        let start = String::from_utf8_lossy(&text[..text.len().min(200)]);
        let shown = quoted(&start);
        let too_many = state.stray.count > MAX_STRAY && !state.has_sent_message;
        let is_first = state.stray.first.is_none();
        state.stray.first.get_or_insert_with(|| shown.clone());
        drop(state);
        if is_first {
            self.host.warn(&format!("it sent something that is not a message ({problem}): {shown}"));
        }
        if too_many {
            return Err(self.host.error(
                ErrorKind::Protocol,
                format!("it sends no messages of the protocol, but text such as `{shown}`"),
                "check that the command or address is that of an MCP server",
            ));
        }
        Ok(())
    }

    /// Fails the request that an answer of more than `limit` bytes is for, if its beginning says which.
    ///
    /// # Errors
    /// Where the server has sent nothing else.
    pub(crate) fn receive_oversized(&self, start: &[u8], limit: usize) -> Result<(), ClientError> {
        let problem = format!("it sent a message of more than {}", bytes(limit));
        let advice = "ask for less at once, or raise `max_message_bytes`";
        match message::find_id(start).and_then(|id| self.lock().open.remove(&id)) {
            Some(slot) => slot.complete(Err(self.host.error(ErrorKind::Protocol, problem, advice))),
            None if self.has_sent_message() => self.host.warn(&format!("{problem}, which is dropped")),
            None => {
                let advice = "check that the command or address is that of an MCP server";
                return Err(self.host.error(ErrorKind::Protocol, problem, advice));
            }
        }
        Ok(())
    }

    fn check_unread_responses(&self) -> Result<(), ClientError> {
        let state = self.lock();
        if state.response_bytes + state.taken_response_bytes <= MAX_UNREAD {
            return Ok(());
        }
        drop(state);
        let problem = "it sends requests and does not read the answers";
        Err(self.host.error(ErrorKind::Protocol, problem, "report this to those who make the server"))
    }
}

impl State {
    fn wake_writer(&mut self) {
        self.writer.take().into_iter().for_each(Waker::wake);
    }

    fn remove_only(&mut self) -> Option<Arc<ResponseSlot>> {
        let id = (self.open.len() == 1).then(|| self.open.keys().next().copied()).flatten()?;
        self.open.remove(&id)
    }
}

impl PendingRequest {
    /// Waits for the response within the limits of `options`. After a timeout, it can be waited for again.
    pub(crate) async fn wait(&mut self, options: &mut RequestOptions<'_>) -> Result<Reply, RequestFailure> {
        let outcome = self.slot.wait(options, &self.mux.host.pending_input).await;
        self.is_answered = matches!(outcome, Ok(_) | Err(RequestFailure::Failed(_)));
        outcome
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if self.is_answered || self.mux.lock().open.remove(&self.id).is_none() || !self.cancels {
            return;
        }
        let params = format!(r#"{{"requestId":{},"reason":"the client no longer waits"}}"#, self.id);
        self.mux.send(&message::notification(method::CANCELLED, &params));
    }
}

/// The subscription that a notification is for (2026-07-28, basic/patterns/subscriptions "Receiving Notifications").
fn read_subscription_id(params: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "_meta")]
        meta: Meta<'a>,
    }
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
        id: &'a RawValue,
    }
    parse_id(serde_json::from_str::<Params<'_>>(params).ok()?.meta.id.get())
}

fn parse_id(text: &str) -> Option<u64> {
    text.trim_matches('"').parse().ok()
}
