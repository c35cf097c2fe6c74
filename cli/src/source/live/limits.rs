//! How much of its time and memory a run gives to a server: `docs/cli.md` lists the limits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long one answer may take, whatever comes meanwhile.
pub(super) const ANSWER: Duration = Duration::from_secs(30);
/// How long a server may take to start and to answer the first request; one that does not know it may stay silent
/// (2026-07-28, basic/transports/stdio "Backward Compatibility").
pub(super) const PROBE: Duration = Duration::from_secs(5);
/// The most bytes that are read of a server in a run, heads and framing included.
pub(super) const BYTES: usize = 16 << 20;
/// How many pages the lists of a server may have together.
pub(super) const PAGES: usize = 1_000;
/// The most bytes of a server's standard error that are shown.
pub(super) const STDERR: usize = 64 << 10;

/// What is left of the limits of a run.
#[derive(Debug)]
pub(super) struct Budget {
    end: Instant,
    /// `--timeout`, for the message.
    timeout: Duration,
    bytes: AtomicUsize,
    is_overdrawn: AtomicBool,
    pages: AtomicUsize,
}

/// When an answer must be there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    end: Instant,
    patience: Duration,
    /// The run ends first.
    is_last: bool,
}

impl Budget {
    pub(super) fn new(timeout: Duration) -> Self {
        // `--timeout` is bounded, so that this cannot overflow.
        Self {
            end: Instant::now() + timeout,
            timeout,
            bytes: AtomicUsize::new(BYTES),
            is_overdrawn: AtomicBool::new(false),
            pages: AtomicUsize::new(PAGES),
        }
    }

    /// The deadline of an answer that may take so long, but no longer than the run.
    pub(super) fn deadline(&self, patience: Duration) -> Deadline {
        let end = Instant::now() + patience;
        if end < self.end {
            Deadline { end, patience, is_last: false }
        } else {
            Deadline { end: self.end, patience: self.timeout, is_last: true }
        }
    }

    /// Takes bytes that were read.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), String> {
        spend(&self.bytes, bytes).map_err(|()| {
            self.is_overdrawn.store(true, Ordering::Relaxed);
            Self::too_much()
        })
    }

    /// Why nothing more is read, if that is why.
    pub(super) fn overdrawn(&self) -> Option<String> {
        self.is_overdrawn.load(Ordering::Relaxed).then(Self::too_much)
    }

    fn too_much() -> String {
        format!("it sends more than {} MiB", BYTES >> 20)
    }

    /// Takes a page that was read.
    pub(super) fn turn(&self) -> Result<(), String> {
        spend(&self.pages, 1).map_err(|()| format!("its lists have more than {PAGES} pages"))
    }
}

fn spend(left: &AtomicUsize, amount: usize) -> Result<(), ()> {
    let spent = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount));
    spent.map(drop).map_err(drop)
}

impl Deadline {
    /// What is left of the time; an error if nothing is.
    pub(super) fn left(&self) -> Result<Duration, String> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.passed()) } else { Ok(left) }
    }

    /// Why the time is up.
    pub(super) fn passed(&self) -> String {
        let seconds = self.patience.as_secs();
        if self.is_last {
            format!("it is not done within {seconds} seconds, which --timeout gives it")
        } else {
            format!("it gave no answer within {seconds} seconds")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone() {
        let budget = Budget::new(Duration::from_mins(1));
        budget.spend(BYTES - 1).unwrap();
        budget.spend(1).unwrap();
        assert_eq!(budget.overdrawn(), None);
        assert_eq!(budget.spend(1), Err("it sends more than 16 MiB".to_owned()));
        assert_eq!(budget.overdrawn(), Some("it sends more than 16 MiB".to_owned()));
        (0..PAGES).for_each(|_| budget.turn().unwrap());
        assert_eq!(budget.turn(), Err("its lists have more than 1000 pages".to_owned()));
    }

    #[test]
    fn an_answer_may_not_take_longer_than_the_run() {
        let budget = Budget::new(Duration::from_secs(7));
        assert!(budget.deadline(PROBE).passed().contains("no answer within 5 seconds"));
        assert!(budget.deadline(ANSWER).passed().contains("within 7 seconds, which --timeout"));
        assert!(Budget::new(Duration::ZERO).deadline(ANSWER).left().is_err());
    }
}
