//! Detects handlers that block their thread, so that another thread can continue reading.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::Notify;

/// How long a handler may block reading before another thread takes over.
const BLOCKED_AFTER: Duration = Duration::from_millis(25);

/// The maximum number of blocked handlers to work around; with more, reading waits.
const MAX_BLOCKED_HANDLERS: usize = 64;

/// Tracks which thread may read, and whether a handler blocks it. Costs two atomic operations per message; the watching
/// thread sleeps while no message arrives.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// From the top: 40 bits for the turn, 23 bits that are incremented with each message, and one bit for "a message
    /// is being handled". Both counters wrap around, and neither overflows into the other. A thread would mistake
    /// another turn for its own only if it returned after 2^40 takeovers, which take 800 years; the watcher would
    /// mistake two messages for one only after 2^23 messages in 25 ms.
    state: AtomicU64,
    asleep: AtomicBool,
    over: AtomicBool,
    watcher: Mutex<Option<Thread>>,
    /// The number of blocked handlers on threads that have lost their turn.
    blocked: AtomicUsize,
    /// Notified at the end of each message, once someone waits for it.
    freed: Notify,
    ending: AtomicBool,
}

const HANDLING: u64 = 1;
const MESSAGE: u64 = 2;
const TURN_SHIFT: u32 = 24;
/// All bits of the state except those of the turn.
const OF_MESSAGE: u64 = (1 << TURN_SHIFT) - 1;

impl Watch {
    /// Creates a watch with the counters in `state`.
    #[cfg(test)]
    pub(super) fn at(state: u64) -> Self {
        Self { state: AtomicU64::new(state), ..Self::default() }
    }

    pub(super) fn set_watcher(&self, watcher: Thread) {
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher);
    }

    /// The turn of the thread that may read.
    pub(super) fn turn(&self) -> u64 {
        self.state.load(Ordering::Acquire) >> TURN_SHIFT
    }

    /// Called when the reading thread starts to handle a message.
    pub(super) fn begin(&self) -> u64 {
        let next = |state: u64| (state & !OF_MESSAGE) | (state.wrapping_add(MESSAGE | HANDLING) & OF_MESSAGE);
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| Some(next(state)));
        let message = next(before.unwrap_or_else(|state| state));
        if self.asleep.load(Ordering::Acquire) {
            self.wake();
        }
        message
    }

    /// Called when the thread that began `message` has handled it.
    pub(super) fn end(&self, message: u64) {
        let done = message & !HANDLING;
        if self.state.compare_exchange(message, done, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // Another thread has the turn by now.
            self.blocked.fetch_sub(1, Ordering::AcqRel);
        }
        if self.ending.load(Ordering::Acquire) {
            self.freed.notify_waiters();
        }
    }

    /// Ends the turn of the reading thread; returns the next turn.
    pub(super) fn take_turn(&self) -> u64 {
        // The shift drops the bits beyond a turn.
        let next = |state: u64| (state >> TURN_SHIFT).wrapping_add(1) << TURN_SHIFT;
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| Some(next(state)));
        let before = before.unwrap_or_else(|state| state);
        if before & HANDLING != 0 {
            self.blocked.fetch_add(1, Ordering::AcqRel);
        }
        next(before) >> TURN_SHIFT
    }

    /// Waits briefly, and takes the turn from a thread that handled a single message all that time. Sleeps while no
    /// message arrives.
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
        // A message that arrives from now on sees the flag, and an earlier one is detected here.
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

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::Ordering;

    use super::{HANDLING, MESSAGE, OF_MESSAGE, TURN_SHIFT, Watch};

    /// The last turn before the counter wraps around, minus `before`.
    pub(in crate::transport) fn near_last_turn(before: u64) -> Watch {
        Watch::at(((u64::MAX >> TURN_SHIFT) - before) << TURN_SHIFT)
    }

    #[test]
    fn a_thread_that_takes_a_turn_may_read() {
        for watch in
            [Watch::default(), near_last_turn(2), Watch::at(0xFFFD << TURN_SHIFT), Watch::at(0xFFFD << 48)]
        {
            let mut before = watch.turn();
            for _ in 0..5 {
                watch.begin();
                let taken = watch.take_turn();
                assert_eq!(taken, watch.turn(), "the thread with the turn may read");
                assert_ne!(taken, before, "no other thread may read");
                before = taken;
            }
        }
    }

    #[test]
    fn turns_wrap_around() {
        let watch = near_last_turn(0);
        assert_eq!(watch.take_turn(), 0);
        assert_eq!(watch.turn(), 0);
    }

    #[test]
    fn messages_do_not_change_the_turn() {
        for turn in [0, 7, u64::MAX >> TURN_SHIFT] {
            let watch = Watch::at((turn << TURN_SHIFT) | (OF_MESSAGE - 2 * MESSAGE - HANDLING));
            for _ in 0..6 {
                let message = watch.begin();
                assert_eq!(watch.turn(), turn);
                assert_eq!(message & HANDLING, HANDLING);
                watch.end(message);
                assert_eq!(watch.state.load(Ordering::Acquire), message & !HANDLING);
                assert_eq!(watch.blocked.load(Ordering::Acquire), 0);
            }
        }
    }

    #[test]
    fn handlers_that_lost_their_turn_count_as_blocked() {
        let watch = near_last_turn(0);
        let message = watch.begin();
        watch.take_turn();
        let other = watch.begin();
        assert_eq!(watch.blocked.load(Ordering::Acquire), 1);
        watch.end(message);
        watch.end(other);
        assert_eq!(watch.blocked.load(Ordering::Acquire), 0);
    }
}
