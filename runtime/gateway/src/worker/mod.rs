//! Workers, which execute the calls of a pool.
//!
//! A [`Worker`] connects a service to a [`CallBus`] instead of a transport. `running` executes one call,
//! `credentials` provides those of its node.

mod credentials;
mod running;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;
use toolwright_server::Service;
use toolwright_server::auth::Clock;

use self::credentials::Vault;
pub use self::credentials::{CredentialError, Credentials};
use self::running::Running;
use crate::calls::{CallBus, CallError, Claim};
use crate::random;
use crate::secrets::{MasterKeys, SecretStore};

/// The default number of concurrent calls of a worker: 16.
pub const CONCURRENCY: usize = 16;
/// The minimum and maximum delay before a worker reconnects to an unavailable bus.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// Runs the calls of a pool through a service: handlers have progress, cancellation and a deadline as over any
/// transport. The deadline is the earlier of the call's and the
/// [`call_timeout`](toolwright_server::Limits::call_timeout) of the service. A worker connects to the bus, and
/// needs no open port.
///
/// Handlers cannot request input, and their log messages are dropped. A call whose lease is lost is cancelled,
/// since another worker may have it.
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
    clock: Clock,
}

impl Worker {
    /// Creates a worker of the pool with [`CONCURRENCY`] concurrent calls.
    pub fn new(bus: Arc<dyn CallBus>, pool: impl Into<String>, service: Service) -> Self {
        let name = format!("{}-{}", std::process::id(), random::name().unwrap_or_default());
        let clock = Clock::default();
        Self { bus, pool: pool.into(), name, service, concurrency: CONCURRENCY, vault: None, clock }
    }

    /// Sets the number of concurrent calls, at least one.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Lets handlers open the [`Credentials`] of their nodes, from this store and with these keys.
    pub fn credentials(mut self, store: Arc<dyn SecretStore>, keys: MasterKeys) -> Self {
        self.vault = Some(Vault { store, keys });
        self
    }

    /// Sets the clock, for tests.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Runs calls forever. Dropping the future drops running calls, as if the process were killed.
    pub async fn run(self) {
        self.run_until(std::future::pending()).await;
    }

    /// Runs calls until `stop` completes, for instance a signal to the process. Then it claims no more calls,
    /// unregisters, and finishes the running ones. If the bus is unavailable, it reconnects with increasing
    /// delays of up to five seconds.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        let (stopped, ends) = oneshot::channel::<()>();
        // In a task, since a thread that blocks on this future, as `main` does, would have to be woken for each call.
        let mut work = JoinSet::new();
        work.spawn(self.work_until(async { _ = ends.await }));
        let ended = tokio::select! {
            () = stop => {
                drop(stopped);
                work.join_next().await
            }
            ended = work.join_next() => ended,
        };
        if let Some(Err(error)) = ended
            && let Ok(panic) = error.try_into_panic()
        {
            std::panic::resume_unwind(panic);
        }
    }

    async fn work_until(self, stop: impl Future<Output = ()>) {
        let mut running = JoinSet::new();
        tokio::select! {
            () = stop => {}
            () = self.stay() => {}
            () = self.claim_all(&mut running) => {}
        }
        // If the bus is unavailable, the registration expires.
        _ = self.bus.announce(&self.pool, &self.name, false).await;
        while running.join_next().await.is_some() {}
    }

    /// Renews the registration.
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
            // The semaphore is never closed.
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
        let running = Running::new(&*self.bus, &claim, self.vault.clone(), self.clock.now());
        if let Some(finish) = running.run(&self.service).await {
            let mut backoff = Backoff::default();
            // The bus may become available while the lease is valid. A late outcome has no effect.
            while let Err(CallError::Unavailable(_) | CallError::Refused(_)) =
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

/// Returns a third of the lease.
fn renew_every(bus: &dyn CallBus) -> Duration {
    bus.lease().mul_f64(0.3)
}

/// Increasing delays between attempts.
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
