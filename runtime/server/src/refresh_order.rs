//! Which of several readings of one thing is the newest, when they are made at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

/// Orders readings by their beginnings: one that began later has seen all that was there when an earlier one began. So a
/// reading that comes in after a later one is not needed any more.
#[derive(Debug, Default)]
pub(crate) struct RefreshOrder {
    begun: AtomicU64,
    kept: AtomicU64,
}

/// A reading that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refresh(u64);

impl RefreshOrder {
    /// Begins a reading.
    pub(crate) fn begin(&self) -> Refresh {
        Refresh(self.begun.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// Whether what was read is to be kept. To be asked under the lock of what it is kept in.
    pub(crate) fn is_newest(&self, refresh: Refresh) -> bool {
        self.kept.fetch_max(refresh.0, Ordering::SeqCst) < refresh.0
    }
}

#[cfg(test)]
mod tests {
    use super::RefreshOrder;

    #[test]
    fn a_reading_that_began_earlier_does_not_replace_a_later_one() {
        let order = RefreshOrder::default();
        let (first, second, third) = (order.begin(), order.begin(), order.begin());
        assert!(order.is_newest(second));
        assert!(!order.is_newest(first), "it comes in too late");
        assert!(order.is_newest(third));
        assert!(order.is_newest(order.begin()));
    }
}
