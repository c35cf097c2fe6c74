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
    /// From the top: 40 bits of turn, 23 bits that grow with each message, one bit "a message is being handled". Both
    /// counters begin again at 0 after their last value, and neither reaches into the other. A thread would take a turn
    /// for its own only if it came back after 2^40 takeovers, which take 800 years; the watcher would take two messages
    /// for one only after 2^23 messages in 25 ms.
    state: AtomicU64,
    asleep: AtomicBool,
    over: AtomicBool,
    watcher: Mutex<Option<Thread>>,
    /// Handlers that block on threads that have lost their turn.
    blocked: AtomicUsize,
    /// Told at the end of each message, once someone waits for that.
    freed: Notify,
    ending: AtomicBool,
}

const HANDLING: u64 = 1;
const MESSAGE: u64 = 2;
const TURN_SHIFT: u32 = 24;
/// All of the state that is not the turn.
const OF_MESSAGE: u64 = (1 << TURN_SHIFT) - 1;

impl Watch {
    /// A watch whose counters stand where `state` says.
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

    /// The reading thread starts to handle a message.
    pub(super) fn begin(&self) -> u64 {
        let next = |state: u64| (state & !OF_MESSAGE) | (state.wrapping_add(MESSAGE | HANDLING) & OF_MESSAGE);
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| Some(next(state)));
        let message = next(before.unwrap_or_else(|state| state));
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
        // The shift drops what is more than a turn has room for.
        let next = |state: u64| (state >> TURN_SHIFT).wrapping_add(1) << TURN_SHIFT;
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| Some(next(state)));
        let before = before.unwrap_or_else(|state| state);
        if before & HANDLING != 0 {
            self.blocked.fetch_add(1, Ordering::AcqRel);
        }
        next(before) >> TURN_SHIFT
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

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::Ordering;

    use super::{HANDLING, MESSAGE, OF_MESSAGE, TURN_SHIFT, Watch};

    /// The last turn before the counter begins again, less `before`.
    pub(in crate::transport) fn near_last_turn(before: u64) -> Watch {
        Watch::at(((u64::MAX >> TURN_SHIFT) - before) << TURN_SHIFT)
    }

    #[test]
    fn a_turn_that_was_taken_is_the_turn_that_is_read() {
        for watch in
            [Watch::default(), near_last_turn(2), Watch::at(0xFFFD << TURN_SHIFT), Watch::at(0xFFFD << 48)]
        {
            let mut before = watch.turn();
            for _ in 0..5 {
                watch.begin();
                let taken = watch.take_turn();
                assert_eq!(taken, watch.turn(), "whoever takes a turn may read");
                assert_ne!(taken, before, "and nobody else");
                before = taken;
            }
        }
    }

    #[test]
    fn turns_begin_again_after_the_last_one() {
        let watch = near_last_turn(0);
        assert_eq!(watch.take_turn(), 0);
        assert_eq!(watch.turn(), 0);
    }

    #[test]
    fn any_number_of_messages_leaves_the_turn_as_it_is() {
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
    fn a_handler_that_lost_its_turn_counts_as_blocked_to_its_end() {
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
