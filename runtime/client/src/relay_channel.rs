//! The channel between a relayed request and the program that relays it.

use std::collections::VecDeque;
use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use toolwright_core::protocol::{ErrorObject, LogMessage, Revision};

use crate::error::ClientError;
use crate::progress::Progress;

/// How many steps wait for a program that does not take them. Of log messages and progress the further ones are dropped,
/// questions are refused.
pub(crate) const MAX_EVENTS: usize = 256;

/// Where the server's questions and log messages go.
pub(crate) type RelaySender = mpsc::Sender<RelayEvent>;

pub(crate) type RelayResult = Result<(Revision, Box<RawValue>), ClientError>;

/// The outcome of a forwarded request.
#[derive(Debug)]
#[non_exhaustive]
pub enum RelayEvent {
    /// How far it has come.
    Progress(Progress),
    /// A log message.
    Log(LogMessage),
    /// The server asks before it goes on; only servers of 2025-11-25 and before do so.
    InputRequest(RelayedInputRequest),
    /// The end: the result as the server of this revision wrote it. In 2026-07-28 it may ask for input.
    Done(RelayResult),
}

/// A question of a server on behalf of whoever has sent the request. Dropping it refuses.
pub struct RelayedInputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// Its parameters, a JSON object.
    pub params: Value,
    sender: oneshot::Sender<Result<Box<RawValue>, ErrorObject>>,
}

impl RelayedInputRequest {
    /// A question and where its answer arrives.
    pub(crate) fn new(
        method: &str,
        params: &str,
    ) -> (Self, oneshot::Receiver<Result<Box<RawValue>, ErrorObject>>) {
        let (sender, response) = oneshot::channel();
        let params = serde_json::from_str(params).unwrap_or_default();
        (Self { method: method.to_owned(), params, sender }, response)
    }

    /// Gives the result, as whoever was asked wrote it.
    pub fn respond(self, result: Box<RawValue>) {
        // The server may have taken it back.
        _ = self.sender.send(Ok(result));
    }

    /// Refuses, with an error.
    pub fn reject(self, error: ErrorObject) {
        _ = self.sender.send(Err(error));
    }
}

/// Who relays at the moment.
#[derive(Debug, Default)]
pub(crate) struct ActiveRelays {
    open: VecDeque<(u64, RelaySender)>,
    last: u64,
}

/// Which relay a question without a request is for.
#[derive(Debug)]
pub(crate) enum ActiveRelay {
    None,
    One(RelaySender),
    Several,
}

impl ActiveRelays {
    pub(crate) fn add(&mut self, relay: RelaySender) -> u64 {
        self.last += 1;
        self.open.push_back((self.last, relay));
        self.last
    }

    pub(crate) fn remove(&mut self, number: u64) {
        self.open.retain(|(of, _)| *of != number);
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
        f.debug_struct("RelayedQuestion").field("method", &self.method).finish_non_exhaustive()
    }
}
