//! Services that answer the calls of a pool.
//!
//! A [`Worker`] is a service behind a [`CallBus`] rather than behind a transport. `running` is one call in it, `credentials` are those of its node.

mod credentials;
mod running;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use toolwright_server::Service;

use self::credentials::Vault;
pub use self::credentials::{CredentialError, Credentials};
use self::running::Running;
use crate::calls::{CallBus, CallError, Claim};
use crate::random;
use crate::secrets::{MasterKeys, SecretStore};

/// How many calls a worker runs at a time, unless it says otherwise: 16.
pub const CONCURRENCY: usize = 16;
/// The shortest and the longest wait before a worker tries again to reach a bus that is down.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Runs the calls of a pool through a service: its handlers see them as over any transport, with progress, cancellation and
/// a deadline, which is that of the call or the [`call_timeout`](toolwright_server::Limits::call_timeout) of the service,
/// whichever comes first. It connects to the bus, and needs no port of its own.
///
/// A handler cannot ask for input, and its log messages go nowhere. A call whose lease is lost is stopped, since another
/// worker has it, or nobody may.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use toolwright_gateway::Worker;
/// use toolwright_gateway::calls::MemoryBus;
/// use toolwright_server::Server;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let stop = tokio::time::sleep(Duration::from_millis(1));
/// let service = Server::new(()).build()?;
/// let bus = Arc::new(MemoryBus::new());
/// Worker::new(bus, "default", service).concurrency(4).run_until(stop).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Worker {
    bus: Arc<dyn CallBus>,
    pool: String,
    name: String,
    service: Service,
    concurrency: usize,
    vault: Option<Vault>,
}

impl Worker {
    /// A worker of the pool that runs [`CONCURRENCY`] calls at a time.
    pub fn new(bus: Arc<dyn CallBus>, pool: impl Into<String>, service: Service) -> Self {
        let name = format!("{}-{}", std::process::id(), random::name().unwrap_or_default());
        Self { bus, pool: pool.into(), name, service, concurrency: CONCURRENCY, vault: None }
    }

    /// Runs so many calls at a time, at least one.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Lets handlers open the [`Credentials`] of the nodes that they are called for: those of the store, with these keys.
    pub fn credentials(mut self, store: Arc<dyn SecretStore>, keys: MasterKeys) -> Self {
        self.vault = Some(Vault { store, keys });
        self
    }

    /// Runs calls for good. Dropping the future drops what runs, as if the process had been killed.
    pub async fn run(self) {
        self.run_until(std::future::pending()).await;
    }

    /// Runs calls until `stop` is done, such as a signal to the process. Then it claims no more, says that it leaves, and
    /// finishes what it has. A bus that is down is tried again with growing waits of up to five seconds.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        let mut running = JoinSet::new();
        tokio::select! {
            () = stop => {}
            () = self.stay() => {}
            () = self.claim_all(&mut running) => {}
        }
        // Where the bus is down, it notices by itself.
        _ = self.bus.announce(&self.pool, &self.name, false).await;
        while running.join_next().await.is_some() {}
    }

    /// Says again and again that it is there.
    async fn stay(&self) {
        let mut backoff = Backoff::default();
        loop {
            match self.bus.announce(&self.pool, &self.name, true).await {
                Ok(()) => {
                    backoff = Backoff::default();
                    tokio::time::sleep(renew_every(&*self.bus)).await;
                }
                Err(_) => backoff.wait().await,
            }
        }
    }

    async fn claim_all(&self, running: &mut JoinSet<()>) {
        let room = Arc::new(Semaphore::new(self.concurrency));
        let mut backoff = Backoff::default();
        loop {
            while running.try_join_next().is_some() {}
            // It is never closed.
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            let mut places = vec![place];
            while let Ok(place) = Arc::clone(&room).try_acquire_owned() {
                places.push(place);
            }
            match self.bus.claim_many(&self.pool, &self.name, places.len()).await {
                Ok(claims) => {
                    backoff = Backoff::default();
                    for (claim, place) in claims.into_iter().zip(places) {
                        running.spawn(self.clone().run_call(claim, place));
                    }
                }
                Err(_) => backoff.wait().await,
            }
        }
    }

    async fn run_call(self, claim: Claim, place: OwnedSemaphorePermit) {
        let running = Running::new(&*self.bus, &claim, self.vault.clone());
        if let Some(finish) = running.run(&self.service).await {
            let mut backoff = Backoff::default();
            // A bus that is down may come back while the lease is good. What is too late changes nothing.
            while let Err(CallError::Unavailable(_)) =
                self.bus.finish(&claim.call.id, &claim.lease, finish.clone()).await
            {
                if backoff.is_over(crate::calls::RECORD_TTL) {
                    break;
                }
                backoff.wait().await;
            }
        }
        drop(place);
    }
}

/// Three times within the life of a lease.
fn renew_every(bus: &dyn CallBus) -> Duration {
    bus.lease().mul_f64(0.3)
}

/// Growing waits between attempts.
#[derive(Debug, Default)]
struct Backoff {
    next: Duration,
    waited: Duration,
}

impl Backoff {
    async fn wait(&mut self) {
        let (shortest, longest) = BACKOFF;
        let wait = self.next.clamp(shortest, longest);
        self.next = wait * 2;
        self.waited += wait;
        tokio::time::sleep(wait).await;
    }

    fn is_over(&self, limit: Duration) -> bool {
        self.waited >= limit
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("pool", &self.pool).field("name", &self.name).finish_non_exhaustive()
    }
}
