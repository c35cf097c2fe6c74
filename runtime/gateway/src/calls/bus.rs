//! What lies between gateways and workers.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_server::BoxFuture;

/// How long a worker holds a call without renewing its lease, and how long it counts as there after it has said so:
/// 10 seconds, unless a bus says otherwise ([`CallBus::lease`]). Workers renew both three times in that time.
pub const LEASE: Duration = Duration::from_secs(10);
/// How long the record of a call is kept after it was submitted: one hour.
pub const RECORD_TTL: Duration = Duration::from_hours(1);
/// The most calls of a pool that wait for a worker.
pub const MAX_QUEUED: usize = 1_000;
/// How often a call that may be repeated is given to a worker.
pub const MAX_ATTEMPTS: u32 = 3;
/// The most bytes of the arguments and `_meta` of a call: 4 MiB.
pub const MAX_CALL_BYTES: usize = 4 << 20;
/// The most bytes of a result: 16 MiB. A call with a larger one has failed.
pub const MAX_RESULT_BYTES: usize = 16 << 20;

/// A call on its way to a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Call {
    /// The id that the gateway gave it: unique, and growing with time.
    pub id: String,
    /// The organization of the run.
    pub org: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The node whose tool is called.
    pub node: String,
    /// The tool.
    pub tool: String,
    /// The arguments: the text of a JSON object. They have been checked against the tool's schema.
    pub arguments: Box<RawValue>,
    /// The request's `_meta`, without what is the protocol's: such as a trace context.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Until when an answer is of use, in milliseconds since 1970.
    pub deadline: u64,
    /// Whether the call may be made again when it is not known what became of it: the tool is read-only or idempotent.
    pub is_repeatable: bool,
}

impl Call {
    /// A call of a tool of a node.
    pub fn new(id: String, node: String, tool: String, arguments: Box<RawValue>, deadline: u64) -> Self {
        let (org, run, meta, is_repeatable) = (None, None, Map::new(), false);
        Self { id, org, run, node, tool, arguments, meta, deadline, is_repeatable }
    }

    /// Refuses a call that is too large for a bus.
    pub(crate) fn check_size(&self) -> Result<(), CallError> {
        let meta = if self.meta.is_empty() {
            0
        } else {
            serde_json::to_vec(&self.meta).map_or(usize::MAX, |text| text.len())
        };
        let bytes = self.arguments.get().len().saturating_add(meta);
        if bytes > MAX_CALL_BYTES { Err(CallError::TooLarge(bytes)) } else { Ok(()) }
    }
}

/// A call that a worker has claimed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claim {
    /// The call.
    pub call: Call,
    /// The lease: whoever has it may renew and finish the call, until it ends.
    pub lease: String,
    /// How often the call has been claimed, this time included.
    pub attempt: u32,
}

impl Claim {
    /// A claimed call.
    pub fn new(call: Call, lease: String, attempt: u32) -> Self {
        Self { call, lease, attempt }
    }
}

/// How far a call has come, as in `notifications/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How much is done.
    pub progress: f64,
    /// How much there is to do, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How a worker stands with its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lease {
    /// It has been renewed.
    Held,
    /// It has been renewed, and the caller has cancelled the call: the worker should stop and finish it.
    Cancelled,
    /// It has ended, and the call is another worker's or nobody's: what the worker makes of it is not taken.
    Lost,
}

/// What became of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
#[non_exhaustive]
pub enum CallState {
    /// It waits for a worker.
    Queued,
    /// A worker has it.
    Running,
    /// It is done.
    Done {
        /// The `CallToolResult`, as of 2026-07-28.
        result: Box<RawValue>,
    },
    /// It failed with a protocol error.
    Failed {
        /// The error.
        error: ErrorObject,
    },
    /// Its worker was lost, and it must not be made again: whether it had an effect is not known.
    Unknown,
    /// It was cancelled before a worker had it.
    Cancelled,
}

impl CallState {
    /// Whether nothing more will come of it.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// How many bytes it keeps.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Done { result } => result.get().len(),
            Self::Failed { error } => {
                error.message.len() + error.data.as_ref().map_or(0, |data| data.get().len())
            }
            _ => 0,
        }
    }
}

/// What is known of a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallRecord {
    /// What became of it.
    pub state: CallState,
    /// How often it has been claimed.
    pub attempt: u32,
    /// How far it has come.
    pub progress: Option<Progress>,
    /// Grows with every change of the record.
    pub version: u64,
}

impl CallRecord {
    /// A record.
    pub fn new(state: CallState, attempt: u32, progress: Option<Progress>, version: u64) -> Self {
        Self { state, attempt, progress, version }
    }
}

/// How a worker finishes a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Finish {
    /// With the `CallToolResult`, as of 2026-07-28.
    Result(Box<RawValue>),
    /// With a protocol error.
    Error(ErrorObject),
}

impl Finish {
    /// What becomes of the call: a result that is too large is an error.
    pub(crate) fn into_state(self) -> CallState {
        let state = match self {
            Self::Result(result) => CallState::Done { result },
            Self::Error(error) => CallState::Failed { error },
        };
        let bytes = state.bytes();
        if bytes <= MAX_RESULT_BYTES {
            return state;
        }
        let data = json!({"kind": "result_too_large", "retryable": false});
        let why = format!(
            "the tool was called, and its result has {bytes} bytes, {MAX_RESULT_BYTES} are allowed: ask for less at a time"
        );
        CallState::Failed { error: error::internal(&why).with_data(&data) }
    }
}

