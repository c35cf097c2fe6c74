//! A circuit breaker: if a server stops answering, requests to it fail immediately for a while.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Number of recent requests that are considered: 10.
const WINDOW: u32 = 10;
/// Number of failures among them that open the circuit: 5.
const FAILURES: u32 = 5;
/// Time that the circuit stays open: 30 seconds. Then one request is sent to probe the server.
pub(crate) const OPEN: Duration = Duration::from_secs(30);

/// Decides whether requests are sent to a server.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The recent requests, the newest in the lowest bit; 1 is a failure.
    last: u32,
    open_until: Option<Instant>,
    /// Whether the probe request is in progress.
    is_trying: bool,
}

/// A permitted request. If it is dropped without [`Admitted::end`], for instance because it is cancelled, it
/// does not count.
pub(crate) struct Admitted<'a> {
    breaker: &'a Breaker,
    is_try: bool,
}

impl Breaker {
    /// Permits a request, or returns for how long requests still fail.
    pub(crate) fn admit(&self) -> Result<Admitted<'_>, Duration> {
        let mut state = self.state();
        let Some(until) = state.open_until else { return Ok(Admitted { breaker: self, is_try: false }) };
        let left = until.saturating_duration_since(Instant::now());
        if !left.is_zero() || state.is_trying {
            return Err(left.max(Duration::from_secs(1)));
        }
        state.is_trying = true;
        Ok(Admitted { breaker: self, is_try: true })
    }

    /// Returns whether the circuit is open.
    pub(crate) fn is_open(&self) -> bool {
        self.state().open_until.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted<'_> {
    /// Records whether the server answered, including with an error.
    pub(crate) fn end(self, has_answered: bool) {
        let mut state = self.breaker.state();
        state.last = (state.last << 1 | u32::from(!has_answered)) & ((1 << WINDOW) - 1);
        if self.is_try && has_answered {
            *state = State::default();
        } else if self.is_try || state.last.count_ones() >= FAILURES {
            state.open_until = Some(Instant::now() + OPEN);
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if self.is_try {
            self.breaker.state().is_trying = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(breaker: &Breaker, has_answered: bool) -> bool {
        breaker.admit().map(|admitted| admitted.end(has_answered)).is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn the_circuit_opens_and_one_request_tries_again() {
        let breaker = Breaker::default();
        for has_answered in [true, false, true, false, false, true, false] {
            assert!(send(&breaker, has_answered));
        }
        assert!(!breaker.is_open(), "4 of 7 have failed");
        assert!(send(&breaker, false));
        assert!(breaker.is_open() && !send(&breaker, true));
        tokio::time::sleep(OPEN).await;
        let trying = breaker.admit().ok().unwrap();
        assert!(breaker.admit().is_err(), "one tries it");
        drop(trying);
        assert!(send(&breaker, false), "another one tries after it was cancelled");
        assert!(!send(&breaker, true));
        tokio::time::sleep(OPEN).await;
        assert!(send(&breaker, true) && !breaker.is_open());
        assert!((0..4).all(|_| send(&breaker, false)), "what was before is forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn old_failures_do_not_count() {
        let breaker = Breaker::default();
        for round in 0..100 {
            assert!(send(&breaker, round % 3 != 0), "{round}");
        }
        assert!(!breaker.is_open());
    }
}
