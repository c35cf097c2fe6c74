//! Several servers as one: [`Gateway`].
//!
//! `member` is an upstream server with the task that connects to it; `merged` merges their lists and maps each
//! entry to its server; `filter` applies the scopes of callers; `pinning` quarantines tools that differ from
//! their pins; `provide` implements [`Provider`](toolwright_server::Provider).

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

use filter::{ByScope, Owner, Visibility};
use member::Member;
pub use member::UpstreamState;
use merged::{Merged, Naming};
use pinning::Pinning;

use crate::pins::{Finding, PinMode, Pins};
pub(crate) use merged::server_of;

/// Maximum number of servers of a gateway.
pub const MAX_SERVERS: usize = 1_000;

/// Serves several servers of any kind and revision as one [`Provider`](toolwright_server::Provider).
///
/// Tools and prompts are named `{server}__{name}`, or a shorter name if that exceeds 64 characters
/// ([`toolwright_core::names`]), unless there is only one server with [`plain_names`](Gateway::plain_names). Resources keep their URIs; if two servers have the same one, the first server
/// is used. See [`Proxy`](crate::Proxy) for what is forwarded.
///
/// A server that cannot be reached does not affect the others: the connection is retried after 1 to 30 seconds,
/// and clients are notified when its tools become available. A server that is lost later stays in the lists;
/// calls to it report this and restart it.
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

/// The state that the handles share.
struct Shared {
    members: RwLock<Arc<[Arc<Member>]>>,
    tools: Merged<ToolDefinition>,
    prompts: Merged<Prompt>,
    pinning: Pinning,
    /// Whether tools and prompts have no prefix, and a second server is rejected.
    has_plain_names: AtomicBool,
    /// Whether callers only see what their scopes admit.
    filters_by_scope: AtomicBool,
    owner: Owner,
    tools_by_scope: ByScope<ToolDefinition>,
    prompts_by_scope: ByScope<Prompt>,
    /// The servers that use this provider, which are notified of changes.
    listeners: Mutex<Vec<Changes>>,
    /// The server of each watched resource.
    watched: Mutex<HashMap<String, String>>,
}

/// Errors of the configuration of a gateway.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The name cannot be used as a prefix of tool names.
    #[error("{0}; give the server another name")]
    Name(#[from] ServerNameError),
    /// Two servers have the same name, ignoring case.
    #[error("two servers have the name `{0}`, ignoring case; rename one of them")]
    Duplicate(String),
    /// More than [`MAX_SERVERS`].
    #[error("{0} servers are too many, {MAX_SERVERS} are allowed; use several gateways")]
    TooMany(usize),
    /// Several servers, but [`Gateway::plain_names`] needs a single one.
    #[error(
        "{0} servers cannot have plain names, since their tools may have the same one; only a single server can"
    )]
    PlainNames(usize),
    /// A `required` server cannot be reached.
    #[error(transparent)]
    Required(ClientError),
}

/// The changes made by [`Gateway::apply`], as names of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Applied {
    /// Added servers.
    pub added: Vec<String>,
    /// Servers whose specification changed.
    pub replaced: Vec<String>,
    /// Removed servers.
    pub removed: Vec<String>,
}

impl Applied {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty() && self.removed.is_empty()
    }
}

/// The status of an upstream server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UpstreamStatus {
    /// Its name.
    pub name: String,
    /// Its connection state.
    pub state: UpstreamState,
    /// Whether its circuit breaker is open: requests fail immediately, since too few were answered.
    pub is_circuit_open: bool,
    /// The findings about its tools, if pins are used.
    pub findings: Vec<Finding>,
}

impl Gateway {
    /// How long [`Gateway::connect`] waits for servers that are not required: 1.5 seconds. Their tools may be
    /// added later.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);

    /// Creates a gateway without servers.
    pub fn new() -> Self {
        Self::with_owner(Owner::default(), false)
    }

    /// Creates a gateway for the servers of a run, which shows each agent what its scope admits.
    pub(crate) fn of_run(org: Option<String>, run: String) -> Self {
        Self::with_owner(Owner { org, run: Some(run) }, true)
    }

    fn with_owner(owner: Owner, filters_by_scope: bool) -> Self {
        Self(Arc::new(Shared {
            members: RwLock::new(Arc::default()),
            tools: Merged::default(),
            prompts: Merged::default(),
            pinning: Pinning::default(),
            has_plain_names: AtomicBool::new(false),
            filters_by_scope: AtomicBool::new(filters_by_scope),
            owner,
            tools_by_scope: ByScope::default(),
            prompts_by_scope: ByScope::default(),
            listeners: Mutex::default(),
            watched: Mutex::default(),
        }))
    }

