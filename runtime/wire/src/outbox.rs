//! The queue of outgoing messages of one connection.
//!
//! Notifications that are already queued are not queued again, so a slow reader does not make memory grow.

use std::pin::pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::Notify;

use crate::budget::{Budget, Held};

/// A queue of outgoing messages, one per line, in the order in which they were pushed.
///
/// Handlers push from any task, and the transport takes. [`Outbox::send`] waits while more than the limit is unsent, so
/// a slow reader slows handlers down instead of filling the memory.
#[derive(Debug)]
pub struct Outbox {
    state: Mutex<Queue>,
    limit: usize,
    /// Whether messages are dropped once the limit is reached, instead of being queued anyway.
    drops: bool,
    /// The budget shared with other queues.
    budget: Option<Arc<Budget>>,
    /// Wakes a transport that blocks a thread.
    filled: Condvar,
    /// Wakes a transport that waits in a task.
    filled_async: Notify,
    /// Wakes senders.
    room: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<u8>,
    /// The queued bytes' share of the budget.
    held: Option<Held>,
    /// The share of bytes that were taken but not sent yet.
    sending_held: Option<Held>,
    /// Whether lines were taken that are not sent yet.
    sending: bool,
    closed: bool,
    /// How many threads block in [`Outbox::wait`]: to wake them is a system call, even if there are none.
    blocked: usize,
    /// Whether a sender has asked to disconnect the reader.
    hangs_up: bool,
}

impl Queue {
    /// Whether `message` is one of the queued lines.
    fn holds(&self, message: &[u8]) -> bool {
        memchr::memmem::find_iter(&self.lines, message).any(|start| {
            let begins_line = start == 0 || self.lines[start - 1] == b'\n';
            begins_line && self.lines.get(start + message.len()) == Some(&b'\n')
        })
    }
}

