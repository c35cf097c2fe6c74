//! Times that users set, added to the time: any `Duration` is taken, also one that no clock can show.

#[cfg(feature = "tasks")]
use std::time::SystemTime;
use std::time::{Duration, Instant};

/// What "never" comes to: 30 years. The platforms that count in nanoseconds have room for that.
pub(crate) const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// `start` and so much time; at most [`FAR`].
pub(crate) fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time.min(FAR)).unwrap_or(start)
}

/// The same for times that are kept.
#[cfg(feature = "tasks")]
pub(crate) fn later(start: SystemTime, time: Duration) -> SystemTime {
    start.checked_add(time).or_else(|| start.checked_add(FAR)).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: [Duration; 3] =
        [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(i64::MAX as u64)];

    #[test]
    fn no_time_that_a_user_sets_is_too_long() {
        let now = Instant::now();
        for time in [Duration::ZERO, Duration::from_secs(5), FAR] {
            assert_eq!(after(now, time), now + time);
        }
        for time in LONGEST {
            assert!(after(now, time) >= now + FAR);
        }
    }

    #[cfg(feature = "tasks")]
    #[test]
    fn no_time_for_which_something_is_kept_is_too_long() {
        let epoch = SystemTime::UNIX_EPOCH;
        for time in [Duration::ZERO, Duration::from_secs(5), FAR] {
            assert_eq!(later(epoch, time), epoch + time);
        }
        for time in LONGEST {
            assert!(later(epoch, time) >= epoch + FAR);
            assert!(later(later(epoch, time), time) >= epoch + FAR);
        }
    }
}
