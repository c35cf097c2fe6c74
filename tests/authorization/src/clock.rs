//! A clock that tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A clock that does not advance by itself. Clones show the same time.
#[derive(Debug, Clone)]
pub struct TestClock(Arc<AtomicU64>);

/// When tests start, in seconds since 1970.
pub const START: u64 = 1_800_000_000;

impl Default for TestClock {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(START)))
    }
}

impl TestClock {
    /// Moves the clock.
    pub fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// What a verifier reads.
    pub fn reader(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let seconds = Arc::clone(&self.0);
        move || UNIX_EPOCH + Duration::from_secs(seconds.load(Ordering::SeqCst))
    }
}
