//! A call bus for workers in other processes, through Redis.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use redis::Script;
use tokio::sync::futures::OwnedNotified;
use tokio::task::JoinHandle;
use toolwright_core::future::boxed;
use toolwright_server::BoxFuture;
use toolwright_server::auth::Clock;

use super::batches::{BatchScript, Batches};
use super::bound::Bound;
use super::claiming::Claiming;
use super::connection::{Connection, RedisError, ScriptError, name_process, script, text};
use super::records::{Fields, unreadable};
use super::waiting::{LOOK_EVERY, Waiter, Waiting, wake_by_messages};
use crate::calls::{
    Call, CallBus, CallError, CallRecord, CallState, Claim, Finish, LEASE, Lease, MAX_ATTEMPTS, MAX_QUEUED,
    Progress, Started,
};

/// Maximum time to a deadline, in milliseconds: 30 days. Scripts count in floating-point numbers.
const MAX_LEFT: u64 = 30 * 24 * 3_600_000;
/// Minimum duration of a lease: 100 milliseconds.
const MIN_LEASE: Duration = Duration::from_millis(100);
/// Maximum size of a result that the notification of the caller carries, together with the progress of the call: 4 KiB. A larger
/// one is read from the record.
pub const MAX_CARRIED_BYTES: usize = 4 << 10;

/// These know the run of the server.
const SUBMIT: &str = text!("each", "submit");
const CLAIM: &str = text!("notify", "calls", "claim");
static ANNOUNCE: LazyLock<Script> = script!("announce");
static RENEW: LazyLock<Script> = script!("notify", "calls", "renew");
static FINISH: LazyLock<Script> = script!("notify", "each", "finish");
static CANCEL: LazyLock<Script> = script!("notify", "calls", "cancel");
static LOOK: LazyLock<Script> = script!("notify", "calls", "leases", "look");
static END_LEASES: LazyLock<Script> = script!("notify", "calls", "leases", "end_leases");

/// Sends calls to workers in other processes, through Redis. Requires the feature `redis`.
///
/// Calls are pushed: workers wait at the queue of their pool, and each process is notified on its own channel. Records are
/// authoritative and messages only wake readers, so a lost one only causes delay. A notification of the end of a
/// call carries the final record, unless that has more than [`MAX_CARRIED_BYTES`]. An unreachable server is
/// [`CallError::Unavailable`] after 3 seconds, and the connection is restored automatically.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use toolwright_gateway::Worker;
/// use toolwright_gateway::redis::RedisBus;
/// use toolwright_server::Server;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let bus = RedisBus::connect("redis://127.0.0.1:6379").await?;
/// Worker::new(Arc::new(bus), "default", Server::new(()).build()?).run().await;
/// # Ok(())
/// # }
/// ```
pub struct RedisBus {
    inner: Arc<Inner>,
    reader: JoinHandle<()>,
}

/// The state that the tasks of the bus share.
pub(super) struct Inner {
    pub(super) connection: Connection,
    /// The id of this process.
    pub(super) process: String,
    pub(super) lease: Duration,
    clock: OnceLock<Clock>,
    submitting: Arc<Batches>,
    finishing: Arc<Batches>,
    pub(super) claim: Bound,
    waiting: Arc<Waiting>,
    pub(super) claiming: Claiming,
}

impl RedisBus {
    /// Connects to the server at a URL such as `redis://user:password@host:6379/0`. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        Self::connect_with_lease(url, LEASE).await
    }

    /// The same with another lease duration, at least 100 milliseconds; all processes must use the same one.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect_with_lease(url: &str, lease: Duration) -> Result<Self, RedisError> {
        let connection = Connection::open(url).await?;
        let process = name_process()?;
        let (waiting, claiming) = (Arc::<Waiting>::default(), Claiming::default());
        let (lease, clock) = (lease.max(MIN_LEASE), OnceLock::new());
        let common = vec![process.clone(), MAX_QUEUED.to_string()];
        let submit = BatchScript::Bound(Box::new(Bound::new(connection.clone(), SUBMIT)));
        let submitting = Batches::new(connection.clone(), submit, common);
        let carried = vec![MAX_CARRIED_BYTES.to_string()];
        let finishing = Batches::new(connection.clone(), BatchScript::Any(&FINISH), carried);
        let claim = Bound::new(connection.clone(), CLAIM);
        let inner =
            Inner { connection, process, lease, clock, submitting, finishing, claim, waiting, claiming };
        let inner = Arc::new(inner);
        let messages =
            wake_by_messages(inner.connection.clone(), &inner.process, Arc::clone(&inner.waiting)).await?;
        let reader = tokio::spawn(messages);
        Ok(Self { inner, reader })
    }

    /// Sets the clock, for tests. Gateways, workers and the server may have different clocks: between them,
    /// deadlines are durations.
    pub fn clock(self, clock: Clock) -> Self {
        // It is set once.
        _ = self.inner.clock.set(clock);
        self
    }
}

