//! A store in the memory of one process.

mod log;
mod sealed;

use std::collections::{BTreeMap, HashMap};
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::time::Instant;
use toolwright_server::BoxFuture;

use self::log::Log;
use super::entry::{Entry, Status};
use super::events::{EventDetails, EventKind, EventPage};
use super::store::{
    CHANGES, MAX_ENTRIES, MAX_RUN_BYTES, MAX_RUNS, RegistryStore, Revocation, RunChanged, RunState, Snapshot,
    TokenId,
};
use crate::random;
use crate::secrets::Sealed;
use crate::store::{RunId, StoreError};
use crate::tokens::SessionTokens;

/// Maximum lifetime of a token, after which revocations can be removed.
pub(crate) const TOKEN_LIFE: Duration =
    Duration::from_secs(SessionTokens::MAX_LIFETIME.as_secs() + 2 * SessionTokens::CLOCK_SKEW.as_secs());
/// Maximum number of stored revocations of tokens and organizations. Beyond that, revoking fails.
const MAX_REVOKED: usize = 100_000;

/// Stores runs in the memory of this process: for a single gateway, and for tests. Nothing is persisted.
#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<State>,
    changes: broadcast::Sender<RunChanged>,
}

#[derive(Debug, Default)]
struct State {
    runs: HashMap<String, Run>,
    /// The events of runs, also of ended ones.
    logs: HashMap<RunId, Log>,
    tokens: HashMap<String, Instant>,
    orgs: HashMap<Option<String>, (u64, Instant)>,
    /// The time of the next check for expired data.
    sweep_at: usize,
}

#[derive(Debug)]
struct Run {
    org: Option<String>,
    epoch: String,
    revision: u64,
    ends: Instant,
    /// In the order of their first registration.
    entries: Vec<Registered>,
    bytes: usize,
    /// The sealed credentials of nodes.
    sealed: BTreeMap<String, Sealed>,
}

/// What happened to a run.
type Event = (EventKind, EventDetails);

/// The entry of a node, as JSON: parsed, a schema takes ten times the memory, and most runs are idle.
#[derive(Debug)]
struct Registered {
    node: Box<str>,
    text: Box<str>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self { state: Mutex::default(), changes: broadcast::Sender::new(CHANGES) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self, run: Option<&str>) {
        // There may be no watcher.
        _ = self.changes.send(RunChanged { run: run.map(str::to_owned) });
    }

    /// Changes a run of its organization, records the event, and notifies watchers.
    fn change<T>(
        &self,
        id: &RunId,
        change: impl FnOnce(&mut Run) -> Result<(T, Option<Event>), StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.state();
        let run = state.run_of(id)?;
        let (changed, event) = change(run)?;
        let ends = run.ends;
        if let Some((kind, details)) = event {
            state.record(id, ends, kind, &details);
        }
        drop(state);
        self.notify(Some(&id.run));
        Ok(changed)
    }

    /// Records an event, unless it is the newest one already.
    fn record_now(&self, id: &RunId, kind: EventKind, details: &EventDetails) -> Result<(), StoreError> {
        let mut state = self.state();
        let ends = state.run_of(id)?.ends;
        details.to_checked_text()?;
        if !state.is_newest(id, kind, details) {
            state.record(id, ends, kind, details);
        }
        Ok(())
    }

    fn renew_now(&self, id: &RunId, ttl: Duration) -> Result<(), StoreError> {
        let mut state = self.state();
        let ends = Instant::now() + ttl;
        state.run_of(id)?.ends = ends;
        state.prolong_log(id, ends);
        Ok(())
    }

