//! Claims calls: a blocking read of the pool's stream for up to the free capacity of a worker, followed by a
//! script that grants the leases.
//!
//! A dropped claim returns its calls: before the script has run, the entry is given to another worker after a
//! short time; afterwards, the call is released immediately.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::streams::{StreamReadOptions, StreamReadReply};
use redis::{AsyncCommands as _, Script};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::bus::Inner;
use super::connection::script;
use super::records::unreadable;
use crate::calls::{Call, CallError, Claim};
use crate::random;

/// Maximum blocking time of a read before leases are checked: 1 second.
const MAX_BLOCK: Duration = Duration::from_secs(1);

/// Maximum number of calls that are claimed at once: 32.
const MAX_CLAIMS: usize = 32;

static CLAIM: LazyLock<Script> = script!("notify", "calls", "claim");
static RELEASE: LazyLock<Script> = script!("notify", "calls", "release");

/// The connections of waiting workers, and the time of the last lease check of each pool.
#[derive(Default)]
pub(super) struct Claiming {
    /// By pool and worker.
    idle: Mutex<HashMap<(String, String), MultiplexedConnection>>,
    looked: Mutex<HashMap<String, Instant>>,
}

impl Claiming {
    /// Claims at least one call, and at most `most`.
    pub(super) async fn claim(
        &self,
        bus: &Arc<Inner>,
        (pool, worker): (&str, &str),
        most: usize,
    ) -> Result<Vec<Claim>, CallError> {
        let block = bus.idle().min(MAX_BLOCK);
        // If a read is dropped, its connection is closed as well, since its response would be lost.
        let mut connection = match self.take(pool, worker) {
            Some(connection) => connection,
            None => bus.connection.blocking(block).await.map_err(CallError::Unavailable)?,
        };
        let stream = format!("mcp:1:calls:{pool}");
        let millis = usize::try_from(block.as_millis()).unwrap_or(usize::MAX);
        let most = most.clamp(1, MAX_CLAIMS);
        let options = StreamReadOptions::default().group("w", worker).block(millis).count(most);
        loop {
            if self.is_time_to_look(pool, block) {
                bus.end_leases(pool).await?;
            }
            let read: redis::RedisResult<Option<StreamReadReply>> =
                connection.xread_options(&[&stream], &[">"], &options).await;
            let read = match read {
                Ok(read) => read,
                // The server was restarted without its data.
                Err(error) if error.code() == Some("NOGROUP") => {
                    bus.announce(pool, worker, true).await?;
                    continue;
                }
                Err(error) => return Err(CallError::Unavailable(error.to_string())),
            };
            let entries = read.into_iter().flat_map(|read| read.keys).flat_map(|key| key.ids);
            let entries: Vec<(String, String)> = entries
                .map(|entry| {
                    let call: Option<String> = entry.get("call");
                    (entry.id, call.unwrap_or_default())
                })
                .collect();
            if entries.is_empty() {
                continue;
            }
            let claims = claim_entries(bus, pool, entries).await?;
            if !claims.is_empty() {
                self.put(pool, worker, connection);
                return Ok(claims);
            }
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

    fn take(&self, pool: &str, worker: &str) -> Option<MultiplexedConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.remove(&(pool.to_owned(), worker.to_owned()))
    }

    fn put(&self, pool: &str, worker: &str, connection: MultiplexedConnection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.insert((pool.to_owned(), worker.to_owned()), connection);
    }
}

/// Claims the calls of entries with one script, except those that must not be repeated.
async fn claim_entries(
    bus: &Arc<Inner>,
    pool: &str,
    entries: Vec<(String, String)>,
) -> Result<Vec<Claim>, CallError> {
    let mut args = vec![pool.to_owned(), bus.lease_millis(), bus.process.clone()];
    let mut claimed = Vec::with_capacity(entries.len());
    for (entry, id) in entries {
        let lease = random::name().ok_or_else(|| {
            CallError::Unavailable("the system provides no random numbers for a lease".to_owned())
        })?;
        args.extend([entry, id.clone(), lease.clone()]);
        claimed.push((id, lease));
    }
    let (sent, received) = oneshot::channel();
    let inner = Arc::clone(bus);
    // In a separate task, so that the response is handled even if the claim is dropped.
    tokio::spawn(async move {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer: Result<Vec<String>, CallError> = inner.run(&CLAIM, &args).await;
        // Dropped here if it cannot be sent.
        _ = sent.send(answer.map(|answer| {
            let calls = answer.chunks_exact(3).zip(claimed).filter(|(call, _)| !call[0].is_empty());
            let unreturned = calls.map(|(call, (id, lease))| Unreturned {
                bus: Arc::clone(&inner),
                id,
                lease,
                call: Some([call[0].clone(), call[1].clone(), call[2].clone()]),
            });
            unreturned.collect::<Vec<_>>()
        }));
    });
    let Ok(answer) = received.await else { return Ok(Vec::new()) };
    answer?.into_iter().map(Unreturned::into_claim).collect()
}

/// A claim that is released if it is dropped before it is returned.
struct Unreturned {
    bus: Arc<Inner>,
    id: String,
    lease: String,
    /// The call, the attempt, and the milliseconds to the deadline; `None` once returned.
    call: Option<[String; 3]>,
}

impl Unreturned {
    fn into_claim(mut self) -> Result<Claim, CallError> {
        let [call, attempt, left] = self.call.take().unwrap_or_default();
        let mut call: Call = serde_json::from_str(&call).map_err(unreadable)?;
        let left: u64 = left.parse().map_err(unreadable)?;
        call.deadline = self.bus.now().saturating_add(left);
        let attempt = attempt.parse().map_err(unreadable)?;
        Ok(Claim::new(call, self.lease.clone(), attempt))
    }
}

impl Drop for Unreturned {
    fn drop(&mut self) {
        if self.call.is_none() {
            return;
        }
        // If the runtime is shutting down, the lease expires instead.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (bus, id, lease) = (Arc::clone(&self.bus), self.id.clone(), self.lease.clone());
            runtime.spawn(async move { bus.run::<String>(&RELEASE, &[&id, &lease]).await.map(drop) });
        }
    }
}
