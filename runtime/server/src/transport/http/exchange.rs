//! Produces the response of a request: JSON if the result is all there is to send, otherwise an event stream.
//!
//! A response becomes an event stream only when it must: when the call sends a notification before its response, when
//! it has been silent for as long as a proxy may wait, or when the client has shut down its sending side. A client
//! that has disconnected and one that waits silently look the same, but a disconnected one answers the first bytes of
//! the stream with a reset, which cancels the call.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;
use http::{Response, StatusCode};
use tokio_util::sync::CancellationToken;
use toolwright_core::protocol::{Era, Revision};
use toolwright_wire::event_stream::{
    messages, write_event, write_event_with_id, write_events, write_priming,
};
use toolwright_wire::headers::Accept;
use toolwright_wire::outbox::Outbox;

use super::answer;
use super::body::{EventStream, HttpBody, filled};
use super::half_close::HalfClose;
use super::legacy::{EventId, HttpSession, Reading, exactly, filled_or_hung_up};
use crate::auth::Access;
use crate::connection::{Answer, Connection, Later};
use crate::error;
use crate::message::RequestId;

/// What is known after a request's message was handled.
pub(super) enum Step {
    /// The response is complete.
    Done(Response<HttpBody>),
    /// The call is pending.
    Pending(Box<PendingResponse>),
}

impl Step {
    pub(super) async fn finish(self, connection: Option<&HalfClose>) -> Response<HttpBody> {
        match self {
            Self::Done(response) => response,
            Self::Pending(pending) => pending.finish(connection).await,
        }
    }
}

/// The form of a response.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResponseForm {
    pub(super) era: Era,
    pub(super) accept: Accept,
    pub(super) reading: Reading,
}

impl ResponseForm {
    /// Whether the result alone is the response.
    pub(super) fn is_json(self, outbox: &Outbox) -> bool {
        self.accept.json && outbox.is_empty()
    }

    /// Builds the response, including everything that the call has sent before.
    pub(super) fn respond(self, outbox: &Outbox, answer: Answer) -> Response<HttpBody> {
        let mut lines = Vec::new();
        outbox.take(&mut lines);
        outbox.mark_sent();
        if lines.is_empty() && self.accept.json {
            return answer::json(self.era, answer);
        }
        let mut events = Vec::with_capacity(lines.len() + answer.text.len() + 64);
        write_events(&mut events, &lines);
        write_event(&mut events, &answer.text);
        answer::events(events)
    }
}

/// A call that was pending when first polled.
pub(super) struct PendingResponse {
    pub(super) answer: Later,
    pub(super) outbox: Arc<Outbox>,
    pub(super) form: ResponseForm,
    pub(super) kept: EndCall,
    /// The session whose stream the response becomes, if it becomes one, and its caller.
    pub(super) session: Option<(Arc<HttpSession>, Access)>,
}

enum First {
    Answer(Option<Answer>),
    Message,
    /// The timeout has passed, or the client has finished sending.
    Silence,
}

impl PendingResponse {
    async fn finish(mut self: Box<Self>, connection: Option<&HalfClose>) -> Response<HttpBody> {
        // For a client that does not accept events, the outbox is closed, and only the result counts.
        let mut filled = self.form.accept.events.then(|| match &self.session {
            Some(_) => filled_or_hung_up(&self.outbox),
            None => filled(&self.outbox),
        });
        let start = Instant::now();
        let close_after = self.form.reading.close_after.filter(|_| self.polls());
        let time_limit = [self.form.reading.keep_alive, close_after].into_iter().flatten().min();
        let mut silence = time_limit.map(|time| Box::pin(tokio::time::sleep(time)));
        // Only a stream can start before there is a result.
        let waits = connection.filter(|_| filled.is_some()).map(HalfClose::wait);
        let mut half_closed = pin!(async {
            match &waits {
                Some(waits) => waits.wait_for_end().await,
                None => std::future::pending().await,
            }
        });
        let first = std::future::poll_fn(|task| {
            if let Poll::Ready(answer) = self.answer.as_mut().poll(task) {
                return Poll::Ready(First::Answer(answer));
            }
            let Some(filled) = &mut filled else { return Poll::Pending };
            if filled.as_mut().poll(task).is_ready() {
                return Poll::Ready(First::Message);
            }
            if half_closed.as_mut().poll(task).is_ready() {
                return Poll::Ready(First::Silence);
            }
            match &mut silence {
                Some(silence) => silence.as_mut().poll(task).map(|()| First::Silence),
                None => Poll::Pending,
            }
        })
        .await;
        // The end of the call would wake it.
        drop(filled);
        let Self { answer, outbox, mut form, kept, session } = *self;
        // The time limit applies to the connection, not to the stream.
        form.reading.close_after = close_after.map(|time| time.saturating_sub(start.elapsed()));
        let keep_alive = form.reading.keep_alive;
        let stream = match (first, session) {
            (First::Answer(Some(answer)), Some((session, access))) if !form.is_json(&outbox) => {
                return answered_stream((&session, &access), form.reading, &outbox, answer).await;
            }
            (First::Answer(Some(answer)), _) => return form.respond(&outbox, answer),
            // A cancelled call has no result, and a stream may end without one.
            (First::Answer(None), _) if form.accept.events => return answer::events(Vec::new()),
            (First::Answer(None), _) => return answer::empty(StatusCode::ACCEPTED),
            (_, Some((session, access))) => {
                return begun_stream((&session, &access), form.reading, outbox, answer, kept);
            }
            (First::Message, None) => EventStream::new(outbox, keep_alive, kept),
            (First::Silence, None) => EventStream::new(outbox, keep_alive, kept).starting_now(),
        };
        answer::event_stream(stream.with_answer(answer))
    }