/// Why a call cannot be submitted, claimed or looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No worker of the pool is there.
    #[error("no worker of the pool `{0}` is running; start one, and call again")]
    NoWorker(String),
    /// Too many calls of the pool wait, or there is no room for another record.
    #[error("too many calls wait for the workers of the pool `{0}`; call again later")]
    Overloaded(String),
    /// The arguments and `_meta` of the call have this many bytes, more than [`MAX_CALL_BYTES`].
    #[error("the call has {0} bytes, {MAX_CALL_BYTES} are allowed: send less at a time")]
    TooLarge(usize),
    /// The way to the workers is down.
    #[error("the workers cannot be reached: {0}")]
    Unavailable(String),
    /// Nothing is known of the call: it never was, or was longer ago than [`RECORD_TTL`]. Of one that was submitted, it
    /// means that the store has been lost: whether it had an effect is not known.
    #[error("nothing is known of the call `{0}`")]
    NoCall(String),
}

impl CallError {
    /// The name of the error for programs, as `kind` in the data of errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoWorker(_) => "no_worker",
            Self::Overloaded(_) => "overloaded",
            Self::TooLarge(_) => "too_large",
            Self::Unavailable(_) => "store_unavailable",
            Self::NoCall(_) => "unknown_call",
        }
    }

    /// As an error to a caller, with `kind` and `retryable` in its data, since nothing was done.
    pub fn to_rpc(&self, call: &str) -> ErrorObject {
        let is_retryable = !matches!(self, Self::TooLarge(_));
        let mut data = json!({"kind": self.kind(), "retryable": is_retryable, "call_id": call});
        if matches!(self, Self::Overloaded(_)) {
            data["retry_after_ms"] = 1_000.into();
        }
        error::internal(&self.to_string()).with_data(&data)
    }
}

/// Carries calls from gateways to workers, and their outcomes back.
///
/// A call is claimed by one worker at a time. One whose lease ends without being renewed is given to another worker if it
/// [may be repeated](Call::is_repeatable), [`MAX_ATTEMPTS`] times in all; else it becomes [`CallState::Unknown`]. What a worker finishes
/// is taken only while it holds the lease, and only once, so a worker that was thought dead changes nothing when it comes
/// back. All implementations pass one suite of tests.
///
/// ```
/// use toolwright_gateway::calls::{CallBus, CallError, Finish};
///
/// /// Answers one call.
/// async fn work(bus: &dyn CallBus) -> Result<(), CallError> {
///     bus.announce("default", "worker-1", true).await?;
///     let claim = bus.claim("default", "worker-1").await?;
///     let result = serde_json::from_str(r#"{"content":[{"type":"text","text":"done"}]}"#).expect("JSON");
///     let is_taken = bus.finish(&claim.call.id, &claim.lease, Finish::Result(result)).await?;
///     println!("{} {is_taken}", claim.call.tool);
///     Ok(())
/// }
/// # let _ = work;
/// ```
pub trait CallBus: Send + Sync + 'static {
    /// How long a lease is good without being renewed, and how long a worker counts as there after it has said so.
    fn lease(&self) -> Duration {
        LEASE
    }

    /// Submits a call to a pool. It has a record from now on. Submitting it again, by its id, changes nothing.
    ///
    /// # Errors
    /// [`CallError::NoWorker`] at once where no worker is there, [`CallError::Overloaded`] where [`MAX_QUEUED`] calls wait,
    /// [`CallError::TooLarge`], [`CallError::Unavailable`]. After the last one the call may have been submitted;
    /// [`CallBus::record`] knows.
    fn submit<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<(), CallError>>;

    /// Waits until the record of a call is newer than `seen`, and gives it. The first version is 1, so 0 waits for nothing.
    /// That a worker has claimed the call may be told late, as it is news for nobody.
    fn wait<'a>(&'a self, call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>>;

    /// What is known of a call.
    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>>;

    /// Cancels a call: one that waits is gone, the worker of one that runs is told.
    fn cancel<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), CallError>>;

    /// Says that a worker of a pool is there, for [`CallBus::lease`]; with false that it leaves.
    fn announce<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>>;

    /// Waits for a call of the pool whose deadline has not passed, and claims it. Dropping the future claims nothing.
    fn claim<'a>(&'a self, pool: &'a str, worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>>;

    /// Waits for a call as [`CallBus::claim`] does, and claims what else waits, up to `most` calls in all and as many as the bus gives
    /// at once. There is at least one. Dropping the future claims nothing. Unless a bus has a better way, it is one.
    fn claim_many<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claim>, CallError>> {
        _ = most;
        Box::pin(async move { Ok(vec![self.claim(pool, worker).await?]) })
    }

    /// Renews a lease, with the progress since the last time.
    fn renew<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>>;

    /// Waits until the caller cancels a call that this process has claimed; forever, if it never does. The message may get
    /// lost, so [`CallBus::renew`] says it as well.
    fn cancelled<'a>(&'a self, call: &'a str, lease: &'a str) -> BoxFuture<'a, ()>;

    /// Finishes a call. Gives whether that was taken: only the holder of the lease can, and only once. A lease that is over
    /// still counts until the bus has noticed, since by then nobody else has the call.
    fn finish<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>>;
}
