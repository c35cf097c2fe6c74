//! The runs that this gateway serves, synchronized with the store.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval};
use tokio_util::sync::CancellationToken;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientBuilder};
use toolwright_server::{Changes, Provider as _};

use super::credentials::Vault;
use super::sessions::Sessions;
use super::store::{RegistryStore, RunChanged, RunState};
use super::view::{Launchers, View};
use crate::calls::CallBus;
use crate::gateway::Gateway;
use crate::secrets::{MasterKeys, SecretStore};
use crate::store::StoreError;
use toolwright_server::auth::Clock;

/// How long an unused run stays loaded: ten minutes. Then its servers are disconnected.
pub const IDLE: Duration = Duration::from_mins(10);
/// The interval of checks for ended and unused runs.
const SWEEP: Duration = Duration::from_secs(30);

type Build = dyn Fn(&ServerSpec) -> ClientBuilder + Send + Sync;

/// Serves the tools of runs as a provider: each caller sees those that its token grants.
///
/// Nodes are registered in a [`RegistryStore`], agents receive tokens ([`tokens`](crate::tokens)), and this
/// provider connects the two: [`Registry::verifier`] verifies the tokens of callers, and lists and calls follow
/// their [`Scope`](crate::Scope). A list is read from the store again when its revision has changed, so all
/// gateways with the same store show the same lists.
///
/// ```no_run
/// use toolwright_gateway::registry::{MemoryStore, Registry};
/// use toolwright_gateway::tokens::{KeyRing, SessionTokens};
/// use toolwright_server::auth::Protection;
/// use toolwright_server::{Http, HttpConfig, Server};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let address = "http://127.0.0.1:8080/mcp/gateway";
/// let registry = Registry::builder(MemoryStore::new()).start();
/// let tokens = SessionTokens::new(KeyRing::open("keys.json")?, address);
/// let protection = Protection::new(address, registry.verifier(tokens))?;
/// let service = Server::new(()).provider(registry).build()?;
/// let http = Http::bind("127.0.0.1:8080")?.path("/mcp/gateway").config(HttpConfig::new().protect(protection));
/// service.serve(http).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Registry(pub(super) Arc<Shared>);

/// Settings of a [`Registry`].
pub struct RegistryBuilder {
    store: Arc<dyn RegistryStore>,
    bus: Option<Arc<dyn CallBus>>,
    launchers: Launchers,
    build: Box<Build>,
    call_timeout: Duration,
    clock: Clock,
    vault: Option<Vault>,
}

pub(super) struct Shared {
    pub(super) store: Arc<dyn RegistryStore>,
    pub(super) bus: Option<Arc<dyn CallBus>>,
    pub(super) call_timeout: Duration,
    pub(super) clock: Clock,
    pub(super) launchers: Launchers,
    pub(super) vault: Option<Vault>,
    build: Arc<Build>,
    runs: Mutex<HashMap<String, Arc<LiveRun>>>,
    attached: Mutex<Vec<Changes>>,
    sessions: Mutex<Vec<Weak<Sessions>>>,
    following: OnceLock<AbortHandle>,
}

/// A run in use.
pub(super) struct LiveRun {
    run: String,
    view: RwLock<Arc<View>>,
    /// The servers of the run, created with the first one.
    gateway: OnceLock<Gateway>,
    used: Mutex<Instant>,
    /// Cancelled when the tokens of the epoch become invalid.
    revoked: Mutex<CancellationToken>,
}

impl RegistryBuilder {
    /// Sets the bus to the workers of `component` nodes. Without it, there are no workers.
    pub fn bus(mut self, bus: impl CallBus) -> Self {
        self.bus = Some(Arc::new(bus));
        self
    }

    /// The same with a shared bus.
    pub fn shared_bus(mut self, bus: Arc<dyn CallBus>) -> Self {
        self.bus = Some(bus);
        self
    }

    /// Adds a launcher, which lets `local` nodes start this program. There are none by default.
    pub fn launcher(mut self, name: impl Into<String>, program: StdioSpec) -> Self {
        self.launchers.insert(name.into(), program);
        self
    }

    /// Sets the client settings for the servers of nodes.
    pub fn clients(mut self, build: impl Fn(&ServerSpec) -> ClientBuilder + Send + Sync + 'static) -> Self {
        self.build = Box::new(build);
        self
    }

    /// Sets the maximum duration of worker calls, unless the caller requests less; default
    /// [`Registry::CALL_TIMEOUT`].
    pub fn call_timeout(mut self, time: Duration) -> Self {
        self.call_timeout = time;
        self
    }