    fn open_now(&self, id: &RunId, ttl: Duration) -> Result<RunState, StoreError> {
        let mut state = self.state();
        if let Some(run) = state.run(&id.run) {
            if run.org != id.org {
                return Err(StoreError::OtherOrganization(id.run.clone()));
            }
            run.ends = Instant::now() + ttl;
            let (ends, known) = (run.ends, run.state());
            state.prolong_log(id, ends);
            return Ok(known);
        }
        if state.runs.len() >= state.sweep_at.max(16) {
            let now = Instant::now();
            state.runs.retain(|_, run| run.ends > now);
            state.sweep_at = state.runs.len() * 2;
        }
        if state.runs.len() >= MAX_RUNS {
            return Err(StoreError::Full { what: "runs", limit: MAX_RUNS });
        }
        let run = Run {
            org: id.org.clone(),
            epoch: new_epoch()?,
            revision: 0,
            ends: Instant::now() + ttl,
            entries: Vec::new(),
            bytes: 0,
            sealed: BTreeMap::new(),
        };
        let (opened, ends) = (run.state(), run.ends);
        state.runs.insert(id.run.clone(), run);
        state.record(id, ends, EventKind::RunOpened, &EventDetails::default());
        drop(state);
        self.notify(Some(&id.run));
        Ok(opened)
    }

    fn state_now(&self, run: &str, token: Option<TokenId<'_>>) -> Option<RunState> {
        let mut state = self.state();
        let mut found = state.run(run)?.state();
        found.is_revoked = token.is_some_and(|token| state.is_revoked(found.org.as_deref(), token));
        Some(found)
    }

    fn revoke_now(&self, what: &Revocation) -> Result<(), StoreError> {
        let ends = Instant::now() + TOKEN_LIFE;
        match what {
            Revocation::Run(id) => {
                let epoch = new_epoch()?;
                return self.change(id, |run| {
                    run.epoch = epoch;
                    Ok(((), Some((EventKind::RunRevoked, EventDetails::default()))))
                });
            }
            Revocation::Token(token) => {
                let mut state = self.state();
                if state.tokens.len() >= MAX_REVOKED {
                    let now = Instant::now();
                    state.tokens.retain(|_, ends| *ends > now);
                }
                if state.tokens.len() >= MAX_REVOKED {
                    return Err(StoreError::Full { what: "revoked tokens", limit: MAX_REVOKED });
                }
                state.tokens.insert(token.clone(), ends);
            }
            Revocation::Org(org, until) => {
                let mut state = self.state();
                let now = Instant::now();
                state.orgs.retain(|_, (_, ends)| *ends > now);
                if state.orgs.len() >= MAX_REVOKED {
                    return Err(StoreError::Full { what: "revoked organizations", limit: MAX_REVOKED });
                }
                let known = state.orgs.entry(org.clone()).or_insert((*until, ends));
                *known = (known.0.max(*until), ends);
            }
        }
        self.notify(None);
        Ok(())
    }
}

impl State {
    fn is_revoked(&self, org: Option<&str>, token: TokenId<'_>) -> bool {
        self.tokens.contains_key(token.id)
            || self.orgs.get(&org.map(str::to_owned)).is_some_and(|(until, _)| token.issued_at <= *until)
    }

    /// Returns a run that has not ended.
    fn run(&mut self, run: &str) -> Option<&mut Run> {
        if self.runs.get(run)?.ends <= Instant::now() {
            self.runs.remove(run);
            return None;
        }
        self.runs.get_mut(run)
    }

    /// Returns a run, if it is one of its organization.
    fn run_of(&mut self, id: &RunId) -> Result<&mut Run, StoreError> {
        let run = self.run(&id.run).ok_or_else(|| StoreError::NoRun(id.run.clone()))?;
        if run.org != id.org {
            return Err(StoreError::OtherOrganization(id.run.clone()));
        }
        Ok(run)
    }
}

impl Run {
    fn state(&self) -> RunState {
        RunState::new(self.org.clone(), self.epoch.clone(), self.revision)
    }

