//! The calls of one connection: starting, finishing and cancelling them.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use toolwright_core::future::boxed;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::meta;
use toolwright_core::protocol::method;
use toolwright_core::result::ToolResult;
use toolwright_core::revision::Revision;
#[cfg(feature = "tasks")]
use toolwright_core::tool::TaskSupport;

use super::call_table::CallTable;
use super::input_requests::{Origin, OwnedOrigin};
use super::request::LaterReply;
use super::{Connection, Dispatched, Request, arguments_of, optional_string, required_string};
use crate::buckets::{Limiter, too_many};
use crate::context::{CallStart, Context, IdText};
use crate::error;
use crate::input_requests::KnownRequest;
use crate::message::RequestId;
use crate::panics::{Panicked, UserFuture, catch};
use crate::provider::Outcome;
use crate::quotas::{TakenShare, What};
use crate::reply::Reply;
use crate::tool::{Started, ToolEntry};

/// The running calls, by request id.
#[derive(Debug, Default)]
pub(super) struct Calls {
    running: Mutex<CallTable<RunningCall>>,
    /// The number of entries, so that the common case of no calls takes no lock.
    count: AtomicUsize,
}

#[derive(Debug)]
struct RunningCall {
    cx: Context,
    /// The target: a tool, or a description of a prompt or resource.
    name: String,
    /// The call's share of its caller's limits.
    _taken: Option<TakenShare>,
}

impl Connection {
    /// Answers `tools/call`: immediately if the handler completes when first polled, otherwise later.
    pub(super) fn call_tool(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let Request { id, params, .. } = *request;
        let name = required_string(params.name, "name")?;
        let arguments = arguments_of(params)?;
        self.admit(id)?;
        let entry = match request.called {
            Some(Ok(entry)) => Arc::clone(entry),
            Some(Err(denied)) => return Err(denied.error(&name)),
            None => self.service.tool_for(&name, self.access()).map_err(|denied| denied.error(&name))?,
        };
        if let Some(refusal) = self.check_pace(&entry) {
            return Ok(Reply::Tool(entry, refusal).into());
        }
        let origin = Origin { method: method::TOOLS_CALL, target: &name, arguments };
        #[cfg(feature = "tasks")]
        let task = self.task_of(&entry, request)?;
        let start = self.call_start(request, Some(&origin))?;
        #[cfg(feature = "tasks")]
        let start = super::tasks::with_task(start, task.as_ref())?;
        #[cfg(feature = "tasks")]
        let start = CallStart { accepts_task: self.accepts_task(&entry, request), ..start };
        let cx = Context::start(start);
        let call = ToolCall {
            entry,
            #[cfg(feature = "tasks")]
            task,
        };
        let running = match catch(|| self.service.middleware().call_tool(&call.entry, arguments, &cx)) {
            Ok(Started::Ready(outcome)) => {
                return Ok(call.reply(self, outcome, &cx, Some(&origin)).into());
            }
            Ok(Started::Running(future)) => future,
            Err(Panicked) => return Err(panic_error(ToolCall::WHAT)),
        };
        let running = match call.entry.provider {
            Some(_) => UserFuture::only_when_woken(running),
            None => UserFuture::new(running),
        };
        self.drive(id, running, cx, call, Some(origin))
    }

    /// The result of a call that exceeds its caller's rate limit for the tool; `None` if it is within the limit
    /// (2026-07-28, server/tools "Security Considerations"). It is a result rather than a protocol error, since a model
    /// can act on it.
    fn check_pace(&self, entry: &ToolEntry) -> Option<ToolResult> {
        let rate = self.service.limits().tool_call_rate?;
        let name = &entry.definition.name;
        let wait = self.peer.pace(Limiter::SERVER, name, rate).err()?;
        Some(ToolResult::error(too_many(name, wait)))
    }

