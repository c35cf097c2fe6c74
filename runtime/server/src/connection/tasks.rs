//! Calls that become tasks, and the methods of tasks (SEP-2663), in the modern era only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio::sync::oneshot;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::result::ToolResult;
use toolwright_core::revision::Revision;
use toolwright_core::tool::TaskSupport;

use super::calls::{Answering, Ended, ToolCall, finish, panic_error};
use super::input_requests::{Origin, OwnedOrigin};
use super::request::LaterReply;
use super::{Connection, Dispatched, Request, required_string};
use crate::auth::Access;
use crate::clock;
use crate::context::{CallStart, Context, InputRoute};
use crate::error;
use crate::extensions::{TASKS, required};
use crate::input_requests::declared_extension;
use crate::json_rpc::{self, Form};
use crate::message::{Params, RequestId, RequestMeta};
use crate::panics::UserFuture;
use crate::provider::Outcome;
use crate::reply::Reply;
use crate::service::Shared;
use crate::subscriptions::Changed;
use crate::tasks::{Admitted, LiveTask, MaybeTask, NoTask, NotAdmitted, Task, TaskRegistry, TaskState};
use crate::tool::ToolEntry;

impl Connection {
    /// The task that a tool call may become; `None` for an ordinary call.
    pub(super) fn task_of(
        &self,
        entry: &ToolEntry,
        request: &Request<'_>,
    ) -> Result<Option<Admitted>, ErrorObject> {
        let has_tasks = request.revision.has_tasks();
        let Some(support) = entry.task else { return Ok(None) };
        let name = &entry.definition.name;
        let is_required = support == TaskSupport::Required;
        if !has_tasks || !declares_tasks(request.meta) {
            return match (is_required, has_tasks) {
                (false, _) => Ok(None),
                (true, true) => Err(undeclared(&format!("`{name}` runs as a task only"))),
                // Such a client's list does not include the tool either.
                (true, false) => Err(error::invalid_params(&format!(
                    "`{name}` runs as a task only, which needs revision 2026-07-28 and the extension `{TASKS}`"
                ))),
            };
        }
        // Its calls become tasks elsewhere.
        if entry.provider.is_some_and(|number| self.service.features().provider_of_tasks(number).is_some()) {
            return Ok(None);
        }
        let Some(tasks) = &self.service.extensions().tasks else {
            let built =
                "the server does not support tasks; its developer has to enable them with `Server::tasks`";
            return if is_required { Err(error::internal(built)) } else { Ok(None) };
        };
        let requests = (self.service.limits().max_input_requests, self.peer.room_for_answers());
        let tool = (name.as_str(), &*entry.scopes);
        let whose = (self.owner().map(str::to_owned), self.caller(), self.service.callers().overall());
        match tasks.admit(tool, whose, requests) {
            Ok(admitted) => Ok(Some(admitted)),
            // The tool can run without a task.
            Err(_) if !is_required => Ok(None),
            Err(NotAdmitted::TooMany(limit, whose)) => Err(error::internal(&format!(
                "too many tasks{whose} (the limit is {limit}); try again when some have completed or expired"
            ))),
            Err(NotAdmitted::NoId) => {
                Err(error::internal("the system's random number generator failed, so the task has no id"))
            }
        }
    }

    /// Whether a call may be answered with a task of the tool's provider.
    pub(super) fn accepts_task(&self, entry: &ToolEntry, request: &Request<'_>) -> bool {
        let has_tasks = |number| self.service.features().provider_of_tasks(number).is_some();
        entry.provider.is_some_and(has_tasks) && request.revision.has_tasks() && declares_tasks(request.meta)
    }

    /// The owner of tasks. Tasks of one owner are hidden from others.
    fn owner(&self) -> Option<&str> {
        self.access().owner()
    }

    /// Turns a call whose handler is waiting into a task, and returns the future of the reply with the task. If the
    /// store cannot keep the task, the call continues without one, unless the tool requires one.
    pub(super) fn go_on_as_task(
        &self,
        id: &RequestId<'_>,
        running: UserFuture<'static, Outcome>,
        cx: Context,
        call: ToolCall,
        origin: Option<Origin<'_>>,
        admitted: Admitted,
    ) -> LaterReply {
        let id = id.clone().into_owned();
        let origin = origin.map(Origin::into_owned);
        let server_meta = self.service.server_meta().to_owned();
        let (service, connection) = (Arc::downgrade(&self.service), self.myself.clone());
        let until = clock::after(Instant::now(), self.service.limits().call_timeout);
        let (made, answer) = oneshot::channel();
        tokio::spawn(crate::tasks::make(admitted, made));
        Box::pin(async move {
            match answer.await {
                Ok(Ok(unstarted)) => {
                    let (admitted, task) = unstarted.start()?;
                    let (live, timeout) = (Arc::clone(&admitted.live), admitted.timeout());
                    let work = async move { work(running, &cx, &live, call, timeout, &server_meta).await };
                    // SEP-2663 "Task Status Notifications".
                    let notify = move |task: &Task| {
                        if let Some(service) = service.upgrade() {
                            service.notify(Changed::Task(task));
                        }
                    };
                    tokio::spawn(crate::tasks::run(admitted, notify, work));
                    Some(Reply::TaskCreated(Box::new(task)))
                }
                Ok(Err(_)) if !call.must_be_task() => {
                    let connection = connection.upgrade()?;
                    cx.end_by(until);
                    let origin = origin.as_ref().map(OwnedOrigin::borrowed);
                    connection.go_on(&id, running, cx, call, origin).await
                }
                Ok(Err(error)) => Some(error.to_rpc("the task cannot be stored").into()),
                Err(_) => Some(error::internal("the task could not be created").into()),
            }
        })
    }

