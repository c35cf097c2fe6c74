//! Bodies: requests of bounded length, responses as one text or as events.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::connection::{Connection, Later};
use crate::executor::BoxFuture;
use crate::outbox::Outbox;

/// Why a request's body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    TooSlow,
    Broken,
}

/// Reads a whole body of at most `limit` bytes within `time`.
pub(super) async fn read<B: Body>(body: B, limit: usize, time: Duration) -> Result<Vec<u8>, Unread> {
    // A length that is told is believed no further than to refuse early.
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > limit {
        return Err(Unread::TooLong);
    }
    let mut body = pin!(body);
    let mut read = Vec::with_capacity(told);
    // Most bodies are there together with their head, and need no timer.
    let mut late: Option<Pin<Box<Sleep>>> = None;
    loop {
        let frame = std::future::poll_fn(|task| match body.as_mut().poll_frame(task) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => {
                let late = late.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
                late.as_mut().poll(task).map(|()| Err(Unread::TooSlow))
            }
        });
        let Some(frame) = frame.await? else { return Ok(read) };
        let Ok(mut data) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        if data.remaining() > limit - read.len() {
            return Err(Unread::TooLong);
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            read.extend_from_slice(chunk);
            let length = chunk.len();
            data.advance(length);
        }
    }
}

/// The body of a response.
#[derive(Debug)]
pub struct HttpBody(Kind);

#[derive(Debug)]
enum Kind {
    Full(Bytes),
    Events(Box<EventStream>),
}

impl HttpBody {
    pub(super) fn full(text: impl Into<Bytes>) -> Self {
        Self(Kind::Full(text.into()))
    }

    pub(super) fn events(stream: EventStream) -> Self {
        Self(Kind::Events(Box::new(stream)))
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = match &mut self.0 {
            Kind::Full(text) => (!text.is_empty()).then(|| std::mem::take(text)),
            Kind::Events(stream) => ready!(stream.poll_events(task)),
        };
        Poll::Ready(data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Full(text) => text.is_empty(),
            Kind::Events(stream) => stream.over,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(text) => SizeHint::with_exact(text.len() as u64),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

/// Appends `message` as an event: one `data` line, however the message was laid out.
pub(super) fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.extend_from_slice(b"data: ");
    let start = out.len();
    out.extend_from_slice(message.trim_ascii_end());
    // Outside of strings, where JSON has no bare line breaks, one white space is as good as another.
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\n\n");
}

/// Appends each of the lines as an event.
pub(super) fn write_events(out: &mut Vec<u8>, lines: &[u8]) {
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        write_event(out, line);
    }
}

/// Events as they come: what an outbox holds, then the answer, if one is to come.
pub(super) struct EventStream {
    outbox: Arc<Outbox>,
    lines: Vec<u8>,
    filled: BoxFuture<'static, bool>,
    answer: Option<Later>,
    quiet: Option<Quiet>,
    stop: Option<Stop>,
    over: bool,
    /// Cleans up when the stream ends or its reader leaves.
    _kept: Box<dyn Send>,
}

/// The time since the last event, after which a comment is sent.
struct Quiet {
    time: Duration,
    sleep: Pin<Box<Sleep>>,
}

/// What ends a stream that has no end of its own.
struct Stop {
    asked: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Whose subscriptions end with their last message.
    connection: Option<Arc<Connection>>,
}

impl EventStream {
    pub(super) fn new(outbox: Arc<Outbox>, keep_alive: Option<Duration>, kept: impl Send + 'static) -> Self {
        Self {
            filled: filled(&outbox),
            outbox,
            lines: Vec::new(),
            answer: None,
            quiet: keep_alive.map(|time| Quiet { time, sleep: Box::pin(tokio::time::sleep(time)) }),
            stop: None,
            over: false,
            _kept: Box::new(kept),
        }
    }

    /// Ends with this answer.
    pub(super) fn with_answer(mut self, answer: Later) -> Self {
        self.answer = Some(answer);
        self
    }

    /// Starts with a comment, so that a peer that waits sees a sign of life.
    pub(super) fn starting_now(mut self) -> Self {
        if let Some(quiet) = &mut self.quiet {
            quiet.sleep.as_mut().reset(Instant::now());
        }
        self
    }

    /// Ends when asked to, with the last messages of the connection's subscriptions.
    pub(super) fn until(
        mut self,
        asked: WaitForCancellationFutureOwned,
        connection: Option<Arc<Connection>>,
    ) -> Self {
        self.stop = Some(Stop { asked: Box::pin(asked), connection });
        self
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
            // The answer goes first, since it may send messages on its way, but it is written last.
            let answer = match &mut self.answer {
                Some(answer) => match answer.as_mut().poll(task) {
                    Poll::Ready(answer) => {
                        self.over = true;
                        self.answer = None;
                        answer
                    }
                    Poll::Pending => None,
                },
                None => None,
            };
            self.outbox.take(&mut self.lines);
            self.outbox.sent();
            let mut events = Vec::new();
            write_events(&mut events, &self.lines);
            if let Some(answer) = answer {
                write_event(&mut events, &answer);
            }
            if !events.is_empty() {
                if let Some(quiet) = &mut self.quiet {
                    quiet.sleep.as_mut().reset(Instant::now() + quiet.time);
                }
                return Poll::Ready(Some(events.into()));
            }
            if self.over {
                continue;
            }
            if let Poll::Ready(more) = self.filled.as_mut().poll(task) {
                self.filled = filled(&self.outbox);
                // Closed: an answer may still come.
                self.over = !more && self.answer.is_none();
                if more || self.over {
                    continue;
                }
            }
            if let Some(quiet) = &mut self.quiet
                && quiet.sleep.as_mut().poll(task).is_ready()
            {
                quiet.sleep.as_mut().reset(Instant::now() + quiet.time);
                return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
            }
            return Poll::Pending;
        }
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("over", &self.over).finish_non_exhaustive()
    }
}

/// Done when the outbox holds something (true) or is closed and empty (false).
pub(super) fn filled(outbox: &Arc<Outbox>) -> BoxFuture<'static, bool> {
    let outbox = Arc::clone(outbox);
    Box::pin(async move { outbox.wait_async().await })
}

#[cfg(test)]
mod tests {
    use super::{write_event, write_events};

    #[test]
    fn an_event_is_one_line_however_its_message_is_laid_out() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\n  \"a\": \"\\n\"\r\n}\n");
        assert_eq!(out, b"data: {   \"a\": \"\\n\"  }\n\n");
        out.clear();
        write_events(&mut out, b"1\n2\n");
        assert_eq!(out, b"data: 1\n\ndata: 2\n\n");
    }
}
