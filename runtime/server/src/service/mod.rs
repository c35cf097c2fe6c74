//! A built server, which all of its connections share.

mod features;
mod nested;
#[cfg(feature = "skills")]
mod skills;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::{Implementation, meta, milliseconds};
use toolwright_core::resource::CacheScope;
use toolwright_core::revision::Revision;

use crate::auth::Access;
use crate::caller_lists::CallerLists;
use crate::error::{self, BuildError};
use crate::extensions::{Elsewhere, Extensions};
use crate::features::Features;
use crate::input_requests::StateKeys;
use crate::input_requests::request_state::Sealer;
use crate::json_rpc::{CacheHints, Form, ResultObject, ResultType};
use crate::limits::Limits;
use crate::middleware::Stack;
use crate::pagination::{ListSettings, PageBounds, View};
use crate::peer::Peer;
use crate::provider::{Change, Changes, DynProvider};
use crate::quotas::Quotas;
#[cfg(any(feature = "socket", feature = "http"))]
use crate::quotas::{Caller, Received};
use crate::refresh_order::RefreshOrder;
use crate::subscriptions::{Changed, Watch};
use crate::tool::ToolEntry;
use crate::tool_table::{Denied, Listing, NameTaken, ToolTable};

/// A server that is ready to serve any number of transports at once. Cheap to clone.
///
/// It has the same name as the trait `tower::Service`, which it does not implement; `HttpService`, which can be mounted
/// in a tower stack, does. A file that uses both can import the trait with `use tower::Service as _`.
#[derive(Debug, Clone)]
pub struct Service(Arc<Shared>);

/// The state that the connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    info: Implementation,
    instructions: Option<String>,
    quotas: Arc<Quotas>,
    list_ttl: Duration,
    /// Tools of typed toolsets, which do not change.
    typed: Vec<Arc<ToolEntry>>,
    /// Providers, whose tools may change.
    providers: Vec<DynProvider>,
    /// Whether results of providers are validated against output schemas.
    checks_outputs: bool,
    /// All tools except those of providers that list per caller.
    table: RwLock<Arc<ToolTable>>,
    /// The tables with per-caller tools, if there are such providers.
    caller_tables: Option<CallerLists<ToolTable, ToolDefinition, ToolTable>>,
    refreshes: RefreshOrder,
    features: Features,
    sealer: Sealer,
    middleware: Stack,
    extensions: Extensions,
    /// Peers to notify of changes.
    listeners: Mutex<Vec<Weak<Peer>>>,
    /// The servers that this one is a provider of.
    parents: Mutex<Vec<Changes>>,
    /// What those servers have subscribed to.
    watched_by_parents: Mutex<HashMap<Box<str>, Vec<Watch>>>,
    server_meta: Box<RawValue>,
    /// The result of `server/discover` as JSON.
    discover: RwLock<Arc<[u8]>>,
}

/// The parts that a server is built from.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) list_ttl: Duration,
    pub(crate) typed: Vec<Arc<ToolEntry>>,
    pub(crate) providers: Vec<DynProvider>,
    pub(crate) checks_outputs: bool,
    pub(crate) features: Features,
    pub(crate) state_keys: Option<StateKeys>,
    pub(crate) middleware: Stack,
    pub(crate) extensions: Extensions,
}

impl Service {
    pub(crate) fn new(parts: Parts) -> Result<Self, BuildError> {
        let is_by_caller = |number: usize| parts.features.is_by_caller(number);
        let listings = listings(&parts.providers, &Access::Trusted, |number| !is_by_caller(number));
        let table = ToolTable::of(&parts.typed, &listings, parts.checks_outputs, NameTaken::Error, None)?;
        drop(listings);
        let has_caller_tables = (0..parts.providers.len()).any(is_by_caller);
        let max_caller_lists = parts.limits.max_caller_lists;
        let server_info = parts.info.clone().for_revision(Revision::NEWEST);
        let meta = json!({meta::SERVER_INFO: server_info});
        let server_meta = to_raw_value(&meta).unwrap_or_default();
        let shared = Arc::new(Shared {
            discover: RwLock::default(),
            server_meta,
            info: parts.info,
            instructions: parts.instructions,
            quotas: Arc::new(Quotas::new(parts.limits)),
            list_ttl: parts.list_ttl,
            typed: parts.typed,
            providers: parts.providers,
            checks_outputs: parts.checks_outputs,
            table: RwLock::new(Arc::new(table)),
            caller_tables: has_caller_tables.then(|| CallerLists::new(max_caller_lists)),
            parents: Mutex::default(),
            watched_by_parents: Mutex::default(),
            refreshes: RefreshOrder::default(),
            features: parts.features,
            sealer: Sealer::new(parts.state_keys),
            middleware: parts.middleware,
            extensions: parts.extensions,
            listeners: Mutex::default(),
        });
        shared.write_discover();
        for (number, provider) in shared.providers.iter().enumerate() {
            let server = Arc::downgrade(&shared);
            provider.0.attach(Changes::new(move |change| {
                if let Some(server) = server.upgrade() {
                    server.apply_change(number, change);
                }
            }));
        }
        Ok(Self(shared))
    }

