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
pub(crate) const MAX_STEPS: usize = 256;

/// Where the server's questions and log messages go.
pub(crate) type Relay = mpsc::Sender<Step>;

pub(crate) type Answer = Result<(Revision, Box<RawValue>), ClientError>;

/// The outcome of a forwarded request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// How far it has come.
    Progress(Progress),
    /// A log message.
    Log(LogMessage),
    /// The server asks before it goes on; only servers of 2025-11-25 and before do so.
    Asked(RelayedQuestion),
    /// The end: the result as the server of this revision wrote it. In 2026-07-28 it may ask for input.
    Done(Answer),
}

/// A question of a server on behalf of whoever has sent the request. Dropping it refuses.
pub struct RelayedQuestion {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// Its parameters, a JSON object.
    pub params: Value,
    answer: oneshot::Sender<Result<Box<RawValue>, ErrorObject>>,
}

impl RelayedQuestion {
    /// A question and where its answer arrives.
    pub(crate) fn new(
        method: &str,
        params: &str,
    ) -> (Self, oneshot::Receiver<Result<Box<RawValue>, ErrorObject>>) {
        let (answer, answered) = oneshot::channel();
        let params = serde_json::from_str(params).unwrap_or_default();
        (Self { method: method.to_owned(), params, answer }, answered)
    }

    /// Gives the result, as whoever was asked wrote it.
    pub fn answer(self, result: Box<RawValue>) {
        // The server may have taken it back.
        _ = self.answer.send(Ok(result));
    }

    /// Refuses, with an error.
    pub fn refuse(self, error: ErrorObject) {
        _ = self.answer.send(Err(error));
    }
}

/// Who relays at the moment.
#[derive(Debug, Default)]
pub(crate) struct Relays {
    open: VecDeque<(u64, Relay)>,
    last: u64,
}

/// Which relay a question without a request is for.
#[derive(Debug)]
pub(crate) enum Sole {
    Nobody,
    One(Relay),
    Many,
}

impl Relays {
    pub(crate) fn add(&mut self, relay: Relay) -> u64 {
        self.last += 1;
        self.open.push_back((self.last, relay));
        self.last
    }

    pub(crate) fn remove(&mut self, number: u64) {
        self.open.retain(|(of, _)| *of != number);
    }

    pub(crate) fn sole(&self) -> Sole {
        match self.open.front() {
            None => Sole::Nobody,
            Some((_, relay)) if self.open.len() == 1 => Sole::One(relay.clone()),
            Some(_) => Sole::Many,
        }
    }
}

impl fmt::Debug for RelayedQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayedQuestion").field("method", &self.method).finish_non_exhaustive()
    }
}
