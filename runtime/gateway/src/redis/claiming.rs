//! Claims calls: a worker waits until the queue of its pool has one, and a script grants the leases, for up to its free capacity. Both
//! are sent at once: the server runs the script as soon as the wait is over, without a round trip in between.
//!
//! A dropped claim returns its calls: the wait continues in a task, which releases what it claims. If the answer of the server is
//! lost, the script is run again with the same lease, and answers the same.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, RedisResult, Script, Value};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use toolwright_server::BoxFuture;

use super::bus::Inner;
use super::connection::{RESPONSE_TIMEOUT, script};
use super::records::unreadable;
use crate::calls::{Call, CallError, Claim};
use crate::random;

/// Maximum time that a worker waits before leases are checked: 1 second.
const MAX_BLOCK: Duration = Duration::from_secs(1);

/// The delay before the queue is looked at again while the server has no memory left, so that it cannot be waited for.
const LOOK_DELAY: Duration = Duration::from_millis(100);

/// Maximum number of calls that are claimed at once: 32.
const MAX_CLAIMS: usize = 32;

static RELEASE: LazyLock<Script> = script!("notify", "calls", "release");

/// The workers of this process, and the time of the last lease check of each pool.
#[derive(Default)]
pub(super) struct Claiming {
    /// By pool and worker.
    workers: Mutex<HashMap<(String, String), Seat>>,
    looked: Mutex<HashMap<String, Instant>>,
}

/// What a worker has between two claims.
#[derive(Default)]
struct Seat {
    connection: Option<MultiplexedConnection>,
    /// A lease for which the answer of the server was lost.
    lease: Option<String>,
    /// The reads of dropped claims.
    dropped: Vec<JoinHandle<()>>,
}

