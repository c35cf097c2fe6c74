//! The context of a call: deadline and cancellation, progress and logging, and access to its client.

mod elicitation;
mod input_request;
mod input_route;
mod logging;
mod progress;
mod roots;
mod sampling;

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
pub use toolwright_core::protocol::LogLevel;
use toolwright_core::protocol::Revision;

use crate::auth::{Access, Principal};
use crate::clock;
#[cfg(feature = "tasks")]
use crate::input_requests::TaskCall;
use crate::input_requests::{ClientCapabilities, declared_extension};
use crate::message::{RequestId, RequestMeta};
#[cfg(feature = "tracing")]
use crate::observed::SessionInfo;
use crate::peer::Peer;

pub(crate) use input_route::InputRoute;
use progress::{ReportedProgress, Reporter};

/// The context of one call: its progress, cancellation, deadline and peer.
///
/// Cheap to clone. A clone may move to other tasks and outlive the call; its notifications are then discarded.
///
/// Handlers also use it to request input from the client ([`Context::elicit`] and related methods). For a client of
/// 2026-07-28, the handler then **runs again from its start**, with the responses; [the module
/// `input_requests`](crate::input_requests) explains the consequences.
#[derive(Debug, Clone)]
pub struct Context(Arc<Call>);

#[derive(Debug)]
struct Call {
    /// The receiver of notifications; empty for calls without a connection.
    peer: Weak<Peer>,
    revision: Revision,
    id: Option<IdText>,
    deadline: Instant,
    /// An earlier deadline, for a call that should have become a task but did not.
    earlier: OnceLock<Instant>,
    cancelled: OnceLock<CancellationToken>,
    course: Arc<Course>,
    progress_token: Option<Box<RawValue>>,
    log_level: Option<LogLevel>,
    meta: Option<Box<RawValue>>,
    context_path: Option<String>,
    input_route: InputRoute,
    /// The call that this one is a part of, which sends its input requests.
    outermost: Option<Context>,
    access: Access,
    /// Whether a provider may return a task.
    accepts_task: bool,
    /// The receiver of progress, if it is not the peer.
    reporter: Option<Reporter>,
}

/// A request id as JSON. Short ids, which nearly all are, need no allocation.
#[derive(Debug, Clone)]
pub(crate) enum IdText {
    Short(u8, [u8; IdText::SHORT]),
    Long(Box<str>),
}

impl IdText {
    /// The length of a quoted UUID.
    const SHORT: usize = 38;

    pub(crate) fn of(id: &RequestId<'_>) -> Self {
        let text = id.as_str();
        let mut bytes = [0; Self::SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(short), Ok(length)) => {
                short.copy_from_slice(text.as_bytes());
                Self::Short(length, bytes)
            }
            _ => Self::Long(text.into()),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            // The bytes are a complete string.
            Self::Short(length, bytes) => bytes
                .get(..usize::from(*length))
                .and_then(|text| std::str::from_utf8(text).ok())
                .unwrap_or_default(),
            Self::Long(text) => text,
        }
    }
}

/// The state that all contexts of one call share.
#[derive(Default)]
struct Course {
    /// Set once the response is being sent, or will never be: nothing may be sent for the call after that.
    ended: AtomicBool,
    reported: Mutex<ReportedProgress>,
    extension: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Course").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// What a connection knows about a call when it starts.
#[derive(Debug)]
pub(crate) struct CallStart {
    pub(crate) peer: Weak<Peer>,
    pub(crate) revision: Revision,
    pub(crate) id: IdText,
    pub(crate) timeout: Duration,
    pub(crate) progress_token: Option<Box<RawValue>>,
    pub(crate) log_level: Option<LogLevel>,
    pub(crate) meta: Option<Box<RawValue>>,
    pub(crate) context_path: Option<String>,
    pub(crate) input_route: InputRoute,
    pub(crate) access: Access,
    pub(crate) accepts_task: bool,
}

impl Context {
    /// Attaches a value for the handler ([`Context::extension`]), for code that makes calls without a connection, such as a
    /// worker. Only the first value is kept.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use toolwright_server::Context;
    ///
    /// struct Region(&'static str);
    ///
    /// let cx = Context::detached(Duration::from_secs(1)).with_extension(Arc::new(Region("north")));
    /// assert_eq!(cx.extension::<Region>().map(|region| region.0), Some("north"));
    /// ```
    pub fn with_extension<T: Any + Send + Sync>(self, extension: Arc<T>) -> Self {
        _ = self.0.course.extension.set(extension);
        self
    }