    fn register(&mut self, entry: &Entry) -> Result<(u64, Option<Event>), StoreError> {
        entry.check().map_err(|error| StoreError::Invalid(error.to_string()))?;
        let text = serde_json::to_string(entry).map_err(|error| StoreError::Invalid(error.to_string()))?;
        let size = text.len();
        let place = self.entries.iter().position(|known| *known.node == entry.node);
        if place.is_none() && self.entries.len() >= MAX_ENTRIES {
            return Err(StoreError::Full { what: "entries in a run", limit: MAX_ENTRIES });
        }
        let former = place.map_or(0, |place| self.entries[place].text.len());
        if self.bytes - former + size > MAX_RUN_BYTES {
            return Err(StoreError::Full { what: "bytes of entries in a run", limit: MAX_RUN_BYTES });
        }
        self.bytes = self.bytes - former + size;
        let event = match place.map(|place| &*self.entries[place].text) {
            None => Some(EventKind::ToolRegistered),
            Some(former) if *former == *text => None,
            Some(former) if status_of(former) == Some(entry.status) => Some(EventKind::ToolUpdated),
            Some(_) => Some(EventKind::ToolStatus),
        };
        let registered = Registered { node: entry.node.as_str().into(), text: text.into() };
        match place {
            Some(place) => self.entries[place] = registered,
            None => self.entries.push(registered),
        }
        self.revision += 1;
        Ok((self.revision, event.map(|kind| (kind, EventDetails::of_entry(entry)))))
    }

    fn remove(&mut self, node: &str) -> (u64, Option<Event>) {
        let mut event = None;
        if let Some(place) = self.entries.iter().position(|known| *known.node == *node) {
            self.bytes -= self.entries.remove(place).text.len();
            self.sealed.remove(node);
            self.revision += 1;
            event = Some((EventKind::ToolRemoved, EventDetails::of_node(node)));
        }
        (self.revision, event)
    }

    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let entries = self.entries.iter().map(|known| serde_json::from_str(&known.text));
        let entries = entries.collect::<Result<_, _>>();
        Ok(Snapshot::new(self.state(), entries.map_err(|error| StoreError::Invalid(error.to_string()))?))
    }
}

/// Returns the status in the JSON of an entry.
fn status_of(entry: &str) -> Option<Status> {
    serde_json::from_str(entry).map(|entry: Entry| entry.status).ok()
}

fn new_epoch() -> Result<String, StoreError> {
    random::name().ok_or_else(|| StoreError::Unavailable("the system provides no random numbers".to_owned()))
}

impl RegistryStore for MemoryStore {
    fn open<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<RunState, StoreError>> {
        Box::pin(ready(self.open_now(run, ttl)))
    }

    fn renew<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.renew_now(run, ttl)))
    }

    fn end<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), StoreError>> {
        let ended = self.change(run, |run| {
            run.ends = Instant::now();
            Ok(((), Some((EventKind::RunEnded, EventDetails::default()))))
        });
        // A run that expired counts as ended.
        let ended = if matches!(ended, Err(StoreError::NoRun(_))) { Ok(()) } else { ended };
        Box::pin(ready(ended))
    }

    fn state<'a>(
        &'a self,
        run: &'a str,
        token: Option<TokenId<'a>>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>> {
        Box::pin(ready(Ok(self.state_now(run, token))))
    }

    fn is_revoked<'a>(
        &'a self,
        org: Option<&'a str>,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(ready(Ok(self.state().is_revoked(org, token))))
    }

    fn snapshot<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        let snapshot = self.state().run(run).map(|run| run.snapshot()).transpose();
        Box::pin(ready(snapshot))
    }

    fn register<'a>(&'a self, run: &'a RunId, entry: Entry) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(ready(self.change(run, |run| run.register(&entry))))
    }

    fn remove<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(ready(self.change(run, |run| Ok(run.remove(node)))))
    }

    fn record<'a>(
        &'a self,
        run: &'a RunId,
        kind: EventKind,
        details: EventDetails,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.record_now(run, kind, &details)))
    }

    fn events<'a>(
        &'a self,
        run: &'a RunId,
        after: u64,
        count: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>> {
        Box::pin(ready(self.state().events(run, after, count)))
    }

    fn revoke<'a>(&'a self, what: &'a Revocation) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.revoke_now(what)))
    }

    fn watch(&self) -> broadcast::Receiver<RunChanged> {
        self.changes.subscribe()
    }
}
