//! What the server behind lists, kept and followed.

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

use crate::proxy::Upstream;

/// The first pause before the server behind is asked again after a failure; it doubles up to [`MAX_PAUSE`].
const PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How long changes are gathered before a list is read.
const GATHERED: Duration = Duration::from_millis(50);
/// How long the server behind may take to say that it will tell of changes before the lists are read without that.
const AGREEMENT: Duration = Duration::from_secs(5);

/// The last lists that were read. A list that cannot be read stays as it was.
#[derive(Debug, Default)]
pub(crate) struct Lists(RwLock<Kept>);

#[derive(Debug, Default, Clone)]
struct Kept {
    tools: Arc<[ToolDefinition]>,
    prompts: Arc<[Prompt]>,
    resources: Arc<[Resource]>,
    templates: Arc<[ResourceTemplate]>,
}

/// Which lists are to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stale {
    tools: bool,
    prompts: bool,
    resources: bool,
}

impl Lists {
    fn kept(&self) -> Kept {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, keep: impl FnOnce(&mut Kept)) {
        keep(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn tools(&self) -> Arc<[ToolDefinition]> {
        self.kept().tools
    }

    pub(crate) fn prompts(&self) -> Arc<[Prompt]> {
        self.kept().prompts
    }

    pub(crate) fn resources(&self) -> Arc<[Resource]> {
        self.kept().resources
    }

    pub(crate) fn templates(&self) -> Arc<[ResourceTemplate]> {
        self.kept().templates
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

    /// Has a server of 2025-11-25 or before send log messages of every level: each caller gets those that it wants.
    pub(crate) async fn ask_for_logs(&self) {
        if self.info.revision.has_handshake() && self.info.has("logging") {
            // One that cannot do that sends what it likes.
            _ = self.client.request(method::LOGGING_SET_LEVEL, json!({"level": "debug"})).await;
        }
    }

    /// Reads the lists that are stale, and marks each that was read as fresh.
    async fn read_lists(&self, stale: &mut Stale) -> Result<(), ClientError> {
        if stale.tools {
            let tools = self.client.list_tools().await?;
            let tools: Vec<_> = tools.iter().map(|tool| without_tasks(tool.definition())).collect();
            self.lists.keep(|kept| kept.tools = tools.into());
            stale.tools = false;
            self.tell(toolwright_server::Changes::tools);
        }
        if stale.prompts {
            let prompts: Vec<Prompt> = self.read(ListKind::Prompts).await?;
            self.lists.keep(|kept| kept.prompts = prompts.into());
            stale.prompts = false;
            self.tell(toolwright_server::Changes::prompts);
        }
        if stale.resources {
            let resources: Vec<Resource> = self.read(ListKind::Resources).await?;
            let templates: Vec<ResourceTemplate> = self.read(ListKind::ResourceTemplates).await?;
            self.lists.keep(|kept| (kept.resources, kept.templates) = (resources.into(), templates.into()));
            stale.resources = false;
            self.tell(toolwright_server::Changes::resources);
        }
        Ok(())
    }

    /// A list without the entries that cannot be read. A server may have resources and no list of templates.
    async fn read<T: DeserializeOwned>(&self, kind: ListKind) -> Result<Vec<T>, ClientError> {
        match self.client.entries(kind).await {
            Ok(entries) => {
                Ok(entries.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()).collect())
            }
            Err(error) if error.rpc().is_some_and(|rpc| rpc.code == METHOD_NOT_FOUND) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// The changes of lists that the server behind tells of; none if it tells of none.
    fn changes(&self) -> Option<toolwright_client::Changes> {
        let tells = |kind: &str| {
            let capability = self.info.capabilities.get(kind);
            capability.and_then(|capability| capability.get("listChanged")).is_some_and(|tells| tells == true)
        };
        let mut changes = toolwright_client::Changes::new();
        // A connection that was lost is a change as well, and a legacy server need not be asked for it.
        let mut is_any = self.info.revision.has_handshake();
        if tells("tools") {
            (changes, is_any) = (changes.tools(), true);
        }
        if tells("prompts") {
            (changes, is_any) = (changes.prompts(), true);
        }
        if tells("resources") {
            (changes, is_any) = (changes.resources(), true);
        }
        is_any.then_some(changes)
    }
}

/// Follows the lists until the task is aborted. Returns when the server behind has agreed to tell of changes, or does not.
pub(crate) async fn follow(upstream: Arc<Upstream>) -> Option<JoinHandle<()>> {
    let changes = upstream.changes()?;
    let (agreed, agreement) = oneshot::channel();
    let task = tokio::spawn(async move {
        let (mut agreed, mut pause) = (Some(agreed), PAUSE);
        loop {
            match upstream.client.subscribe(changes.clone()).await {
                Ok(subscription) => {
                    let is_again = agreed.take().is_none_or(|agreed| agreed.send(()).is_err());
                    let stale = if is_again { Stale::ALL } else { Stale::default() };
                    follow_one(&upstream, subscription, stale).await;
                    pause = PAUSE;
                }
                // It does not do that.
                Err(error) if error.kind() == ErrorKind::Protocol => return,
                Err(_) => {}
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    });
    // Where it is late, the lists are read again when it comes.
    _ = timeout(AGREEMENT, agreement).await;
    Some(task)
}

/// Follows the lists until the server behind ends the subscription.
async fn follow_one(upstream: &Upstream, mut subscription: Subscription, mut stale: Stale) {
    let mut pause = PAUSE;
    loop {
        if stale == Stale::default() {
            match subscription.next().await {
                Some(change) => stale.note(&change),
                None => return,
            }
        }
        while let Ok(Some(change)) = timeout(GATHERED, subscription.next()).await {
            stale.note(&change);
        }
        if stale == Stale::ALL {
            // Perhaps it was started again.
            upstream.ask_for_logs().await;
        }
        if upstream.read_lists(&mut stale).await.is_ok() {
            pause = PAUSE;
        } else {
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}

/// A proxy waits for the results of calls: it makes no tasks of them.
fn without_tasks(mut definition: ToolDefinition) -> ToolDefinition {
    if let Some(Value::Object(execution)) = definition.other.get_mut("execution") {
        execution.shift_remove("taskSupport");
        if execution.is_empty() {
            definition.other.shift_remove("execution");
        }
    }
    definition
}
