//! Adds user-defined durations to times without overflow.

#[cfg(feature = "tasks")]
use std::time::SystemTime;
use std::time::{Duration, Instant};

/// The substitute for "never": 30 years, which fits on platforms that count nanoseconds.
pub(crate) const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// `start` plus `time`, at most [`FAR`] later.
pub(crate) fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time.min(FAR)).unwrap_or(start)
}

/// The same for system times.
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
    fn long_timeouts_do_not_overflow() {
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
    fn long_retention_times_do_not_overflow() {
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
