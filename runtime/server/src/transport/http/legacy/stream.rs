//! Streams of legacy sessions that outlive their connections (2025-11-25, basic/transports "Resumability and
//! Redelivery").
//!
//! A task, [`Stream::run`], takes outgoing messages, numbers and stores them, and passes them to the current reader,
//! if there is one. Readers come and go: [`Reader`].

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Sleep;
use toolwright_core::future::BoxFuture;
use toolwright_wire::budget::Held;
use toolwright_wire::event_stream::{COMMENT, messages, write_event_with_id, write_priming};
use toolwright_wire::outbox::Outbox;

use super::event_id::{EventId, StreamId, StreamKind};
use super::event_store::StoredEvent;
use super::session::HttpSession;
use crate::connection::{Answer, Later};
use crate::transport::http::body::Quiet;

/// A stream of a session.
pub(in crate::transport::http) struct Stream {
    pub(in crate::transport::http) id: StreamId,
    session: Arc<HttpSession>,
    state: Mutex<StreamState>,
}

#[derive(Debug, Default)]
struct StreamState {
    /// What the reader has not taken yet.
    unsent: VecDeque<(u64, Bytes, Held)>,
    /// The number of the latest reader.
    reader: u64,
    has_reader: bool,
    /// Whether the reader has to disconnect after it has taken what is queued.
    hangs_up: bool,
    /// Whether the stream has ended.
    is_over: bool,
    read: Option<Waker>,
    run: Option<Waker>,
}

/// How the events of a stream are read.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport::http) struct Reading {
    /// The silence after which a comment is sent.
    pub(in crate::transport::http) keep_alive: Option<Duration>,
    /// How long a client waits before it reconnects.
    pub(in crate::transport::http) retry: Duration,
    /// How long a client that can reconnect is served before it has to.
    pub(in crate::transport::http) close_after: Option<Duration>,
}

impl Stream {
    pub(in crate::transport::http) fn new(id: StreamId, session: Arc<HttpSession>) -> Self {
        Self { id, session, state: Mutex::default() }
    }

    /// Sends the messages of the outbox, and the response that ends the stream. Continues without a reader, unless the
    /// stream is a standing one: messages that belong to no request can wait for another stream.
    pub(in crate::transport::http) async fn run(self: Arc<Self>, outbox: Arc<Outbox>, mut answer: Later) {
        let _open = OpenStream(&self);
        let (mut lines, mut filled) = (Vec::new(), None);
        loop {
            let next = std::future::poll_fn(|task| self.poll_next(&outbox, &mut answer, &mut filled, task));
            let next = next.await;
            let hangs_up = outbox.take_all(&mut lines);
            outbox.mark_sent();
            for message in messages(&lines) {
                self.send(Bytes::copy_from_slice(message)).await;
            }
            match next {
                Next::Messages if hangs_up => self.hang_up(),
                Next::Messages => {}
                Next::Answer(Some(answer)) => {
                    self.send(exactly(answer.text)).await;
                    return;
                }
                Next::Answer(None) | Next::End => return,
            }
        }
    }

