//! Token buckets: how often one caller calls each tool.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::limits::RateLimit;

/// What limits a rate. Each has buckets of its own, so that a call takes from all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Limiter(u32);

impl Limiter {
    /// [`Limits::tool_call_rate`](crate::Limits::tool_call_rate).
    pub(crate) const SERVER: Self = Self(0);

    /// Creates another one.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The buckets of one caller: by limiter and tool, when each is full again, in nanoseconds since a common start.
#[derive(Debug, Default)]
pub(crate) struct Buckets(Mutex<BTreeMap<Limiter, HashMap<Box<str>, u64>>>);

/// The number of tools at which full buckets are removed.
const MANY_TOOLS: usize = 64;

impl Buckets {
    /// Takes a call from a tool's bucket, which holds the burst and is refilled at the rate.
    ///
    /// # Errors
    /// The time until the next call is allowed, if the bucket is empty.
    pub(crate) fn take(
        &self,
        limiter: Limiter,
        tool: &str,
        rate: RateLimit,
        now: u64,
    ) -> Result<(), Duration> {
        let interval = nanoseconds(rate.interval);
        let slack = interval.saturating_mul(u64::from(rate.burst.saturating_sub(1)));
        let mut all = self.lock();
        let buckets = all.entry(limiter).or_default();
        let full_at = buckets.get(tool).copied().unwrap_or(now).max(now);
        if full_at - now > slack {
            return Err(Duration::from_nanos(full_at - now - slack));
        }
        let full_at = full_at.saturating_add(interval);
        if let Some(bucket) = buckets.get_mut(tool) {
            *bucket = full_at;
            return Ok(());
        }
        if buckets.len() >= MANY_TOOLS {
            buckets.retain(|_, full_at| *full_at > now);
        }
        buckets.insert(tool.into(), full_at);
        Ok(())
    }

    /// Whether a bucket is not full.
    pub(crate) fn is_refilling(&self, now: u64) -> bool {
        self.lock().values().flat_map(HashMap::values).any(|full_at| *full_at > now)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Limiter, HashMap<Box<str>, u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the caller of a tool is told that called it too often.
pub(crate) fn too_many(tool: &str, wait: Duration) -> String {
    let seconds = wait.as_millis().div_ceil(1_000);
    format!("too many calls of `{tool}`; nothing was done; try again in {seconds} s")
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> u64 {
        seconds * 1_000_000_000
    }

    #[test]
    fn each_tool_and_limiter_has_its_own_bucket() {
        let second = Duration::from_secs(1);
        let rate = RateLimit::new(1, second).burst(3);
        let (buckets, other) = (Buckets::default(), Limiter::new());
        let take = |limiter, tool, now| buckets.take(limiter, tool, rate, now);
        for _ in 0..3 {
            assert_eq!(take(Limiter::SERVER, "pay", at(10)), Ok(()));
        }
        assert_eq!(take(Limiter::SERVER, "pay", at(10)), Err(second));
        assert_eq!(take(Limiter::SERVER, "list", at(10)), Ok(()), "another tool");
        assert_eq!(take(other, "pay", at(10)), Ok(()), "another limiter");
        assert_eq!(take(Limiter::SERVER, "pay", at(11)), Ok(()), "one a second");
        assert_eq!(take(Limiter::SERVER, "pay", at(11)), Err(second));
        for _ in 0..3 {
            assert_eq!(take(Limiter::SERVER, "pay", at(100)), Ok(()), "never more than the bucket holds");
        }
        assert_eq!(take(Limiter::SERVER, "pay", at(100)), Err(second));
    }

    #[test]
    fn full_buckets_are_removed() {
        let rate = RateLimit::new(1, Duration::from_nanos(5));
        let buckets = Buckets::default();
        for number in 0..1_000_u64 {
            let (tool, now) = (format!("tool {number}"), number * 10);
            assert_eq!(buckets.take(Limiter::SERVER, &tool, rate, now), Ok(()));
        }
        assert!(buckets.lock()[&Limiter::SERVER].len() <= 65);
        assert!(buckets.is_refilling(9_991) && !buckets.is_refilling(9_996));
    }
}
