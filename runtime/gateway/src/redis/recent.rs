//! States of runs that were read a moment ago, so that not every request has to read that of its token.
//!
//! What another process changes is forgotten when its notification arrives, which the server sends together with the answer to that
//! process. What this process changes is forgotten before it is answered. A notification can only be lost with its connection,
//! and that can go unnoticed for a while: therefore a state is used for [`MAX_AGE`] at most, and not after its run has expired.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::registry::{RunState, TokenId};

/// How long a state is used without being read again: 1 second.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum number of states.
const MAX_STATES: usize = 10_000;

/// The states by run and token.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<States>);

#[derive(Debug, Default)]
struct States {
    /// Whether notifications arrive.
    is_told: bool,
    /// Incremented when something is forgotten: a state that was being read meanwhile may be an old one.
    changes: u64,
    count: usize,
    runs: HashMap<String, HashMap<String, Kept>>,
}

#[derive(Debug)]
struct Kept {
    issued_at: u64,
    state: RunState,
    until: Instant,
}

/// The time from which a state is, at least.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since {
    changes: u64,
    time: Instant,
}

impl Recent {
    /// Returns the state of a run and a token, if it is known.
    pub(super) fn get(&self, run: &str, token: TokenId<'_>) -> Option<RunState> {
        let states = self.states();
        let known = states.runs.get(run)?.get(token.id)?;
        let is_good = known.until > Instant::now() && known.issued_at == token.issued_at;
        is_good.then(|| known.state.clone())
    }

    /// To be called before a state is read.
    pub(super) fn begin(&self) -> Since {
        Since { changes: self.states().changes, time: Instant::now() }
    }

    /// Remembers a state that was read, and whose run expires after so long.
    pub(super) fn keep(
        &self,
        since: Since,
        run: &str,
        token: TokenId<'_>,
        state: &RunState,
        expires: Duration,
    ) {
        let mut states = self.states();
        if !states.is_told || states.changes != since.changes {
            return;
        }
        if states.count >= MAX_STATES {
            states.runs.clear();
            states.count = 0;
        }
        let until = since.time + expires.min(MAX_AGE);
        let kept = Kept { issued_at: token.issued_at, state: state.clone(), until };
        let of_run = states.runs.entry(run.to_owned()).or_default();
        let is_new = of_run.insert(token.id.to_owned(), kept).is_none();
        states.count += usize::from(is_new);
    }

    /// Forgets the states of a run, or all.
    pub(super) fn forget(&self, run: Option<&str>) {
        let mut states = self.states();
        states.changes += 1;
        if let Some(run) = run {
            let forgotten = states.runs.remove(run).map_or(0, |of_run| of_run.len());
            states.count -= forgotten;
        } else {
            states.runs.clear();
            states.count = 0;
        }
    }

    /// Sets whether notifications arrive from now on, and forgets what was read before.
    pub(super) fn set_told(&self, is_told: bool) {
        self.states().is_told = is_told;
        self.forget(None);
    }

    fn states(&self) -> MutexGuard<'_, States> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MAX_AGE, MAX_STATES, Recent};
    use crate::registry::{RunState, TokenId};

    const TOKEN: TokenId<'static> = TokenId { id: "t", issued_at: 1 };
    const LONG: Duration = Duration::from_hours(1);

    fn state() -> RunState {
        RunState::new(None, "epoch".to_owned(), 1)
    }

    /// With the state of the run `r`.
    fn recent() -> Recent {
        let recent = Recent::default();
        recent.set_told(true);
        recent.keep(recent.begin(), "r", TOKEN, &state(), LONG);
        assert_eq!(recent.get("r", TOKEN), Some(state()));
        recent
    }

    #[test]
    fn a_state_is_of_its_run_and_token() {
        let recent = recent();
        for (run, id, issued_at) in [("s", "t", 1), ("r", "u", 1), ("r", "t", 2)] {
            assert_eq!(recent.get(run, TokenId { id, issued_at }), None);
        }
    }

    #[test]
    fn a_change_is_forgotten() {
        for run in [Some("r"), None] {
            let recent = recent();
            recent.forget(run);
            assert_eq!(recent.get("r", TOKEN), None);
        }
        let recent = recent();
        recent.forget(Some("s"));
        assert_eq!(recent.get("r", TOKEN), Some(state()));
        recent.set_told(false);
        assert_eq!(recent.get("r", TOKEN), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept() {
        let recent = recent();
        let since = recent.begin();
        recent.forget(Some("r"));
        recent.keep(since, "r", TOKEN, &state(), LONG);
        assert_eq!(recent.get("r", TOKEN), None);
    }

    #[test]
    fn nothing_is_kept_without_notifications() {
        let recent = Recent::default();
        recent.keep(recent.begin(), "r", TOKEN, &state(), LONG);
        assert_eq!(recent.get("r", TOKEN), None);
    }

    #[test]
    fn a_state_is_kept_for_a_moment_and_not_beyond_its_run() {
        let recent = recent();
        let mut since = recent.begin();
        recent.keep(since, "r", TOKEN, &state(), Duration::ZERO);
        assert_eq!(recent.get("r", TOKEN), None);
        since.time -= MAX_AGE;
        recent.keep(since, "r", TOKEN, &state(), LONG);
        assert_eq!(recent.get("r", TOKEN), None);
    }

    #[test]
    fn there_is_a_largest_number_of_states() {
        let recent = recent();
        for number in 0..2 * MAX_STATES {
            let id = number.to_string();
            recent.keep(recent.begin(), "s", TokenId { id: &id, issued_at: 1 }, &state(), LONG);
            assert!(recent.states().count <= MAX_STATES);
        }
        let states = recent.states();
        assert_eq!(states.count, states.runs.values().map(std::collections::HashMap::len).sum::<usize>());
    }
}