    /// Answers a method of tasks.
    pub(super) fn task_request(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let Request { id, method, params, meta, .. } = *request;
        let tasks = self.service.extensions().tasks.as_ref();
        if tasks.is_none() && !self.service.features().has_tasks_elsewhere() {
            return Err(error::method_not_found(method));
        }
        if !declares_tasks(meta) {
            return Err(undeclared(&format!("`{method}` belongs to the tasks extension")));
        }
        let task_id = required_string(params.task_id, "taskId")?;
        if let Some(elsewhere) = self.provider_task(&task_id) {
            return self.provider_task_request(request, &task_id, elsewhere);
        }
        let Some(tasks) = tasks else { return Err(error::unknown("task", &task_id)) };
        let asker = TaskAsker { service: Arc::clone(&self.service), access: self.access().clone() };
        let running = tasks.running_for(&task_id, asker.owner());
        if let Some(live) = &running {
            let (tool, scopes) = live.called();
            asker.check(&tool, scopes).map_err(|denied| TaskRequest::refusal(&task_id, &denied))?;
        }
        let tasks = Arc::clone(tasks);
        let call = TaskRequest(task_id.clone().into_owned());
        let task_id = task_id.into_owned();
        let code: BoxFuture<'static, TaskFound> = match (method, running) {
            (method::TASKS_GET, Some(live)) => {
                return Ok(Reply::Task(Box::new(live.snapshot())).into());
            }
            (method::TASKS_GET, None) => {
                Box::pin(async move { asker.find(&tasks, &task_id).await.map(Some) })
            }
            (method::TASKS_UPDATE, Some(live)) => {
                let answers = answers_of(params)?;
                live.answer(&answers).map_err(|no_room| error::internal(&no_room.to_string()))?;
                return Ok(Reply::Done.into());
            }
            (method::TASKS_UPDATE, None) => {
                answers_of(params)?;
                Box::pin(async move {
                    let task = asker.find(&tasks, &task_id).await?;
                    // Responses to a completed task are ignored.
                    if task.state.has_ended() { Ok(None) } else { Err(NoTask::Elsewhere) }
                })
            }
            (method::TASKS_CANCEL, Some(live)) => {
                live.cancel();
                return Ok(Reply::Done.into());
            }
            (method::TASKS_CANCEL, None) => Box::pin(async move {
                let task = asker.find(&tasks, &task_id).await?;
                tasks.cancel_stored(task).await.map(|()| None)
            }),
            _ => return Err(error::method_not_found(method)),
        };
        self.admit(id)?;
        let cx = self.context_of(request, None)?;
        self.drive(id, code, cx, call, None)
    }

    /// Whether a subscription can follow this task: it runs here, belongs to the caller, and the caller may call its
    /// tool.
    pub(super) fn listens_to_task(&self, task_id: &str) -> bool {
        let tasks = self.service.extensions().tasks.as_ref();
        let live = tasks.and_then(|tasks| tasks.running_for(task_id, self.owner()));
        live.is_some_and(|live| {
            let (tool, scopes) = live.called();
            self.service.missing_scopes(&tool, scopes, self.access()).is_none()
        })
    }
}

/// Whether the client of a request supports tasks, which each request declares.
pub(super) fn declares_tasks(meta: &RequestMeta<'_>) -> bool {
    meta.client_capabilities.is_some_and(|declared| declared_extension(declared, TASKS).is_some())
}

/// -32021 for a request that requires the extension.
pub(super) fn undeclared(what: &str) -> ErrorObject {
    let why = format!("{what}; declare the extension `{TASKS}` in the request's client capabilities");
    error::missing_capability(&why, &required(TASKS))
}

/// Adapts the start of a call that may become a task.
///
/// # Errors
/// The responses in the request exceed the limits of the call.
pub(super) fn with_task(start: CallStart, admitted: Option<&Admitted>) -> Result<CallStart, ErrorObject> {
    Ok(match (start.input_route, admitted) {
        (InputRoute::Passes(passes), Some(admitted)) => {
            let live = Arc::clone(&admitted.live);
            let (answers, bytes) = passes.size();
            live.take_room(answers, bytes).map_err(|no_room| error::internal(&no_room.to_string()))?;
            CallStart {
                input_route: InputRoute::Task(Box::new(MaybeTask { passes, live })),
                timeout: admitted.timeout(),
                ..start
            }
        }
        (input_route, _) => CallStart { input_route, ..start },
    })
}

