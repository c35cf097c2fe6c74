//! Input requests of a handler whose call may become a task: until it does, they end a pass; afterwards the task lists
//! them and waits (SEP-2663 "Composition with Multi Round-Trip Requests").

use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;

use super::live::{InputState, LiveTask};
use crate::input_requests::round_trips::Passes;
use crate::input_requests::{InputRequestError, KnownRequest, TaskCall};

/// A call that may become a task.
#[derive(Debug)]
pub(crate) struct MaybeTask {
    pub(crate) passes: Passes,
    pub(crate) live: Arc<LiveTask>,
}

impl TaskCall for MaybeTask {
    fn passes(&self) -> &Passes {
        &self.passes
    }

    fn is_started(&self) -> bool {
        self.live.is_started()
    }

    fn started(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.live.started())
    }

    fn set_message(&self, message: &str) {
        self.live.set_message(message);
    }

    fn ask<'a>(
        &'a self,
        key: &'a str,
        request: &'a KnownRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, InputRequestError>> {
        Box::pin(async move {
            let Self { passes, live } = self;
            if !live.is_started() {
                tokio::select! {
                    answer = passes.ask(key, request) => return answer,
                    () = live.started.cancelled() => {}
                }
            }
            if let Some(answer) = passes.earlier_answer(key, request)? {
                return Ok(answer);
            }
            match live.ask(key, request)? {
                InputState::Answered(answer) => Ok(answer),
                InputState::Waiting(answer) => {
                    // Dropped after the waiter, so it detects that no one waits any longer.
                    let _withdraw = Withdraw(live);
                    answer.await.map_err(|_| InputRequestError::Ended)
                }
            }
        })
    }

    fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError> {
        let Self { passes, live } = self;
        if !live.is_started() {
            passes.refuse(key);
            return Ok(());
        }
        if passes.forget(key) { Ok(()) } else { live.refuse(key, problem) }
    }
}

/// Withdraws an input request that no one waits for any longer.
struct Withdraw<'a>(&'a LiveTask);

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}