impl Drop for RedisBus {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl fmt::Debug for RedisBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisBus").field("process", &self.inner.process).finish_non_exhaustive()
    }
}

/// The result of polling a call.
enum Look {
    Newer(CallRecord),
    /// Nothing changed; the lease is valid for this long.
    Same(Option<Duration>),
}

impl Inner {
    pub(super) async fn run<T: redis::FromRedisValue>(
        &self,
        script: &Script,
        args: &[&str],
    ) -> Result<T, CallError> {
        self.connection.run(script, args).await.map_err(refused)
    }

    /// Milliseconds since 1970, by the clock of this process.
    pub(super) fn now(&self) -> u64 {
        let now = self.clock.get_or_init(Clock::default).now();
        u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn lease_millis(&self) -> String {
        self.lease.as_millis().to_string()
    }

    /// Runs the script that grants leases.
    pub(super) async fn grant(&self, args: &[&str]) -> Result<Vec<String>, CallError> {
        self.connection.run_bound(&self.claim, args).await.map_err(refused)
    }

    pub(super) async fn announce(&self, pool: &str, worker: &str, is_there: bool) -> Result<(), CallError> {
        let lives = if is_there { self.lease_millis() } else { "0".to_owned() };
        let announced = self.run::<String>(&ANNOUNCE, &[pool, worker, &lives]).await.map(drop);
        if !is_there {
            self.claiming.leave(pool, worker).await;
        }
        announced
    }

    pub(super) async fn end_leases(&self, pool: &str) -> Result<(), CallError> {
        self.run::<String>(&END_LEASES, &[pool, &MAX_ATTEMPTS.to_string()]).await.map(drop)
    }

    /// Submits a call. Returns the id of its record, and whether that is new.
    async fn submit(&self, pool: &str, call: &Call) -> Result<(String, bool), CallError> {
        call.check_size()?;
        let text = serde_json::to_string(call).map_err(unreadable)?;
        // Relative, since the clocks of gateways and workers may differ: the server's clock counts.
        let left = call.deadline.saturating_sub(self.now());
        let left = left.min(MAX_LEFT).to_string();
        let is_repeatable = if call.is_repeatable { "1" } else { "0" }.to_owned();
        let key = call.idempotency.as_ref();
        let (key, arguments) = key.map(|key| (key.name.clone(), key.arguments.clone())).unwrap_or_default();
        let args = vec![pool.to_owned(), call.id.clone(), text, is_repeatable, left, key, arguments];
        let answer = self.submitting.run(args).await.map_err(refused)?;
        match answer.as_str() {
            "new" => Ok((call.id.clone(), true)),
            "no_worker" => Err(CallError::NoWorker(pool.to_owned())),
            "other_arguments" => Err(CallError::OtherArguments),
            "overloaded" => Err(CallError::Overloaded(pool.to_owned())),
            answer => match answer.strip_prefix("known ") {
                Some(id) => Ok((id.to_owned(), false)),
                None => Err(unreadable("an unknown answer")),
            },
        }
    }

    async fn look(&self, call: &str, seen: u64, process: &str) -> Result<Look, CallError> {
        let args = [call, &seen.to_string(), process, &MAX_ATTEMPTS.to_string()];
        let answer: Vec<String> = self.run(&LOOK, &args).await?;
        let words: Vec<&str> = answer.iter().map(String::as_str).collect();
        match *words.as_slice() {
            ["none"] => Err(CallError::NoCall(call.to_owned())),
            ["same", left] => Ok(Look::Same(left.parse().ok().map(Duration::from_millis))),
            ["newer", ..] => {
                let [_, state, attempt, progress, version, end] =
                    <[String; 6]>::try_from(answer).map_err(|_| unreadable("an unknown answer"))?;
                Fields { state, attempt, progress, version, end }.into_record().map(Look::Newer)
            }
            _ => Err(unreadable("an unknown answer")),
        }
    }

    async fn start(&self, pool: &str, call: &Call) -> Result<Started<'_>, CallError> {
        // Before it is submitted, so that no notification is missed.
        let waiter = self.waiting.begin(&call.id);
        let changed = waiter.changed();
        let (id, is_new) = self.submit(pool, call).await?;
        let (waiter, changed) =
            if is_new { (waiter, Some(changed)) } else { (self.waiting.begin(&id), None) };
        Ok(Started::new(id, boxed(move || self.follow(waiter, changed, 1))))
    }

