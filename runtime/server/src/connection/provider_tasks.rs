//! Tasks of providers, which exist elsewhere, for example at a server behind this one (SEP-2663).
//!
//! Nothing is stored about them here. The id that a client gets is the provider's id together with the provider and the
//! tool, sealed with the server's state keys and bound to the caller. So there is no state to bound or to lose: with
//! [`StateKeys`](crate::StateKeys), ids stay valid after a restart and in every instance of the server, and the id of
//! another caller cannot be told from one that does not exist. A store of tasks of its own that forwards each call and
//! polls would have had to hold every result, and would have lost running tasks with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::AbortHandle;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::error::INVALID_PARAMS;
use toolwright_core::protocol::{ErrorObject, Task, TaskStatus, method};
use toolwright_core::revision::Revision;

use super::calls::{Answering, ToolCall};
use super::input_requests::Origin;
use super::tasks::answers_of;
use super::{Connection, Dispatched, Request};
use crate::auth::Access;
use crate::context::Context;
use crate::error;
use crate::json_rpc::{Form, ResultType};
use crate::peer::Peer;
use crate::provider::{DynProvider, RawResult, TaskAction, TaskRequest};
use crate::reply::Reply;
use crate::service::Shared;
use crate::subscriptions::{Changed, Watch};

/// Maximum size of a provider's task id with the names that belong to it, in bytes. Clients repeat the id in a header.
const MAX_ID_BYTES: usize = 2 << 10;
/// Maximum number of tasks of providers per subscription; further ones are not acknowledged.
const MAX_FOLLOWED: usize = 64;
/// The interval between requests for the state of a followed task, unless it specifies one.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The limits of that interval.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(100);
const MAX_POLL_INTERVAL: Duration = Duration::from_mins(1);

/// What the id of a provider's task consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ProviderTask {
    /// The index of the provider.
    provider: usize,
    /// The name of the called tool.
    tool: String,
    /// The scopes that the tool required when it was called.
    scopes: Vec<String>,
    /// The provider's id.
    id: String,
}

impl Connection {
    /// Converts a provider's task into the reply to the call, with an id for its caller.
    pub(super) fn created(&self, call: &ToolCall, mut task: Task) -> Reply {
        let Some(provider) = call.entry().provider else {
            return error::internal("the tool cannot return a task").into();
        };
        let parts = ProviderTask {
            provider,
            tool: call.entry().definition.name.clone(),
            scopes: call.entry().scopes.to_vec(),
            id: std::mem::take(&mut task.task_id),
        };
        let text = serde_json::to_vec(&parts).unwrap_or_default();
        if text.len() > MAX_ID_BYTES {
            return error::internal("the id of the task is too long to be forwarded").into();
        }
        match self.service.sealer().seal_bytes(&text, &self.task_binding()) {
            Some(sealed) => {
                task.task_id = sealed;
                Reply::ProviderTask(ResultType::Task, Box::new(task))
            }
            None => {
                error::internal("the system's random number generator failed, so the task has no id").into()
            }
        }
    }

    /// What ids are bound to: their caller. Shorter than the binding of `requestState`, so neither passes for the other.
    fn task_binding(&self) -> Vec<u8> {
        json!(["task", self.access().owner()]).to_string().into_bytes()
    }

    /// Opens the id of a provider's task; `None` if it is none of this caller's.
    pub(super) fn provider_task(&self, id: &str) -> Option<ProviderTask> {
        if !self.service.features().has_tasks_elsewhere() {
            return None;
        }
        let text = self.service.sealer().open_bytes(id, &self.task_binding())?;
        serde_json::from_slice(&text).ok()
    }

    /// Answers a method of tasks about a provider's task.
    pub(super) fn provider_task_request(
        &self,
        request: &Request<'_>,
        sealed: &str,
        parts: ProviderTask,
    ) -> Result<Dispatched, ErrorObject> {
        let action = match request.method {
            method::TASKS_GET => Action::Get,
            method::TASKS_UPDATE => Action::Update(answers_of(request.params)?),
            method::TASKS_CANCEL => Action::Cancel,
            other => return Err(error::method_not_found(other)),
        };
        let provider = self.admitted(sealed, &parts)?;
        self.admit(request.id)?;
        let cx = self.context_of(request, None)?;
        let found = Found { sealed: sealed.to_owned(), parts, service: Arc::clone(&self.service) };
        let (call, context) = (found.clone(), cx.clone());
        let code: BoxFuture<'static, _> = Box::pin(async move {
            let Found { parts: ProviderTask { tool, id, .. }, .. } = &found;
            provider.0.task(TaskRequest::new(id, tool, action.borrowed()), &context).await
        });
        self.drive(request.id, code, cx, call, None)
    }

    /// Returns the provider of a task whose tool the caller may still call.
    fn admitted(&self, sealed: &str, parts: &ProviderTask) -> Result<DynProvider, ErrorObject> {
        let ProviderTask { provider, tool, scopes, .. } = parts;
        match self.service.missing_scopes(tool, scopes.clone(), self.access()) {
            None => {}
            #[cfg(feature = "auth")]
            Some(scopes) if !self.access().is_anonymous() => return Err(error::insufficient_scope(&scopes)),
            Some(_) => return Err(error::unknown("task", sealed)),
        }
        let provider = self.service.features().provider_of_tasks(*provider).cloned();
        provider.ok_or_else(|| error::unknown("task", sealed))
    }

    /// Follows the tasks of providers among these ids for a subscription, and removes those that it does not follow.
    /// Providers need no notifications for that: each task is requested at its own interval.
    pub(super) fn follow_tasks(
        &self,
        request: &Request<'_>,
        ids: &mut BTreeSet<String>,
    ) -> Result<Vec<Watch>, ErrorObject> {
        let mut watches: Vec<Watch> = Vec::new();
        let cx = self.context_of(request, None)?;
        for sealed in std::mem::take(ids) {
            if self.listens_to_task(&sealed) {
                ids.insert(sealed);
                continue;
            }
            let Some(parts) = self.provider_task(&sealed) else { continue };
            let Ok(provider) = self.admitted(&sealed, &parts) else { continue };
            if watches.len() >= MAX_FOLLOWED {
                continue;
            }
            ids.insert(sealed.clone());
            let found = Found { sealed, parts, service: Arc::clone(&self.service) };
            let peer = Arc::downgrade(&self.peer);
            let following = tokio::spawn(found.follow(provider, cx.clone(), peer));
            watches.push(Box::new(Following(following.abort_handle())));
        }
        Ok(watches)
    }
}

