//! Response bodies: JSON or event streams.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use toolwright_core::future::BoxFuture;
use toolwright_wire::budget::{Budget, Held};
use toolwright_wire::event_stream::{COMMENT, messages, write_event};
use toolwright_wire::outbox::Outbox;

use super::legacy::Reader;
use crate::clock::FAR;
use crate::connection::{Connection, Later};

/// A response body. What it holds, and what was taken from it but not written yet, counts towards the caller's
/// [`Limits::max_unread_bytes`](crate::Limits::max_unread_bytes).
#[derive(Debug)]
pub struct HttpBody {
    kind: BodyKind,
    /// The budget that outgoing bytes count against.
    budget: Option<Arc<Budget>>,
    /// The share of a complete body.
    held: Option<Held>,
    /// Ready when the caller's token is no longer valid.
    caller_ended: Option<CallerEnded>,
}

struct CallerEnded(BoxFuture<'static, ()>);

impl std::fmt::Debug for CallerEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallerEnded")
    }
}

/// What a response counts in addition to its bytes, so that the number of waiting responses is limited as well.
const RESPONSE_BYTES: usize = 1 << 10;

/// Bytes that count until the writer drops them.
struct Counted<T> {
    bytes: T,
    _held: Held,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Counted<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[derive(Debug)]
enum BodyKind {
    Full(Vec<u8>),
    Events(Box<EventStream>),
    Stream(Box<Reader>),
}

impl HttpBody {
    pub(super) fn full(text: Vec<u8>) -> Self {
        Self::of(BodyKind::Full(text))
    }

    pub(super) fn events(stream: EventStream) -> Self {
        Self::of(BodyKind::Events(Box::new(stream)))
    }

    pub(super) fn stream(reader: Reader) -> Self {
        Self::of(BodyKind::Stream(Box::new(reader)))
    }

    fn of(kind: BodyKind) -> Self {
        Self { kind, budget: None, held: None, caller_ended: None }
    }

    /// Ends a stream without an end of its own as soon as the caller's token is no longer valid.
    pub(super) fn end_with(&mut self, end: Option<&CancellationToken>) {
        let has_end = match &self.kind {
            BodyKind::Full(_) => true,
            BodyKind::Events(stream) => stream.answer.is_some(),
            BodyKind::Stream(reader) => !reader.is_of_standing_stream(),
        };
        if let Some(end) = end.filter(|_| !has_end) {
            self.caller_ended = Some(CallerEnded(Box::pin(end.clone().cancelled_owned())));
        }
    }

    /// Counts the body from now on; false if there is no room.
    pub(super) fn count(&mut self, budget: &Arc<Budget>) -> bool {
        match &mut self.kind {
            BodyKind::Full(text) if text.is_empty() => return true,
            BodyKind::Full(text) => {
                self.held = budget.try_hold(text.len() + RESPONSE_BYTES);
                return self.held.is_some();
            }
            BodyKind::Events(stream) => stream.budget = Some(Arc::clone(budget)),
            BodyKind::Stream(_) => {}
        }
        self.held = Some(budget.hold(RESPONSE_BYTES));
        self.budget = Some(Arc::clone(budget));
        true
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Self { kind, budget, held, caller_ended } = &mut *self;
        if caller_ended.as_mut().is_some_and(|ended| ended.0.as_mut().poll(task).is_ready()) {
            *caller_ended = None;
            match kind {
                BodyKind::Full(_) => {}
                BodyKind::Events(stream) => stream.end_now(),
                BodyKind::Stream(_) => *kind = BodyKind::Full(Vec::new()),
            }
        }
        let data = match kind {
            BodyKind::Full(text) if text.is_empty() => None,
            BodyKind::Full(text) => {
                let bytes = std::mem::take(text);
                Some(match held.take() {
                    Some(held) => Bytes::from_owner(Counted { bytes, _held: held }),
                    None => bytes.into(),
                })
            }
            BodyKind::Events(stream) => ready!(stream.poll_events(task)),
            BodyKind::Stream(reader) => ready!(reader.poll_events(task)),
        };
        let counted = |data: Bytes| match &*budget {
            Some(budget) => {
                let held = budget.hold(data.len());
                Bytes::from_owner(Counted { bytes: data, _held: held })
            }
            None => data,
        };
        Poll::Ready(data.map(|data| Ok(Frame::data(counted(data)))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            BodyKind::Full(text) => text.is_empty(),
            BodyKind::Events(stream) => stream.over,
            BodyKind::Stream(reader) => reader.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            BodyKind::Full(text) => SizeHint::with_exact(text.len() as u64),
            BodyKind::Events(_) | BodyKind::Stream(_) => SizeHint::default(),
        }
    }
}

/// An event stream: the messages of an outbox, then the response, if there is one.
pub(super) struct EventStream {
    outbox: Arc<Outbox>,
    lines: Vec<u8>,
    filled: BoxFuture<'static, bool>,
    answer: Option<Later>,
    quiet: Option<Quiet>,
    stop: Option<Stop>,
    over: bool,
    /// What is sent first.
    first: Vec<u8>,
    /// The prefix of each event.
    prefix: &'static [u8],
    /// The caller's unread bytes. While they are over the limit, no response is produced.
    budget: Option<Arc<Budget>>,
    room: Option<BoxFuture<'static, ()>>,
    /// Cleans up when the stream ends or its reader leaves.
    _kept: Box<dyn Send>,
}

/// The time since the last event, after which a comment is sent.
#[derive(Debug)]
pub(super) struct Quiet {
    time: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl Quiet {
    pub(super) fn new(time: Duration) -> Self {
        let time = time.min(FAR);
        Self { time, sleep: Box::pin(tokio::time::sleep(time)) }
    }

    pub(super) fn restart(&mut self) {
        self.sleep.as_mut().reset(Instant::now() + self.time);
    }

    /// Yields a comment when it is due.
    pub(super) fn poll_comment(&mut self, task: &mut Context<'_>) -> Poll<Bytes> {
        ready!(self.sleep.as_mut().poll(task));
        self.restart();
        Poll::Ready(Bytes::from_static(COMMENT))
    }
}

/// Ends a stream that has no end of its own.
struct Stop {
    asked: BoxFuture<'static, ()>,
    /// Its subscriptions end with their last message.
    connection: Option<Arc<Connection>>,
}

impl EventStream {
    pub(super) fn new(outbox: Arc<Outbox>, keep_alive: Option<Duration>, kept: impl Send + 'static) -> Self {
        Self {
            filled: filled(&outbox),
            outbox,
            lines: Vec::new(),
            answer: None,
            quiet: keep_alive.map(Quiet::new),
            stop: None,
            over: false,
            first: Vec::new(),
            prefix: b"",
            budget: None,
            room: None,
            _kept: Box::new(kept),
        }
    }

