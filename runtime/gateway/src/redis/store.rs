//! Runs in Redis.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use redis::Script;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use toolwright_server::BoxFuture;

use super::batches::{BatchScript, Batches};
use super::connection::{Connection, RedisError, ScriptError, script};
use super::recent::Recent;
use super::sealed::RedisSecrets;
use super::subscription::{Listener, listen};
use crate::random;
use crate::registry::{CHANGES, TOKEN_LIFE};
use crate::registry::{
    Entry, EventDetails, EventKind, EventPage, MAX_ENTRIES, MAX_RUN_BYTES, MAX_RUN_EVENT_BYTES,
    MAX_RUN_EVENTS, RegistryStore, Revocation, RunChanged, RunEvent, RunId, RunState, Snapshot, StoreError,
    TokenId,
};

/// The channel of change notifications.
const CHANGED: &str = "mcp:1:inv";

static RUN: LazyLock<Script> = script!("runs", "run_events", "run");
static READ: LazyLock<Script> = script!("runs", "read");
static STATES: LazyLock<Script> = script!("runs", "each", "states");
static IS_REVOKED: LazyLock<Script> = script!("runs", "is_revoked");
static EVENTS: LazyLock<Script> = script!("runs", "run_events", "events");
static REVOKE: LazyLock<Script> = script!("revoke");

/// Stores runs in Redis, for any number of gateways and registrars. Requires the feature `redis`.
///
/// Each change is one script, so it is atomic. Changes of other processes arrive through a subscription; after
/// an interruption, watchers are notified that any run may have changed.
///
/// ```no_run
/// use toolwright_gateway::registry::{RUN_TTL, RegistryStore, RunId};
/// use toolwright_gateway::redis::RedisStore;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = RedisStore::connect("redis://127.0.0.1:6379").await?;
/// store.open(&RunId::new(Some("acme"), "run-1"), RUN_TTL).await?;
/// # Ok(())
/// # }
/// ```
pub struct RedisStore {
    connection: Connection,
    states: Arc<Batches>,
    recent: Arc<Recent>,
    changes: broadcast::Sender<RunChanged>,
    subscription: JoinHandle<()>,
}