    fn poll_next(
        &self,
        outbox: &Arc<Outbox>,
        answer: &mut Later,
        filled: &mut Option<BoxFuture<'static, bool>>,
        task: &mut Context<'_>,
    ) -> Poll<Next> {
        // The response is polled first: it follows all messages, so it must not complete unnoticed while they are
        // taken.
        if let Poll::Ready(answer) = answer.as_mut().poll(task) {
            return Poll::Ready(Next::Answer(answer));
        }
        let is_standing = self.id.kind == StreamKind::Standing;
        {
            let mut state = self.state();
            if is_standing && !state.has_reader {
                // From here on, a client that reconnects reopens the stream.
                state.is_over = true;
                return Poll::Ready(Next::End);
            }
            state.run = Some(task.waker().clone());
            // A slow reader fills the outbox and thereby slows senders down. Dropping `filled` wakes other streams
            // with the same outbox.
            if state.has_reader && !state.unsent.is_empty() {
                *filled = None;
                return Poll::Pending;
            }
        }
        let waiting = filled.get_or_insert_with(|| filled_or_hung_up(outbox));
        match waiting.as_mut().poll(task) {
            Poll::Ready(true) => {
                *filled = None;
                Poll::Ready(Next::Messages)
            }
            // The outbox is closed, so only the response can follow. A completed future is not polled again.
            Poll::Ready(false) if is_standing => Poll::Ready(Next::End),
            Poll::Ready(false) => {
                *filled = Some(Box::pin(std::future::pending()));
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }

    /// Numbers and stores the message, and passes it to the reader.
    async fn send(&self, message: Bytes) {
        let event = self.session.store_event(self.id.number, message).await;
        let mut state = self.state();
        let unread = self.session.connection.caller().unread();
        if state.has_reader {
            let held = unread.hold(event.message.len());
            state.unsent.push_back((event.sequence, event.message, held));
            wake(&mut state.read);
        }
    }

    /// Disconnects the reader, if its client can reconnect.
    fn hang_up(&self) {
        let mut state = self.state();
        if state.has_reader && self.session.polls() {
            state.hangs_up = true;
            wake(&mut state.read);
        }
    }

    fn end(&self) {
        let mut state = self.state();
        state.is_over = true;
        wake(&mut state.read);
    }

    /// Attaches a reader. An earlier reader ends: its client has reconnected because the connection was lost.
    pub(in crate::transport::http) fn attach(self: &Arc<Self>, reading: &Reading) -> Reader {
        let number = {
            let mut state = self.state();
            state.reader += 1;
            state.has_reader = true;
            state.hangs_up = false;
            wake(&mut state.read);
            state.reader
        };
        let close_after = reading.close_after.filter(|_| self.session.polls());
        Reader {
            stream: Arc::clone(self),
            number,
            first: Vec::new(),
            last: 0,
            quiet: reading.keep_alive.map(Quiet::new),
            close: close_after.map(|time| Box::pin(tokio::time::sleep(time))),
            is_over: false,
        }
    }

    /// Whether the stream has ended.
    pub(in crate::transport::http) fn is_over(&self) -> bool {
        self.state().is_over
    }

    fn state(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Completes when the outbox holds something or wants its reader to disconnect (true), or is closed and empty (false).
pub(in crate::transport::http) fn filled_or_hung_up(outbox: &Arc<Outbox>) -> BoxFuture<'static, bool> {
    let outbox = Arc::clone(outbox);
    Box::pin(async move { outbox.wait_for_more().await })
}

enum Next {
    Messages,
    Answer(Option<Answer>),
    End,
}

/// Closes a stream when its task ends in any way.
struct OpenStream<'a>(&'a Stream);

impl Drop for OpenStream<'_> {
    fn drop(&mut self) {
        self.0.end();
        self.0.session.close_stream(self.0);
    }
}

/// A response that reads a stream, until the stream ends or the reader is disconnected.
#[derive(Debug)]
pub(in crate::transport::http) struct Reader {
    stream: Arc<Stream>,
    number: u64,
    /// What is sent first.
    first: Vec<u8>,
    /// The number of the last event that was sent: the store may return events that arrive here as well.
    last: u64,
    quiet: Option<Quiet>,
    close: Option<Pin<Box<Sleep>>>,
    is_over: bool,
}

impl Reader {
    /// Starts with an event without a message if the client can reconnect, so that it knows its position, otherwise
    /// with a comment.
    pub(in crate::transport::http) fn starting_at(mut self, sequence: u64, reading: &Reading) -> Self {
        self.last = sequence;
        let id = self.id_of(sequence);
        if self.stream.session.polls() {
            write_priming(&mut self.first, id, reading.retry);
        } else {
            self.first.extend_from_slice(COMMENT);
        }
        self
    }

    /// Then replays these events.
    pub(in crate::transport::http) fn replaying(mut self, events: Vec<StoredEvent>) -> Self {
        for event in events {
            let id = self.id_of(event.sequence);
            write_event_with_id(&mut self.first, id, &event.message);
            self.last = event.sequence;
        }
        self
    }

    pub(in crate::transport::http) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether it reads a standing stream, which belongs to no request and has no end.
    pub(in crate::transport::http) fn is_of_standing_stream(&self) -> bool {
        self.stream.id.kind == StreamKind::Standing
    }

    pub(in crate::transport::http) fn poll_events(&mut self, task: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let mut events = std::mem::take(&mut self.first);
        self.take(&mut events, task);
        self.is_over |= self.close.as_mut().is_some_and(|close| close.as_mut().poll(task).is_ready());
        if !events.is_empty() {
            if let Some(quiet) = &mut self.quiet {
                quiet.restart();
            }
            return Poll::Ready(Some(events.into()));
        }
        if self.is_over {
            return Poll::Ready(None);
        }
        match &mut self.quiet {
            Some(quiet) => quiet.poll_comment(task).map(Some),
            None => Poll::Pending,
        }
    }

    /// Takes what is queued, and registers for more.
    fn take(&mut self, events: &mut Vec<u8>, task: &mut Context<'_>) {
        let stream = Arc::clone(&self.stream);
        let mut state = stream.state();
        if state.reader != self.number {
            self.is_over = true;
            return;
        }
        for (sequence, message, _held) in state.unsent.drain(..) {
            if sequence > self.last {
                write_event_with_id(events, self.id_of(sequence), &message);
                self.last = sequence;
            }
        }
        self.is_over = state.is_over || state.hangs_up;
        state.read = Some(task.waker().clone());
        wake(&mut state.run);
    }

    fn detach(&self) {
        let mut state = self.stream.state();
        if state.reader == self.number {
            state.has_reader = false;
            state.hangs_up = false;
            state.unsent.clear();
            state.read = None;
            wake(&mut state.run);
        }
    }

    fn id_of(&self, sequence: u64) -> EventId {
        EventId { stream: self.stream.id, sequence }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.detach();
        self.stream.session.touch();
    }
}

/// Shrinks a message to its length, since it may be stored for long.
pub(in crate::transport::http) fn exactly(message: Vec<u8>) -> Bytes {
    message.into_boxed_slice().into()
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its session contains it in turn.
        f.debug_struct("Stream").field("id", &self.id).finish_non_exhaustive()
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}
