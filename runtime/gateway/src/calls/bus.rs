//! The interface between gateways and workers.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_server::BoxFuture;

use super::idempotency::{IdempotencyKey, MAX_IDEMPOTENCY_KEY_BYTES};

/// How long a worker's lease of a call and its registration are valid without renewal: 10 seconds, unless a bus
/// uses another duration ([`CallBus::lease`]). Workers renew both three times per lease.
pub const LEASE: Duration = Duration::from_secs(10);
/// How long the record of a call is kept after it was submitted: one hour.
pub const RECORD_TTL: Duration = Duration::from_hours(1);
/// Maximum number of calls per pool that wait for a worker.
pub const MAX_QUEUED: usize = 1_000;
/// Maximum number of times that a repeatable call is given to a worker.
pub const MAX_ATTEMPTS: u32 = 3;
/// Maximum size of a call's arguments and `_meta`: 4 MiB.
pub const MAX_CALL_BYTES: usize = 4 << 20;
/// Maximum size of a result: 16 MiB. A call with a larger result fails.
pub const MAX_RESULT_BYTES: usize = 16 << 20;

/// A call for a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Call {
    /// The call id: unique, in chronological order.
    pub id: String,
    /// The organization of the run.
    pub org: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The node that owns the tool.
    pub node: String,
    /// The tool.
    pub tool: String,
    /// The arguments: the text of a JSON object, already validated against the tool's schema.
    pub arguments: Box<RawValue>,
    /// The request's `_meta` without the members defined by the protocol, for instance a trace context.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// The deadline, in milliseconds since 1970.
    pub deadline: u64,
    /// Whether the call may be repeated if its outcome is unknown: the tool is read-only or idempotent.
    pub is_repeatable: bool,
    /// The idempotency key, if the caller has given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<IdempotencyKey>,
}

impl Call {
    /// Creates a call of a tool of a node.
    pub fn new(id: String, node: String, tool: String, arguments: Box<RawValue>, deadline: u64) -> Self {
        let (org, run, meta, is_repeatable) = (None, None, Map::new(), false);
        Self { id, org, run, node, tool, arguments, meta, deadline, is_repeatable, idempotency: None }
    }

    /// Rejects a call that is too large.
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
    /// The lease: its holder may renew and finish the call, until it expires.
    pub lease: String,
    /// The number of times that the call has been claimed, including this one.
    pub attempt: u32,
}

impl Claim {
    /// Creates a claim.
    pub fn new(call: Call, lease: String, attempt: u32) -> Self {
        Self { call, lease, attempt }
    }
}

/// The progress of a call, as in `notifications/progress`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The progress so far.
    pub progress: f64,
    /// The total, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// A message for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The state of a worker's lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lease {
    /// The lease was renewed.
    Held,
    /// The lease was renewed, and the caller cancelled the call: the worker should stop and finish it.
    Cancelled,
    /// The lease has expired, and another worker may have the call: the worker's outcome will be discarded.
    Lost,
}

/// The state of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
#[non_exhaustive]
pub enum CallState {
    /// The call waits for a worker.
    Queued,
    /// A worker has claimed it.
    Running,
    /// It has a result.
    Done {
        /// The `CallToolResult`, in the form of 2026-07-28.
        result: Box<RawValue>,
    },
    /// It failed with a protocol error.
    Failed {
        /// The error.
        error: ErrorObject,
    },
    /// Its worker was lost and the call must not be repeated: it is unknown whether it had an effect.
    Unknown,
    /// It was cancelled before a worker claimed it.
    Cancelled,
}

impl CallState {
    /// Returns whether the state is final.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// Returns the number of bytes that it retains.
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

/// The record of a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallRecord {
    /// The state.
    pub state: CallState,
    /// The number of times that it has been claimed.
    pub attempt: u32,
    /// The progress.
    pub progress: Option<Progress>,
    /// Incremented with every change of the record.
    pub version: u64,
}

impl CallRecord {
    /// Creates a record.
    pub fn new(state: CallState, attempt: u32, progress: Option<Progress>, version: u64) -> Self {
        Self { state, attempt, progress, version }
    }
}

/// The outcome that a worker reports.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Finish {
    /// A `CallToolResult`, in the form of 2026-07-28.
    Result(Box<RawValue>),
    /// A protocol error.
    Error(ErrorObject),
}

impl Finish {
    /// Returns the final state of the call; a result that is too large becomes an error.
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

/// Errors of submitting, claiming or looking up calls.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The pool has no worker.
    #[error("no worker of the pool `{0}` is running; start one, and call again")]
    NoWorker(String),
    /// Too many calls of the pool are waiting, or there is no space for another record.
    #[error("too many calls wait for the workers of the pool `{0}`; call again later")]
    Overloaded(String),
    /// The arguments and `_meta` have this many bytes, more than [`MAX_CALL_BYTES`].
    #[error("the call has {0} bytes, {MAX_CALL_BYTES} are allowed: send less at a time")]
    TooLarge(usize),
    /// The bus is unavailable.
    #[error("the workers cannot be reached: {0}")]
    Unavailable(String),
    /// The bus accepts no calls at the moment, for instance because it has no memory or disk space left. The call was not
    /// submitted.
    #[error("the store of calls accepts no calls at the moment: {0}; call again later")]
    Refused(String),
    /// There is no record of the call: it was never submitted, or more than [`RECORD_TTL`] ago. If it was
    /// submitted, the store was lost, and it is unknown whether the call had an effect.
    #[error("nothing is known of the call `{0}`")]
    NoCall(String),
    /// The idempotency key is empty, too long, or not a string.
    #[error("an idempotency key must be a string of 1 to {MAX_IDEMPOTENCY_KEY_BYTES} bytes")]
    InvalidKey,
    /// The idempotency key belongs to a call with other arguments.
    #[error(
        "this idempotency key was used for a call with other arguments: repeat that call unchanged, or use another key"
    )]
    OtherArguments,
}

