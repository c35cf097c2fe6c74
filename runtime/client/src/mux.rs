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
use crate::message::{self, Id, Message, Outgoing};
use crate::progress::progress_of;
use crate::slot::{Notice, Reply, Slot, Unanswered, Watch};

/// How many requests are open at once; further ones wait.
const MAX_OPEN: usize = 1024;
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
    room: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<u64, Arc<Slot>, BuildHasherDefault<IdHasher>>,
    /// What is to be sent, each message with a line feed.
    out: Vec<u8>,
    /// How many bytes of `out` answer the server's requests.
    answers: usize,
    /// The same of what was taken to be written, and perhaps is not yet.
    answers_taken: usize,
    writer: Option<Waker>,
    closed: Option<ClientError>,
    /// The channel is to end.
    is_ending: bool,
    has_spoken: bool,
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
pub(crate) struct Open {
    mux: Arc<Mux>,
    id: u64,
    slot: Arc<Slot>,
    /// Whether the server is told when nobody waits any more (`initialize` must not be cancelled: 2025-11-25,
    /// basic/utilities/cancellation "Behavior Requirements").
    cancels: bool,
    is_answered: bool,
}

impl Mux {
    pub(crate) fn new(host: Arc<Host>) -> Self {
        let (state, next_id) = (Mutex::default(), AtomicU64::new(1));
        Self { host, state, next_id, room: Semaphore::new(MAX_OPEN) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(
        self: &Arc<Self>,
        outgoing: &Outgoing<'_>,
        meta: &str,
        watch: &mut Watch<'_>,
    ) -> Result<Reply, Unanswered> {
        let _room = match self.room.try_acquire() {
            Ok(room) => Some(room),
            // It is never closed.
            Err(_) => self.room.acquire().await.ok(),
        };
        self.open(outgoing, meta, true)?.wait(watch).await
    }

    /// Sends a request, whose answer can be waited for later.
    pub(crate) fn open(
        self: &Arc<Self>,
        outgoing: &Outgoing<'_>,
        meta: &str,
        cancels: bool,
    ) -> Result<Open, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(Slot::default());
        let mut state = self.lock();
        if let Some(error) = &state.closed {
            return Err(error.clone());
        }
        state.open.insert(id, Arc::clone(&slot));
        message::request(&mut state.out, id, outgoing, meta);
        state.out.push(b'\n');
        state.wake_writer();
        drop(state);
        Ok(Open { mux: Arc::clone(self), id, slot, cancels, is_answered: false })
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
    pub(crate) fn answer(&self, message: &[u8]) {
        self.lock().answers += message.len() + 1;
        self.send(message);
    }

    /// Takes what is to be sent, each message with a line feed; ready with `false` when nothing will follow.
    pub(crate) fn poll_outgoing(&self, out: &mut Vec<u8>, cx: &mut Context<'_>) -> Poll<bool> {
        let mut state = self.lock();
        // Who asks for more has written the last.
        state.answers_taken = std::mem::take(&mut state.answers);
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
            slot.fill(Err(error.clone()));
        }
    }

    /// Fails one request, which could not be sent.
    #[cfg(feature = "http")]
    pub(crate) fn fail(&self, id: u64, error: ClientError) {
        let slot = self.lock().open.remove(&id);
        if let Some(slot) = slot {
            slot.fill(Err(error));
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
    pub(crate) fn has_spoken(&self) -> bool {
        self.lock().has_spoken
    }

    /// Takes a message that arrived.
    ///
    /// # Errors
    /// Why no further message is to be read.
    pub(crate) fn receive(self: &Arc<Self>, text: &[u8]) -> Result<(), ClientError> {
        if let Some((id, result)) = message::quick(text) {
            self.answered(Id::Ours(id), Reply::Result(self.host.buffers.copy(result)));
            return Ok(());
        }
        match message::read(text) {
            Ok(message) => {
                self.take(message);
                self.check_answers()
            }
            Err(problem) => match message::split_batch(text) {
                Some(batch) => {
                    for text in batch {
                        match message::read(text.get().as_bytes()) {
                            Ok(message) => self.take(message),
                            Err(problem) => self.receive_stray(text.get().as_bytes(), &problem)?,
                        }
                    }
                    self.check_answers()
                }
                None => self.receive_stray(text, &problem),
            },
        }
    }

    fn take(self: &Arc<Self>, message: Message<'_>) {
        match message {
            Message::Response { id, outcome } => {
                let reply = match outcome {
                    Ok(result) => Reply::Result(self.host.buffers.copy(result.get())),
                    Err(error) => Reply::Error(error.get().into()),
                };
                self.answered(id, reply);
            }
            Message::Notification { method, params } => self.notified(&method, params),
            Message::Request { id, method, params } => {
                self.lock().has_spoken = true;
                let mux = Arc::clone(self);
                self.host.asked(id, &method, params, None, move |answer| mux.answer(&answer));
            }
        }
    }

    fn answered(&self, id: Id, reply: Reply) {
        let mut state = self.lock();
        state.has_spoken = true;
        let slot = match id {
            Id::Ours(id) => state.open.remove(&id),
            // Of an error without an id there is no doubt whom it is for if one request is open.
            Id::Foreign if matches!(reply, Reply::Error(_)) => state.remove_only(),
            Id::Foreign => None,
        };
        drop(state);
        match slot {
            Some(slot) => slot.fill(Ok(reply)),
            None => self.host.warn("it answered a request that is not open; the answer is dropped"),
        }
    }

    fn notified(&self, method: &str, params: Option<&RawValue>) {
        self.lock().has_spoken = true;
        let params = params.map_or("{}", RawValue::get);
        if method == method::PROGRESS {
            if let Some((id, progress)) = progress_of(params)
                && let Some(slot) = self.slot(id)
            {
                slot.advance(Notice::Progress(progress));
            }
            return;
        }
        if let Some(slot) = subscription_of(params).and_then(|id| self.slot(id)) {
            slot.advance(Notice::Subscribed { method: method.to_owned(), params: params.to_owned() });
        }
        self.host.notified(method, params, None);
    }

    fn slot(&self, id: u64) -> Option<Arc<Slot>> {
        self.lock().open.get(&id).cloned()
    }

    fn receive_stray(&self, text: &[u8], problem: &str) -> Result<(), ClientError> {
        if let Some(slot) = message::id_in_broken(text).and_then(|id| self.lock().open.remove(&id)) {
            slot.fill(Err(self.host.error(
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
        let too_many = state.stray.count > MAX_STRAY && !state.has_spoken;
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
        match message::id_in_broken(start).and_then(|id| self.lock().open.remove(&id)) {
            Some(slot) => slot.fill(Err(self.host.error(ErrorKind::Protocol, problem, advice))),
            None if self.has_spoken() => self.host.warn(&format!("{problem}, which is dropped")),
            None => {
                let advice = "check that the command or address is that of an MCP server";
                return Err(self.host.error(ErrorKind::Protocol, problem, advice));
            }
        }
        Ok(())
    }

    fn check_answers(&self) -> Result<(), ClientError> {
        let state = self.lock();
        if state.answers + state.answers_taken <= MAX_UNREAD {
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

    fn remove_only(&mut self) -> Option<Arc<Slot>> {
        let id = (self.open.len() == 1).then(|| self.open.keys().next().copied()).flatten()?;
        self.open.remove(&id)
    }
}

impl Open {
    /// Waits for the answer, as long as `watch` says.
    pub(crate) async fn wait(mut self, watch: &mut Watch<'_>) -> Result<Reply, Unanswered> {
        self.wait_on(watch).await
    }

    /// The same, for an answer that may be waited for again after the time is over.
    pub(crate) async fn wait_on(&mut self, watch: &mut Watch<'_>) -> Result<Reply, Unanswered> {
        let outcome = self.slot.wait(watch, &self.mux.host.asking).await;
        self.is_answered = matches!(outcome, Ok(_) | Err(Unanswered::Failed(_)));
        outcome
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.is_answered || self.mux.lock().open.remove(&self.id).is_none() || !self.cancels {
            return;
        }
        let params = format!(r#"{{"requestId":{},"reason":"the client no longer waits"}}"#, self.id);
        self.mux.send(&message::notification(method::CANCELLED, &params));
    }
}

/// The subscription that a notification is for (2026-07-28, basic/patterns/subscriptions "Receiving Notifications").
fn subscription_of(params: &str) -> Option<u64> {
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
    number(serde_json::from_str::<Params<'_>>(params).ok()?.meta.id.get())
}

fn number(text: &str) -> Option<u64> {
    text.trim_matches('"').parse().ok()
}