impl Outbox {
    /// Creates an outbox that makes senders wait while more than `limit` bytes are unsent.
    pub fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            drops: false,
            budget: None,
            filled: Condvar::new(),
            filled_async: Notify::new(),
            room: Notify::new(),
        }
    }

    /// Creates an outbox whose reader may be absent for long: what exceeds the limit is dropped. The reader still
    /// learns of changes from the list-changed notifications that are queued already.
    pub fn dropping(limit: usize) -> Self {
        Self { drops: true, ..Self::new(limit) }
    }

    /// Counts queued bytes in a shared budget as well. While the budget is full, senders wait or their messages are
    /// dropped; an empty outbox always accepts one message.
    pub fn within(mut self, budget: &Arc<Budget>) -> Self {
        self.lock().held = Some(budget.hold(0));
        self.budget = Some(Arc::clone(budget));
        self
    }

    /// Queues a message immediately, regardless of the limit: for messages whose number the protocol bounds.
    #[inline]
    pub fn push(&self, message: &[u8]) {
        let mut state = self.lock();
        if state.closed || (self.drops && !self.has_room(&state)) {
            return;
        }
        state.lines.extend_from_slice(message);
        state.lines.push(b'\n');
        if let Some(held) = &mut state.held {
            held.grow(message.len() + 1);
        }
        let is_blocked = state.blocked > 0;
        drop(state);
        if is_blocked {
            self.filled.notify_one();
        }
        self.filled_async.notify_one();
    }

    /// Queues a message unless an equal one is queued: for list-changed notifications, which a slow reader needs only
    /// once.
    pub fn push_once(&self, message: &[u8]) {
        let waits = self.lock().holds(message);
        // A message that is taken or added in between is at worst sent twice.
        if !waits {
            self.push(message);
        }
    }

    /// Queues a message unless the limit is reached: for messages that the reader can ask for again.
    pub fn push_if_room(&self, message: &[u8]) {
        let has_room = self.has_room(&self.lock());
        if has_room {
            self.push(message);
        }
    }

    /// Appends complete lines without waking the transport: for a transport that sends them itself right away. Leaves
    /// `lines` empty.
    #[inline]
    pub fn append(&self, lines: &mut Vec<u8>) {
        let mut state = self.lock();
        if let Some(held) = &mut state.held {
            held.grow(lines.len());
        }
        if state.lines.is_empty() {
            std::mem::swap(&mut state.lines, lines);
        } else {
            state.lines.extend_from_slice(lines);
        }
        drop(state);
        lines.clear();
    }

    /// Queues a message as soon as there is room.
    pub async fn send(&self, message: &[u8]) {
        self.room().await;
        self.push(message);
    }

    /// Waits until there is room, or the outbox is closed.
    pub async fn room(&self) {
        loop {
            let room = self.room.notified();
            let freed = self.budget.as_ref().map(|budget| budget.freed());
            {
                let state = self.lock();
                if state.closed || self.has_room(&state) {
                    return;
                }
            }
            let Some(freed) = freed else {
                room.await;
                continue;
            };
            let (mut room, mut freed) = (pin!(room), pin!(freed));
            std::future::poll_fn(|task| match room.as_mut().poll(task) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => freed.as_mut().poll(task),
            })
            .await;
        }
    }

    /// Whether senders can proceed.
    fn has_room(&self, state: &Queue) -> bool {
        let is_full = || self.budget.as_ref().is_some_and(|budget| budget.is_full());
        state.lines.len() < self.limit && (state.lines.is_empty() || !is_full())
    }

    /// Takes everything queued, without waiting, in exchange for the empty buffer `into`, whose allocation is reused.
    /// [`Outbox::mark_sent`] must follow.
    #[inline]
    pub fn take(&self, into: &mut Vec<u8>) {
        into.clear();
        let mut state = self.lock();
        if state.lines.is_empty() {
            return;
        }
        std::mem::swap(&mut state.lines, into);
        if let Some(budget) = &self.budget {
            state.sending_held = state.held.replace(budget.hold(0));
        }
        state.sending = true;
        drop(state);
        self.room.notify_waiters();
    }

    /// Like [`Outbox::take`]; also returns whether to disconnect the reader afterwards.
    pub fn take_all(&self, into: &mut Vec<u8>) -> bool {
        // In this order, what was pushed before the sender asked is taken as well.
        let hangs_up = std::mem::take(&mut self.lock().hangs_up);
        self.take(into);
        hangs_up
    }

    /// Asks the transport to disconnect the reader after it has received what is queued. For transports whose readers
    /// reconnect.
    pub fn hang_up(&self) {
        self.lock().hangs_up = true;
        self.filled_async.notify_one();
    }

    /// Records that what was taken has been sent.
    #[inline]
    pub fn mark_sent(&self) {
        let mut state = self.lock();
        if std::mem::take(&mut state.sending) {
            let held = state.sending_held.take();
            drop((state, held));
            self.room.notify_waiters();
        }
    }

    /// Blocks until something is queued (true), or the outbox is closed and empty (false).
    pub fn wait(&self) -> bool {
        let mut state = self.lock();
        state.blocked += 1;
        let mut state = self
            .filled
            .wait_while(state, |state| state.lines.is_empty() && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        state.blocked -= 1;
        !state.lines.is_empty()
    }

    /// Like [`Outbox::wait`], in a task.
    pub async fn wait_async(&self) -> bool {
        loop {
            let filled = self.filled_async.notified();
            {
                let state = self.lock();
                if !state.lines.is_empty() || state.closed {
                    return !state.lines.is_empty();
                }
            }
            filled.await;
        }
    }

    /// Returns whether the outbox is closed and drops what is pushed.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Like [`Outbox::wait_async`], but also returns true once a sender has asked to disconnect the reader.
    pub async fn wait_for_more(&self) -> bool {
        loop {
            let filled = self.filled_async.notified();
            {
                let state = self.lock();
                let has_more = !state.lines.is_empty() || state.hangs_up;
                if has_more || state.closed {
                    return has_more;
                }
            }
            filled.await;
        }
    }

    /// Returns whether senders have to wait.
    pub fn is_full(&self) -> bool {
        !self.has_room(&self.lock())
    }

    /// Returns whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.lock().lines.is_empty()
    }

    /// Closes the outbox: later messages are dropped, and waiting senders and takers continue.
    #[inline]
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let is_blocked = state.blocked > 0;
        drop(state);
        if is_blocked {
            self.filled.notify_all();
        }
        // There may be several takers.
        self.filled_async.notify_waiters();
        self.room.notify_waiters();
    }

    /// Waits until everything is sent.
    pub async fn drained(&self) {
        loop {
            let room = self.room.notified();
            {
                let state = self.lock();
                if (state.lines.is_empty() && !state.sending) || state.closed {
                    return;
                }
            }
            room.await;
        }
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Each change is a single call, so a panic cannot leave half a line behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Outbox;
    use crate::budget::Budget;

    fn take_text(outbox: &Outbox) -> String {
        let mut lines = Vec::new();
        outbox.take(&mut lines);
        outbox.mark_sent();
        String::from_utf8(lines).expect("text was pushed")
    }

    #[test]
    fn a_blocked_thread_is_woken_by_a_message_and_by_the_end() {
        let outbox = Arc::new(Outbox::new(64));
        let reader = Arc::clone(&outbox);
        let blocked = std::thread::spawn(move || {
            let mut lines = Vec::new();
            while reader.wait() {
                lines.push(take_text(&reader));
            }
            lines
        });
        let until = |is_blocked: usize| {
            while outbox.lock().blocked != is_blocked || !outbox.lock().lines.is_empty() {
                std::thread::yield_now();
            }
        };
        until(1);
        outbox.push(b"first");
        until(1);
        outbox.close();
        assert_eq!(blocked.join().expect("no panic"), ["first\n"]);
        until(0);
    }

    #[tokio::test]
    async fn senders_wait_while_the_outbox_is_full() {
        let outbox = Arc::new(Outbox::new(4));
        outbox.send(b"first").await;
        let sender = Arc::clone(&outbox);
        let waiting = tokio::spawn(async move { sender.send(b"second").await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "five bytes are over the limit of four");
        assert_eq!(take_text(&outbox), "first\n");
        waiting.await.expect("the sender goes on");
        assert_eq!(take_text(&outbox), "second\n");
    }

    #[tokio::test]
    async fn senders_wait_for_room_in_a_shared_budget() {
        let budget = Arc::new(Budget::new(8));
        let [one, two] = [(); 2].map(|()| Arc::new(Outbox::new(1_000).within(&budget)));
        one.send(b"longer than that").await;
        two.send(b"the first one has room").await;
        assert!(one.is_full() && two.is_full() && budget.is_full());
        let sender = Arc::clone(&two);
        let waiting = tokio::spawn(async move { sender.send(b"second").await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert_eq!(take_text(&two), "the first one has room\n");
        waiting.await.expect("its own queue is empty");
        let sender = Arc::clone(&two);
        let waiting = tokio::spawn(async move { sender.send(b"third").await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(one);
        waiting.await.expect("the other one is gone");
        assert_eq!(budget.held(), "second\nthird\n".len());
        let dropping = Outbox::dropping(1_000).within(&budget);
        for _ in 0..3 {
            dropping.push(b"word");
        }
        assert_eq!(take_text(&dropping), "word\n");
        assert_eq!(take_text(&two), "second\nthird\n");
        assert_eq!(budget.held(), 0);
    }

    #[tokio::test]
    async fn closing_wakes_everyone_who_waits() {
        let outbox = Arc::new(Outbox::new(1));
        outbox.push(b"full");
        let sender = Arc::clone(&outbox);
        let waiting = tokio::spawn(async move { sender.send(b"never sent").await });
        tokio::task::yield_now().await;
        outbox.close();
        waiting.await.expect("the sender goes on");
        assert!(outbox.wait(), "what was accepted can still be taken");
        assert_eq!(take_text(&outbox), "full\n");
        assert!(!outbox.wait());
        assert!(!outbox.wait_async().await);
        outbox.drained().await;
    }
}
