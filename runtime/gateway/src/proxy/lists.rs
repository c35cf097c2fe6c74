//! The cached lists of the upstream server.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use toolwright_client::{Change, ClientError, ErrorKind, Subscription};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::Prompt;
use toolwright_core::protocol::error::METHOD_NOT_FOUND;
use toolwright_core::protocol::{ListKind, method};
use toolwright_core::resource::{Resource, ResourceTemplate};

use toolwright_server::ProvidedSkill;

use super::Upstream;
use crate::repeatable::is_repeatable;

/// The delay before the first retry after a failure; it doubles up to [`MAX_PAUSE`].
const PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How long changes are collected before a list is read.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// How long to wait for the upstream server to acknowledge the subscription before the lists are read without
/// it.
const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// The lists as last read. If reading fails, a list stays unchanged.
#[derive(Debug, Default)]
pub(crate) struct Lists(RwLock<CachedLists>);

#[derive(Debug, Default, Clone)]
struct CachedLists {
    tools: Arc<[ToolDefinition]>,
    prompts: Arc<[Prompt]>,
    resources: Arc<[Resource]>,
    templates: Arc<[ResourceTemplate]>,
    skills: Arc<[ProvidedSkill]>,
}

/// The lists to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stale {
    tools: bool,
    prompts: bool,
    resources: bool,
}

