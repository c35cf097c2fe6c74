//! The interface of stores for runs and their entries.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_server::BoxFuture;

use super::entry::Entry;

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

/// The id of a run. Every write names the organization as well, and is rejected if it differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// The organization; `None` is distinct from all named ones.
    #[serde(default)]
    pub org: Option<String>,
    /// The run: unique among all organizations.
    pub run: String,
}

impl RunId {
    /// Creates the id of a run.
    pub fn new(org: Option<&str>, run: impl Into<String>) -> Self {
        Self { org: org.map(str::to_owned), run: run.into() }
    }
}

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

/// Errors of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached.
    #[error("the store of the gateway cannot be reached: {0}")]
    Unavailable(String),
    /// The run does not exist.
    #[error("the run `{0}` has ended, or its registry was lost: open it and register its nodes again")]
    NoRun(String),
    /// The run belongs to another organization.
    #[error("the run `{0}` belongs to another organization")]
    OtherOrganization(String),
    /// A limit is reached.
    #[error("there is no room for more than {limit} {what}")]
    Full {
        /// The limited resource.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The value cannot be stored in this form.
    #[error("{0}")]
    Invalid(String),
}

impl StoreError {
    /// Returns the machine-readable name of the error, used as `kind` in the data of errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "store_unavailable",
            Self::NoRun(_) => "registry_lost",
            Self::OtherOrganization(_) => "other_organization",
            Self::Full { .. } => "overloaded",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Returns whether the same operation may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::NoRun(_) | Self::Full { .. })
    }

    /// Converts into an error for callers, with `kind` and `retryable` in its data.
    pub fn to_rpc(&self) -> ErrorObject {
        let data = json!({"kind": self.kind(), "retryable": self.is_retryable()});
        error::internal(&self.to_string()).with_data(&data)
    }
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

    /// Revokes tokens.
    fn revoke<'a>(&'a self, what: &'a Revocation) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Subscribes to changes by all processes.
    fn watch(&self) -> broadcast::Receiver<RunChanged>;
}
