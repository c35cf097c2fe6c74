//! Many servers as one: [`Gateway`].
//!
//! `member` is one of the servers and the task that connects to it; `merged` makes one list of theirs and knows whose
//! each entry is; `filter` keeps from each caller what its scope does not admit; `pinning` holds back what is not as it was pinned; `provide` is the
//! [`Provider`](toolwright_server::Provider).

mod filter;
mod member;
mod merged;
mod pinning;
mod provide;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use tokio::time::timeout;
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientBuilder, ClientError};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::names::{ServerNameError, check_server};
use toolwright_core::prompt::Prompt;
use toolwright_server::auth::Access;
use toolwright_server::{Changes, Provider as _};

use filter::{ByScope, Owner, Sight};
use member::Member;
pub use member::UpstreamState;
use merged::Merged;
use pinning::Pinning;

use crate::pins::{Finding, PinMode, Pins};
pub(crate) use merged::server_of;

/// How many servers a gateway has at most.
pub const MAX_SERVERS: usize = 1_000;

/// Many servers of any kind and revision as one [`Provider`](toolwright_server::Provider).
///
/// Tools and prompts are called `{server}__{name}`, or a shorter name where that has more than 64 characters
/// ([`toolwright_core::names`]); resources keep their addresses, and where two servers have the same one, it is that of
/// the server that comes first. What is passed on, [`Proxy`](crate::Proxy) says.
///
/// A server that cannot be reached does not keep the others from working: it is tried again, after 1 second at first and
/// 30 seconds at last, and clients are notified when its tools are there. One that is lost later keeps its place in the
/// lists; calls to it say so and start it again.
///
/// Clones are handles to the same gateway.
///
/// ```no_run
/// use toolwright_client::Client;
/// use toolwright_client::config::{HttpSpec, ServerSpec, StdioSpec};
/// use toolwright_gateway::Gateway;
/// use toolwright_server::Server;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let servers = [
///     ServerSpec::new("files", StdioSpec::new("files-server")),
///     ServerSpec::new("web", HttpSpec::new("https://example.com/mcp")),
/// ];
/// let gateway = Gateway::connect(servers, |_| Client::builder()).await?;
/// let service = Server::new(()).provider(gateway).build()?;
/// # drop(service);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

type Build = Arc<dyn Fn(&ServerSpec) -> ClientBuilder + Send + Sync>;

/// What the handles share.
struct Shared {
    members: RwLock<Arc<[Arc<Member>]>>,
    tools: Merged<ToolDefinition>,
    prompts: Merged<Prompt>,
    pinning: Pinning,
    /// Whether callers see what their scopes admit only.
    goes_by_scope: AtomicBool,
    owner: Owner,
    tools_by_scope: ByScope<ToolDefinition>,
    prompts_by_scope: ByScope<Prompt>,
    /// The servers in front, which are told of changes.
    told: Mutex<Vec<Changes>>,
    /// Which server a watched resource was found at.
    watched: Mutex<HashMap<String, String>>,
}

/// Why servers cannot stand behind a gateway.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// A name cannot prefix the names of tools.
    #[error("{0}; give the server another name")]
    Name(#[from] ServerNameError),
    /// Two servers have one name, capitals aside.
    #[error("two servers have the name `{0}`, capitals aside; rename one of them")]
    Twice(String),
    /// More than [`MAX_SERVERS`].
    #[error("{0} servers are too many, {MAX_SERVERS} are allowed; use several gateways")]
    TooMany(usize),
    /// A server that is `required` cannot be reached.
    #[error(transparent)]
    Required(ClientError),
}

/// What [`Gateway::apply`] has changed, by the names of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// New ones.
    pub added: Vec<String>,
    /// Those that are reached in another way than before.
    pub replaced: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

impl Applied {
    /// Whether everything stayed as it was.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty() && self.removed.is_empty()
    }
}

/// One of the servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpstreamStatus {
    /// Its name.
    pub name: String,
    /// How it stands with it.
    pub state: UpstreamState,
    /// Whether its circuit breaker is open: requests fail at once, since it has answered too few of them.
    pub is_circuit_open: bool,
    /// What pins say about its tools, if there are pins.
    pub findings: Vec<Finding>,
}

impl Gateway {
    /// How long [`Gateway::connect`] waits for servers that are not required: 1.5 seconds. Their tools come later then.
    pub const PATIENCE: Duration = Duration::from_millis(1_500);

    /// A gateway without servers.
    pub fn new() -> Self {
        Self::with_owner(Owner::default(), false)
    }

    /// A gateway for the servers of a run, which shows each agent of it what its scope admits.
    pub(crate) fn of_run(org: Option<String>, run: String) -> Self {
        Self::with_owner(Owner { org, run: Some(run) }, true)
    }

    fn with_owner(owner: Owner, goes_by_scope: bool) -> Self {
        Self(Arc::new(Shared {
            members: RwLock::new(Arc::default()),
            tools: Merged::default(),
            prompts: Merged::default(),
            pinning: Pinning::default(),
            goes_by_scope: AtomicBool::new(goes_by_scope),
            owner,
            tools_by_scope: ByScope::default(),
            prompts_by_scope: ByScope::default(),
            told: Mutex::default(),
            watched: Mutex::default(),
        }))
    }

