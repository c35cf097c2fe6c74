//! The events of runs in memory.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;
use toolwright_server::auth::Clock;

use super::{MAX_RUNS, State};
use crate::registry::events::{
    EVENTS_TTL, EventDetails, EventKind, EventPage, MAX_RUN_EVENT_BYTES, MAX_RUN_EVENTS, RunEvent,
};
use crate::store::{RunId, StoreError};

/// The events of a run of an organization.
#[derive(Debug)]
pub(super) struct Log {
    events: VecDeque<Kept>,
    bytes: usize,
    last: u64,
    /// When the run ends or has ended.
    run_ends: Instant,
}

/// An event; its details as JSON take less memory.
#[derive(Debug)]
struct Kept {
    time: u64,
    kind: EventKind,
    details: Box<str>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.kind.name().len() + self.details.len()
    }
}

impl Log {
    fn new(run_ends: Instant) -> Self {
        Self { events: VecDeque::new(), bytes: 0, last: 0, run_ends }
    }

    fn add(&mut self, time: u64, kind: EventKind, details: &EventDetails) {
        let kept = Kept { time, kind, details: details.to_text().into() };
        self.bytes += kept.bytes();
        self.last += 1;
        self.events.push_back(kept);
        while self.events.len() > MAX_RUN_EVENTS || self.bytes > MAX_RUN_EVENT_BYTES {
            let Some(oldest) = self.events.pop_front() else { return };
            self.bytes -= oldest.bytes();
        }
    }

    fn is_open(&self) -> bool {
        self.events.back().is_some_and(|last| !last.kind.is_last())
    }

    /// Adds that the run has expired, if it has.
    fn note_expiry(&mut self, now: Instant) {
        if self.run_ends <= now && self.is_open() {
            let ago = now.duration_since(self.run_ends);
            let time = system_time().saturating_sub(millis(ago));
            self.add(time, EventKind::RunExpired, &EventDetails::default());
        }
    }

    fn after(&self, run: &RunId, sequence: u64, count: usize) -> Result<Vec<RunEvent>, StoreError> {
        let first = self.last - self.events.len() as u64 + 1;
        let events =
            self.events.iter().zip(first..).skip_while(|(_, number)| *number <= sequence).take(count);
        let shown = events.map(|(event, sequence)| {
            let details = serde_json::from_str(&event.details);
            Ok(RunEvent {
                sequence,
                time: event.time,
                event: event.kind,
                org: run.org.clone(),
                run: run.run.clone(),
                details: details
                    .map_err(|error: serde_json::Error| StoreError::Unavailable(error.to_string()))?,
            })
        });
        shown.collect()
    }
}

impl State {
    /// Adds an event to those of a run that is open until then.
    pub(super) fn record(&mut self, run: &RunId, run_ends: Instant, kind: EventKind, details: &EventDetails) {
        let now = Instant::now();
        if !self.logs.contains_key(run) && self.logs.len() >= MAX_RUNS {
            self.drop_a_log(now);
        }
        let log = self.logs.entry(run.clone()).or_insert_with(|| Log::new(run_ends));
        if log.run_ends + EVENTS_TTL <= now {
            *log = Log::new(run_ends);
        }
        log.note_expiry(now);
        log.run_ends = run_ends;
        log.add(system_time(), kind, details);
    }

    /// Returns whether this is the newest event of a run.
    pub(super) fn is_newest(&self, run: &RunId, kind: EventKind, details: &EventDetails) -> bool {
        let newest = self.logs.get(run).and_then(|log| log.events.back());
        newest.is_some_and(|newest| newest.kind == kind && *newest.details == *details.to_text())
    }

    /// Keeps the events of a run as long as the run.
    pub(super) fn prolong_log(&mut self, run: &RunId, run_ends: Instant) {
        if let Some(log) = self.logs.get_mut(run) {
            log.run_ends = run_ends;
        }
    }

    /// Drops logs that have ended, or the one whose run ends first.
    fn drop_a_log(&mut self, now: Instant) {
        self.logs.retain(|_, log| log.run_ends + EVENTS_TTL > now);
        if self.logs.len() < MAX_RUNS {
            return;
        }
        let oldest = self.logs.iter().min_by_key(|(_, log)| log.run_ends).map(|(run, _)| run.clone());
        if let Some(oldest) = oldest {
            self.logs.remove(&oldest);
        }
    }

    pub(super) fn events(&mut self, run: &RunId, after: u64, count: usize) -> Result<EventPage, StoreError> {
        let now = Instant::now();
        let is_open = self.run(&run.run).is_some_and(|known| known.org == run.org);
        match self.logs.get_mut(run).filter(|log| log.run_ends + EVENTS_TTL > now) {
            Some(log) => {
                log.note_expiry(now);
                Ok(EventPage::new(log.after(run, after, count)?, is_open))
            }
            None if is_open => Ok(EventPage::new(Vec::new(), true)),
            None => Err(StoreError::NoRun(run.run.clone())),
        }
    }
}

/// Returns the time in milliseconds since 1970.
fn system_time() -> u64 {
    millis(Clock::default().now())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
