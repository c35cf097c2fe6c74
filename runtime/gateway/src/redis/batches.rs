//! Runs a script for several callers at once.
//!
//! Most of what a small script costs is not its commands, but being sent, found, begun and answered. A batch is sent as soon
//! as it can be: what comes in while one is under way is in the next one, so batches grow with the load, and a single caller does
//! not wait. A task sends them, so that a caller that is not polled for a while, such as one with a slow client, holds up nobody
//! else.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use redis::Script;
use tokio::sync::oneshot;
use toolwright_core::future::boxed;

use super::bound::Bound;
use super::connection::{Connection, ScriptError};

/// Maximum number of items in a batch: 64.
const MAX_ITEMS: usize = 64;
/// Maximum size of a batch of more than one item: 1 MiB.
const MAX_BYTES: usize = 1 << 20;

/// A script whose arguments are common ones and those of one item after the other, and whose answer is a list of a string for
/// each item: see `each.lua`.
pub(super) struct Batches {
    connection: Connection,
    script: BatchScript,
    common: Vec<String>,
    queue: Mutex<Queue>,
}

/// The script of batches.
pub(super) enum BatchScript {
    /// Any one.
    Any(&'static LazyLock<Script>),
    /// One that knows the run of the server.
    Bound(Box<Bound>),
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Item>,
    /// Whether a task sends batches.
    is_running: bool,
}

struct Item {
    args: Vec<String>,
    answer: oneshot::Sender<Answer>,
}

/// What a script answers for an item.
type Answer = Result<String, ScriptError>;

impl Batches {
    pub(super) fn new(connection: Connection, script: BatchScript, common: Vec<String>) -> Arc<Self> {
        Arc::new(Self { connection, script, common, queue: Mutex::default() })
    }

    /// Runs the script for one item, unless the future is dropped before its batch is sent.
    ///
    /// # Errors
    /// Those of [`Connection::run`]. If the server cannot be reached, that concerns everything that waits.
    pub(super) async fn run(self: &Arc<Self>, args: Vec<String>) -> Answer {
        let (answer, answered) = oneshot::channel();
        let begins = {
            let mut queue = self.queue();
            queue.waiting.push_back(Item { args, answer });
            queue.begin()
        };
        if begins {
            let running = Running { batches: Arc::clone(self), is_over: false };
            tokio::spawn(boxed(move || running.run()));
        }
        let stopped = |_| Err(ScriptError::Unavailable("this process is shutting down".to_owned()));
        answered.await.unwrap_or_else(stopped)
    }

    async fn send(&self, batch: Vec<Item>) {
        let items = batch.iter().flat_map(|item| &item.args);
        let args: Vec<&str> = self.common.iter().chain(items).map(String::as_str).collect();
        let answer: Result<Vec<String>, _> = match &self.script {
            BatchScript::Any(script) => self.connection.run(script, &args).await,
            BatchScript::Bound(script) => self.connection.run_bound(script, &args).await,
        };
        let error = match answer {
            Ok(answers) if answers.len() == batch.len() => {
                for (item, own) in batch.into_iter().zip(answers) {
                    let own = match own.strip_prefix("failed ") {
                        Some(why) => Err(ScriptError::of_answer(why)),
                        None => Ok(own),
                    };
                    // Its future may have been dropped.
                    _ = item.answer.send(own);
                }
                return;
            }
            Ok(_) => ScriptError::Unavailable("it has given an unknown answer".to_owned()),
            Err(error) => error,
        };
        // What waits has waited for as long as a command may take.
        let waiting = match &error {
            ScriptError::Unavailable(_) => std::mem::take(&mut self.queue().waiting),
            ScriptError::Refused(_) => VecDeque::new(),
        };
        for item in batch.into_iter().chain(waiting) {
            _ = item.answer.send(Err(error.clone()));
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Returns whether a task has to be started that sends batches, which is then expected.
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.is_running, true)
    }

    /// Takes what is sent next. What nobody waits for any more is dropped: its caller may have cancelled it.
    fn next_batch(&mut self) -> Vec<Item> {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < MAX_ITEMS
            && let Some(item) = self.waiting.pop_front()
        {
            if item.answer.is_closed() {
                continue;
            }
            bytes += item.args.iter().map(String::len).sum::<usize>();
            if bytes > MAX_BYTES && !batch.is_empty() {
                self.waiting.push_front(item);
                break;
            }
            batch.push(item);
        }
        batch
    }
}

/// A task that sends batches while something waits.
struct Running {
    batches: Arc<Batches>,
    is_over: bool,
}

impl Running {
    async fn run(mut self) {
        while let Some(batch) = self.next_batch() {
            self.batches.send(batch).await;
        }
    }

    /// Returns what waits, or `None` once the task no longer counts as running: whoever comes next starts another.
    fn next_batch(&mut self) -> Option<Vec<Item>> {
        let mut queue = self.batches.queue();
        let batch = queue.next_batch();
        if batch.is_empty() {
            queue.is_running = false;
            self.is_over = true;
            return None;
        }
        Some(batch)
    }
}

impl Drop for Running {
    /// The runtime is shutting down, unless the task is over.
    fn drop(&mut self) {
        if !self.is_over {
            let mut queue = self.batches.queue();
            queue.is_running = false;
            queue.waiting.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::{Answer, Item, MAX_BYTES, MAX_ITEMS, Queue};

    /// A queue of items of these sizes, whose callers wait as long as the rest is kept.
    fn queue(sizes: &[usize]) -> (Queue, Vec<oneshot::Receiver<Answer>>) {
        let mut queue = Queue::default();
        let waits = sizes.iter().map(|&size| {
            let (answer, answered) = oneshot::channel();
            queue.waiting.push_back(Item { args: vec!["x".repeat(size)], answer });
            answered
        });
        let waits = waits.collect();
        (queue, waits)
    }

    fn batches(mut queue: Queue) -> Vec<usize> {
        let sizes = std::iter::repeat_with(|| queue.next_batch().len());
        sizes.take_while(|&size| size > 0).collect()
    }

    #[test]
    fn batches_have_a_largest_number_and_size_of_items() {
        let (many, _waits) = queue(&[1; MAX_ITEMS + 2]);
        assert_eq!(batches(many), [MAX_ITEMS, 2]);
        let (large, _waits) = queue(&[MAX_BYTES / 2, MAX_BYTES / 2, 1, MAX_BYTES + 1, 1]);
        assert_eq!(batches(large), [2, 1, 1, 1]);
    }

    #[test]
    fn what_nobody_waits_for_is_not_sent() {
        let (queue, mut waits) = queue(&[1; 3]);
        waits.remove(1);
        assert_eq!(batches(queue), [2]);
    }

    #[test]
    fn one_batch_is_under_way() {
        let mut queue = Queue::default();
        assert_eq!((0..5).filter(|_| queue.begin()).count(), 1);
    }
}