    /// A gateway in front of these servers. `build` gives the settings of the client of each.
    ///
    /// Waits for the servers that are [`required`](ServerSpec::required), and at most [`Gateway::PATIENCE`] for the others.
    ///
    /// # Errors
    /// As [`Gateway::apply`], and [`GatewayError::Required`].
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub async fn connect(
        servers: impl IntoIterator<Item = ServerSpec>,
        build: impl Fn(&ServerSpec) -> ClientBuilder + Send + Sync + 'static,
    ) -> Result<Self, GatewayError> {
        let gateway = Self::new();
        gateway.apply(servers, build)?;
        let members = gateway.0.members();
        let others = async {
            for member in members.iter() {
                member.first_attempt().await;
            }
        };
        // Those that take longer are heard of when they are there.
        _ = timeout(Self::PATIENCE, others).await;
        for member in members.iter().filter(|member| member.spec().required) {
            if let Some(error) = member.first_attempt().await {
                return Err(GatewayError::Required(error));
            }
        }
        Ok(gateway)
    }

    /// Shows each caller what its [`Scope`](crate::Scope) admits, which the verifier of its token must have found: the name of a
    /// server is the node, and organization and run are none. A caller without a scope sees nothing, one that is
    /// [trusted](toolwright_server::auth::Access::Trusted) everything. To be said before a server is built with it.
    pub fn by_scope(self) -> Self {
        self.0.goes_by_scope.store(true, Ordering::Relaxed);
        self
    }

    /// Makes these the servers behind the gateway. Those whose specification is the same are not touched; the others are
    /// connected to in the background, and connections that are no longer wanted end when their calls have ended.
    ///
    /// # Errors
    /// [`GatewayError::Name`], [`GatewayError::Twice`] or [`GatewayError::TooMany`]; everything stays as it was then.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn apply(
        &self,
        servers: impl IntoIterator<Item = ServerSpec>,
        build: impl Fn(&ServerSpec) -> ClientBuilder + Send + Sync + 'static,
    ) -> Result<Applied, GatewayError> {
        let specs: Vec<_> = servers.into_iter().collect();
        if specs.len() > MAX_SERVERS {
            return Err(GatewayError::TooMany(specs.len()));
        }
        let mut taken = HashSet::new();
        for spec in &specs {
            check_server(&spec.name)?;
            if !taken.insert(spec.name.to_ascii_lowercase()) {
                return Err(GatewayError::Twice(spec.name.clone()));
            }
        }
        let build: Build = Arc::new(build);
        let mut applied = Applied::default();
        let left = {
            let mut members = self.0.members.write().unwrap_or_else(PoisonError::into_inner);
            let mut before: HashMap<_, _> =
                members.iter().map(|member| (member.name().to_owned(), Arc::clone(member))).collect();
            let mut left = Vec::new();
            let mut now = Vec::with_capacity(specs.len());
            for spec in specs {
                match before.remove(&spec.name) {
                    Some(same) if *same.spec() == spec => now.push(same),
                    former => {
                        let changed =
                            if former.is_some() { &mut applied.replaced } else { &mut applied.added };
                        changed.push(spec.name.clone());
                        left.extend(former);
                        let client: Client = build(&spec).relaying().lazy(spec.clone());
                        now.push(Arc::new(Member::start(spec, client, Arc::downgrade(&self.0))));
                    }
                }
            }
            applied.removed.extend(before.keys().cloned());
            applied.removed.sort();
            left.extend(before.into_values());
            *members = now.into();
            left
        };
        left.iter().for_each(Member::retire);
        let members = self.0.members();
        self.0.pinning.retain(|server| members.iter().any(|member| member.name() == server));
        if !left.is_empty() {
            self.0.tell_all();
        }
        Ok(applied)
    }

    /// Compares the tools of all servers with pins from now on, and calls `report` with each new finding, for every list that a
    /// server has. With [`PinMode::Block`], tools that are new or changed are neither listed nor callable; with
    /// [`PinMode::Off`], nothing is compared. Clients are notified. `report` must not block.
    ///
    /// Only tools are pinned, not prompts and resources.
    pub fn set_pins(&self, pins: Pins, mode: PinMode, report: impl Fn(&Finding) + Send + Sync + 'static) {
        self.0.pinning.set(pins, mode, Arc::new(report));
        self.0.tell_all();
    }

    /// The tools of each server that has been connected to, as the server lists them, whatever pins say.
    pub fn listed_tools(&self) -> Vec<(String, Arc<[ToolDefinition]>)> {
        let members = self.0.members();
        let listed = members.iter().filter_map(|member| {
            let tools = member.proxy()?.tools(&Access::Trusted);
            Some((member.name().to_owned(), tools))
        });
        listed.collect()
    }

    /// How it stands with each server, in the order in which they were given.
    pub fn status(&self) -> Vec<UpstreamStatus> {
        let members = self.0.members();
        let status = members.iter().map(|member| UpstreamStatus {
            name: member.name().to_owned(),
            state: member.state(),
            is_circuit_open: member.proxy().is_some_and(|proxy| proxy.is_circuit_open()),
            findings: self.0.pinning.findings(member.name()),
        });
        status.collect()
    }

    /// Ends all connections.
    pub async fn close(&self) {
        let members = std::mem::take(&mut *self.0.members.write().unwrap_or_else(PoisonError::into_inner));
        for member in members.iter() {
            member.close().await;
        }
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gateway").field(&self.status()).finish()
    }
}

impl Shared {
    fn members(&self) -> Arc<[Arc<Member>]> {
        Arc::clone(&self.members.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What a caller sees.
    fn sight<'a>(&'a self, caller: &'a Access) -> Sight<'a> {
        if self.goes_by_scope.load(Ordering::Relaxed) {
            Sight::by_scope(caller, &self.owner)
        } else {
            Sight::All
        }
    }

    fn told(&self) -> Vec<Changes> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells the servers in front that every list may be another.
    fn tell_all(&self) {
        for changes in self.told() {
            changes.tools();
            changes.prompts();
            changes.resources();
        }
    }
}
