//! What time it is: the system's, or a test's.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time, as the time since 1970.
///
/// ```
/// use std::time::Duration;
///
/// use toolwright_gateway::Clock;
///
/// assert_eq!(Clock::new(|| Duration::from_secs(7)).now(), Duration::from_secs(7));
/// assert!(Clock::default().now() > Duration::from_secs(1_700_000_000));
/// ```
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// A clock of your own, for tests.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time since 1970.
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