    /// Ends with this response.
    pub(super) fn with_answer(mut self, answer: Later) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Starts with these events.
    pub(super) fn starting_with(mut self, events: Vec<u8>) -> Self {
        self.first = events;
        self
    }

    /// Names each event `message`, which is the default for events without a name, but not for every old
    /// client.
    pub(super) fn naming_messages(mut self) -> Self {
        self.prefix = b"event: message\n";
        self
    }

    /// Starts with a comment, so that a waiting peer sees that the stream is alive.
    pub(super) fn starting_now(mut self) -> Self {
        if let Some(quiet) = &mut self.quiet {
            quiet.sleep.as_mut().reset(Instant::now());
        }
        self
    }

    /// Ends on request, with the last messages of the connection's subscriptions.
    pub(super) fn until(
        mut self,
        asked: impl Future<Output = ()> + Send + 'static,
        connection: Option<Arc<Connection>>,
    ) -> Self {
        self.stop = Some(Stop { asked: Box::pin(asked), connection });
        self
    }

    /// Ends the stream as on shutdown.
    fn end_now(&mut self) {
        let connection = self.stop.take().and_then(|stop| stop.connection);
        self.stop = Some(Stop { asked: Box::pin(std::future::ready(())), connection });
    }

    fn poll_events(&mut self, task: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.over {
                return Poll::Ready(None);
            }
            if let Some(stop) = &mut self.stop
                && stop.asked.as_mut().poll(task).is_ready()
            {
                if let Some(connection) = &stop.connection {
                    connection.end();
                }
                self.over = true;
            }
            let has_room = self.poll_room(task).is_ready();
            // The response is polled first, since it may send messages, but written last.
            let answer = match &mut self.answer {
                Some(answer) if has_room => match answer.as_mut().poll(task) {
                    Poll::Ready(answer) => {
                        self.over = true;
                        self.answer = None;
                        answer
                    }
                    Poll::Pending => None,
                },
                _ => None,
            };
            self.outbox.take(&mut self.lines);
            self.outbox.mark_sent();
            let mut events = std::mem::take(&mut self.first);
            for message in messages(&self.lines) {
                events.extend_from_slice(self.prefix);
                write_event(&mut events, message);
            }
            if let Some(answer) = answer {
                write_event(&mut events, &answer.text);
            }
            if !events.is_empty() {
                if let Some(quiet) = &mut self.quiet {
                    quiet.restart();
                }
                return Poll::Ready(Some(events.into()));
            }
            if self.over {
                continue;
            }
            if let Poll::Ready(more) = self.filled.as_mut().poll(task) {
                self.filled = filled(&self.outbox);
                // The outbox is closed, but the response may still follow.
                self.over = !more && self.answer.is_none();
                if more || self.over {
                    continue;
                }
            }
            return match &mut self.quiet {
                Some(quiet) => quiet.poll_comment(task).map(Some),
                None => Poll::Pending,
            };
        }
    }
}

impl EventStream {
    /// Ready while the caller is within its limit of unread bytes.
    fn poll_room(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let Some(budget) = &self.budget else { return Poll::Ready(()) };
        if self.room.is_none() && !budget.is_full() {
            return Poll::Ready(());
        }
        let waiting = self.room.get_or_insert_with(|| {
            let budget = Arc::clone(budget);
            Box::pin(async move {
                loop {
                    let freed = budget.freed();
                    if !budget.is_full() {
                        return;
                    }
                    freed.await;
                }
            })
        });
        ready!(waiting.as_mut().poll(task));
        self.room = None;
        Poll::Ready(())
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("over", &self.over).finish_non_exhaustive()
    }
}

/// Completes when the outbox holds something (true), or is closed and empty (false).
pub(super) fn filled(outbox: &Arc<Outbox>) -> BoxFuture<'static, bool> {
    let outbox = Arc::clone(outbox);
    Box::pin(async move { outbox.wait_async().await })
}