    /// Returns the value that was attached to the call, if it is a `T`.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.course.extension.get()?.downcast_ref()
    }

    /// Creates the context of a call without a connection, such as one from a test or an agent in the same process.
    pub fn detached(timeout: Duration) -> Self {
        Self(Arc::new(Call {
            peer: Weak::new(),
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
            input_route: InputRoute::Unavailable,
            outermost: None,
            access: Access::Trusted,
            accepts_task: false,
            reporter: None,
        }))
    }

    /// Creates the context of a call that did not arrive over a connection, for example from a worker's queue, with its
    /// `_meta` and a callback for its progress (progress, total, message). Progress that does not increase is not
    /// reported. Log messages are discarded, and input requests fail.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use toolwright_server::Context;
    ///
    /// let cx = Context::detached_with(Duration::from_secs(60), None, |progress, total, message| {
    ///     println!("{progress} of {total:?}: {message:?}");
    /// });
    /// assert!(cx.principal().is_none());
    /// ```
    pub fn detached_with(
        timeout: Duration,
        meta: Option<Box<RawValue>>,
        report: impl Fn(f64, Option<f64>, Option<&str>) + Send + Sync + 'static,
    ) -> Self {
        let mut cx = Self::detached(timeout);
        if let Some(call) = Arc::get_mut(&mut cx.0) {
            call.meta = meta;
            call.reporter = Some(Reporter::new(report));
        }
        cx
    }

    pub(crate) fn start(start: CallStart) -> Self {
        Self(Arc::new(Call {
            peer: start.peer,
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
            input_route: start.input_route,
            outermost: None,
            access: start.access,
            accepts_task: start.accepts_task,
            reporter: None,
        }))
    }

    /// Disconnects the response stream of a long call. The caller reconnects automatically, after the time set with
    /// `HttpConfig::retry`, for what was sent in the meantime and for the response.
    ///
    /// Only clients of revision 2025-11-25 support this, in a session over HTTP (2025-11-25, basic/transports "Sending
    /// Messages to the Server"). For all others, this does nothing.
    pub fn close_stream(&self) {
        #[cfg(feature = "http")]
        if self.0.revision == Revision::V2025_11_25
            && let Some(peer) = self.peer()
        {
            peer.outbox.hang_up();
        }
    }

    /// Turns the call into a task now: for a tool with `#[mcp(task)]` that first requests input and then runs for long,
    /// or whose input requests the task should list. Otherwise, the call becomes a task when its handler first waits
    /// for anything other than a response of the client. See [the module `tasks`](crate::tasks).
    ///
    /// Does nothing if the tool or the client does not support tasks.
    #[cfg(feature = "tasks")]
    pub async fn start_task(&self) {
        if let InputRoute::Task(call) = self.input_route() {
            call.started().await;
        }
    }

    /// The task that the call has become.
    #[cfg(feature = "tasks")]
    fn task(&self) -> Option<&dyn TaskCall> {
        match self.input_route() {
            InputRoute::Task(call) if call.is_started() => Some(&**call),
            _ => None,
        }
    }

    /// Returns the settings that the caller declares for an extension of the protocol, such as
    /// `io.modelcontextprotocol/ui`; `None` if it does not declare it. Only clients of 2026-07-28 declare extensions.
    pub fn client_extension(&self, identifier: &str) -> Option<Value> {
        let meta: RequestMeta<'_> = serde_json::from_str(self.0.meta.as_ref()?.get()).ok()?;
        let settings = declared_extension(meta.client_capabilities?, identifier)?;
        serde_json::from_str(settings.get()).ok()
    }

    /// Returns whether a provider may answer the call with [`Outcome::Created`](crate::Outcome::Created): it declares
    /// tasks, and the client declares the extension in this request.
    pub fn accepts_task(&self) -> bool {
        self.0.accepts_task
    }

    /// The receiver of notifications while the call runs (2026-07-28, basic/patterns/progress: none after completion).
    fn peer(&self) -> Option<Arc<Peer>> {
        // "not supported on tasks in general" (SEP-2663 "Task Status Notifications").
        #[cfg(feature = "tasks")]
        if self.task().is_some() {
            return None;
        }
        if self.has_ended() { None } else { self.0.peer.upgrade() }
    }

