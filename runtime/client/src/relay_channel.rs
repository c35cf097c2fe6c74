//! The channel between a relayed request and the program that sent it.

use std::collections::VecDeque;
use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use toolwright_core::json::TidyObject;
use toolwright_core::protocol::{ErrorObject, LogMessage, Revision};

use crate::error::ClientError;
use crate::progress::Progress;

/// Maximum number of buffered events per relayed request. When the buffer is full, log messages and progress are
/// dropped, and input requests are rejected.
pub(crate) const MAX_EVENTS: usize = 256;

/// Sends the events of a relayed request.
pub(crate) type RelaySender = mpsc::Sender<RelayEvent>;

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
