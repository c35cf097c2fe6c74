//! Limits the concurrent calls of a tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Invocation, InvocationResult, Middleware, Next};
use crate::provider::Outcome;

/// Limits the number of concurrent calls of a tool, by all callers together. Excess calls are rejected
/// immediately, with a message for the model.
///
/// A call that waits for input from a client of 2026-07-28 does not count until it runs again; one that
/// continues as a task of its provider counts until the task has ended.
///
/// ```
/// use toolwright_server::middleware::MaxConcurrency;
///
/// // Any number of calls, but one `reindex` and two `export`s at a time.
/// let limits = MaxConcurrency::default().tool("reindex", 1).tool("export", 2);
/// # let _ = toolwright_server::Server::new(()).middleware(limits);
/// ```
#[derive(Debug, Default)]
pub struct MaxConcurrency {
    each: Option<usize>,
    by_tool: HashMap<String, usize>,
    running: Arc<Running>,
}

impl MaxConcurrency {
    /// Allows at most `limit` concurrent calls of each tool.
    pub fn per_tool(limit: usize) -> Self {
        Self { each: Some(limit), ..Self::default() }
    }

    /// Allows at most `limit` concurrent calls of the tool `name`, overriding the limit for each tool. 0 rejects
    /// all.
    pub fn tool(mut self, name: impl Into<String>, limit: usize) -> Self {
        self.by_tool.insert(name.into(), limit);
        self
    }
}

impl Middleware for MaxConcurrency {
    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        let Some(tool) = invocation.tool() else { return next.run(invocation).await };
        let Some(limit) = self.by_tool.get(&tool.name).copied().or(self.each) else {
            return next.run(invocation).await;
        };
        let Some(slot) = Slot::take(&self.running, &tool.name, limit) else {
            return invocation.refuse(format!(
                "the limit of {limit} calls of `{}` at a time is reached; nothing was done: try again when one has ended",
                tool.name
            ));
        };
        match next.run(invocation).await {
            Outcome::Task(later) => Outcome::Task(Box::pin(async move {
                let outcome = later.await;
                drop(slot);
                outcome
            })),
            outcome => outcome,
        }
    }
}

/// The running calls by tool. A tool without calls has no entry, so there are at most as many entries as running
/// calls.
#[derive(Debug, Default)]
struct Running(Mutex<HashMap<String, usize>>);

/// Counts a call of a tool until it is dropped.
#[derive(Debug)]
struct Slot {
    running: Arc<Running>,
    tool: String,
}

impl Slot {
    fn take(running: &Arc<Running>, tool: &str, limit: usize) -> Option<Self> {
        let mut counts = running.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.get(tool).copied().unwrap_or_default();
        if count >= limit {
            return None;
        }
        counts.insert(tool.to_owned(), count + 1);
        Some(Self { running: Arc::clone(running), tool: tool.to_owned() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.running.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.tool) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.tool);
            }
        }
    }
}
