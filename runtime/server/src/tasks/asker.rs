//! Questions of a handler whose call may become a task: until it is one, they are the end of a pass; then the task shows
//! them, and waits (SEP-2663 "Composition with Multi Round-Trip Requests").

use std::sync::Arc;

use serde_json::value::RawValue;

use super::live::{LiveTask, Note};
use crate::ask::asker::Asker;
use crate::ask::pass::{PassAsker, Passes};
use crate::ask::{AskError, Asking, Question};
use crate::context::Context;
use crate::future::BoxFuture;

/// How a call asks that may become a task.
#[derive(Debug)]
pub(crate) struct TaskCall {
    pub(crate) passes: Passes,
    pub(crate) live: Arc<LiveTask>,
}

/// Asks for the call of a context.
pub(crate) struct TaskAsker(pub(crate) Context);

impl TaskAsker {
    fn call(&self) -> Result<&TaskCall, AskError> {
        match self.0.asking() {
            Asking::Task(call) => Ok(call),
            _ => Err(AskError::NoClient),
        }
    }
}

impl Asker for TaskAsker {
    fn ask<'a>(
        &'a self,
        key: &'a str,
        question: &'a Question,
    ) -> BoxFuture<'a, Result<Box<RawValue>, AskError>> {
        Box::pin(async move {
            let TaskCall { passes, live } = self.call()?;
            if !live.is_started() {
                let pass = PassAsker(self.0.clone());
                tokio::select! {
                    answer = pass.ask(key, question) => return answer,
                    () = live.started.cancelled() => {}
                }
            }
            if let Some(answer) = passes.answered(key, question)? {
                return Ok(answer);
            }
            match live.ask(key, question)? {
                Note::Answered(answer) => Ok(answer),
                Note::Waits(answer) => {
                    // Dropped after what waits, and so it sees that nobody does.
                    let _withdraw = Withdraw(live);
                    answer.await.map_err(|_| AskError::Ended)
                }
            }
        })
    }

    fn refuse(&self, key: &str, problem: String) -> Result<(), AskError> {
        let TaskCall { passes, live } = self.call()?;
        if !live.is_started() {
            return PassAsker(self.0.clone()).refuse(key, problem);
        }
        if passes.forget(key) { Ok(()) } else { live.refuse(key, problem) }
    }
}

/// Has a question withdrawn that nobody waits for any more.
struct Withdraw<'a>(&'a LiveTask);

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}