impl Lists {
    fn snapshot(&self) -> CachedLists {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn update(&self, update: impl FnOnce(&mut CachedLists)) {
        update(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns whether a tool is read-only or idempotent, as the server says.
    pub(super) fn is_repeatable(&self, tool: &str) -> bool {
        self.tools().iter().any(|known| known.name == tool && is_repeatable(known))
    }

    pub(crate) fn tools(&self) -> Arc<[ToolDefinition]> {
        self.snapshot().tools
    }

    pub(crate) fn prompts(&self) -> Arc<[Prompt]> {
        self.snapshot().prompts
    }

    pub(crate) fn resources(&self) -> Arc<[Resource]> {
        self.snapshot().resources
    }

    pub(crate) fn templates(&self) -> Arc<[ResourceTemplate]> {
        self.snapshot().templates
    }

    pub(crate) fn skills(&self) -> Arc<[ProvidedSkill]> {
        self.snapshot().skills
    }
}

impl Stale {
    const ALL: Self = Self { tools: true, prompts: true, resources: true };

    fn note(&mut self, change: &Change) {
        match change {
            Change::Tools => self.tools = true,
            Change::Prompts => self.prompts = true,
            Change::Resources => self.resources = true,
            Change::Missed => *self = Self::ALL,
            _ => {}
        }
    }
}

impl Upstream {
    pub(crate) async fn read_all_lists(&self) -> Result<(), ClientError> {
        let mut all = Stale::ALL;
        self.read_lists(&mut all).await
    }

    /// Requests log messages of all levels from a server of 2025-11-25 or earlier: each caller receives the
    /// levels that it requested.
    pub(crate) async fn request_all_logs(&self) {
        if self.info.revision.has_handshake() && self.info.has("logging") {
            // A server that does not support this sends any levels.
            _ = self.client.request(method::LOGGING_SET_LEVEL, json!({"level": "debug"})).await;
        }
    }

    /// Reads the stale lists, and marks each as fresh once it was read.
    async fn read_lists(&self, stale: &mut Stale) -> Result<(), ClientError> {
        if stale.tools {
            let tools = self.client.list_tools().await?;
            let tools: Vec<_> = tools.iter().map(|tool| without_tasks(tool.definition())).collect();
            self.lists.update(|snapshot| snapshot.tools = tools.into());
            stale.tools = false;
            self.notify(toolwright_server::Changes::tools);
        }
        if stale.prompts {
            let prompts: Vec<Prompt> = self.read(ListKind::Prompts).await?;
            self.lists.update(|snapshot| snapshot.prompts = prompts.into());
            stale.prompts = false;
            self.notify(toolwright_server::Changes::prompts);
        }
        if stale.resources {
            let resources: Vec<Resource> = self.read(ListKind::Resources).await?;
            let templates: Vec<ResourceTemplate> = self.read(ListKind::ResourceTemplates).await?;
            let skills = self.read_skills().await?;
            self.lists.update(|snapshot| {
                (snapshot.resources, snapshot.templates) = (resources.into(), templates.into());
                snapshot.skills = skills.into();
            });
            stale.resources = false;
            self.notify(toolwright_server::Changes::resources);
        }
        Ok(())
    }

    /// Returns a list without invalid entries. A server may have resources but no list of templates.
    async fn read<T: DeserializeOwned>(&self, kind: ListKind) -> Result<Vec<T>, ClientError> {
        match self.client.entries(kind).await {
            Ok(entries) => {
                Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
            }
            Err(error) if error.rpc().is_some_and(|rpc| rpc.code == METHOD_NOT_FOUND) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the skills, whose changes are those of resources (SEP-2640).
    async fn read_skills(&self) -> Result<Vec<ProvidedSkill>, ClientError> {
        match self.client.skill_entries().await {
            Ok(entries) => {
                let entries = entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok());
                Ok(entries.filter_map(ProvidedSkill::new).collect())
            }
            Err(error) if error.rpc().is_some_and(|rpc| rpc.code == METHOD_NOT_FOUND) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Returns the stream of list changes of the upstream server, if it supports any.
    fn changes(&self) -> Option<toolwright_client::Changes> {
        let notifies = |kind: &str| {
            let capability = self.info.capabilities.get(kind);
            capability.and_then(|capability| capability.get("listChanged")).is_some_and(|flag| flag == true)
        };
        let mut changes = toolwright_client::Changes::new();
        // A lost connection counts as a change, and needs no subscription on legacy servers.
        let mut is_any = self.info.revision.has_handshake();
        if notifies("tools") {
            (changes, is_any) = (changes.tools(), true);
        }
        if notifies("prompts") {
            (changes, is_any) = (changes.prompts(), true);
        }
        if notifies("resources") {
            (changes, is_any) = (changes.resources(), true);
        }
        is_any.then_some(changes)
    }
}

/// Updates the lists until the task is aborted. Returns when the upstream server has acknowledged or rejected
/// the subscription.
pub(crate) async fn follow(upstream: Arc<Upstream>) -> Option<JoinHandle<()>> {
    let changes = upstream.changes()?;
    let (acknowledged, acknowledgement) = oneshot::channel();
    let task = tokio::spawn(async move {
        let (mut acknowledged, mut pause) = (Some(acknowledged), PAUSE);
        loop {
            match upstream.client.subscribe(changes.clone()).await {
                Ok(subscription) => {
                    let is_again =
                        acknowledged.take().is_none_or(|acknowledged| acknowledged.send(()).is_err());
                    let stale = if is_again { Stale::ALL } else { Stale::default() };
                    follow_one(&upstream, subscription, stale).await;
                    pause = PAUSE;
                }
                // It does not support subscriptions.
                Err(error) if error.kind() == ErrorKind::Protocol => return,
                Err(_) => {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    });
    // If the acknowledgement is late, the lists are read again when it arrives.
    _ = timeout(ACKNOWLEDGEMENT_TIMEOUT, acknowledgement).await;
    Some(task)
}

/// Updates the lists until the upstream server ends the subscription.
async fn follow_one(upstream: &Upstream, mut subscription: Subscription, mut stale: Stale) {
    let mut pause = PAUSE;
    loop {
        if stale == Stale::default() {
            match subscription.next().await {
                Some(change) => stale.note(&change),
                None => return,
            }
        }
        while let Ok(Some(change)) = timeout(DEBOUNCE, subscription.next()).await {
            stale.note(&change);
        }
        if stale == Stale::ALL {
            // The server may have been restarted.
            upstream.request_all_logs().await;
        }
        if upstream.read_lists(&mut stale).await.is_ok() {
            pause = PAUSE;
        } else {
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

/// Tasks of 2025-11-25 are not forwarded.
fn without_tasks(mut definition: ToolDefinition) -> ToolDefinition {
    if let Some(Value::Object(execution)) = definition.other.get_mut("execution") {
        execution.shift_remove("taskSupport");
        if execution.is_empty() {
            definition.other.shift_remove("execution");
        }
    }
    definition
}
