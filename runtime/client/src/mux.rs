//! Multiplexes requests over one channel: pending requests, outgoing messages, and the dispatch of incoming ones.
//!
//! Transports only read and write bytes; what they have in common is here.
//!
//! One task serves both directions. Messages that are ready at the same time are written together, and results are
//! passed to their callers as JSON, which the callers deserialize into the types that they need.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use toolwright_core::protocol::method;

use crate::error::{ClientError, ErrorKind, format_bytes, quote};
use crate::host::Host;
use crate::message::{self, Id, Message, OutgoingRequest};
use crate::pending::{Notice, Reply, RequestFailure, RequestOptions, ResponseSlot};
use crate::progress::read_progress;

/// Maximum number of pending requests; further ones wait.
const MAX_CONCURRENT: usize = 1024;
/// Maximum size of unread responses to requests from the server. A server that sends requests without reading the
/// responses is disconnected.
const MAX_UNREAD: usize = 256 << 10;
/// How many lines that are not messages are accepted before the first message.
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
    /// The outgoing messages, each with a line feed.
    out: Vec<u8>,
    /// How many bytes of `out` are responses.
    response_bytes: usize,
    /// How many bytes of responses are being written.
    taken_response_bytes: usize,
    writer: Option<Waker>,
    closed: Option<ClientError>,
    /// Whether the channel is closed once `out` is written.
    is_ending: bool,
    has_sent_message: bool,
    stray: Stray,
}

/// Lines that are not messages.
#[derive(Debug, Default)]
struct Stray {
    count: usize,
    first: Option<String>,
}

/// Ids are assigned sequentially by the client, so they need no protection against collisions.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, id: u64) {
        // The table uses the upper bits too.
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// A request that was sent. Dropping it before the response cancels it at the server.
pub(crate) struct PendingRequest {
    mux: Arc<Mux>,
    id: u64,
    slot: Arc<ResponseSlot>,
    /// Whether dropping it sends a cancellation (`initialize` must not be cancelled: 2025-11-25,
    /// basic/utilities/cancellation "Behavior Requirements").
    cancels: bool,
    is_settled: bool,
}

impl Mux {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        let (state, next_id) = (Mutex::default(), AtomicU64::new(1));
        Self { host, state, next_id, permits: Semaphore::new(MAX_CONCURRENT) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for the response.
    pub(crate) async fn request(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let _permit = match self.permits.try_acquire() {
            Ok(permit) => Some(permit),
            // The semaphore is never closed.
            Err(_) => self.permits.acquire().await.ok(),
        };
        self.open(outgoing, meta, true)?.wait(options).await
    }

    /// Sends a request without waiting for the response.
    pub(crate) fn open(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        cancels: bool,
    ) -> Result<PendingRequest, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(ResponseSlot::new(outgoing.is_subscription()));
        let mut state = self.lock();
        if let Some(error) = &state.closed {
            return Err(error.clone());
        }
        state.open.insert(id, Arc::clone(&slot));
        message::write_request(&mut state.out, id, outgoing, meta);
        state.out.push(b'\n');
        state.wake_writer();
        drop(state);
        Ok(PendingRequest { mux: Arc::clone(self), id, slot, cancels, is_settled: false })
    }

    /// Sends a message that has no response.
    pub(crate) fn send(&self, message: &[u8]) {
        let mut state = self.lock();
        if state.closed.is_none() {
            state.out.extend_from_slice(message);
            state.out.push(b'\n');
            state.wake_writer();
        }
    }

    /// Sends the response to a request from the server.
    pub(crate) fn respond(&self, message: &[u8]) {
        self.lock().response_bytes += message.len() + 1;
        self.send(message);
    }

    /// Returns whether messages wait to be sent that more may follow soon, since several requests are pending. A
    /// subscription, which is always pending, is not followed by others.
    pub(crate) fn expects_more_outgoing(&self) -> bool {
        let state = self.lock();
        let has_several = || state.open.values().filter(|slot| !slot.is_subscription).nth(1).is_some();
        !state.out.is_empty() && has_several()
    }

    /// Takes the outgoing messages, each with a line feed. Ready with `false` if none will follow.
    pub(crate) fn poll_outgoing(&self, out: &mut Vec<u8>, cx: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.lock();
        // The previous messages have been written.
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

    /// Closes the channel once the outgoing messages are written.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        state.wake_writer();
    }

    /// Fails the pending and all future requests with this error.
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

    /// Fails one request that could not be sent.
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

    /// Returns the beginning of the first line that is not a message, if any.
    pub(crate) fn stray(&self) -> Option<String> {
        self.lock().stray.first.clone()
    }

    /// Returns whether the server has sent a message.
    pub(crate) fn has_sent_message(&self) -> bool {
        self.lock().has_sent_message
    }