    /// Creates a gateway for these servers. `build` returns the client settings for each.
    ///
    /// Waits for the [`required`](ServerSpec::required) servers, and at most [`Gateway::CONNECT_TIMEOUT`] for the
    /// others.
    ///
    /// # Errors
    /// Those of [`Gateway::apply`], and [`GatewayError::Required`].
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
        // The others are reported when they are connected.
        _ = timeout(Self::CONNECT_TIMEOUT, others).await;
        for member in members.iter().filter(|member| member.spec().required) {
            if let Some(error) = member.first_attempt().await {
                return Err(GatewayError::Required(error));
            }
        }
        Ok(gateway)
    }

    /// Shows each caller what its [`Scope`](crate::Scope) admits, which the token verifier must provide: the
    /// node is the name of a server, organization and run are `None`. A caller without a scope sees nothing, a
    /// [trusted](toolwright_server::auth::Access::Trusted) caller sees everything. Call it before building a
    /// server.
    pub fn by_scope(self) -> Self {
        self.0.filters_by_scope.store(true, Ordering::Relaxed);
        self
    }

    /// Keeps the names of tools and prompts as they are on the server, instead of `{server}__{name}`, so that the gateway can
    /// replace a server for existing callers. There must not be more than one server. Call it before building a server.
    ///
    /// ```no_run
    /// # use toolwright_client::Client;
    /// # use toolwright_client::config::{ServerSpec, StdioSpec};
    /// # use toolwright_gateway::Gateway;
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = ServerSpec::new("files", StdioSpec::new("files-server"));
    /// let gateway = Gateway::connect([server], |_| Client::builder()).await?.plain_names()?;
    /// # drop(gateway);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`GatewayError::PlainNames`] if there are several servers, also from each later [`Gateway::apply`].
    pub fn plain_names(self) -> Result<Self, GatewayError> {
        let count = self.0.members().len();
        if count > 1 {
            return Err(GatewayError::PlainNames(count));
        }
        self.0.has_plain_names.store(true, Ordering::Relaxed);
        Ok(self)
    }

    /// Returns the instructions of the only server if [names are plain](Gateway::plain_names) and it is connected, for
    /// [`Server::instructions`](toolwright_server::Server::instructions).
    pub fn instructions(&self) -> Option<String> {
        if self.0.naming() != Naming::Plain {
            return None;
        }
        let members = self.0.members();
        Some(members.first()?.proxy()?.instructions()?.to_owned())
    }

    /// Replaces the servers of the gateway. Servers with an unchanged specification are kept; the others are
    /// connected in the background, and connections of removed servers are closed when their calls have ended.
    ///
    /// # Errors
    /// [`GatewayError::Name`], [`GatewayError::Duplicate`], [`GatewayError::TooMany`] or [`GatewayError::PlainNames`];
    /// nothing is changed then.
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
        if specs.len() > 1 && self.0.naming() == Naming::Plain {
            return Err(GatewayError::PlainNames(specs.len()));
        }
        let mut taken = HashSet::new();
        for spec in &specs {
            check_server(&spec.name)?;
            if !taken.insert(spec.name.to_ascii_lowercase()) {
                return Err(GatewayError::Duplicate(spec.name.clone()));
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
                        let client: Client =
                            build(&spec).relay_input_requests().keep_trying().connect_lazy(spec.clone());
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
            self.0.notify_all();
        }
        Ok(applied)
    }

    /// Compares the tools of all servers with pins, and calls `report` with each new finding for every list that
    /// a server returns. With [`PinMode::Block`], new and changed tools are neither listed nor callable; with
    /// [`PinMode::Off`], nothing is compared. Clients are notified. `report` must not block.
    ///
    /// Only tools are pinned, not prompts and resources.
    pub fn set_pins(&self, pins: Pins, mode: PinMode, report: impl Fn(&Finding) + Send + Sync + 'static) {
        self.0.pinning.set(pins, mode, Arc::new(report));
        self.0.notify_all();
    }

    /// Returns the tools of each connected server, as listed by the server, regardless of pins.
    pub fn listed_tools(&self) -> Vec<(String, Arc<[ToolDefinition]>)> {
        let members = self.0.members();
        let listed = members.iter().filter_map(|member| {
            let tools = member.proxy()?.tools(&Access::Trusted);
            Some((member.name().to_owned(), tools))
        });
        listed.collect()
    }

    /// Returns the status of each server, in the order of the configuration.
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

    /// Closes all connections.
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

    fn naming(&self) -> Naming {
        if self.has_plain_names.load(Ordering::Relaxed) { Naming::Plain } else { Naming::Prefixed }
    }

    /// Returns the visibility of a caller.
    fn visibility<'a>(&'a self, caller: &'a Access) -> Visibility<'a> {
        if self.filters_by_scope.load(Ordering::Relaxed) {
            Visibility::by_scope(caller, &self.owner)
        } else {
            Visibility::All
        }
    }

    fn listeners(&self) -> Vec<Changes> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notifies the servers that use this provider that every list may have changed.
    fn notify_all(&self) {
        for changes in self.listeners() {
            // Skills are declared while a server has any.
            changes.capabilities();
            changes.tools();
            changes.prompts();
            changes.resources();
        }
    }
}