    /// Reads the tools of all providers again, and notifies subscribed peers of changes. A tool whose definition
    /// clients cannot use is skipped and logged to standard error. Can be called concurrently: the lists of the call
    /// that began last win.
    ///
    /// Providers can do this themselves; see [`Changes`].
    ///
    /// # Errors
    /// [`BuildError::DuplicateTool`] if two tools have the same name; the previous list stays in effect.
    pub fn refresh_tools(&self) -> Result<(), BuildError> {
        self.0.refresh_tools(NameTaken::Error)
    }

    /// Returns the definitions of all tools, in the order of the list.
    pub fn tools(&self) -> Arc<[ToolDefinition]> {
        self.0.table_for(&Access::Trusted).definitions().cloned().collect()
    }

    /// Returns the server's name, version and title.
    pub fn info(&self) -> &Implementation {
        &self.0.info
    }

    /// Returns the limits in effect.
    pub fn limits(&self) -> &Limits {
        self.0.limits()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }
}

impl Shared {
    /// Reads the tools of the providers again.
    fn refresh_tools(&self, taken: NameTaken) -> Result<(), BuildError> {
        let refresh = self.refreshes.begin();
        let is_shared = |number| !self.features.is_by_caller(number);
        let listings = listings(&self.providers, &Access::Trusted, is_shared);
        let table = ToolTable::of(&self.typed, &listings, self.checks_outputs, taken, Some(&self.table()))?;
        let table = Arc::new(table);
        let newer = Arc::clone(&table);
        let older = {
            let mut current = self.table.write().unwrap_or_else(PoisonError::into_inner);
            if !self.refreshes.is_newest(refresh) {
                return Ok(());
            }
            std::mem::replace(&mut *current, table)
        };
        // Callers are not notified of tools that their list does not contain.
        self.notify_if(Changed::Tools, |access| older.change_shows(&newer, access));
        Ok(())
    }

    /// Notifies callers whose tools are different, after a provider has changed what it lists for some of them.
    fn refresh_callers(&self) {
        let Some(tables) = &self.caller_tables else { return };
        self.notify_if(Changed::Tools, |access| {
            let older = tables.last(access);
            let newer = self.table_for(access);
            older.is_none_or(|older| older.differs_for(&newer, access))
        });
    }

    /// The tools of a caller.
    pub(crate) fn table_for(&self, access: &Access) -> Arc<ToolTable> {
        let base = self.table();
        let Some(tables) = &self.caller_tables else { return base };
        let older = tables.last(access);
        let own = listings(&self.providers, access, |number| self.features.is_by_caller(number));
        let listed = own.iter().map(|listing| Arc::clone(&listing.tools)).collect();
        tables.get(access, &base, listed, |_| {
            let (given, older) = (base.list().entries(), older.as_deref());
            let table = ToolTable::of(given, &own, self.checks_outputs, NameTaken::Omit, older);
            // All names are unique.
            table.map_or_else(|_| Arc::clone(&base), |table| Arc::new(table.of_caller()))
        })
    }

    /// Applies a change that a provider reports.
    fn apply_change(&self, number: usize, change: Change<'_>) {
        match change {
            Change::Tools if self.features.is_by_caller(number) => self.refresh_callers(),
            Change::Tools => {
                // Tools whose names are taken are skipped, so this cannot fail.
                let _ = self.refresh_tools(NameTaken::Omit);
            }
            Change::Prompts if self.features.prompts().is_some() => {
                self.features.refresh_prompts(number);
                self.notify(Changed::Prompts);
            }
            Change::Resources if self.features.resources().is_some() => {
                self.features.refresh_resources(number);
                self.notify(Changed::Resources);
            }
            Change::Resource(uri) if self.features.resources().is_some() => {
                self.notify(Changed::Resource(uri));
            }
            Change::Capabilities => self.refresh_capabilities(number),
            // They are not declared to clients.
            Change::Prompts | Change::Resources | Change::Resource(_) => {}
        }
    }