    /// Handles an incoming message.
    ///
    /// # Errors
    /// If the channel must be closed.
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
            // An error without an id belongs to the pending request if there is only one.
            Id::Unknown if matches!(reply, Reply::Error(_)) => state.take_only(),
            Id::Unknown => None,
        };
        drop(state);
        match slot {
            Some(slot) => slot.complete(Ok(reply)),
            None => self.host.warn("it responded to an unknown request; the response is dropped"),
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
                format!("its response cannot be parsed: {problem}"),
                "report this to the server's developers, or set the `encoding` of its output",
            )));
            return Ok(());
        }
        let mut state = self.lock();
        state.stray.count += 1;
        let start = String::from_utf8_lossy(&text[..text.len().min(200)]);
        let start = quote(&start);
        let too_many = state.stray.count > MAX_STRAY && !state.has_sent_message;
        let is_first = state.stray.first.is_none();
        state.stray.first.get_or_insert_with(|| start.clone());
        drop(state);
        if is_first {
            self.host.warn(&format!("it sent something that is not a message ({problem}): {start}"));
        }
        if too_many {
            return Err(self.host.error(
                ErrorKind::Protocol,
                format!("it sends text such as `{start}` instead of protocol messages"),
                "check that the command or address belongs to an MCP server",
            ));
        }
        Ok(())
    }

    /// Fails the request of a response of more than `limit` bytes, if the beginning shows its id.
    ///
    /// # Errors
    /// If the server has not sent any message.
    pub(crate) fn receive_oversized(&self, start: &[u8], limit: usize) -> Result<(), ClientError> {
        let problem = format!("it sent a message larger than {}", format_bytes(limit));
        let advice = "ask for less at once, or raise `max_message_bytes`";
        match message::find_id(start).and_then(|id| self.lock().open.remove(&id)) {
            Some(slot) => slot.complete(Err(self.host.error(ErrorKind::Protocol, problem, advice))),
            None if self.has_sent_message() => self.host.warn(&format!("{problem}, which is dropped")),
            None => {
                let advice = "check that the command or address belongs to an MCP server";
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
        let problem = "it sends requests but does not read the responses";
        Err(self.host.error(ErrorKind::Protocol, problem, "report this to the server's developers"))
    }
}

impl State {
    fn wake_writer(&mut self) {
        self.writer.take().into_iter().for_each(Waker::wake);
    }

    fn take_only(&mut self) -> Option<Arc<ResponseSlot>> {
        let id = (self.open.len() == 1).then(|| self.open.keys().next().copied()).flatten()?;
        self.open.remove(&id)
    }
}

impl PendingRequest {
    /// Waits for the response within the limits of `options`. After a timeout, it can be waited for again.
    pub(crate) async fn wait(&mut self, options: &mut RequestOptions<'_>) -> Result<Reply, RequestFailure> {
        let outcome = self.slot.wait(options, &self.mux.host.pending_input).await;
        self.is_settled = matches!(outcome, Ok(_) | Err(RequestFailure::Failed(_)));
        outcome
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if self.is_settled || self.mux.lock().open.remove(&self.id).is_none() || !self.cancels {
            return;
        }
        let params = format!(r#"{{"requestId":{},"reason":"the client no longer waits"}}"#, self.id);
        self.mux.send(&message::notification(method::CANCELLED, &params));
    }
}

/// Returns the id of the subscription that a notification belongs to (2026-07-28, basic/patterns/subscriptions
/// "Receiving Notifications").
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_requests::InputHandlers;

    #[test]
    fn a_single_request_is_written_at_once_beside_a_subscription() {
        let mux = Arc::new(Mux::new(Arc::new(Host::new("x", InputHandlers::default(), None))));
        let open = |method: &'static str| {
            let outgoing = OutgoingRequest { method: method.into(), ..OutgoingRequest::default() };
            let request = mux.open(&outgoing, "", true).unwrap();
            let expects_more = mux.expects_more_outgoing();
            let mut written = Vec::new();
            let poll = mux.poll_outgoing(&mut written, &mut Context::from_waker(Waker::noop()));
            assert!(matches!(poll, Poll::Ready(true)));
            (request, expects_more)
        };
        let (_first, expects_more) = open(method::SUBSCRIPTIONS_LISTEN);
        assert!(!expects_more);
        let (_second, expects_more) = open(method::SUBSCRIPTIONS_LISTEN);
        assert!(!expects_more);
        let (call, expects_more) = open(method::TOOLS_CALL);
        assert!(!expects_more);
        let (_other, expects_more) = open(method::TOOLS_CALL);
        assert!(expects_more);
        drop(call);
        let (_third, expects_more) = open(method::SUBSCRIPTIONS_LISTEN);
        assert!(!expects_more);
    }
}
