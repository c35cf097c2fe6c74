//! Times that users set, added to the time: any `Duration` is taken, also one that no clock can show.

use std::time::{Duration, Instant, SystemTime};

/// What "never" comes to: 30 years. The platforms that count in nanoseconds have room for that.
pub(crate) const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// `start` and so much time; at most [`FAR`].
pub(crate) fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time.min(FAR)).unwrap_or(start)
}

/// The same for times that are kept.
pub(crate) fn later(start: SystemTime, time: Duration) -> SystemTime {
    start.checked_add(time).or_else(|| start.checked_add(FAR)).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_that_a_user_sets_is_too_long() {
        let (now, epoch) = (Instant::now(), SystemTime::UNIX_EPOCH);
        for time in [Duration::ZERO, Duration::from_secs(5), FAR] {
            assert_eq!(after(now, time), now + time);
            assert_eq!(later(epoch, time), epoch + time);
        }
        for time in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(i64::MAX as u64)] {
            assert!(after(now, time) >= now + FAR);
            assert!(later(epoch, time) >= epoch + FAR);
            assert!(later(later(epoch, time), time) >= epoch + FAR);
        }
    }
}