    /// The peer that makes the call, while its connection exists; `None` for calls without a connection.
    pub(crate) fn maker(&self) -> Option<Arc<Peer>> {
        self.0.peer.upgrade()
    }

    /// The session that the call belongs to, for spans.
    #[cfg(feature = "tracing")]
    pub(crate) fn observed_session(&self) -> Option<Arc<SessionInfo>> {
        self.maker()?.session.observed.get().cloned()
    }

    /// Ends the call: nothing but its response may be sent after this.
    pub(crate) fn end(&self) {
        self.0.course.ended.store(true, Ordering::Release);
        self.input_route().end();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.course.ended.load(Ordering::Acquire)
    }

    /// Cancels the call.
    pub(crate) fn cancel(&self) {
        self.end();
        self.cancellation().cancel();
    }

    /// Returns a token that is cancelled when the caller cancels the call, its deadline passes, the server shuts down,
    /// or the call ends with input requests to a client of 2026-07-28.
    ///
    /// The handler's future is dropped at that moment; the token is for work that the handler started elsewhere.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.cancelled.get_or_init(CancellationToken::new)
    }

    /// Returns the call's deadline.
    pub fn deadline(&self) -> Instant {
        self.0.earlier.get().copied().unwrap_or(self.0.deadline)
    }

    /// Sets an earlier deadline.
    #[cfg(feature = "tasks")]
    pub(crate) fn end_by(&self, earlier: Instant) {
        // It can be set only once.
        let _ = self.0.earlier.set(earlier);
    }

    /// Returns the caller's protocol revision.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Returns the request's id as JSON, for logs.
    pub fn request_id(&self) -> Option<&str> {
        self.0.id.as_ref().map(IdText::as_str)
    }

    /// Returns the request's `_meta`, for trace contexts and custom members; `null` if there is none.
    pub fn meta(&self) -> Value {
        self.0.meta.as_ref().and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// The request's `_meta` as JSON.
    pub(crate) fn raw_meta(&self) -> Option<&RawValue> {
        self.0.meta.as_deref()
    }

    /// How the call's input requests reach the client.
    pub(crate) fn input_route(&self) -> &InputRoute {
        &self.outermost().0.input_route
    }

    /// Whether the call may end with input requests.
    pub(crate) fn may_pause(&self) -> bool {
        self.input_route().passes().is_some()
    }

    /// The call that the client made.
    fn outermost(&self) -> &Self {
        self.0.outermost.as_ref().unwrap_or(self)
    }

    /// The input requests that the client of a legacy session supports.
    fn declared_by_session(&self) -> ClientCapabilities {
        self.0.peer.upgrade().map(|peer| peer.session.declared()).unwrap_or_default()
    }

    /// The input requests that the client of a modern request supports.
    fn declared_by_request(&self) -> ClientCapabilities {
        let meta =
            self.0.meta.as_ref().and_then(|meta| serde_json::from_str::<RequestMeta<'_>>(meta.get()).ok());
        meta.and_then(|meta| meta.client_capabilities)
            .map(|declared| ClientCapabilities::read(declared.get(), self.0.revision))
            .unwrap_or_default()
    }

    /// Whether both are contexts of the same call.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same call in another application context.
    pub(crate) fn in_context(&self, path: Option<String>) -> Self {
        if path.as_deref() == self.context_path() {
            return self.clone();
        }
        let call = &self.0;
        // The copy shares the token, so the token has to exist first.
        let cancelled = OnceLock::from(self.cancellation().clone());
        Self(Arc::new(Call {
            peer: Weak::clone(&call.peer),
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
            input_route: InputRoute::Unavailable,
            outermost: Some(self.outermost().clone()),
            access: call.access.clone(),
            accepts_task: call.accepts_task,
            reporter: call.reporter.clone(),
        }))
    }

    /// Returns the caller on a protected endpoint (`HttpConfig::protect`); `None` over other transports and on open
    /// endpoints. The tool's scopes are checked before its handler runs.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.access.principal().map(|principal| &**principal)
    }

    /// Returns what the caller may list, call and read.
    pub fn access(&self) -> &Access {
        &self.0.access
    }

    /// Returns the caller's application context.
    pub fn context_path(&self) -> Option<&str> {
        self.0.context_path.as_deref()
    }
}