impl Claiming {
    /// Claims at least one call, and at most `most`.
    pub(super) async fn claim(
        &self,
        bus: &Arc<Inner>,
        (pool, worker): (&str, &str),
        most: usize,
    ) -> Result<Vec<Claim>, CallError> {
        let block = (bus.lease / 4).min(MAX_BLOCK);
        loop {
            if self.is_time_to_look(pool, block) {
                bus.end_leases(pool).await?;
            }
            let (connection, lost) = self.take(pool, worker);
            // If a read fails, its connection is not used again.
            let connection = match connection {
                Some(connection) => Some(connection),
                None if lost.is_some() => None,
                None => Some(bus.connection.open_another(block).await.map_err(|error| unavailable(&error))?),
            };
            let lease = lost.or_else(random::name).ok_or_else(|| {
                CallError::Unavailable("the system provides no random numbers for a lease".to_owned())
            })?;
            let read = Read {
                bus: Arc::clone(bus),
                pool: pool.to_owned(),
                worker: worker.to_owned(),
                most: most.clamp(1, MAX_CLAIMS),
                lease,
                block,
            };
            let reading = Box::pin(read.run(connection));
            match (Reading { claiming: self, worker: (pool, worker), future: Some(reading) }).await {
                Ok(claims) if claims.is_empty() => {}
                Ok(claims) => return claims.into_iter().map(Unreturned::into_claim).collect(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until the dropped claims of a worker have returned their calls.
    pub(super) async fn leave(&self, pool: &str, worker: &str) {
        let seat = self.workers().remove(&(pool.to_owned(), worker.to_owned())).unwrap_or_default();
        let ends = Instant::now() + MAX_BLOCK + RESPONSE_TIMEOUT;
        for read in seat.dropped {
            // If it takes longer, the server cannot be reached.
            _ = tokio::time::timeout_at(ends, read).await;
        }
    }

    /// Returns whether the leases of a pool are due for a check.
    fn is_time_to_look(&self, pool: &str, every: Duration) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if looked.get(pool).is_some_and(|last| *last + every > now) {
            return false;
        }
        looked.insert(pool.to_owned(), now);
        true
    }

    /// Takes the lease for which the answer of the server was lost, or the connection.
    fn take(&self, pool: &str, worker: &str) -> (Option<MultiplexedConnection>, Option<String>) {
        let mut workers = self.workers();
        let Some(seat) = workers.get_mut(&(pool.to_owned(), worker.to_owned())) else { return (None, None) };
        match seat.lease.take() {
            Some(lease) => (None, Some(lease)),
            None => (seat.connection.take(), None),
        }
    }

    fn change(&self, (pool, worker): (&str, &str), change: impl FnOnce(&mut Seat)) {
        change(self.workers().entry((pool.to_owned(), worker.to_owned())).or_default());
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<(String, String), Seat>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A look at the queue of a pool. The calls that are claimed get the same lease.
struct Read {
    bus: Arc<Inner>,
    pool: String,
    worker: String,
    most: usize,
    lease: String,
    block: Duration,
}

impl Read {
    /// Without a connection, the answer for the lease was lost.
    async fn run(self, connection: Option<MultiplexedConnection>) -> Result<Vec<Unreturned>, CallError> {
        let Some(mut connection) = connection else { return self.claim_again().await };
        let (queue, given) = (format!("mcp:1:queue:{}", self.pool), format!("mcp:1:given:{}", self.pool));
        let script = self.bus.claim.name().await.map_err(|error| unavailable(&error))?;
        let mut both = redis::pipe();
        both.cmd("BLMOVE").arg(&[&queue, &given, "LEFT", "RIGHT"]).arg(self.block.as_secs_f64());
        both.cmd("EVALSHA").arg(script).arg(0).arg(&self.args(false)).ignore_errors();
        let read: RedisResult<(Value, Value)> = both.query_async(&mut connection).await;
        match read {
            Ok((waited, Value::Array(claimed))) => {
                let claimed: Vec<String> = redis::from_redis_value(Value::Array(claimed))
                    .map_err(|error| unavailable(&error.into()))?;
                match waited {
                    Value::ServerError(error) if error.code() == "OOM" && claimed.is_empty() => {
                        tokio::time::sleep(LOOK_DELAY).await;
                    }
                    Value::ServerError(error) if claimed.is_empty() => {
                        return Err(unavailable(&error.into()));
                    }
                    _ => {}
                }
                self.bus
                    .claiming
                    .change((&self.pool, &self.worker), |seat| seat.connection = Some(connection));
                Ok(self.claims(claimed))
            }
            // The server was restarted, and has forgotten the script.
            Ok(_) => self.claim_again().await,
            // The script may have run.
            Err(error) => match self.claim_again().await? {
                claims if claims.is_empty() => Err(unavailable(&error)),
                claims => Ok(claims),
            },
        }
    }

    /// Runs the script for a lease for which it may have run.
    async fn claim_again(&self) -> Result<Vec<Unreturned>, CallError> {
        let args = self.args(true);
        match self.bus.grant(&args.each_ref().map(String::as_str)).await {
            Ok(claimed) => Ok(self.claims(claimed)),
            Err(error) => {
                let lease = Some(self.lease.clone());
                self.bus.claiming.change((&self.pool, &self.worker), |seat| seat.lease = lease);
                Err(error)
            }
        }
    }

    fn args(&self, is_again: bool) -> [String; 6] {
        let again = if is_again { "1" } else { "0" };
        [
            self.pool.clone(),
            self.bus.lease_millis(),
            self.bus.process.clone(),
            self.lease.clone(),
            self.most.to_string(),
            again.to_owned(),
        ]
    }

    fn claims(&self, claimed: Vec<String>) -> Vec<Unreturned> {
        let claims = claimed.into_iter().filter_map(|claim| {
            let (bus, lease) = (Arc::clone(&self.bus), self.lease.clone());
            let id = Granted::of(&claim)?.id.to_owned();
            Some(Unreturned { bus, id, lease, claim: Some(claim) })
        });
        claims.collect()
    }
}

/// A call as `claim.lua` grants it.
struct Granted<'a> {
    id: &'a str,
    /// As JSON.
    call: &'a str,
    attempt: &'a str,
    /// The milliseconds to the deadline.
    left: &'a str,
}

impl<'a> Granted<'a> {
    fn of(claim: &'a str) -> Option<Self> {
        let mut parts = claim.splitn(4, ' ');
        let (attempt, left) = (parts.next()?, parts.next()?);
        let length = parts.next()?.parse().ok()?;
        let (id, call) = parts.next()?.split_at_checked(length)?;
        Some(Self { id, call, attempt, left })
    }
}

fn unavailable(error: &RedisError) -> CallError {
    CallError::Unavailable(error.to_string())
}

/// A read that continues in a task if it is dropped, since the server may claim calls for it.
struct Reading<'a> {
    claiming: &'a Claiming,
    worker: (&'a str, &'a str),
    future: Option<BoxFuture<'static, Result<Vec<Unreturned>, CallError>>>,
}

impl Future for Reading<'_> {
    type Output = Result<Vec<Unreturned>, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        let read = std::task::ready!(future.as_mut().poll(cx));
        self.future = None;
        Poll::Ready(read)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let Some(future) = self.future.take() else { return };
        // If the runtime is shutting down, the leases expire instead.
        if let Ok(runtime) = Handle::try_current() {
            let read = runtime.spawn(async move {
                for claim in future.await.unwrap_or_default() {
                    claim.release().await;
                }
            });
            self.claiming.change(self.worker, |seat| {
                seat.dropped.retain(|read| !read.is_finished());
                seat.dropped.push(read);
            });
        }
    }
}

/// A claim that is released if it is dropped before it is returned.
struct Unreturned {
    bus: Arc<Inner>,
    id: String,
    lease: String,
    /// As it was granted; `None` once returned or released.
    claim: Option<String>,
}

impl Unreturned {
    fn into_claim(mut self) -> Result<Claim, CallError> {
        let claim = self.claim.take().unwrap_or_default();
        let granted = Granted::of(&claim).ok_or_else(|| unreadable("an unknown answer"))?;
        let mut call: Call = serde_json::from_str(granted.call).map_err(unreadable)?;
        let left: u64 = granted.left.parse().map_err(unreadable)?;
        call.deadline = self.bus.now().saturating_add(left);
        let attempt = granted.attempt.parse().map_err(unreadable)?;
        Ok(Claim::new(call, self.lease.clone(), attempt))
    }

    /// If this fails, the lease expires.
    async fn release(mut self) {
        self.claim = None;
        _ = self.bus.run::<String>(&RELEASE, &[&self.id, &self.lease]).await;
    }
}

impl Drop for Unreturned {
    fn drop(&mut self) {
        // If the runtime is shutting down, the lease expires instead.
        if self.claim.is_some()
            && let Ok(runtime) = Handle::try_current()
        {
            let (bus, id, lease) = (Arc::clone(&self.bus), self.id.clone(), self.lease.clone());
            runtime.spawn(Self { bus, id, lease, claim: None }.release());
        }
    }
}
