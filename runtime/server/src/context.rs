//! What a call sees beside its arguments.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
pub use toolwright_core::protocol::LogLevel;
use toolwright_core::protocol::method;
use toolwright_core::protocol::{Revision, number};

use crate::ask::{Asking, ClientCapabilities};
use crate::auth::{Access, Principal};
use crate::connection::Connection;
use crate::extensions::declared_in;
use crate::message::{RequestId, RequestMeta};
use crate::{clock, log, reply};

/// The context of one call: its progress, cancellation, deadline and peer.
///
/// Cheap to clone; a clone may move to other tasks and outlive the call, whose notifications then go nowhere.
///
/// A handler asks the client through it as well ([`Context::elicit`] and its neighbours). For a client of 2026-07-28 it
/// is then **run again from its start**, with the answers; [the module `ask`](crate::ask) says what follows from that.
#[derive(Debug, Clone)]
pub struct Context(Arc<Call>);

#[derive(Debug)]
struct Call {
    /// Where notifications go; none for calls that no connection made.
    connection: Weak<Connection>,
    revision: Revision,
    id: Option<RequestId<'static>>,
    deadline: Instant,
    /// An earlier deadline, for a call that was to be a task and is none.
    earlier: OnceLock<Instant>,
    cancelled: OnceLock<CancellationToken>,
    course: Arc<Course>,
    progress_token: Option<Box<RawValue>>,
    log_level: Option<LogLevel>,
    meta: Option<Box<RawValue>>,
    context_path: Option<String>,
    asking: Asking,
    /// The call that this one is a part of, which asks for it.
    outermost: Option<Context>,
    access: Access,
}

/// What all contexts of one call know of its course.
#[derive(Debug, Default)]
struct Course {
    /// Set when the answer is on its way, or will never come: then nothing may be sent for the call any more.
    ended: AtomicBool,
    reported: Mutex<Reported>,
}

/// The progress that was reported.
#[derive(Debug, Default)]
struct Reported {
    /// What was sent last.
    last: Option<f64>,
    /// How many reports were not sent, since they had not grown.
    unsent: usize,
}

impl Reported {
    /// Whether the value may be sent: it is a number, and larger than the last one.
    fn grows(&mut self, progress: f64) -> bool {
        let grows = progress.is_finite() && self.last.is_none_or(|last| progress > last);
        if grows {
            self.last = Some(progress);
        } else {
            self.unsent += 1;
        }
        grows
    }
}

/// What a connection knows of a call when it starts.
#[derive(Debug)]
pub(crate) struct CallStart {
    pub(crate) connection: Weak<Connection>,
    pub(crate) revision: Revision,
    pub(crate) id: RequestId<'static>,
    pub(crate) timeout: Duration,
    pub(crate) progress_token: Option<Box<RawValue>>,
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) meta: Option<Box<RawValue>>,
    pub(crate) context_path: Option<String>,
    pub(crate) asking: Asking,
    pub(crate) access: Access,
}

impl Context {
    /// The context of a call that no connection made, such as one from a test or an agent in the same process.
    pub fn detached(timeout: Duration) -> Self {
        Self(Arc::new(Call {
            connection: Weak::new(),
            revision: Revision::NEWEST,
            id: None,
            deadline: clock::after(Instant::now(), timeout),
            earlier: OnceLock::new(),
            cancelled: OnceLock::new(),
            course: Arc::default(),
            progress_token: None,
            log_level: None,
            meta: None,
            context_path: None,
            asking: Asking::Nobody,
            outermost: None,
            access: Access::Trusted,
        }))
    }

    pub(crate) fn start(start: CallStart) -> Self {
        Self(Arc::new(Call {
            connection: start.connection,
            revision: start.revision,
            id: Some(start.id),
            deadline: clock::after(Instant::now(), start.timeout),
            earlier: OnceLock::new(),
            cancelled: OnceLock::new(),
            course: Arc::default(),
            progress_token: start.progress_token,
            log_level: start.log_level,
            meta: start.meta,
            context_path: start.context_path,
            asking: start.asking,
            outermost: None,
            access: start.access,
        }))
    }