    /// Waits until the record of a call is newer than version `seen`. If it was read or written by this process since
    /// `changed` was created, it is only read again when that completes, or after a while.
    async fn follow(
        &self,
        waiter: Waiter<'_>,
        mut changed: Option<OwnedNotified>,
        seen: u64,
    ) -> Result<CallRecord, CallError> {
        let mut longest = self.lease.min(LOOK_EVERY);
        loop {
            let next = if let Some(changed) = changed.take() {
                changed
            } else {
                let changed = waiter.changed();
                match self.look(&waiter.call, seen, &self.process).await? {
                    Look::Newer(record) => return Ok(record),
                    Look::Same(left) => longest = left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY)),
                }
                changed
            };
            _ = tokio::time::timeout(longest, next).await;
            if let Some(end) = waiter.end() {
                let record = end.into_record()?;
                if record.version > seen {
                    return Ok(record);
                }
            }
        }
    }

    async fn finish(&self, call: &str, lease: &str, with: Finish) -> Result<bool, CallError> {
        let (state, end) = match with.into_state() {
            CallState::Done { result } => ("done", result.get().to_owned()),
            CallState::Failed { error } => ("failed", serde_json::to_string(&error).map_err(unreadable)?),
            _ => return Ok(false),
        };
        let args = vec![call.to_owned(), lease.to_owned(), state.to_owned(), end];
        let answer = self.finishing.run(args).await.map_err(refused)?;
        Ok(answer == "ok")
    }
}

fn refused(error: ScriptError) -> CallError {
    match error {
        ScriptError::Refused(why) => CallError::Refused(why),
        ScriptError::Unavailable(why) => CallError::Unavailable(why),
    }
}

impl CallBus for RedisBus {
    fn lease(&self) -> Duration {
        self.inner.lease
    }

    fn submit<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<String, CallError>> {
        Box::pin(async move { self.inner.submit(pool, &call).await.map(|(id, _)| id) })
    }

    fn start<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<Started<'a>, CallError>> {
        boxed(move || async move { self.inner.start(pool, &call).await })
    }

    fn wait<'a>(&'a self, call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(self.inner.follow(self.inner.waiting.begin(call), None, seen))
    }

    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(async move {
            match self.inner.look(call, 0, "").await? {
                Look::Newer(record) => Ok(record),
                // The first version is 1.
                Look::Same(_) => Err(unreadable("it has no version")),
            }
        })
    }

    fn cancel<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            match self.inner.run::<String>(&CANCEL, &[call]).await?.as_str() {
                "none" => Err(CallError::NoCall(call.to_owned())),
                _ => Ok(()),
            }
        })
    }

    fn announce<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(self.inner.announce(pool, worker, is_there))
    }

    fn claim<'a>(&'a self, pool: &'a str, worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>> {
        Box::pin(async move {
            let claimed = self.inner.claiming.claim(&self.inner, (pool, worker), 1).await?;
            claimed.into_iter().next().ok_or_else(|| unreadable("an empty claim"))
        })
    }

    fn claim_many<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claim>, CallError>> {
        Box::pin(self.inner.claiming.claim(&self.inner, (pool, worker), most))
    }

    fn renew<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>> {
        Box::pin(async move {
            let progress =
                progress.and_then(|progress| serde_json::to_string(&progress).ok()).unwrap_or_default();
            let args = [call, lease, &self.inner.lease_millis(), &progress];
            Ok(match self.inner.run::<String>(&RENEW, &args).await?.as_str() {
                "held" => Lease::Held,
                "cancelled" => Lease::Cancelled,
                _ => Lease::Lost,
            })
        })
    }

    fn cancelled<'a>(&'a self, call: &'a str, _lease: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.inner.waiting.cancelled(call))
    }

    fn finish<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>> {
        Box::pin(self.inner.finish(call, lease, with))
    }
}