    /// Declares the current capabilities of a provider, and notifies subscribers of the affected lists.
    fn refresh_capabilities(&self, number: usize) {
        let Some((older, newer)) = self.features.refresh_capabilities(number) else { return };
        self.write_discover();
        self.notify_parents_of_capabilities();
        if older.prompts != newer.prompts {
            self.notify(Changed::Prompts);
        }
        if older.resources != newer.resources || older.skills != newer.skills {
            self.notify(Changed::Resources);
        }
    }

    pub(crate) fn info(&self) -> &Implementation {
        &self.info
    }

    pub(crate) fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.quotas.limits()
    }

    /// The server's capabilities, in the form of the revision.
    pub(crate) fn capabilities(&self, revision: Revision) -> Value {
        capabilities(&self.features, &self.extensions, revision)
    }

    #[cfg(any(feature = "http", feature = "socket", feature = "tasks"))]
    pub(crate) fn callers(&self) -> &crate::quotas::Callers {
        self.quotas.callers()
    }

    /// The limits, and how much of them each caller uses.
    pub(crate) fn quotas(&self) -> &Arc<Quotas> {
        &self.quotas
    }

    /// Starts counting a message of a caller.
    #[cfg(any(feature = "socket", feature = "http"))]
    pub(crate) fn receive(&self, caller: &Caller) -> Received {
        self.quotas.receive(caller)
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    pub(crate) fn middleware(&self) -> &Stack {
        &self.middleware
    }

    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    #[cfg(feature = "skills")]
    pub(crate) fn list_ttl(&self) -> Duration {
        self.list_ttl
    }

    /// Records that the service is mounted in another server, whose shutdown is not observable: tasks then end with the
    /// service rather than with a transport.
    #[cfg(any(feature = "http", feature = "jsonrpsee"))]
    #[cfg_attr(
        not(all(feature = "tasks", any(feature = "stdio", feature = "socket", feature = "http"))),
        expect(clippy::unused_self, reason = "only tasks end with transports")
    )]
    pub(crate) fn serve_for_good(&self) {
        #[cfg(all(feature = "tasks", any(feature = "stdio", feature = "socket", feature = "http")))]
        if let Some(tasks) = &self.extensions.tasks {
            tasks.serve_for_good();
        }
    }

    #[cfg(any(feature = "skills", feature = "tasks"))]
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    pub(crate) fn server_meta(&self) -> &RawValue {
        &self.server_meta
    }

    /// The result of `server/discover` as JSON.
    pub(crate) fn discover_result(&self) -> Arc<[u8]> {
        Arc::clone(&self.discover.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Renders it from the current capabilities.
    fn write_discover(&self) {
        // With the lock held, so that of two concurrent changes the later one wins.
        let mut current = self.discover.write().unwrap_or_else(PoisonError::into_inner);
        let mut discover = json!({
            "supportedVersions": error::supported_versions(false),
            "capabilities": self.capabilities(Revision::NEWEST),
        });
        if let (Some(instructions), Some(discover)) = (&self.instructions, discover.as_object_mut()) {
            discover.insert("instructions".to_owned(), instructions.as_str().into());
        }
        let form = Form { revision: Revision::NEWEST, server_meta: &self.server_meta };
        let hints = CacheHints { ttl_ms: milliseconds(self.list_ttl), cache_scope: CacheScope::Public };
        let discover = ResultObject::new(ResultType::Complete, discover, &form).cached(hints, form.revision);
        *current = serde_json::to_vec(&discover).unwrap_or_default().into();
    }

    /// The same, limited to these revisions.
    pub(crate) fn discover_result_of(&self, versions: &[&str]) -> Value {
        let mut result: Value = serde_json::from_slice(&self.discover_result()).unwrap_or_default();
        result["supportedVersions"] = json!(versions);
        result
    }

    /// Returns a caller's tool by its current or former name, regardless of scopes.
    pub(crate) fn tool(&self, name: &str, access: &Access) -> Option<Arc<ToolEntry>> {
        if self.caller_tables.is_some() {
            return self.table_for(access).get(name).cloned();
        }
        self.table.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Returns a caller's tool if the caller may call it.
    pub(crate) fn tool_for(&self, name: &str, access: &Access) -> Result<Arc<ToolEntry>, Denied> {
        let entry = self.tool(name, access).ok_or(Denied::Unknown)?;
        if access.covers(&entry.scopes) {
            return Ok(entry);
        }
        match access {
            // The caller is told which scopes it lacks, since it can get another token.
            #[cfg(feature = "auth")]
            Access::Granted(_) => Err(Denied::Scopes(entry)),
            _ => Err(Denied::Unknown),
        }
    }

    /// If the caller lacks a scope of a tool, returns all of the tool's scopes. `once` are the scopes that it required
    /// earlier, in case it no longer exists.
    #[cfg(feature = "tasks")]
    pub(crate) fn missing_scopes(
        &self,
        tool: &str,
        once: Vec<String>,
        access: &Access,
    ) -> Option<Vec<String>> {
        let scopes = self.tool(tool, access).map_or(once, |entry| entry.scopes.to_vec());
        (!access.covers(&scopes)).then_some(scopes)
    }

    /// The same for the tool of the caller's task that runs here.
    #[cfg(all(feature = "tasks", feature = "auth"))]
    pub(crate) fn missing_scopes_for_task(&self, id: &str, access: &Access) -> Option<Vec<String>> {
        let live = self.extensions.tasks.as_ref()?.running_for(id, access.owner())?;
        let (tool, scopes) = live.called();
        self.missing_scopes(&tool, scopes, access)
    }

    /// The members of all list results besides the entries.
    pub(crate) fn list_settings(&self) -> ListSettings<'_> {
        ListSettings {
            page_size: self.limits().list_page_size.max(1),
            ttl_ms: milliseconds(self.list_ttl),
            kept: PageBounds {
                pages: self.limits().max_cached_pages,
                bytes: self.limits().max_cached_page_bytes,
            },
            server_meta: &self.server_meta,
        }
    }

    /// Notifies all subscribed peers.
    pub(crate) fn notify(&self, changed: Changed<'_>) {
        self.notify_if(changed, |_| true);
    }

    /// Notifies all subscribed peers that can see the change.
    pub(crate) fn notify_if(&self, changed: Changed<'_>, sees: impl Fn(&Access) -> bool) {
        for peer in self.listeners() {
            if sees(peer.access()) {
                peer.notify(changed, |uri| self.may_watch(uri, peer.access()));
            }
        }
        self.notify_parents(changed);
    }

    /// Whether a caller may be notified about a URI. Checked for each change, as for each read.
    pub(crate) fn may_watch(&self, uri: &str, access: &Access) -> bool {
        let view = View { context_path: None, access, rule: &self.features.rule };
        self.features.resources().is_some_and(|resources| resources.may_watch(uri, view))
    }

    /// Informs the providers that may have a resource of a subscription; `None` if there are none.
    pub(crate) fn begin_watch(&self, uri: &str, access: &Access) -> Option<Watch> {
        let resources = self.features.resources()?;
        self.may_watch(uri, access).then(|| resources.watch(uri, access)).flatten()
    }

    /// The scopes of everything that is offered.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> Vec<String> {
        let mut scopes: Vec<String> = self.table().scopes().cloned().collect();
        scopes.extend(self.features.scopes());
        scopes
    }

    /// Registers a peer for notifications of changes, for as long as it exists.
    pub(crate) fn add_listener(&self, peer: Weak<Peer>) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        // Pruned only before it would grow, so that the amortized cost does not depend on its size.
        if listeners.len() == listeners.capacity() {
            listeners.retain(|peer| peer.strong_count() > 0);
            let alive = listeners.len();
            listeners.reserve(alive + 1);
        }
        listeners.push(peer);
    }

    fn listeners(&self) -> Vec<Arc<Peer>> {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().filter_map(Weak::upgrade).collect()
    }

    pub(crate) fn table(&self) -> Arc<ToolTable> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The lists of the providers for a caller whose indices `is_asked` selects.
fn listings<'a>(
    providers: &'a [DynProvider],
    access: &Access,
    is_asked: impl Fn(usize) -> bool,
) -> Vec<Listing<'a>> {
    let asked = providers.iter().enumerate().filter(|(number, _)| is_asked(*number));
    asked.map(|(number, provider)| Listing { number, provider, tools: provider.0.tools(access) }).collect()
}

/// Tools and logging are always available, the rest depends on the server.
fn capabilities(features: &Features, extensions: &Extensions, revision: Revision) -> Value {
    let mut capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
    if features.prompts().is_some() {
        capabilities["prompts"] = json!({"listChanged": true});
    }
    if features.resources().is_some() {
        capabilities["resources"] = json!({"listChanged": true, "subscribe": true});
    }
    // 2024-11-05 has the method, but no capability for it (schema `ServerCapabilities`).
    if features.completes() && revision > Revision::ALL[0] {
        capabilities["completions"] = json!({});
    }
    let elsewhere = Elsewhere {
        skills: features.providers_of_skills().next().is_some(),
        tasks: features.has_tasks_elsewhere(),
    };
    if let Some(extensions) = extensions.capabilities(revision, elsewhere) {
        capabilities["extensions"] = extensions;
    }
    capabilities
}