impl RedisStore {
    /// Connects to the server at a URL such as `redis://user:password@host:6379/0`. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// [`RedisError`]. Later, an unreachable server is [`StoreError::Unavailable`] after 3 seconds, and the
    /// connection is restored automatically.
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        let connection = Connection::open(url).await?;
        let changes = broadcast::Sender::new(CHANGES);
        let subscribed = connection.subscribe(CHANGED).await.map_err(RedisError::Unavailable)?;
        let recent = Arc::new(Recent::default());
        let told = Told { changes: changes.clone(), recent: Arc::clone(&recent) };
        let subscription = tokio::spawn(listen(connection.clone(), CHANGED.to_owned(), subscribed, told));
        let states = Batches::new(connection.clone(), BatchScript::Any(&STATES), Vec::new());
        Ok(Self { connection, states, recent, changes, subscription })
    }

    /// Returns the credentials of the same runs, over the same connection.
    pub fn secrets(&self) -> RedisSecrets {
        RedisSecrets::new(self.connection.clone())
    }

    /// Runs a script on a run of its organization.
    async fn act(&self, what: &str, id: &RunId, with: &[&str]) -> Result<Vec<String>, StoreError> {
        let org = org_text(id.org.as_deref());
        let limits = [MAX_RUN_EVENTS, MAX_RUN_EVENT_BYTES].map(|limit| limit.to_string());
        let mut args = vec![what, id.run.as_str(), org.as_str(), &limits[0], &limits[1]];
        args.extend(with);
        let answer: Result<Vec<String>, _> = self.connection.run(&RUN, &args).await;
        // It may have taken effect.
        self.recent.forget(Some(&id.run));
        let answer = answer.map_err(unavailable)?;
        match answer.first().map(String::as_str) {
            Some("ok") => Ok(answer),
            Some("none") => Err(StoreError::NoRun(id.run.clone())),
            Some("other") => Err(StoreError::OtherOrganization(id.run.clone())),
            Some("full") if answer.get(1).is_some_and(|what| what == "entries") => {
                Err(StoreError::Full { what: "entries in a run", limit: MAX_ENTRIES })
            }
            Some("full") => Err(StoreError::Full { what: "bytes of entries in a run", limit: MAX_RUN_BYTES }),
            _ => Err(unreadable()),
        }
    }

    /// Reads the state of a run, and when it expires.
    async fn read_state(
        &self,
        run: &str,
        token: Option<TokenId<'_>>,
    ) -> Result<Option<(RunState, Duration)>, StoreError> {
        let (id, issued_at) = token.map_or(("", 0), |token| (token.id, token.issued_at));
        let args = vec![run.to_owned(), id.to_owned(), issued_at.to_string()];
        let answer = self.states.run(args).await.map_err(unavailable)?;
        if answer == "none" {
            return Ok(None);
        }
        let parts: Vec<&str> = answer.splitn(5, ' ').collect();
        let [epoch, revision, revoked, left, org] = *parts.as_slice() else { return Err(unreadable()) };
        let mut state = state_of(org, epoch, revision)?;
        state.is_revoked = revoked == "1";
        // Negative if it does not, or has just done so.
        Ok(Some((state, Duration::from_millis(left.parse().unwrap_or_default()))))
    }

    async fn read_recent_state(&self, run: &str, token: TokenId<'_>) -> Result<Option<RunState>, StoreError> {
        if let Some(state) = self.recent.get(run, token) {
            return Ok(Some(state));
        }
        let since = self.recent.begin();
        let Some((state, expires)) = self.read_state(run, Some(token)).await? else { return Ok(None) };
        if !state.is_revoked {
            self.recent.keep(since, run, token, &state, expires);
        }
        Ok(Some(state))
    }

    async fn read_snapshot(&self, run: &str) -> Result<Option<Snapshot>, StoreError> {
        let answer: Vec<String> = self.connection.run(&READ, &[run, "1"]).await.map_err(unavailable)?;
        if answer.first().is_some_and(|first| first == "none") {
            return Ok(None);
        }
        let (state, entries) = answer.split_at(answer.len().min(4));
        Ok(Some(Snapshot::new(state_in(state)?, entries_of(entries)?)))
    }

    async fn revoke_now(&self, what: &Revocation) -> Result<(), StoreError> {
        let life = TOKEN_LIFE.as_millis().to_string();
        let (org, until);
        let args = match what {
            Revocation::Run(id) => {
                let epoch = new_epoch()?;
                return self.act("revoke", id, &[&epoch]).await.map(drop);
            }
            Revocation::Token(token) => ["token", token, "0", &life],
            Revocation::Org(of, last) => {
                (org, until) = (org_text(of.as_deref()), last.to_string());
                ["org", &org, &until, &life]
            }
        };
        let revoked = self.connection.run::<String>(&REVOKE, &args).await;
        self.recent.forget(None);
        revoked.map(drop).map_err(unavailable)
    }
}

impl Drop for RedisStore {
    fn drop(&mut self) {
        self.subscription.abort();
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedisStore")
    }
}

/// What is told of changes: watchers, and the states that were read before.
struct Told {
    changes: broadcast::Sender<RunChanged>,
    recent: Arc<Recent>,
}

impl Listener for Told {
    fn begin(&self) {
        self.recent.set_told(true);
        // There may be no watcher.
        _ = self.changes.send(RunChanged { run: None });
    }

    fn message(&self, text: &str) {
        let run = Some(text).filter(|run| !run.is_empty());
        self.recent.forget(run);
        _ = self.changes.send(RunChanged { run: run.map(str::to_owned) });
    }

    fn end(&self) {
        self.recent.set_told(false);
    }
}

pub(super) fn org_text(org: Option<&str>) -> String {
    serde_json::to_string(&org).unwrap_or_default()
}

fn new_epoch() -> Result<String, StoreError> {
    random::name().ok_or_else(|| StoreError::Unavailable("the system provides no random numbers".to_owned()))
}

/// All operations of stores may be repeated, so it does not matter whether this one took effect.
pub(super) fn unavailable(error: ScriptError) -> StoreError {
    StoreError::Unavailable(error.into_reason())
}

pub(super) fn unreadable() -> StoreError {
    StoreError::Unavailable("what it has kept cannot be read".to_owned())
}

/// The state after the first string of an answer.
fn state_in(answer: &[String]) -> Result<RunState, StoreError> {
    let [_, org, epoch, revision, ..] = answer else { return Err(unreadable()) };
    state_of(org, epoch, revision)
}

fn state_of(org: &str, epoch: &str, revision: &str) -> Result<RunState, StoreError> {
    let org = serde_json::from_str(org).map_err(|_| unreadable())?;
    let revision = revision.parse().map_err(|_| unreadable())?;
    Ok(RunState::new(org, epoch.to_owned(), revision))
}

