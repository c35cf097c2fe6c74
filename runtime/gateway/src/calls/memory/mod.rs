//! A call bus within one process: `records` stores the calls, and this module moves them.

mod records;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;
use toolwright_server::BoxFuture;

use self::records::Records;
use super::bus::{Call, CallBus, CallError, CallRecord, Claim, Finish, Lease, Progress};

/// Maximum number of records in memory. Beyond that, records of finished calls are dropped before
/// [`RECORD_TTL`](super::RECORD_TTL), oldest first.
pub const MAX_RECORDS: usize = 100_000;
/// Maximum number of bytes of arguments and results in memory: 256 MiB. Beyond that, records are dropped in the
/// same way.
pub const MAX_RECORD_BYTES: usize = 256 << 20;

/// Sends calls to workers in this process: for a single gateway, and for tests. Nothing is persisted.
///
/// Nothing is polled: a call wakes a waiting worker, and a result wakes its caller. It stores at most
/// [`MAX_RECORDS`] and [`MAX_RECORD_BYTES`]; a call that would exceed these fails with
/// [`CallError::Overloaded`].
///
/// ```
/// use toolwright_gateway::calls::{Call, CallBus, CallError, CallState, Finish, MemoryBus};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bus = MemoryBus::new();
/// let arguments = serde_json::from_str("{}")?;
/// let call = Call::new("call-1".to_owned(), "clock".to_owned(), "now".to_owned(), arguments, u64::MAX);
/// assert!(matches!(bus.submit("default", call.clone()).await, Err(CallError::NoWorker(_))));
///
/// bus.announce("default", "worker-1", true).await?;
/// bus.submit("default", call).await?;
/// let claim = bus.claim("default", "worker-1").await?;
/// bus.finish("call-1", &claim.lease, Finish::Result(serde_json::from_str(r#"{"content":[]}"#)?)).await?;
/// assert!(matches!(bus.record("call-1").await?.state, CallState::Done { .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryBus {
    records: Mutex<Records>,
}

impl Default for MemoryBus {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryBus {
    /// Creates a bus without workers.
    pub fn new() -> Self {
        Self::with_room(MAX_RECORDS, MAX_RECORD_BYTES)
    }

    /// Creates a bus with limits on the number of records and the bytes of their arguments and results.
    pub fn with_room(records: usize, bytes: usize) -> Self {
        Self { records: Mutex::new(Records::new(records, bytes)) }
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait_for(&self, id: &str, seen: u64) -> Result<CallRecord, CallError> {
        loop {
            let (changed, ends) = {
                let mut records = self.records();
                let entry = records.current(id, Instant::now())?;
                if entry.record.version > seen {
                    return Ok(entry.record.clone());
                }
                (Arc::clone(&entry.changed).notified_owned(), entry.lease_ends())
            };
            // The future was created before the lock was released, so it receives notifications since then.
            sleep_unless(changed, ends).await;
        }
    }

    async fn claim_for(&self, pool: &str) -> Result<Claim, CallError> {
        loop {
            let (submitted, ends) = {
                let mut records = self.records();
                if let Some(claim) = records.claim(pool, Instant::now(), unix_millis()) {
                    return Ok(claim);
                }
                let pool = records.pool(pool);
                (Arc::clone(&pool.submitted).notified_owned(), pool.first_lease_end())
            };
            sleep_unless(submitted, ends).await;
        }
    }

    async fn cancelled_by_caller(&self, id: &str, lease: &str) {
        loop {
            let changed = {
                let mut records = self.records();
                let entry =
                    records.current(id, Instant::now()).ok().filter(|entry| entry.is_leased_as(lease));
                let Some(entry) = entry else { break };
                if entry.is_cancelled {
                    return;
                }
                Arc::clone(&entry.changed).notified_owned()
            };
            changed.await;
        }
        // The call has already ended.
        std::future::pending::<()>().await;
    }
}

/// Waits for a notification, at most until `ends`.
async fn sleep_unless(notified: impl Future<Output = ()>, ends: Option<Instant>) {
    match ends {
        // An expired lease may have changed the record.
        Some(ends) => _ = tokio::time::timeout_at(ends, notified).await,
        None => notified.await,
    }
}

pub(super) fn unix_millis() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

impl CallBus for MemoryBus {
    fn submit<'a>(&'a self, pool: &'a str, call: Call) -> BoxFuture<'a, Result<String, CallError>> {
        Box::pin(async move { self.records().submit(pool, call, Instant::now()) })
    }

    fn wait<'a>(&'a self, call: &'a str, seen: u64) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(self.wait_for(call, seen))
    }

    fn record<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<CallRecord, CallError>> {
        Box::pin(async move { Ok(self.records().current(call, Instant::now())?.record.clone()) })
    }

    fn cancel<'a>(&'a self, call: &'a str) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move { self.records().cancel(call, Instant::now()) })
    }

    fn announce<'a>(
        &'a self,
        pool: &'a str,
        worker: &'a str,
        is_there: bool,
    ) -> BoxFuture<'a, Result<(), CallError>> {
        Box::pin(async move {
            self.records().announce(pool, worker, is_there, Instant::now());
            Ok(())
        })
    }

    fn claim<'a>(&'a self, pool: &'a str, _worker: &'a str) -> BoxFuture<'a, Result<Claim, CallError>> {
        Box::pin(self.claim_for(pool))
    }

    fn renew<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        progress: Option<Progress>,
    ) -> BoxFuture<'a, Result<Lease, CallError>> {
        Box::pin(async move { Ok(self.records().renew(call, lease, progress, Instant::now())) })
    }

    fn cancelled<'a>(&'a self, call: &'a str, lease: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.cancelled_by_caller(call, lease))
    }

    fn finish<'a>(
        &'a self,
        call: &'a str,
        lease: &'a str,
        with: Finish,
    ) -> BoxFuture<'a, Result<bool, CallError>> {
        Box::pin(async move { Ok(self.records().finish(call, lease, with, Instant::now())) })
    }
}