    /// Tells the caller how far the call has come. Nothing is sent unless the caller asked for progress.
    ///
    /// In a task, `message` becomes the task's, and nothing is sent.
    ///
    /// `progress` must grow with each report (2026-07-28, basic/patterns/progress): a report whose value is not larger than
    /// the last one's is not sent, and neither is one whose value is not a finite number. How many were not is said on
    /// standard error when the call ends. Waits while the caller reads too slowly.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        #[cfg(feature = "tasks")]
        if let Some(task) = self.task() {
            return message.into_iter().for_each(|message| task.say(message));
        }
        let (Some(token), Some(connection)) = (&self.0.progress_token, self.connection()) else {
            return;
        };
        // `message` came with 2025-03-26; older peers get the numbers only.
        let message = message.filter(|_| self.0.revision.has_progress_message());
        let total = total.filter(|total| total.is_finite());
        let params = ProgressParams { progress_token: token, progress, total, message };
        // What cannot be written here is the caller's own token.
        let Ok(notification) = reply::notification(method::PROGRESS, &params) else { return };
        connection.room().await;
        // Looked at and sent in one step, so that reports of several tasks grow as well.
        let mut reported = self.0.course.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.has_ended() && reported.grows(progress) {
            connection.push_from_call(&notification);
        }
    }

    /// Sends a log message to the caller, if it wants messages of this level.
    ///
    /// A modern caller asks per request, a legacy one with `logging/setLevel` (until then it gets `info` and above).
    pub async fn log(&self, level: LogLevel, logger: Option<&str>, data: impl Serialize) {
        let Some(connection) = self.connection() else { return };
        if !self.wants(&connection, level) {
            return;
        }
        let written =
            reply::notification(method::MESSAGE, &LogParams { level, logger, data }).or_else(|fault| {
                log::warn(format_args!("the data of a log message cannot be sent: it {fault}"));
                let data = format!("[the data of this message cannot be sent: it {fault}]");
                reply::notification(method::MESSAGE, &LogParams { level, logger, data })
            });
        if let Ok(notification) = written {
            connection.notify_from_call(&notification).await;
        }
    }

    /// Lets go of the connection on which the caller waits for a call that takes long. The caller comes back by itself,
    /// after the time that `HttpConfig::retry` says, for what was sent in the meantime and for the answer.
    ///
    /// Only clients of revision 2025-11-25 do so, in a session over HTTP (2025-11-25, basic/transports "Sending Messages
    /// to the Server"). For all others this does nothing.
    pub fn close_stream(&self) {
        #[cfg(feature = "http")]
        if self.0.revision == Revision::V2025_11_25
            && let Some(connection) = self.connection()
        {
            connection.hang_up();
        }
    }

    /// Makes a task of the call now: for a tool with `#[mcp(task)]` that asks the client first and then goes on for long, or
    /// whose questions are to be shown by the task. Without this, the call becomes a task when its handler first waits for
    /// anything but an answer of the client. See [the module `tasks`](crate::tasks).
    ///
    /// Does nothing where the call cannot become a task, since its tool or its client does not know them.
    #[cfg(feature = "tasks")]
    pub async fn start_task(&self) {
        if let Asking::Task(call) = self.asking() {
            call.live.started().await;
        }
    }

    /// The task that the call has become.
    #[cfg(feature = "tasks")]
    fn task(&self) -> Option<&crate::tasks::LiveTask> {
        match self.asking() {
            Asking::Task(call) if call.live.is_started() => Some(&call.live),
            _ => None,
        }
    }

    /// What the caller declares of an extension of the protocol, such as `io.modelcontextprotocol/ui`: the settings that
    /// the extension defines. None if it does not declare it. Only clients of 2026-07-28 declare extensions.
    pub fn client_extension(&self, identifier: &str) -> Option<Value> {
        let meta: RequestMeta<'_> = serde_json::from_str(self.0.meta.as_ref()?.get()).ok()?;
        let settings = declared_in(meta.client_capabilities?, identifier)?;
        serde_json::from_str(settings.get()).ok()
    }

    /// Where notifications go while the call runs (2026-07-28, basic/patterns/progress: none after completion).
    pub(crate) fn connection(&self) -> Option<Arc<Connection>> {
        // "not supported on tasks in general" (SEP-2663 "Task Status Notifications").
        #[cfg(feature = "tasks")]
        if self.task().is_some() {
            return None;
        }
        if self.has_ended() { None } else { self.0.connection.upgrade() }
    }

    /// From now on nothing is sent for the call but its answer.
    pub(crate) fn end(&self) {
        self.0.course.ended.store(true, Ordering::Release);
        self.asking().end();
    }

    /// Says on standard error what was not sent for the call of `name`, which has ended.
    pub(crate) fn report(&self, name: &str) {
        let unsent = self.0.course.reported.lock().unwrap_or_else(PoisonError::into_inner).unsent;
        if unsent > 0 {
            log::warn(format_args!(
                "`{name}` reported progress {unsent} times without a larger value than before, which was not sent; \
                 `Context::progress` takes a number that grows with each report"
            ));
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.course.ended.load(Ordering::Acquire)
    }

    /// Takes the call back.
    pub(crate) fn cancel(&self) {
        self.end();
        self.cancellation().cancel();
    }

    fn wants(&self, connection: &Connection, level: LogLevel) -> bool {
        let least = if self.0.revision.is_modern() { self.0.log_level } else { Some(connection.log_level()) };
        least.is_some_and(|least| level >= least)
    }

    /// Cancelled when the caller takes the call back, when its deadline passes, when the server shuts down, and when the
    /// call ends with questions to a client of 2026-07-28.
    ///
    /// The handler's future is dropped at that moment; the token is for work that the handler started elsewhere.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.cancelled.get_or_init(CancellationToken::new)
    }

    /// When the call must be done.
    pub fn deadline(&self) -> Instant {
        self.0.earlier.get().copied().unwrap_or(self.0.deadline)
    }

    /// Has it done by then, which is before its deadline.
    #[cfg(feature = "tasks")]
    pub(crate) fn end_by(&self, earlier: Instant) {
        // It is set once.
        let _ = self.0.earlier.set(earlier);
    }

    /// The protocol revision that the caller speaks.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The JSON text of the request's id, for logs.
    pub fn request_id(&self) -> Option<&str> {
        self.0.id.as_ref().map(RequestId::as_str)
    }

    /// The request's `_meta`, for trace contexts and members of your own; `null` if there is none.
    pub fn meta(&self) -> Value {
        self.0.meta.as_ref().and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// The JSON text of the request's `_meta`.
    pub(crate) fn raw_meta(&self) -> Option<&RawValue> {
        self.0.meta.as_deref()
    }

    /// How the call's questions go to the client.
    pub(crate) fn asking(&self) -> &Asking {
        &self.outermost().0.asking
    }

    /// Whether the call may end with questions.
    pub(crate) fn may_pause(&self) -> bool {
        self.asking().passes().is_some()
    }

    /// The call as the client made it.
    pub(crate) fn outermost(&self) -> &Self {
        self.0.outermost.as_ref().unwrap_or(self)
    }

    /// What the client of a legacy session can be asked for.
    pub(crate) fn declared_by_session(&self) -> ClientCapabilities {
        self.0.connection.upgrade().map(|connection| connection.declared()).unwrap_or_default()
    }

    /// What the client of a modern request can be asked for.
    pub(crate) fn declared_by_request(&self) -> ClientCapabilities {
        let meta =
            self.0.meta.as_ref().and_then(|meta| serde_json::from_str::<RequestMeta<'_>>(meta.get()).ok());
        meta.and_then(|meta| meta.client_capabilities)
            .map(|declared| ClientCapabilities::read(declared.get(), self.0.revision))
            .unwrap_or_default()
    }

    /// Whether both are of the same call.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same call, seen from another application context.
    pub(crate) fn in_context(&self, path: Option<String>) -> Self {
        if path.as_deref() == self.context_path() {
            return self.clone();
        }
        let call = &self.0;
        // The copy shares the token, so it must exist before it is copied.
        let cancelled = OnceLock::from(self.cancellation().clone());
        Self(Arc::new(Call {
            connection: Weak::clone(&call.connection),
            revision: call.revision,
            id: call.id.clone(),
            deadline: call.deadline,
            earlier: call.earlier.clone(),
            cancelled,
            course: Arc::clone(&call.course),
            progress_token: call.progress_token.clone(),
            log_level: call.log_level,
            meta: call.meta.clone(),
            context_path: path,
            asking: Asking::Nobody,
            outermost: Some(self.outermost().clone()),
            access: call.access.clone(),
        }))
    }

    /// Who calls, where the endpoint is protected (`HttpConfig::protect`); none over other transports and on open
    /// endpoints. The tool's scopes were checked before its handler runs.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.access.principal().map(|principal| &**principal)
    }

    /// Who calls: what the caller may list, call and read.
    pub fn access(&self) -> &Access {
        &self.0.access
    }

    /// The application context that the caller works in.
    pub fn context_path(&self) -> Option<&str> {
        self.0.context_path.as_deref()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams<'a> {
    progress_token: &'a RawValue,
    #[serde(serialize_with = "number::serialize")]
    progress: f64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number::option::serialize")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct LogParams<'a, D> {
    level: LogLevel,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<&'a str>,
    data: D,
}