impl CallError {
    /// Returns the machine-readable name of the error, used as `kind` in the data of errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoWorker(_) => "no_worker",
            Self::Overloaded(_) => "overloaded",
            Self::TooLarge(_) => "too_large",
            Self::Unavailable(_) | Self::Refused(_) => "store_unavailable",
            Self::NoCall(_) => "unknown_call",
            Self::InvalidKey => "invalid_idempotency_key",
            Self::OtherArguments => "idempotency_conflict",
        }
    }

    /// Converts into an error for callers, with `kind` and `retryable` in its data, since the call was not
    /// executed.
    pub fn to_rpc(&self, call: &str) -> ErrorObject {
        let is_invalid = matches!(self, Self::InvalidKey | Self::OtherArguments);
        let is_retryable = !is_invalid && !matches!(self, Self::TooLarge(_));
        let mut data = json!({"kind": self.kind(), "retryable": is_retryable, "call_id": call});
        if matches!(self, Self::Overloaded(_) | Self::Refused(_)) {
            data["retry_after_ms"] = 1_000.into();
        }
        let why = self.to_string();
        if is_invalid { error::invalid_params(&why) } else { error::internal(&why) }.with_data(&data)
    }
}

/// A call that was submitted, and a future of its first change.
#[non_exhaustive]
pub struct Started<'a> {
    /// The id of the record, as returned by [`CallBus::submit`].
    pub id: String,
    /// The result of [`CallBus::wait`] with version 1, that of a call that waits for a worker. Unlike `wait` after
    /// `submit`, it misses nothing in between, so a bus can save a query.
    pub changed: BoxFuture<'a, Result<CallRecord, CallError>>,
}

impl<'a> Started<'a> {
    /// Creates a submitted call.
    pub fn new(id: String, changed: BoxFuture<'a, Result<CallRecord, CallError>>) -> Self {
        Self { id, changed }
    }
}

impl fmt::Debug for Started<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Started").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Carries calls from gateways to workers, and their outcomes back.
///
/// A call is claimed by one worker at a time. If a lease expires, the call is given to another worker if it [may
/// be repeated](Call::is_repeatable), at most [`MAX_ATTEMPTS`] times; otherwise its state becomes
/// [`CallState::Unknown`]. A worker can finish a call only once and only while it holds the lease, so a worker
/// that was presumed dead has no effect when it returns. All implementations pass the same tests.
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
    /// Returns how long a lease and the registration of a worker are valid without renewal.
    fn lease(&self) -> Duration {
        LEASE
    }

    /// Submits a call to a pool, creates its record, and returns the id of the record. Submitting the same id again has
    /// no effect.
    ///
    /// If the call has an [idempotency key](Call::idempotency) that an earlier one has, which has a record and was not
    /// cancelled before a worker claimed it, nothing is submitted, and the id is that of the earlier one.
    ///
    /// # Errors
    /// [`CallError::NoWorker`] immediately if the pool has no worker, [`CallError::Overloaded`] if
    /// [`MAX_QUEUED`] calls are waiting, [`CallError::TooLarge`], [`CallError::OtherArguments`] if the earlier call
    /// with the same key has others, [`CallError::Refused`], [`CallError::Unavailable`]. After the last one, the call
    /// may have been submitted; see [`CallBus::record`].
    fn submit<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<String, CallError>>;

    /// Submits a call like [`CallBus::submit`], in order to wait for its outcome. The default implementation calls `submit`,
    /// then [`CallBus::wait`].
    ///
    /// # Errors
    /// Those of [`CallBus::submit`].
    fn start<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<Started<'a>, CallError>> {
        Box::pin(async move {
            let id = self.submit(pool, call).await?;
            let waited = id.clone();
            Ok(Started::new(id, Box::pin(async move { self.wait(&waited, 1).await })))
        })
    }

    /// Waits until the record of a call is newer than version `seen`, and returns it. The first version is 1, so
    /// 0 does not wait. A claim may be reported with delay, because callers do not need it.
    fn wait<'a>(&'a self, call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>>;

    /// Returns the record of a call.
    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>>;

    /// Cancels a call: a waiting call is removed, the worker of a claimed call is notified.
    fn cancel<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), CallError>>;

    /// Registers a worker of a pool for the duration of [`CallBus::lease`]; `false` removes it.
    fn announce<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>>;

    /// Waits for a call of the pool whose deadline has not passed, and claims it. Cancel safe: dropping the
    /// future claims nothing.
    fn claim<'a>(&'a self, pool: &'a str, worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>>;

    /// Waits for a call like [`CallBus::claim`], and claims up to `most` waiting calls at once, at least one.
    /// Cancel safe: dropping the future claims nothing. The default implementation claims one.
    fn claim_many<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claim>, CallError>> {
        _ = most;
        Box::pin(async move { Ok(vec![self.claim(pool, worker).await?]) })
    }

    /// Renews a lease and reports progress.
    fn renew<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>>;

    /// Waits until the caller cancels a call that this process has claimed, or forever. The message may be lost,
    /// so [`CallBus::renew`] reports cancellation as well.
    fn cancelled<'a>(&'a self, call: &'a str, lease: &'a str) -> BoxFuture<'a, ()>;

    /// Finishes a call, and returns whether the outcome was accepted: only the holder of the lease can finish
    /// it, and only once. An expired lease is accepted until the bus has noticed, since no other worker has the
    /// call yet.
    fn finish<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>>;
}