    /// Sets the store for the credentials of nodes ([`Registry::register`]), with the keys that seal them and
    /// open those of the servers that the registry connects to. Without it, no credentials can be stored.
    pub fn credentials(mut self, store: Arc<dyn SecretStore>, keys: MasterKeys) -> Self {
        self.vault = Some(Vault { store, keys });
        self
    }

    /// Sets the clock, for tests.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Starts synchronizing with the store.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn start(self) -> Registry {
        let shared = Arc::new(Shared {
            store: self.store,
            bus: self.bus,
            call_timeout: self.call_timeout,
            clock: self.clock,
            launchers: self.launchers,
            vault: self.vault,
            build: self.build.into(),
            runs: Mutex::default(),
            attached: Mutex::default(),
            sessions: Mutex::default(),
            following: OnceLock::new(),
        });
        let following = tokio::spawn(follow(Arc::downgrade(&shared), shared.store.watch()));
        _ = shared.following.set(following.abort_handle());
        Registry(shared)
    }
}

impl Registry {
    /// The default maximum duration of worker calls: ten minutes.
    pub const CALL_TIMEOUT: Duration = Duration::from_mins(10);

    /// Creates a registry with a store.
    pub fn builder(store: impl RegistryStore) -> RegistryBuilder {
        Self::with_store(Arc::new(store))
    }

    /// Creates a registry with a shared store.
    pub fn with_store(store: Arc<dyn RegistryStore>) -> RegistryBuilder {
        RegistryBuilder {
            store,
            bus: None,
            launchers: Launchers::new(),
            build: Box::new(|_| Client::builder()),
            call_timeout: Self::CALL_TIMEOUT,
            clock: Clock::default(),
            vault: None,
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn RegistryStore> {
        &self.0.store
    }

    /// Returns the bus to the workers, if any.
    pub fn bus(&self) -> Option<&Arc<dyn CallBus>> {
        self.0.bus.as_ref()
    }

    /// Returns the number of runs in use.
    pub fn runs(&self) -> usize {
        self.0.runs().len()
    }

    /// Disconnects from the servers of all runs.
    pub async fn close(&self) {
        let runs = std::mem::take(&mut *self.0.runs());
        for run in runs.into_values() {
            run.close().await;
        }
    }
}

impl Shared {
    fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<LiveRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn attach(&self, changes: Changes) {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner).push(changes);
    }

    pub(super) fn add_sessions(&self, sessions: &Arc<Sessions>) {
        let mut known = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|sessions| sessions.strong_count() > 0);
        known.push(Arc::downgrade(sessions));
    }

    pub(super) fn sessions(&self) -> Vec<Arc<Sessions>> {
        let known = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter_map(Weak::upgrade).collect()
    }

