//! Who carries the questions of a call to the client.

use std::sync::OnceLock;
use std::task::Waker;

use serde_json::value::RawValue;

use super::pass::{PassAsker, Passes};
use super::requests::{RequestAsker, Requests};
use super::{AskError, ClientCapabilities, Question};
use crate::context::Context;
use crate::future::BoxFuture;
#[cfg(feature = "tasks")]
use crate::tasks::{TaskAsker, TaskCall};

/// Sends requests to the client and returns its answers.
pub(crate) trait Asker: Send + Sync {
    /// Waits for the answer, of any form, to the question of this key.
    fn ask<'a>(
        &'a self,
        key: &'a str,
        question: &'a Question,
    ) -> BoxFuture<'a, Result<Box<RawValue>, AskError>>;

    /// The answer of this key cannot be used.
    ///
    /// # Errors
    /// Where it cannot be asked for again.
    fn refuse(&self, key: &str, problem: String) -> Result<(), AskError>;
}

/// How the questions of one call go to its client. Costs nothing until the first one.
#[derive(Debug)]
pub(crate) enum Asking {
    /// There is nobody to ask.
    Nobody,
    /// As requests on the connection (up to 2025-11-25).
    Requests(OnceLock<Box<Requests>>),
    /// As the end of the call, which the client makes again with the answers (2026-07-28).
    Passes(Passes),
    /// In the same way until the call is a task; then the task shows them.
    #[cfg(feature = "tasks")]
    Task(Box<TaskCall>),
}

impl Asking {
    /// The one who asks for the call of `cx`, which is the outermost one.
    pub(super) fn asker(&self, cx: &Context) -> Result<Box<dyn Asker>, AskError> {
        match self {
            Self::Nobody => Err(AskError::NoClient),
            Self::Requests(_) => Ok(Box::new(RequestAsker(cx.outermost().clone()))),
            Self::Passes(_) => Ok(Box::new(PassAsker(cx.outermost().clone()))),
            #[cfg(feature = "tasks")]
            Self::Task(_) => Ok(Box::new(TaskAsker(cx.outermost().clone()))),
        }
    }

    pub(super) fn capabilities(&self, cx: &Context) -> ClientCapabilities {
        match self {
            Self::Nobody => ClientCapabilities::default(),
            Self::Requests(_) => cx.declared_by_session(),
            Self::Passes(_) => cx.declared_by_request(),
            #[cfg(feature = "tasks")]
            Self::Task(_) => cx.declared_by_request(),
        }
    }

    /// What [`Context::elicitation_complete`] does.
    pub(super) async fn complete(&self, cx: &Context, key: &str) {
        if let Self::Requests(requests) = self
            && let Some(id) = requests.get().and_then(|requests| requests.elicitation_id(key))
            && let Some(connection) = cx.connection()
            && let Ok(notification) = super::requests::complete_notification(&id)
        {
            connection.notify_from_call(&notification).await;
        }
    }

    /// The questions at which the call pauses, after its code was polled; `waker` is woken when one is added elsewhere.
    pub(crate) fn paused(&self, waker: Option<&Waker>) -> Option<Vec<(String, Question)>> {
        self.passes()?.paused(waker)
    }

    /// What a call that may end with questions knows of them.
    pub(crate) fn passes(&self) -> Option<&Passes> {
        match self {
            Self::Nobody | Self::Requests(_) => None,
            Self::Passes(passes) => Some(passes),
            #[cfg(feature = "tasks")]
            Self::Task(call) => Some(&call.passes),
        }
    }

    /// The call has ended: no question is open any more.
    pub(crate) fn end(&self) {
        match self {
            Self::Nobody => {}
            Self::Requests(requests) => {
                if let Some(requests) = requests.get() {
                    requests.end();
                }
            }
            Self::Passes(passes) => passes.end(),
            #[cfg(feature = "tasks")]
            Self::Task(call) => call.passes.end(),
        }
    }
}
