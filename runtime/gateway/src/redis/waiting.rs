//! The futures of this process that wait for calls or tasks, and the messages that wake them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

use super::connection::{Connection, RedisError};
use super::records::Fields;
use super::subscription::{Listener, listen};

/// The polling interval of a waiting caller, since messages may be lost: 2 seconds.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Maximum number of cancelled calls that are remembered until their workers query them.
const MAX_CANCELLED: usize = 1_000;

/// All waiting futures.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// By call.
    calls: HashMap<String, Slot>,
    cancelled: HashSet<String>,
    /// The cancelled calls in order.
    order: VecDeque<String>,
}

/// The futures that wait for the same call.
#[derive(Debug, Default)]
struct Slot {
    changed: Arc<Notify>,
    waiters: usize,
    /// The final record, if a notification had it.
    end: Option<Fields>,
}

/// A future that waits for a change of a call.
#[derive(Debug)]
pub(super) struct Waiter<'a> {
    all: &'a Waiting,
    pub(super) call: String,
    changed: Arc<Notify>,
}

impl Waiter<'_> {
    /// Returns a future of the next notification from now on, whether it is polled before or after that.
    pub(super) fn changed(&self) -> OwnedNotified {
        Arc::clone(&self.changed).notified_owned()
    }

    /// Returns the final record, if a notification had it.
    pub(super) fn end(&self) -> Option<Fields> {
        let mut state = self.all.state();
        let slot = state.calls.get_mut(&self.call)?;
        if slot.waiters == 1 { slot.end.take() } else { slot.end.clone() }
    }
}

impl Waiting {
    pub(super) fn begin(&self, call: &str) -> Waiter<'_> {
        let mut state = self.state();
        let slot = state.calls.entry(call.to_owned()).or_default();
        slot.waiters += 1;
        Waiter { all: self, call: call.to_owned(), changed: Arc::clone(&slot.changed) }
    }

    /// Wakes the futures that wait for a call, with its final record if the notification has it.
    pub(super) fn wake(&self, call: &str, end: Option<Fields>) {
        if let Some(slot) = self.state().calls.get_mut(call) {
            if end.is_some() {
                slot.end = end;
            }
            slot.changed.notify_waiters();
        }
    }

    /// Wakes all futures.
    pub(super) fn wake_all(&self) {
        for slot in self.state().calls.values() {
            slot.changed.notify_waiters();
        }
    }

    /// Records that a call of this process's workers was cancelled.
    pub(super) fn cancel(&self, call: &str) {
        let mut state = self.state();
        if state.cancelled.insert(call.to_owned()) {
            state.order.push_back(call.to_owned());
        }
        if state.order.len() > MAX_CANCELLED
            && let Some(oldest) = state.order.pop_front()
        {
            state.cancelled.remove(&oldest);
        }
        if let Some(slot) = state.calls.get(call) {
            slot.changed.notify_waiters();
        }
    }

    pub(super) fn is_cancelled(&self, call: &str) -> bool {
        self.state().cancelled.contains(call)
    }

    /// Waits until a call is cancelled.
    pub(super) async fn cancelled(&self, call: &str) {
        let waiter = self.begin(call);
        loop {
            let changed = waiter.changed();
            if self.is_cancelled(call) {
                return;
            }
            changed.await;
        }
    }

    /// Returns what is waited for.
    pub(super) fn ids(&self) -> Vec<String> {
        self.state().calls.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut state = self.all.state();
        if let Some(slot) = state.calls.get_mut(&self.call) {
            slot.waiters -= 1;
            if slot.waiters == 0 {
                state.calls.remove(&self.call);
            }
        }
    }
}

impl Listener for Arc<Waiting> {
    fn begin(&self) {
        self.wake_all();
    }

    /// As `notify.lua` writes it.
    fn message(&self, text: &str) {
        match text.split_once(' ') {
            Some(("ends", mut text)) => {
                while let Some((call, end, rest)) = Fields::of_notification(text) {
                    self.wake(call, Some(end));
                    text = rest;
                }
            }
            Some(("call", call)) => self.wake(call, None),
            Some(("cancel", call)) => self.cancel(call),
            _ => {}
        }
    }
}

/// Subscribes to the messages to this process. The future wakes waiting futures by them.
pub(super) async fn wake_by_messages(
    connection: Connection,
    process: &str,
    waiting: Arc<Waiting>,
) -> Result<impl Future<Output = ()> + use<>, RedisError> {
    let channel = format!("mcp:1:proc:{process}");
    let subscription = connection.subscribe(&channel).await.map_err(RedisError::Unavailable)?;
    Ok(listen(connection, channel, subscription, waiting))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Listener, Waiting};

    #[test]
    fn one_message_ends_several_calls() {
        let waiting = Arc::<Waiting>::default();
        let [first, second, other] = ["a", "b", "c"].map(|call| Waiting::begin(&waiting, call));
        waiting.message("ends done 1 3 1 0 3 a\"x\"done 2 5 1 0 2 b{}");
        let ends = [first, second, other].map(|waiter| waiter.end().map(|end| (end.attempt, end.end)));
        let expected = [Some(("1", "\"x\"")), Some(("2", "{}")), None];
        assert_eq!(ends, expected.map(|end| end.map(|(attempt, end)| (attempt.to_owned(), end.to_owned()))));
    }
}
