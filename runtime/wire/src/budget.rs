//! What may wait to be sent to one peer, over all that it has open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// How many bytes wait to be sent to one peer, and how many may.
///
/// Every one that waits is counted until its [`Held`] is dropped. Whoever adds more looks at [`Budget::is_full`] first:
/// one that finds room may go over the limit, so that a message that is longer than the limit can be sent at all.
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
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { held: AtomicUsize::new(0), limit, freed: Notify::new(), whole: None }
    }

    /// A budget of `limit` bytes, each of which counts in `whole` as well.
    pub fn part_of(whole: &Arc<Budget>, limit: usize) -> Self {
        Self { whole: Some(Arc::clone(whole)), ..Self::new(limit) }
    }

    /// How many bytes wait.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }

    /// Whether as many bytes wait as may, or more.
    pub fn is_full(&self) -> bool {
        self.held() >= self.limit
    }

    /// So many bytes more, however many there are.
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        let mut held = Held { budget: Arc::clone(self), bytes: 0 };
        held.grow(bytes);
        held
    }

    /// So many bytes more; none where the budget is full.
    pub fn try_hold(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let more = |held: usize| (held < self.limit).then(|| held.saturating_add(bytes));
        self.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok()?;
        if let Some(whole) = &self.whole {
            whole.held.fetch_add(bytes, Ordering::AcqRel);
        }
        Some(Held { budget: Arc::clone(self), bytes })
    }

    /// Done when some of it is given back after this call.
    pub fn freed(&self) -> Notified<'_> {
        self.freed.notified()
    }

    fn give_back(&self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        self.freed.notify_waiters();
        if let Some(whole) = &self.whole {
            whole.give_back(bytes);
        }
    }
}

/// Bytes that wait, until this is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Held {
    /// So many more, however many there are.
    pub fn grow(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.budget.held.fetch_add(bytes, Ordering::AcqRel);
        if let Some(whole) = &self.budget.whole {
            whole.held.fetch_add(bytes, Ordering::AcqRel);
        }
    }

    /// None of them waits any more.
    pub fn clear(&mut self) {
        self.budget.give_back(std::mem::take(&mut self.bytes));
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
    fn bytes_count_in_the_part_and_in_the_whole_until_dropped() {
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
    async fn whoever_waits_goes_on_when_some_is_given_back() {
        let budget = Arc::new(Budget::new(10));
        let held = budget.hold(10);
        let freed = budget.freed();
        drop(held);
        freed.await;
        assert!(!budget.is_full());
    }
}