    /// Notifies that the tools of some callers may have changed. The servers of runs notify about their own
    /// changes.
    fn notify(&self) {
        let attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner).clone();
        attached.iter().for_each(Changes::tools);
    }

    /// Returns the run with its tools, as of this state of the store or a later one.
    pub(super) async fn live(&self, run: &str, state: &RunState) -> Result<Arc<LiveRun>, StoreError> {
        let known = self.runs().get(run).cloned();
        if let Some(live) = known.filter(|live| live.is_at_least(state)) {
            *live.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            return Ok(live);
        }
        self.load(run).await?.ok_or_else(|| StoreError::NoRun(run.to_owned()))
    }

    /// Reads a run from the store; `None` if it does not exist, and then it is unloaded.
    async fn load(&self, run: &str) -> Result<Option<Arc<LiveRun>>, StoreError> {
        let Some(snapshot) = self.store.snapshot(run).await? else {
            if let Some(gone) = self.runs().remove(run) {
                gone.end();
                tokio::spawn(async move { gone.close().await });
            }
            return Ok(None);
        };
        let known = self.runs().get(run).cloned();
        let headers = self.open_headers(run, &snapshot).await?;
        let view =
            View::new(snapshot, &self.launchers, headers, known.as_ref().map(|live| live.view()).as_deref());
        let live = known.unwrap_or_else(|| {
            let live = Arc::new(LiveRun::new(run, Arc::new(View::new_empty(&view))));
            Arc::clone(self.runs().entry(run.to_owned()).or_insert(live))
        });
        if live.take_up(view) {
            self.follow_servers(&live);
            self.notify();
        }
        Ok(Some(live))
    }

    /// Connects to the servers of a run.
    fn follow_servers(&self, live: &Arc<LiveRun>) {
        let view = live.view();
        if view.servers.is_empty() && live.gateway.get().is_none() {
            return;
        }
        let gateway = live.gateway.get_or_init(|| {
            let gateway = Gateway::of_run(view.state.org.clone(), live.run.clone());
            for changes in self.attached.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                gateway.attach(changes.clone());
            }
            gateway
        });
        let build = Arc::clone(&self.build);
        // The names were validated with the entries, and a run has fewer nodes than the maximum number of
        // servers.
        let applied = gateway.apply(view.servers.iter().cloned(), move |spec| build(spec));
        debug_assert!(applied.is_ok(), "{applied:?}");
    }

    /// Synchronizes the runs with the store.
    async fn catch_up(&self, run: Option<&str>) {
        let runs: Vec<String> = match run {
            Some(run) if self.runs().contains_key(run) => vec![run.to_owned()],
            Some(_) => return,
            None => self.runs().keys().cloned().collect(),
        };
        for run in runs {
            let live = self.runs().get(&run).cloned();
            let is_current = match self.store.state(&run, None).await {
                Ok(Some(state)) => live.is_some_and(|live| live.is_at_least(&state)),
                Ok(None) => false,
                // The next caller receives the error.
                Err(_) => continue,
            };
            if !is_current {
                _ = self.load(&run).await;
                self.notify();
            }
        }
    }

    /// Unloads unused runs.
    fn sweep(&self) {
        let idle: Vec<_> = {
            let mut runs = self.runs();
            let is_idle = |live: &Arc<LiveRun>| {
                live.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > IDLE
            };
            let names: Vec<_> =
                runs.iter().filter(|(_, live)| is_idle(live)).map(|(name, _)| name.clone()).collect();
            names.iter().filter_map(|name| runs.remove(name)).collect()
        };
        for live in idle {
            tokio::spawn(async move { live.close().await });
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(following) = self.following.get() {
            following.abort();
        }
    }
}

/// Follows the store until the registry is dropped.
async fn follow(registry: Weak<Shared>, mut events: Receiver<RunChanged>) {
    let mut sweep = interval(SWEEP);
    loop {
        let run = tokio::select! {
            event = events.recv() => match event {
                Ok(event) => event.run,
                Err(RecvError::Lagged(_)) => None,
                Err(RecvError::Closed) => return,
            },
            _ = sweep.tick() => {
                let Some(registry) = registry.upgrade() else { return };
                registry.sweep();
                None
            }
        };
        let Some(registry) = registry.upgrade() else { return };
        registry.catch_up(run.as_deref()).await;
        registry.end_revoked_sessions(run.as_deref()).await;
    }
}

impl LiveRun {
    fn new(run: &str, view: Arc<View>) -> Self {
        Self {
            run: run.to_owned(),
            view: RwLock::new(view),
            gateway: OnceLock::new(),
            used: Mutex::new(Instant::now()),
            revoked: Mutex::default(),
        }
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the servers of the run, if any.
    pub(super) fn gateway(&self) -> Option<&Gateway> {
        self.gateway.get()
    }

    /// Returns the token that is cancelled when the current session tokens become invalid.
    pub(super) fn revoked(&self) -> CancellationToken {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_at_least(&self, state: &RunState) -> bool {
        let view = self.view();
        view.state.epoch == state.epoch
            && view.state.org == state.org
            && view.state.revision >= state.revision
    }

    /// Replaces the view, unless the current one is newer.
    fn take_up(&self, newer: View) -> bool {
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        let is_same_epoch = view.state.epoch == newer.state.epoch;
        if is_same_epoch && view.state.revision > newer.state.revision {
            return false;
        }
        *view = Arc::new(newer);
        drop(view);
        if !is_same_epoch {
            let revoked = std::mem::take(&mut *self.revoked.lock().unwrap_or_else(PoisonError::into_inner));
            revoked.cancel();
        }
        true
    }

    /// Removes all tools of the run.
    fn end(&self) {
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        *view = Arc::new(View::ended(&view));
        drop(view);
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    async fn close(&self) {
        if let Some(gateway) = self.gateway.get() {
            gateway.close().await;
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("runs", &self.runs()).finish_non_exhaustive()
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder").finish_non_exhaustive()
    }
}

impl fmt::Debug for LiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveRun").field("state", &self.view().state).finish_non_exhaustive()
    }
}
