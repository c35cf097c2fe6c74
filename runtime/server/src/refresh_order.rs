//! Orders concurrent refreshes of the same data.

use std::sync::atomic::{AtomicU64, Ordering};

/// Orders refreshes by their start: one that began later has seen everything that an earlier one could see. An earlier
/// refresh that completes after a later one is therefore obsolete.
#[derive(Debug, Default)]
pub(crate) struct RefreshOrder {
    begun: AtomicU64,
    kept: AtomicU64,
}

/// A refresh that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refresh(u64);

impl RefreshOrder {
    /// Begins a refresh.
    pub(crate) fn begin(&self) -> Refresh {
        Refresh(self.begun.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// Whether the result is to be stored. Call it with the lock of the stored data held.
    pub(crate) fn is_newest(&self, refresh: Refresh) -> bool {
        self.kept.fetch_max(refresh.0, Ordering::SeqCst) < refresh.0
    }
}

#[cfg(test)]
mod tests {
    use super::RefreshOrder;

    #[test]
    fn an_earlier_refresh_does_not_replace_a_later_one() {
        let order = RefreshOrder::default();
        let (first, second, third) = (order.begin(), order.begin(), order.begin());
        assert!(order.is_newest(second));
        assert!(!order.is_newest(first), "it is obsolete");
        assert!(order.is_newest(third));
        assert!(order.is_newest(order.begin()));
    }
}
