//! How a worker gets its calls: a blocking read of the pool's stream, then a script that gives it the lease.
//!
//! A claim that is dropped gives back what it has: before the script has run, the entry is given to another worker after a
//! moment; after it, the call is released at once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::streams::{StreamReadOptions, StreamReadReply};
use redis::{AsyncCommands as _, Script};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::bus::{Inner, unreadable};
use super::connection::script;
use crate::calls::{CallError, Claim};
use crate::random;

/// The longest that a read blocks before leases are looked at: 1 second.
const MAX_BLOCK: Duration = Duration::from_secs(1);

static CLAIM: LazyLock<Script> = script!("claim");
static RELEASE: LazyLock<Script> = script!("release");

/// The connections of workers that wait, and when the leases of pools were looked at.
#[derive(Default)]
pub(super) struct Claiming {
    /// By pool and worker.
    idle: Mutex<HashMap<(String, String), MultiplexedConnection>>,
    looked: Mutex<HashMap<String, Instant>>,
}

impl Claiming {
    pub(super) async fn claim(&self, bus: &Arc<Inner>, pool: &str, worker: &str) -> Result<Claim, CallError> {
        let block = bus.idle().min(MAX_BLOCK);
        // One whose read is dropped is closed with it: nobody would get the answer.
        let mut connection = match self.take(pool, worker) {
            Some(connection) => connection,
            None => bus.connection.blocking(block).await.map_err(CallError::Unavailable)?,
        };
        let stream = format!("mcp:1:calls:{pool}");
        let millis = usize::try_from(block.as_millis()).unwrap_or(usize::MAX);
        let options = StreamReadOptions::default().group("w", worker).block(millis).count(1);
        loop {
            if self.is_time_to_look(pool, block) {
                bus.end_leases(pool).await?;
            }
            let read: redis::RedisResult<Option<StreamReadReply>> =
                connection.xread_options(&[&stream], &[">"], &options).await;
            let read = match read {
                Ok(read) => read,
                // The server was started again without what it had.
                Err(error) if error.code() == Some("NOGROUP") => {
                    bus.announce(pool, worker, true).await?;
                    continue;
                }
                Err(error) => return Err(CallError::Unavailable(error.to_string())),
            };
            let entries = read.into_iter().flat_map(|read| read.keys).flat_map(|key| key.ids);
            for entry in entries {
                let call: Option<String> = entry.get("call");
                if let Some(claim) = claim_entry(bus, pool, &entry.id, &call.unwrap_or_default()).await? {
                    self.put(pool, worker, connection);
                    return Ok(claim);
                }
            }
        }
    }

    /// Whether the leases of a pool have not been looked at for so long.
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

/// Claims the call of an entry; none if it is no longer to be made.
async fn claim_entry(
    bus: &Arc<Inner>,
    pool: &str,
    entry: &str,
    id: &str,
) -> Result<Option<Claim>, CallError> {
    let lease = random::name()
        .ok_or_else(|| CallError::Unavailable("the system gives no random numbers for a lease".to_owned()))?;
    let (sent, received) = oneshot::channel();
    let (inner, pool, entry, id) = (Arc::clone(bus), pool.to_owned(), entry.to_owned(), id.to_owned());
    // On its own, so that the script's answer arrives even if nobody waits for the claim any more.
    tokio::spawn(async move {
        let length = inner.lease_millis();
        let args = [&pool, &entry, &id, &lease, &length, &inner.process].map(String::as_str);
        let answer: Result<Vec<String>, CallError> = inner.run(&CLAIM, &args).await;
        // Dropped here if it cannot be sent.
        _ = sent.send(answer.map(|answer| Unreturned { bus: inner, id, lease, answer }));
    });
    let Ok(answer) = received.await else { return Ok(None) };
    answer?.into_claim()
}

/// A claim that is released if it is dropped before it has been returned.
struct Unreturned {
    bus: Arc<Inner>,
    id: String,
    lease: String,
    /// The call and the attempt; empty if there is none.
    answer: Vec<String>,
}

impl Unreturned {
    fn into_claim(mut self) -> Result<Option<Claim>, CallError> {
        let [call, attempt] = self.answer.as_slice() else { return Ok(None) };
        let call = serde_json::from_str(call).map_err(unreadable)?;
        let attempt = attempt.parse().map_err(unreadable)?;
        self.answer.clear();
        Ok(Some(Claim::new(call, self.lease.clone(), attempt)))
    }
}

impl Drop for Unreturned {
    fn drop(&mut self) {
        if self.answer.is_empty() {
            return;
        }
        // While the runtime shuts down there is nobody to do it; then the lease ends.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (bus, id, lease) = (Arc::clone(&self.bus), self.id.clone(), self.lease.clone());
            runtime.spawn(async move { bus.run::<String>(&RELEASE, &[&id, &lease]).await.map(drop) });
        }
    }
}
