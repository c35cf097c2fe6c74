//! The interface of stores for runs and their entries.

use std::time::Duration;

use tokio::sync::broadcast;
use toolwright_server::BoxFuture;

use super::entry::Entry;
use super::events::{EventDetails, EventKind, EventPage};
use crate::store::{RunId, StoreError};

/// The default lifetime of a run without renewal: one hour.
pub const RUN_TTL: Duration = Duration::from_hours(1);
/// Maximum number of entries of a run.
pub const MAX_ENTRIES: usize = 1_000;
/// Maximum size of the entries of a run as JSON: 8 MiB.
pub const MAX_RUN_BYTES: usize = 8 << 20;
/// Maximum number of runs of a store in memory.
pub const MAX_RUNS: usize = 10_000;
/// Maximum number of changes that a watcher may lag behind; then it is only notified that it has missed some.
pub(crate) const CHANGES: usize = 1_024;

/// The state of a run and of one of its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunState {
    /// The organization that it belongs to.
    pub org: Option<String>,
    /// Changes when all tokens of the run are revoked, and when the run was lost and opened again.
    pub epoch: String,
    /// Changes with every entry.
    pub revision: u64,
    /// Whether the given token is revoked, individually or with its organization.
    pub is_revoked: bool,
}

impl RunState {
    /// Creates a state with a valid token.
    pub fn new(org: Option<String>, epoch: String, revision: u64) -> Self {
        Self { org, epoch, revision, is_revoked: false }
    }
}

/// A token whose revocation is checked.
#[derive(Debug, Clone, Copy)]
pub struct TokenId<'a> {
    /// Its `jti`.
    pub id: &'a str,
    /// When it was issued, in seconds since 1970.
    pub issued_at: u64,
}

/// All entries of a run at one time, in the order of their first registration.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The run.
    pub state: RunState,
    /// Its entries.
    pub entries: Vec<Entry>,
}

impl Snapshot {
    /// Creates a snapshot.
    pub fn new(state: RunState, entries: Vec<Entry>) -> Self {
        Self { state, entries }
    }
}

/// The target of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revocation {
    /// One token, by its `jti`. Stored for the maximum lifetime of tokens.
    Token(String),
    /// All current tokens of a run: its epoch changes.
    Run(RunId),
    /// All tokens of an organization that were issued up to this time, in seconds since 1970.
    Org(Option<String>, u64),
}

/// A notification that a run has changed, upon which lists are read again. Since it may be lost, every list also
/// compares the revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunChanged {
    /// The run; `None` if any may have changed.
    pub run: Option<String>,
}

/// Stores runs, their entries, and revocations.
///
/// All implementations pass the same tests. An operation that is not possible must fail with an error: in
/// particular, a store that cannot be reached returns [`StoreError::Unavailable`] and never an empty list.
///
/// ```
/// use toolwright_gateway::registry::{Entry, MemoryStore, RegistryStore, RUN_TTL, RunId};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// let run = RunId::new(Some("acme"), "run-1");
/// store.open(&run, RUN_TTL).await?;
/// store.register(&run, Entry::remote("files", "https://files.example/mcp")).await?;
/// let snapshot = store.snapshot("run-1").await?.expect("the run");
/// assert_eq!(snapshot.entries[0].node, "files");
/// # Ok(())
/// # }
/// ```
pub trait RegistryStore: Send + Sync + 'static {
    /// Creates a run, or renews it if it exists. Without a further call of this or [`RegistryStore::renew`], the
    /// run and all of its data expire after `ttl`.
    fn open<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<RunState, StoreError>>;

    /// Renews a run for another `ttl`.
    fn renew<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Ends a run and removes its data.
    fn end<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the state of a run and a token, in one round trip; `None` if the run does not exist.
    fn state<'a>(
        &'a self,
        run: &'a str,
        token: Option<TokenId<'a>>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>>;

    /// Returns the state of a run and a token like [`RegistryStore::state`], or the one of a moment ago: without changes of
    /// other processes whose notification has not arrived, or was lost less than a second ago. The default implementation calls
    /// `state`.
    fn recent_state<'a>(
        &'a self,
        run: &'a str,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>> {
        self.state(run, Some(token))
    }

    /// Returns whether a token without a run is revoked, individually or with its organization.
    fn is_revoked<'a>(
        &'a self,
        org: Option<&'a str>,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Returns all entries of a run; `None` if it does not exist.
    fn snapshot<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>>;

    /// Adds the entry of a node, or replaces the one that the node had. Returns the new revision.
    fn register<'a>(&'a self, run: &'a RunId, entry: Entry) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Removes the entry of a node, if it exists. Returns the new revision.
    fn remove<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Records an event of an open run that is not a change of it. Repeating the newest one has no effect; all changes record
    /// theirs themselves. At most [`MAX_RUN_EVENTS`](super::MAX_RUN_EVENTS) with
    /// [`MAX_RUN_EVENT_BYTES`](super::MAX_RUN_EVENT_BYTES) are stored per run, for [`EVENTS_TTL`](super::EVENTS_TTL) after its
    /// end; a change that changes nothing, such as registering the same entry again, is no event.
    /// Details of more than [`MAX_EVENT_BYTES`](super::MAX_EVENT_BYTES) are [`StoreError::Invalid`].
    fn record<'a>(
        &'a self,
        run: &'a RunId,
        kind: EventKind,
        details: EventDetails,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns up to `count` events of a run after this sequence number, oldest first. A run of another organization is
    /// [`StoreError::NoRun`], and so is one without events that is not open.
    fn events<'a>(
        &'a self,
        run: &'a RunId,
        after: u64,
        count: usize,
    ) -> BoxFuture<'a, Result<EventPage, StoreError>>;

    /// Revokes tokens.
    fn revoke<'a>(&'a self, what: &'a Revocation) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Subscribes to changes by all processes.
    fn watch(&self) -> broadcast::Receiver<RunChanged>;
}
