//! The current time, from the system or from a test.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of the current time, as the time since 1970, which is the unit of token claims. The default is the system's clock.
///
/// ```
/// use std::time::Duration;
///
/// use toolwright_server::auth::Clock;
///
/// assert_eq!(Clock::new(|| Duration::from_secs(7)).now(), Duration::from_secs(7));
/// assert!(Clock::default().now() > Duration::from_secs(1_700_000_000));
/// ```
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// Creates a clock that calls `now`, for tests.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Creates a clock from a function that returns the system time.
    pub(super) fn of(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self::new(move || now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Returns the time since 1970.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::of(SystemTime::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