    /// Rejects a request whose id is in use, or that exceeds the limit.
    pub(super) fn admit(&self, id: &RequestId<'_>) -> Result<(), ErrorObject> {
        if self.is_running(id) {
            return Err(error::invalid_request("a request with this id is still running"));
        }
        let limit = self.service.limits().max_calls_in_flight;
        if self.calls.len() >= limit {
            return Err(error::internal(&format!(
                "{limit} calls are already running; try again when some have completed"
            )));
        }
        let own = self.service.limits().per_caller.max_calls_in_flight;
        if self.caller().is_full(What::Calls, own) {
            return Err(error::internal(&format!(
                "{own} calls of this caller are already running; try again when some have completed"
            )));
        }
        Ok(())
    }

    /// Polls a request's code once, and continues it in the background if it is pending.
    pub(super) fn drive<A: Answering>(
        &self,
        id: &RequestId<'_>,
        running: impl Into<UserFuture<'static, A::Done>>,
        cx: Context,
        call: A,
        origin: Option<Origin<'_>>,
    ) -> Result<Dispatched, ErrorObject> {
        let mut running = running.into();
        // Most handlers complete when first polled: then nothing is spawned, queued or woken.
        match Pin::new(&mut running).poll(&mut std::task::Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(done)) => {
                cx.end();
                cx.report(call.name());
                Ok(call.reply(self, done, &cx, origin.as_ref()).into())
            }
            Poll::Ready(Err(Panicked)) => {
                cx.end();
                Err(panic_error(A::WHAT))
            }
            Poll::Pending => match (cx.input_route().take_open_requests(None), origin) {
                (Some(requests), Some(origin)) => {
                    drop(running);
                    cx.cancel();
                    Ok(self.pause(&cx, &origin, requests, None).into())
                }
                (_, origin) => Ok(Dispatched::Later(call.go_on(self, id, running, cx, origin))),
            },
        }
    }

    pub(super) fn context_of(
        &self,
        request: &Request<'_>,
        origin: Option<&Origin<'_>>,
    ) -> Result<Context, ErrorObject> {
        self.call_start(request, origin).map(Context::start)
    }

    fn call_start(
        &self,
        request: &Request<'_>,
        origin: Option<&Origin<'_>>,
    ) -> Result<CallStart, ErrorObject> {
        let Request { id, params, meta, revision, log_level, .. } = *request;
        let token = meta.progress_token;
        if token.is_some_and(|token| RequestId::new(token).is_none()) {
            return Err(error::invalid_params("`progressToken` must be a string or an integer"));
        }
        let context_path = optional_string(meta.context_path, meta::CONTEXT_PATH)?;
        Ok(CallStart {
            peer: Arc::downgrade(&self.peer),
            revision,
            id: IdText::of(id),
            timeout: self.service.limits().call_timeout,
            progress_token: token.map(ToOwned::to_owned),
            log_level,
            meta: params.meta.map(ToOwned::to_owned),
            context_path: context_path.map(Into::into),
            input_route: self.input_route(origin, params, revision)?,
            access: self.access().clone(),
            accepts_task: false,
        })
    }

    /// Registers a pending request, and returns the future that completes it.
    pub(super) fn go_on<A: Answering>(
        &self,
        id: &RequestId<'_>,
        running: UserFuture<'static, A::Done>,
        cx: Context,
        call: A,
        origin: Option<Origin<'_>>,
    ) -> LaterReply {
        let key = id.key();
        // Kept only if needed: for the responses to the input requests of a modern call.
        let origin = origin.filter(|_| cx.may_pause()).map(Origin::into_owned);
        // Counted without a limit, since the request was already admitted.
        let taken = self.caller().take(What::Calls, usize::MAX);
        let running_call = RunningCall { cx: cx.clone(), name: call.name().to_owned(), _taken: taken };
        self.calls.insert(key.clone(), running_call);
        let connection = self.myself.clone();
        boxed(move || async move {
            let outcome = finish(until_paused(running, &cx), &cx).await;
            // A cancelled call has no response, even if its handler completed at the same moment.
            let is_cancelled = cx.has_ended();
            cx.end();
            cx.report(call.name());
            let connection = connection.upgrade()?;
            connection.calls.remove(&key, &cx);
            if is_cancelled {
                return None;
            }
            let origin = origin.as_ref().map(OwnedOrigin::borrowed);
            Some(match outcome {
                Ended::Done(Err(requests)) => {
                    cx.cancel();
                    connection.pause(&cx, &origin?, requests, None)
                }
                Ended::Done(Ok(done)) => call.reply(&connection, done, &cx, origin.as_ref()),
                Ended::TimedOut => {
                    let limit = connection.service.limits().call_timeout;
                    let text = format!(
                        "`{}` did not finish within {} s and was stopped; ask for less at a time, or try again later",
                        call.name(),
                        limit.as_secs_f64()
                    );
                    let done = call.timed_out(text);
                    call.reply(&connection, done, &cx, origin.as_ref())
                }
                Ended::Panicked => panic_error(A::WHAT).into(),
                Ended::Cancelled => return None,
            })
        })
    }

    /// Whether a request with this id is running.
    pub(super) fn is_running(&self, id: &RequestId<'_>) -> bool {
        (self.calls.len() > 0 && self.calls.lock().get(&id.key()).is_some())
            || self.peer.subscriptions().contains(id)
    }
}

