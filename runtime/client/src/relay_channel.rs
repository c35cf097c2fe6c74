//! The channel between a relayed request and the program that sent it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use toolwright_core::json::TidyObject;
use toolwright_core::protocol::{ErrorObject, LogMessage, Revision};

use crate::error::ClientError;
use crate::progress::Progress;

/// Maximum number of buffered events per relayed request. When the buffer is full, log messages and progress are
/// dropped, and input requests are rejected.
pub(crate) const MAX_EVENTS: usize = 256;

/// Sends the events of a relayed request.
///
/// Nearly all requests have none, and a channel of `tokio` would allocate room for 32 of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RelaySender(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<RelayEvent>,
    reader: Option<Waker>,
    is_closed: bool,
}

/// Receives the events of a relayed request. Dropping it drops them, which rejects its input requests.
#[derive(Debug, Default)]
pub(crate) struct RelayReceiver(RelaySender);

impl RelaySender {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an event; returns it if there are [`MAX_EVENTS`], or if nobody receives it.
    pub(crate) fn try_send(&self, event: RelayEvent) -> Result<(), Box<RelayEvent>> {
        let mut queue = self.lock();
        if queue.is_closed || queue.events.len() >= MAX_EVENTS {
            return Err(Box::new(event));
        }
        queue.events.push_back(event);
        let reader = queue.reader.take();
        drop(queue);
        reader.into_iter().for_each(Waker::wake);
        Ok(())
    }
}

impl RelayReceiver {
    pub(crate) fn sender(&self) -> RelaySender {
        self.0.clone()
    }

    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<RelayEvent> {
        let mut queue = self.0.lock();
        if let Some(event) = queue.events.pop_front() {
            return Poll::Ready(event);
        }
        match &mut queue.reader {
            Some(reader) => reader.clone_from(cx.waker()),
            None => queue.reader = Some(cx.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for RelayReceiver {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        let events = std::mem::take(&mut queue.events);
        drop(queue);
        drop(events);
    }
}

pub(crate) type RelayResult = Result<(Revision, TidyObject), ClientError>;

/// An event of a relayed request.
#[derive(Debug)]
#[non_exhaustive]
pub enum RelayEvent {
    /// The progress of the request.
    Progress(Progress),
    /// A log message.
    Log(LogMessage),
    /// The server requires input during the request; only servers of 2025-11-25 and earlier send this.
    InputRequest(RelayedInputRequest),
    /// The request has completed, with the revision of the server and its result. In 2026-07-28, the result
    /// may require input.
    Done(RelayResult),
}

/// An input request of the server, for the sender of the relayed request. Dropping it rejects the request.
pub struct RelayedInputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The parameters, a JSON object.
    pub params: Value,
    sender: oneshot::Sender<Result<Box<RawValue>, ErrorObject>>,
}

impl RelayedInputRequest {
    /// Creates an input request and the receiver of its response.
    pub(crate) fn new(
        method: &str,
        params: &str,
    ) -> (Self, oneshot::Receiver<Result<Box<RawValue>, ErrorObject>>) {
        let (sender, response) = oneshot::channel();
        let params = serde_json::from_str(params).unwrap_or_default();
        (Self { method: method.to_owned(), params, sender }, response)
    }

    /// Responds with a result, which is forwarded unchanged.
    pub fn respond(self, result: Box<RawValue>) {
        // The server may have cancelled the request.
        _ = self.sender.send(Ok(result));
    }

    /// Rejects the request with an error.
    pub fn reject(self, error: ErrorObject) {
        _ = self.sender.send(Err(error));
    }
}

/// The relayed requests that are pending.
#[derive(Debug, Default)]
pub(crate) struct ActiveRelays {
    open: VecDeque<(u64, RelaySender)>,
    last_id: u64,
}

/// The relay that a server's message belongs to, if the message does not say.
#[derive(Debug)]
pub(crate) enum ActiveRelay {
    None,
    One(RelaySender),
    Several,
}

impl ActiveRelays {
    pub(crate) fn add(&mut self, relay: RelaySender) -> u64 {
        self.last_id += 1;
        self.open.push_back((self.last_id, relay));
        self.last_id
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.open.retain(|(other, _)| *other != id);
    }

    pub(crate) fn active(&self) -> ActiveRelay {
        match self.open.front() {
            None => ActiveRelay::None,
            Some((_, relay)) if self.open.len() == 1 => ActiveRelay::One(relay.clone()),
            Some(_) => ActiveRelay::Several,
        }
    }
}

impl fmt::Debug for RelayedInputRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayedInputRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::{MAX_EVENTS, RelayEvent, RelayReceiver, RelayedInputRequest};
    use crate::progress::Progress;

    fn progress() -> RelayEvent {
        RelayEvent::Progress(Progress { progress: 1.0, total: None, message: None })
    }

    #[test]
    fn events_are_bounded() {
        let events = RelayReceiver::default();
        let sent = (0..=MAX_EVENTS).filter(|_| events.sender().try_send(progress()).is_ok()).count();
        assert_eq!(sent, MAX_EVENTS);
        let mut cx = Context::from_waker(Waker::noop());
        assert!(matches!(events.poll_next(&mut cx), Poll::Ready(RelayEvent::Progress(_))));
        assert!(events.sender().try_send(progress()).is_ok(), "there is room again");
    }

    #[tokio::test]
    async fn an_event_wakes_the_receiver() {
        let events = RelayReceiver::default();
        let sender = events.sender();
        let receiving = tokio::spawn(async move { std::future::poll_fn(|cx| events.poll_next(cx)).await });
        tokio::task::yield_now().await;
        sender.try_send(progress()).unwrap();
        assert!(matches!(receiving.await.unwrap(), RelayEvent::Progress(_)));
    }

    #[test]
    fn unread_input_requests_are_rejected() {
        let events = RelayReceiver::default();
        let sender = events.sender();
        let (request, mut response) = RelayedInputRequest::new("roots/list", "{}");
        sender.try_send(RelayEvent::InputRequest(request)).unwrap();
        assert!(
            response.try_recv().is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Empty)
        );
        drop(events);
        assert!(
            response
                .try_recv()
                .is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Closed)
        );
        assert!(sender.try_send(progress()).is_err(), "nobody receives it");
    }
}