    /// Whether the client reconnects to a stream that the server closed.
    fn polls(&self) -> bool {
        self.session.as_ref().is_some_and(|(session, _)| session.polls())
    }
}

/// Starts the stream of a session's request whose result is pending. It continues without its reader.
fn begun_stream(
    (session, access): (&Arc<HttpSession>, &Access),
    reading: Reading,
    outbox: Arc<Outbox>,
    answer: Later,
    kept: EndCall,
) -> Response<HttpBody> {
    let stream = session.open_request_stream(access);
    let reader = stream.attach(&reading).starting_at(session.next_sequence(), &reading);
    tokio::spawn(async move {
        stream.run(outbox, answer).await;
        drop(kept);
    });
    answer::session_stream(reader)
}

/// Builds the stream of a session's request whose result is available: complete, and stored like any other stream.
async fn answered_stream(
    (session, access): (&HttpSession, &Access),
    reading: Reading,
    outbox: &Outbox,
    answer: Answer,
) -> Response<HttpBody> {
    let mut lines = Vec::new();
    outbox.take(&mut lines);
    outbox.mark_sent();
    let stream = session.number_request_stream(access);
    let mut events = Vec::with_capacity(lines.len() + answer.text.len() + 256);
    if session.polls() {
        let id = EventId { stream, sequence: session.next_sequence() };
        write_priming(&mut events, id, reading.retry);
    }
    for message in messages(&lines).map(Bytes::copy_from_slice).chain([exactly(answer.text)]) {
        let event = session.store_event(stream.number, message).await;
        write_event_with_id(&mut events, EventId { stream, sequence: event.sequence }, &event.message);
    }
    answer::events(events)
}

/// The response to a request, or to a batch, which has no id; an error if the server shuts down first. Otherwise the
/// client could not distinguish it from a lost connection.
pub(super) async fn answer_unless_abandoned(
    answer: Later,
    abandoned: CancellationToken,
    connection: Arc<Connection>,
    id: Option<RequestId<'static>>,
) -> Option<Answer> {
    if let Some(answer) = abandoned.run_until_cancelled(answer).await {
        return answer;
    }
    connection.end();
    let error =
        error::internal("the server is shutting down and has cancelled the call; retry when it is back");
    let revision = connection.agreed_revision().unwrap_or(Revision::NEWEST);
    Some(Answer::error(id.as_ref(), &error, revision))
}

/// Cleans up when the response is sent, or no one reads it any longer.
pub(super) struct EndCall {
    pub(super) outbox: Arc<Outbox>,
    /// The connection whose calls end with the stream (2026-07-28, basic/transports/streamable-http "Cancellation").
    /// Legacy calls continue (2025-11-25, basic/transports: "Disconnection SHOULD NOT be interpreted as … cancelling").
    pub(super) connection: Option<Arc<Connection>>,
    /// A legacy call counts as long as it runs, so its own task holds the count.
    pub(super) _count: Option<Counted>,
}

impl Drop for EndCall {
    fn drop(&mut self) {
        // Releases senders that wait for room.
        self.outbox.close();
        if let Some(connection) = &self.connection {
            connection.end();
        }
    }
}

/// The number of pending requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Count(Arc<AtomicUsize>);

/// One pending request.
pub(super) struct Counted(Count);

impl Count {
    /// Counts one more, unless there are `limit`.
    pub(super) fn one_more(&self, limit: usize) -> Option<Counted> {
        let one_more = |count: usize| (count < limit).then_some(count + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok()?;
        Some(Counted(self.clone()))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}