/// A request that user code answers: how to convert its output to a reply.
pub(super) trait Answering: Send + 'static {
    /// The code's output.
    type Done: Send + 'static;

    /// A description of the code, for errors about panics.
    const WHAT: &'static str;

    /// The name of the target.
    fn name(&self) -> &str;

    /// The output if the deadline passes.
    fn timed_out(&self, text: String) -> Self::Done;

    /// Converts the output to a reply.
    fn reply(
        self,
        connection: &Connection,
        done: Self::Done,
        cx: &Context,
        origin: Option<&Origin<'_>>,
    ) -> Reply
    where
        Self: Sized;

    /// Returns the future that completes a pending request.
    fn go_on(
        self,
        connection: &Connection,
        id: &RequestId<'_>,
        running: UserFuture<'static, Self::Done>,
        cx: Context,
        origin: Option<Origin<'_>>,
    ) -> LaterReply
    where
        Self: Sized,
    {
        connection.go_on(id, running, cx, self, origin)
    }
}

/// A tool call.
pub(super) struct ToolCall {
    entry: Arc<ToolEntry>,
    /// The task that the call may become.
    #[cfg(feature = "tasks")]
    pub(super) task: Option<crate::tasks::Admitted>,
}

impl ToolCall {
    /// A call that has become a task elsewhere, and is complete.
    #[cfg(feature = "tasks")]
    pub(super) fn of(entry: Arc<ToolEntry>) -> Self {
        Self { entry, task: None }
    }

    #[cfg(feature = "tasks")]
    pub(super) fn entry(&self) -> &ToolEntry {
        &self.entry
    }

    /// Whether the tool runs only as a task.
    #[cfg(feature = "tasks")]
    pub(super) fn must_be_task(&self) -> bool {
        self.entry.task == Some(TaskSupport::Required)
    }

    /// Converts the outcome of the call to a reply.
    #[inline]
    pub(super) fn reply_to(self, outcome: Outcome, revision: Revision) -> Reply {
        match outcome {
            Outcome::Result(result) => match &result.missing_capability {
                Some(missing) if revision.has_capability_errors() => {
                    error::missing_capability(&result.as_text(), &missing.required).into()
                }
                _ => Reply::Tool(self.entry, result),
            },
            Outcome::Raw(raw) => Reply::Raw(raw, None),
            Outcome::Error(error) => error.into(),
            Outcome::InputRequired(_) | Outcome::Task(_) | Outcome::Created(_) => {
                error::internal("the tool requires input, but there is no client to ask").into()
            }
        }
    }
}

impl Answering for ToolCall {
    type Done = Outcome;

    const WHAT: &'static str = "the tool";

    fn name(&self) -> &str {
        &self.entry.definition.name
    }

