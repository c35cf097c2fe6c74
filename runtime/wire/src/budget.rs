//! A limit on the bytes queued for one peer, across all of its streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Counts the bytes queued for one peer against a limit.
///
/// Bytes count until their [`Held`] is dropped. Callers check [`Budget::is_full`] before adding more: the last addition
/// may exceed the limit, so that a message longer than the limit can still be sent.
///
/// ```
/// use std::sync::Arc;
///
/// use toolwright_wire::budget::Budget;
///
/// let budget = Arc::new(Budget::new(100));
/// let first = budget.try_hold(150).expect("nothing waits");
/// assert!(budget.is_full() && budget.try_hold(1).is_none());
/// drop(first);
/// assert!(!budget.is_full());
/// ```
#[derive(Debug)]
pub struct Budget {
    held: AtomicUsize,
    limit: usize,
    freed: Notify,
    whole: Option<Arc<Budget>>,
}

impl Budget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { held: AtomicUsize::new(0), limit, freed: Notify::new(), whole: None }
    }

    /// Creates a budget of `limit` bytes that also count against `whole`.
    pub fn part_of(whole: &Arc<Budget>, limit: usize) -> Self {
        Self { whole: Some(Arc::clone(whole)), ..Self::new(limit) }
    }

    /// Returns how many bytes are held.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }

    /// Returns whether the limit is reached.
    pub fn is_full(&self) -> bool {
        self.held() >= self.limit
    }

    /// Holds `bytes`, even beyond the limit.
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        let mut held = Held { budget: Arc::clone(self), bytes: 0 };
        held.grow(bytes);
        held
    }

    /// Holds `bytes`, or returns `None` if the budget is full.
    pub fn try_hold(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let more = |held: usize| (held < self.limit).then(|| held.saturating_add(bytes));
        self.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        if let Some(whole) = &self.whole {
            whole.held.fetch_add(bytes, Ordering::AcqRel);
        }
        Some(Held { budget: Arc::clone(self), bytes })
    }

    /// Completes when bytes are released after this call.
    pub fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    fn release(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        self.freed.notify_waiters();
        if let Some(whole) = &self.whole {
            whole.release(bytes);
        }
    }
}

/// Bytes that count against a [`Budget`] until this is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Held {
    /// Holds more bytes, even beyond the limit.
    pub fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.budget.held.fetch_add(bytes, Ordering::AcqRel);
        if let Some(whole) = &self.budget.whole {
            whole.held.fetch_add(bytes, Ordering::AcqRel);
        }
    }

    /// Releases all bytes.
    pub fn clear(&mut self) {
        self.budget.release(std::mem::take(&mut self.bytes));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Budget;

    #[test]
    fn held_bytes_count_in_both_budgets_until_dropped() {
        let whole = Arc::new(Budget::new(100));
        let [one, two] = [(); 2].map(|()| Arc::new(Budget::part_of(&whole, 60)));
        let mut first = one.try_hold(50).expect("room");
        first.grow(20);
        let second = two.hold(40);
        assert_eq!((one.held(), two.held(), whole.held()), (70, 40, 110));
        assert!(one.is_full() && !two.is_full() && whole.is_full());
        assert!(one.try_hold(1).is_none());
        first.clear();
        assert_eq!((one.held(), whole.held()), (0, 40));
        drop((first, second));
        assert_eq!((two.held(), whole.held()), (0, 0));
    }

    #[tokio::test]
    async fn waiters_wake_when_bytes_are_released() {
        let budget = Arc::new(Budget::new(10));
        let held = budget.hold(10);
        let freed = budget.freed();
        drop(held);
        freed.await;
        assert!(!budget.is_full());
    }
}
