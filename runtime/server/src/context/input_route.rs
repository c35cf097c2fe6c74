//! How the input requests of a call reach its client.

use std::sync::OnceLock;
use std::task::Waker;

use serde_json::value::RawValue;

use super::Context;
#[cfg(feature = "tasks")]
use crate::input::TaskCall;
use crate::input::round_trips::Passes;
use crate::input::{AskError, ClientCapabilities, Question};
use crate::peer::server_requests::Requests;

/// How the input requests of one call reach its client. Costs nothing until the first one.
#[derive(Debug)]
pub(crate) enum InputRoute {
    /// There is nobody to ask.
    Nobody,
    /// As requests on the connection (up to 2025-11-25).
    Requests(OnceLock<Box<Requests>>),
    /// As the end of the call, which the client makes again with the answers (2026-07-28).
    Passes(Passes),
    /// In the same way until the call is a task; then the task shows them.
    #[cfg(feature = "tasks")]
    Task(Box<dyn TaskCall>),
}

impl InputRoute {
    /// As requests on the connection.
    pub(crate) const fn requests() -> Self {
        Self::Requests(OnceLock::new())
    }

    /// The questions at which the call pauses, after its code was polled; `waker` is woken when one is added elsewhere.
    pub(crate) fn take_open_questions(&self, waker: Option<&Waker>) -> Option<Vec<(String, Question)>> {
        self.passes()?.take_open(waker)
    }

    /// What a call that may end with questions knows of them.
    pub(crate) fn passes(&self) -> Option<&Passes> {
        match self {
            Self::Nobody | Self::Requests(_) => None,
            Self::Passes(passes) => Some(passes),
            #[cfg(feature = "tasks")]
            Self::Task(call) => Some(call.passes()),
        }
    }

    /// The call has ended: no question is open any more.
    pub(super) fn end(&self) {
        match self {
            Self::Nobody => {}
            Self::Requests(requests) => {
                if let Some(requests) = requests.get() {
                    requests.end();
                }
            }
            Self::Passes(passes) => passes.end(),
            #[cfg(feature = "tasks")]
            Self::Task(call) => call.passes().end(),
        }
    }
}

impl Context {
    /// What the client has declared that it can be asked for; nothing outside of a client's call.
    pub fn client(&self) -> ClientCapabilities {
        match self.input_route() {
            InputRoute::Nobody => ClientCapabilities::default(),
            InputRoute::Requests(_) => self.declared_by_session(),
            InputRoute::Passes(_) => self.declared_by_request(),
            #[cfg(feature = "tasks")]
            InputRoute::Task(_) => self.declared_by_request(),
        }
    }

    /// Asks the client until `read` can read its answer.
    pub(super) async fn ask_for<A>(
        &self,
        key: &str,
        question: Question,
        read: impl Fn(&RawValue) -> Result<A, String>,
    ) -> Result<A, AskError> {
        self.check_question(&question)?;
        loop {
            let answer = self.ask(key, &question).await?;
            match read(&answer) {
                Ok(answer) => return Ok(answer),
                Err(problem) => self.refuse(key, problem)?,
            }
        }
    }

    /// Whether the question may be asked.
    pub(super) fn check_question(&self, question: &Question) -> Result<(), AskError> {
        if let InputRoute::Nobody = self.input_route() {
            return Err(AskError::NoClient);
        }
        Ok(self.client().check(question)?)
    }

    /// Waits for the answer, of any form, to the question of this key.
    pub(super) async fn ask(&self, key: &str, question: &Question) -> Result<Box<RawValue>, AskError> {
        let call = self.outermost();
        match call.input_route() {
            InputRoute::Nobody => Err(AskError::NoClient),
            InputRoute::Requests(requests) => {
                let peer = call.peer().ok_or(AskError::Ended)?;
                let requests = requests.get_or_init(|| Box::new(Requests::new(&peer)));
                requests.ask(&peer, call.revision(), key, question).await
            }
            InputRoute::Passes(_) if call.has_ended() => Err(AskError::Ended),
            InputRoute::Passes(passes) => passes.ask(key, question).await,
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) if !task.is_started() && call.has_ended() => Err(AskError::Ended),
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) => task.ask(key, question).await,
        }
    }

    /// The answer of this key cannot be used.
    fn refuse(&self, key: &str, problem: String) -> Result<(), AskError> {
        match self.input_route() {
            InputRoute::Nobody => Err(AskError::NoClient),
            InputRoute::Requests(_) => Err(AskError::Unusable(problem)),
            InputRoute::Passes(passes) => {
                passes.refuse(key);
                Ok(())
            }
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) => task.refuse(key, problem),
        }
    }
}
