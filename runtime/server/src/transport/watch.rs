//! Noticing a handler that blocks the thread it runs on, so that another thread can go on reading.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::Notify;

/// How long a handler may hold up the reading before another thread takes over.
const BLOCKED_AFTER: Duration = Duration::from_millis(25);

/// How many blocked handlers are worked around; with more, reading waits.
const MAX_BLOCKED_HANDLERS: usize = 64;

/// Whose turn it is to read, and whether a handler holds up the reading. Costs two atomic operations a message, and
/// the watching thread sleeps for good while no message comes.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// From the top: 16 bits of turn, 47 bits that grow with each message, one bit "a message is being handled".
    state: AtomicU64,
    asleep: AtomicBool,
    over: AtomicBool,
    watcher: Mutex<Option<Thread>>,
    /// Handlers that block on threads that have lost their turn.
    blocked: AtomicUsize,
    /// Told at the end of each message, once somebody waits for that.
    freed: Notify,
    ending: AtomicBool,
}

const HANDLING: u64 = 1;
const MESSAGE: u64 = 2;
const TURN_SHIFT: u32 = 48;

impl Watch {
    pub(super) fn set_watcher(&self, watcher: Thread) {
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
    }

    /// The turn of the thread that may read.
    pub(super) fn turn(&self) -> u64 {
        self.state.load(Ordering::Acquire) >> TURN_SHIFT
    }

    /// The reading thread starts to handle a message.
    pub(super) fn begin(&self) -> u64 {
        let message = self.state.fetch_add(MESSAGE | HANDLING, Ordering::AcqRel) + (MESSAGE | HANDLING);
        if self.asleep.load(Ordering::Acquire) {
            self.wake();
        }
        message
    }

    /// The thread that began `message` is done with it.
    pub(super) fn end(&self, message: u64) {
        let done = message & !HANDLING;
        if self.state.compare_exchange(message, done, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // The turn is another thread's by now.
            self.blocked.fetch_sub(1, Ordering::AcqRel);
        }
        if self.ending.load(Ordering::Acquire) {
            self.freed.notify_waiters();
        }
    }

    /// Ends the turn of the reading thread; returns the next turn.
    pub(super) fn take_turn(&self) -> u64 {
        let next = |state: u64| Some(((state >> TURN_SHIFT) + 1) << TURN_SHIFT);
        let before =
            self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).unwrap_or_else(|state| state);
        if before & HANDLING != 0 {
            self.blocked.fetch_add(1, Ordering::AcqRel);
        }
        (before >> TURN_SHIFT) + 1
    }

    /// Waits a little, and takes the turn from a thread that handled one message all the while. Sleeps while no
    /// message comes.
    pub(super) fn turn_after_blocked(&self) -> Option<u64> {
        let before = self.state.load(Ordering::Acquire);
        thread::sleep(BLOCKED_AFTER);
        if self.state.load(Ordering::Acquire) != before {
            return None;
        }
        if before & HANDLING != 0 {
            let may = self.blocked.load(Ordering::Acquire) < MAX_BLOCKED_HANDLERS;
            return may.then(|| self.take_turn());
        }
        self.asleep.store(true, Ordering::Release);
        // A message that comes from now on sees the flag, one that came before is seen here.
        if self.state.load(Ordering::Acquire) == before && !self.is_over() {
            thread::park_timeout(Duration::from_hours(1));
        }
        self.asleep.store(false, Ordering::Release);
        None
    }

    fn wake(&self) {
        self.asleep.store(false, Ordering::Release);
        if let Some(watcher) = &*self.watcher.lock().unwrap_or_else(PoisonError::into_inner) {
            watcher.unpark();
        }
    }

    /// Waits until no handler runs on a reading thread.
    pub(super) async fn idle(&self) {
        self.ending.store(true, Ordering::Release);
        loop {
            let freed = self.freed.notified();
            let handling = self.state.load(Ordering::Acquire) & HANDLING != 0;
            if !handling && self.blocked.load(Ordering::Acquire) == 0 {
                return;
            }
            freed.await;
        }
    }

    pub(super) fn stop(&self) {
        self.over.store(true, Ordering::Release);
        self.wake();
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }
}
