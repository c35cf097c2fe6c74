//! Where the runs and their entries are kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_server::BoxFuture;

use super::entry::Entry;

/// How long a run stays without being renewed: one hour.
pub const RUN_TTL: Duration = Duration::from_hours(1);
/// The most entries that a run may have.
pub const MAX_ENTRIES: usize = 1_000;
/// The most bytes that the entries of a run may have as JSON: 8 MiB.
pub const MAX_RUN_BYTES: usize = 8 << 20;
/// The most runs that a store in memory has at a time.
pub const MAX_RUNS: usize = 10_000;
/// How many changes a watcher may be behind; then it learns only that it has missed some.
pub(crate) const CHANGES: usize = 1_024;

/// A run of an organization. Every write names both, and one that names another organization is refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// The organization; none is one of its own.
    #[serde(default)]
    pub org: Option<String>,
    /// The run: unique among all organizations.
    pub run: String,
}

impl RunId {
    /// A run of an organization.
    pub fn new(org: Option<&str>, run: impl Into<String>) -> Self {
        Self { org: org.map(str::to_owned), run: run.into() }
    }
}

/// How it stands with a run, and with one of its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunState {
    /// The organization that it belongs to.
    pub org: Option<String>,
    /// Changes when all tokens of the run are revoked, and when the run has been lost and made again.
    pub epoch: String,
    /// Changes with every entry.
    pub revision: u64,
    /// Whether the token that was asked about is revoked, by itself or with its organization.
    pub is_revoked: bool,
}

impl RunState {
    /// A state whose token is not revoked.
    pub fn new(org: Option<String>, epoch: String, revision: u64) -> Self {
        Self { org, epoch, revision, is_revoked: false }
    }
}

/// A token, to ask whether it is revoked.
#[derive(Debug, Clone, Copy)]
pub struct TokenId<'a> {
    /// Its `jti`.
    pub id: &'a str,
    /// When it was made, in seconds since 1970.
    pub issued_at: u64,
}

/// All entries of a run at one moment, in the order in which they were registered first.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The run.
    pub state: RunState,
    /// Its entries.
    pub entries: Vec<Entry>,
}

impl Snapshot {
    /// Entries of a run in this state.
    pub fn new(state: RunState, entries: Vec<Entry>) -> Self {
        Self { state, entries }
    }
}

/// What is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revocation {
    /// One token, by its `jti`. Forgotten after the longest lifetime of tokens.
    Token(String),
    /// All tokens of a run so far: it gets another epoch.
    Run(RunId),
    /// All tokens of an organization that were made up to this time, in seconds since 1970.
    Org(Option<String>, u64),
}

/// Says that something about a run has changed. Lists are read again because of it; since such a message may get lost, every
/// list compares the revision as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunChanged {
    /// The run; none where any may have changed.
    pub run: Option<String>,
}

/// Why the store did not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached.
    #[error("the store of the gateway cannot be reached: {0}")]
    Unavailable(String),
    /// There is no such run.
    #[error("the run `{0}` has ended, or its registry was lost: open it and register its nodes again")]
    NoRun(String),
    /// The run belongs to another organization.
    #[error("the run `{0}` belongs to another organization")]
    OtherOrganization(String),
    /// A limit is reached.
    #[error("there is no room for more than {limit} {what}")]
    Full {
        /// What there are too many of.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
    /// What was to be kept cannot be kept as it is.
    #[error("{0}")]
    Invalid(String),
}

impl StoreError {
    /// The name of the error for programs, as `kind` in the data of errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "store_unavailable",
            Self::NoRun(_) => "registry_lost",
            Self::OtherOrganization(_) => "other_organization",
            Self::Full { .. } => "overloaded",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether the same may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::NoRun(_) | Self::Full { .. })
    }

    /// As an error to a caller, with `kind` and `retryable` in its data.
    pub fn to_rpc(&self) -> ErrorObject {
        let data = json!({"kind": self.kind(), "retryable": self.is_retryable()});
        error::internal(&self.to_string()).with_data(&data)
    }
}

/// Keeps runs, their entries, and what is revoked.
///
/// All implementations pass one suite of tests. One that cannot do something must fail with an error, never do less in silence:
/// above all, a store that cannot be reached is [`StoreError::Unavailable`] and never an empty list.
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
    /// Makes a run, or renews it if it is there. Without another call of this or [`RegistryStore::renew`] it ends after
    /// `ttl`, whole.
    fn open<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<RunState, StoreError>>;

    /// Keeps a run for another `ttl`.
    fn renew<'a>(&'a self, run: &'a RunId, ttl: Duration) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Ends a run, with all that is kept of it.
    fn end<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How it stands with a run and a token, in one round trip. None if there is no such run.
    fn state<'a>(
        &'a self,
        run: &'a str,
        token: Option<TokenId<'a>>,
    ) -> BoxFuture<'a, Result<Option<RunState>, StoreError>>;

    /// Whether a token of no run is revoked, by itself or with its organization.
    fn is_revoked<'a>(
        &'a self,
        org: Option<&'a str>,
        token: TokenId<'a>,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// All entries of a run. None if there is no such run.
    fn snapshot<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, StoreError>>;

    /// Adds the entry of a node, or replaces the one that the node had. Returns the new revision.
    fn register<'a>(&'a self, run: &'a RunId, entry: Entry) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Removes the entry of a node, if there is one. Gives the new revision.
    fn remove<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Revokes tokens.
    fn revoke<'a>(&'a self, what: &'a Revocation) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Changes from now on, of whichever process.
    fn watch(&self) -> broadcast::Receiver<RunChanged>;
}