/// What a client requests.
enum Action {
    Get,
    Update(BTreeMap<String, Box<RawValue>>),
    Cancel,
}

impl Action {
    fn borrowed(&self) -> TaskAction<'_> {
        match self {
            Self::Get => TaskAction::Get,
            Self::Update(responses) => TaskAction::Update(responses),
            Self::Cancel => TaskAction::Cancel,
        }
    }
}

/// A task of a provider, by the id that its client knows.
#[derive(Clone)]
struct Found {
    sealed: String,
    parts: ProviderTask,
    service: Arc<Shared>,
}

impl Found {
    /// The task as its client sees it: with the client's id, and with a result that is checked as that of a call.
    fn shown(&self, mut task: Task, access: &Access) -> Task {
        task.task_id.clone_from(&self.sealed);
        let Some(result) = task.result.take_if(|_| task.status == TaskStatus::Completed) else { return task };
        let form = Form { revision: Revision::NEWEST, server_meta: self.service.server_meta() };
        let raw = RawResult::new(form.revision, result);
        let reply = match self.service.tool(&self.parts.tool, access) {
            Some(entry) => {
                let outcome = entry.run.check_later(raw);
                ToolCall::of(entry).reply_to(outcome, form.revision)
            }
            None => Reply::Raw(raw, None),
        };
        match reply.into_result(&form) {
            Ok(result) => task.result = Some(result),
            Err(error) => (task.status, task.error) = (TaskStatus::Failed, Some(error)),
        }
        task
    }

    /// Sends the state of the task to a subscription, now and whenever it has changed, until it has ended.
    async fn follow(self, provider: DynProvider, cx: Context, peer: Weak<Peer>) {
        let Self { parts: ProviderTask { tool, id, .. }, .. } = &self;
        let mut last = String::new();
        while peer.strong_count() > 0 {
            let found = provider.0.task(TaskRequest::new(id, tool, TaskAction::Get), &cx).await;
            let mut interval = POLL_INTERVAL;
            match found {
                Ok(Some(task)) => {
                    interval = task.interval().unwrap_or(interval);
                    let has_ended = task.status.has_ended();
                    let task = self.shown(task, cx.access());
                    let state = serde_json::to_string(&task).unwrap_or_default();
                    let Some(peer) = peer.upgrade() else { return };
                    if state != last {
                        peer.subscriptions().notify(Changed::ProviderTask(&task), &peer.outbox);
                        last = state;
                    }
                    if has_ended {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) if error.code == INVALID_PARAMS => return,
                // It may be available again later.
                Err(_) => {}
            }
            tokio::time::sleep(interval.clamp(MIN_POLL_INTERVAL, MAX_POLL_INTERVAL)).await;
        }
    }
}

impl Answering for Found {
    type Done = Result<Option<Task>, ErrorObject>;

    const WHAT: &'static str = "the provider of the task";

    fn name(&self) -> &str {
        &self.sealed
    }

    fn timed_out(&self, text: String) -> Self::Done {
        Err(error::internal(&text))
    }

    fn reply(
        self,
        _connection: &Connection,
        done: Self::Done,
        cx: &Context,
        _origin: Option<&Origin<'_>>,
    ) -> Reply {
        match done {
            Ok(Some(task)) => {
                Reply::ProviderTask(ResultType::Complete, Box::new(self.shown(task, cx.access())))
            }
            Ok(None) => Reply::Done,
            Err(error) if error.code == INVALID_PARAMS => error::unknown("task", &self.sealed).into(),
            Err(error) => error.into(),
        }
    }
}

/// Follows a task until this is dropped.
struct Following(AbortHandle);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Following")
    }
}