/// Parses the entries in order. An invalid entry is an error, not omitted.
fn entries_of(values: &[String]) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::with_capacity(values.len());
    for value in values {
        let (place, entry) = value.split_once(' ').ok_or_else(unreadable)?;
        let place: u64 = place.parse().map_err(|_| unreadable())?;
        let entry: Entry = serde_json::from_str(entry).map_err(|_| unreadable())?;
        entries.push((place, entry));
    }
    entries.sort_by_key(|(place, _)| *place);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// Parses events of four values each.
fn events_of(run: &RunId, values: &[String]) -> Result<Vec<RunEvent>, StoreError> {
    let events = values.chunks(4).map(|event| {
        let [sequence, time, kind, details] = event else { return None };
        Some(RunEvent {
            sequence: sequence.parse().ok()?,
            time: time.parse().ok()?,
            event: serde_json::from_value(kind.as_str().into()).ok()?,
            org: run.org.clone(),
            run: run.run.clone(),
            details: serde_json::from_str(details).ok()?,
        })
    });
    events.collect::<Option<_>>().ok_or_else(unreadable)
}

fn revision_of(answer: &[String]) -> Result<u64, StoreError> {
    answer.get(1).and_then(|revision| revision.parse().ok()).ok_or_else(unreadable)
}

fn millis(ttl: Duration) -> String {
    // The largest number that Redis can represent.
    ttl.as_millis().clamp(1, 1 << 52).to_string()
}

impl RegistryStore for RedisStore {
    fn open<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<RunState, StoreError>> {
        Box::pin(async move {
            let epoch = new_epoch()?;
            state_in(&self.act("open", run, &[&millis(ttl), &epoch]).await?)
        })
    }

    fn renew<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.act("renew", run, &[&millis(ttl)]).await.map(drop) })
    }

    fn end<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            match self.act("end", run, &[]).await {
                // A run that expired counts as ended.
                Ok(_) | Err(StoreError::NoRun(_)) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    fn state<'a>(
        &'a self,
        run: &'a str,
        token: Option<TokenId<'a>>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>> {
        Box::pin(async move { Ok(self.read_state(run, token).await?.map(|(state, _)| state)) })
    }

    fn recent_state<'a>(
        &'a self,
        run: &'a str,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>> {
        Box::pin(self.read_recent_state(run, token))
    }

    fn snapshot<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>> {
        Box::pin(self.read_snapshot(run))
    }

    fn register<'a>(&'a self, run: &'a RunId, entry: Entry) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            let invalid = |error: &dyn fmt::Display| StoreError::Invalid(error.to_string());
            entry.check().map_err(|error| invalid(&error))?;
            let text = serde_json::to_string(&entry).map_err(|error| invalid(&error))?;
            let limits = [MAX_ENTRIES.to_string(), MAX_RUN_BYTES.to_string()];
            let details = EventDetails::of_entry(&entry).to_text();
            let with = [entry.node.as_str(), &text, &limits[0], &limits[1], &details];
            revision_of(&self.act("register", run, &with).await?)
        })
    }

    fn remove<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(async move {
            let details = EventDetails::of_node(node).to_text();
            revision_of(&self.act("remove", run, &[node, &details]).await?)
        })
    }

    fn record<'a>(
        &'a self,
        run: &'a RunId,
        kind: EventKind,
        details: EventDetails,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.act("record", run, &[kind.name(), &details.to_checked_text()?]).await.map(drop)
        })
    }

    fn events<'a>(
        &'a self,
        run: &'a RunId,
        after: u64,
        count: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>> {
        Box::pin(async move {
            let org = org_text(run.org.as_deref());
            let args = [run.run.as_str(), org.as_str(), &after.to_string(), &count.to_string()];
            let answer: Vec<String> = self.connection.run(&EVENTS, &args).await.map_err(unavailable)?;
            match answer.split_first_chunk() {
                Some(([_, is_open], values)) => Ok(EventPage::new(events_of(run, values)?, is_open == "1")),
                None => Err(StoreError::NoRun(run.run.clone())),
            }
        })
    }

    fn revoke<'a>(&'a self, what: &'a Revocation) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.revoke_now(what))
    }

    fn is_revoked<'a>(
        &'a self,
        org: Option<&'a str>,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move {
            let (org, issued_at) = (org_text(org), token.issued_at.to_string());
            let args = [org.as_str(), token.id, &issued_at];
            let answer = self.connection.run::<String>(&IS_REVOKED, &args).await;
            Ok(answer.map_err(unavailable)? == "1")
        })
    }

    fn watch(&self) -> broadcast::Receiver<RunChanged> {
        self.changes.subscribe()
    }
}