/// Runs a handler to completion, and returns the outcome of the task: the response that the call would have had.
async fn work(
    mut running: UserFuture<'static, Outcome>,
    cx: &Context,
    live: &LiveTask,
    call: ToolCall,
    timeout: Duration,
    server_meta: &RawValue,
) -> (TaskState, Option<String>) {
    let outcome = live.until_stopped(finish(&mut running, cx)).await;
    drop(running);
    let reply = match outcome {
        Some(Ended::Done(outcome)) => {
            cx.end();
            call.reply_to(outcome, Revision::NEWEST)
        }
        Some(Ended::TimedOut) => {
            cx.end();
            let text = format!(
                "`{}` did not finish within the {} s that a task may take, and was stopped; ask for less at a time",
                call.name(),
                timeout.as_secs_f64()
            );
            call.reply_to(ToolResult::error(text).into(), Revision::NEWEST)
        }
        Some(Ended::Panicked) => {
            cx.cancel();
            panic_error(ToolCall::WHAT).into()
        }
        // Whoever cancelled it has already set its outcome.
        Some(Ended::Cancelled) | None => {
            cx.cancel();
            return (TaskState::Cancelled, None);
        }
    };
    match reply.into_result(&Form { revision: Revision::NEWEST, server_meta }) {
        Ok(result) => (TaskState::Completed(result), None),
        Err(error) => (TaskState::Failed(json_rpc::raw_error(&error)), Some(error.message)),
    }
}

pub(super) fn answers_of(params: &Params<'_>) -> Result<BTreeMap<String, Box<RawValue>>, ErrorObject> {
    let responses = params.input_responses.filter(|responses| responses.get().starts_with('{'));
    responses.and_then(|responses| serde_json::from_str(responses.get()).ok()).ok_or_else(|| {
        error::invalid_params(
            "`inputResponses` must be an object that maps the key of each input request to its response",
        )
    })
}

/// The outcome of a task method: a task, or the acknowledgement.
type TaskFound = Result<Option<Task>, NoTask>;

/// The caller of a task method: the task's owner, with a token that suffices for the call as well (SEP-2663 "Security
/// Considerations"). A task may outlive the token that created it, and the next one may allow less.
struct TaskAsker {
    service: Arc<Shared>,
    access: Access,
}

impl TaskAsker {
    fn owner(&self) -> Option<&str> {
        self.access.owner()
    }

    /// Returns the task with this id, if the caller owns it and may call its tool.
    async fn find(&self, tasks: &TaskRegistry, id: &str) -> Result<Task, NoTask> {
        let task = tasks.find(id, self.owner()).await?;
        self.check(&task.tool, task.scopes.clone())?;
        Ok(task)
    }

    /// Whether the caller may call a tool that required `scopes` when the task was created.
    fn check(&self, tool: &str, scopes: Vec<String>) -> Result<(), NoTask> {
        match self.service.missing_scopes(tool, scopes, &self.access) {
            None => Ok(()),
            #[cfg(feature = "auth")]
            Some(scopes) if !self.access.is_anonymous() => Err(NoTask::Scopes(scopes)),
            Some(_) => Err(NoTask::Unknown),
        }
    }
}

/// A request for a task that does not run here.
struct TaskRequest(String);

impl TaskRequest {
    /// The error for a caller who cannot access the task with this id.
    fn refusal(id: &str, why: &NoTask) -> ErrorObject {
        match why {
            NoTask::Unknown => error::unknown("task", id),
            #[cfg(feature = "auth")]
            NoTask::Scopes(scopes) => error::insufficient_scope(scopes),
            NoTask::Store(error) => error.to_rpc("the task store failed"),
            NoTask::Elsewhere => error::internal(
                "the task runs in another process of the server; route requests by the header `Mcp-Name`",
            ),
        }
    }
}

impl Answering for TaskRequest {
    type Done = TaskFound;

    const WHAT: &'static str = "the task store";

    fn name(&self) -> &str {
        &self.0
    }

    fn timed_out(&self, text: String) -> TaskFound {
        Err(NoTask::timed_out(text))
    }

    fn reply(
        self,
        _connection: &Connection,
        found: TaskFound,
        _cx: &Context,
        _origin: Option<&Origin<'_>>,
    ) -> Reply {
        match found {
            Ok(Some(task)) => Reply::Task(Box::new(task)),
            // "an empty acknowledgement" (SEP-2663).
            Ok(None) => Reply::Done,
            Err(why) => Self::refusal(&self.0, &why).into(),
        }
    }
}