    fn timed_out(&self, text: String) -> Outcome {
        ToolResult::error(text).into()
    }

    #[inline]
    fn reply(
        self,
        connection: &Connection,
        outcome: Outcome,
        cx: &Context,
        origin: Option<&Origin<'_>>,
    ) -> Reply {
        if let Outcome::InputRequired(input) = &outcome
            && let Some(origin) = origin
        {
            return connection.pause_for(cx, origin, input);
        }
        #[cfg(feature = "tasks")]
        if let Outcome::Created(task) = outcome {
            return connection.created(&self, *task);
        }
        self.reply_to(outcome, cx.revision())
    }

    #[cfg(feature = "tasks")]
    fn go_on(
        mut self,
        connection: &Connection,
        id: &RequestId<'_>,
        running: UserFuture<'static, Outcome>,
        cx: Context,
        origin: Option<Origin<'_>>,
    ) -> LaterReply {
        match self.task.take() {
            Some(task) => connection.go_on_as_task(id, running, cx, self, origin, task),
            None => connection.go_on(id, running, cx, self, origin),
        }
    }
}

/// How user code ended.
pub(crate) enum Ended<T> {
    Done(T),
    TimedOut,
    Cancelled,
    Panicked,
}

/// Polls user code until it completes, its deadline passes, or it is cancelled.
pub(crate) async fn finish<T>(
    running: impl Future<Output = Result<T, Panicked>> + Send,
    cx: &Context,
) -> Ended<T> {
    let cancelled = cx.cancellation().clone();
    let deadline = tokio::time::Instant::from_std(cx.deadline());
    let call = pin!(cancelled.run_until_cancelled(running));
    match tokio::time::timeout_at(deadline, call).await {
        Ok(Some(Ok(result))) => Ended::Done(result),
        Ok(Some(Err(Panicked))) => Ended::Panicked,
        Ok(None) => Ended::Cancelled,
        Err(_) => {
            cancelled.cancel();
            Ended::TimedOut
        }
    }
}

/// Polls user code until it completes, or waits only for responses of its client.
async fn until_paused<T>(
    mut running: UserFuture<'_, T>,
    cx: &Context,
) -> Result<Result<T, Vec<(String, KnownRequest)>>, Panicked> {
    std::future::poll_fn(|task| {
        if let Poll::Ready(done) = Pin::new(&mut running).poll(task) {
            return Poll::Ready(done.map(Ok));
        }
        cx.input_route()
            .take_open_requests(Some(task.waker()))
            .map_or(Poll::Pending, |requests| Poll::Ready(Ok(Err(requests))))
    })
    .await
}

pub(crate) fn panic_error(what: &str) -> ErrorObject {
    error::internal(&format!("{what} failed unexpectedly; the server's log has the reason"))
}

impl Calls {
    pub(super) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    fn insert(&self, key: Box<str>, call: RunningCall) {
        let mut running = self.lock();
        running.insert(key, call);
        self.count.store(running.len(), Ordering::Release);
    }

    /// Removes a completed call, unless its id is in use again.
    fn remove(&self, key: &str, cx: &Context) {
        let mut running = self.lock();
        if running.get(key).is_some_and(|call| call.cx.is(cx)) {
            running.remove(key);
        }
        self.count.store(running.len(), Ordering::Release);
    }

    /// Cancels a call; false if no call with this id is running.
    pub(super) fn cancel(&self, key: &str) -> bool {
        let mut running = self.lock();
        let call = running.remove(key);
        self.count.store(running.len(), Ordering::Release);
        drop(running);
        call.map(|call| call.cx.cancel()).is_some()
    }

    /// Cancels all calls; returns the names of their targets.
    pub(super) fn cancel_all(&self) -> Vec<String> {
        let running = std::mem::take(&mut *self.lock());
        self.count.store(0, Ordering::Release);
        running
            .into_values()
            .map(|call| {
                call.cx.cancel();
                call.name
            })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, CallTable<RunningCall>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
