//! One connection: messages in, responses out. Transports handle bytes, and connections handle messages.

mod batch;
mod call_table;
mod calls;
#[cfg(any(feature = "http", feature = "jsonrpsee"))]
mod exchange;
mod extensions;
mod features;
mod input_requests;
mod legacy;
mod modern;
#[cfg(feature = "tasks")]
mod provider_tasks;
mod request;
#[cfg(feature = "skills")]
mod skills;
mod subscriptions;
#[cfg(feature = "tasks")]
mod tasks;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock, Weak};
use toolwright_core::protocol::meta;
use toolwright_core::protocol::method;
use toolwright_wire::outbox::Outbox;

use serde_json::value::RawValue;
use tokio::sync::watch;
use toolwright_core::protocol::{Era, ErrorObject};
use toolwright_core::revision::Revision;

use crate::auth::{Access, Visitor};
use crate::context::LogLevel;
use crate::error;
use crate::json_rpc::Form;
use crate::message::{Envelope, Fault, Malformed, Params, RequestId, RequestMeta, string, trimmed};
use crate::observed::ObservedSession;
use crate::pagination::{List, Listed, View};
use crate::peer::{Peer, PeerSession};
use crate::quotas::Caller;
use crate::reply::{AnswerKind, Reply};
use crate::service::Shared;

#[cfg(feature = "http")]
pub(crate) use batch::MessageCheck;
use calls::Calls;
pub(crate) use calls::{Ended, finish, panic_error};
#[cfg(not(feature = "http"))]
use request::Known;
#[cfg(feature = "http")]
pub(crate) use request::{Answer, CalledTool, Known};
use request::{Dispatched, Request, write_error, write_later};
pub(crate) use request::{Later, Taken};

/// The server's exchange of messages with one peer.
#[derive(Debug)]
pub(crate) struct Connection {
    service: Arc<Shared>,
    peer: Arc<Peer>,
    calls: Calls,
    /// The number of pending responses. Created lazily, since it is larger than all other fields.
    unanswered: OnceLock<watch::Sender<usize>>,
    /// Whether the transport serves only the modern era.
    is_modern_only: bool,
    myself: Weak<Connection>,
}

impl Connection {
    /// Opens a connection that is notified of changes. The transport states the caller: a network peer is never
    /// [`Access::Trusted`] unless the user says so.
    pub(crate) fn open(service: &Arc<Shared>, outbox: Arc<Outbox>, access: impl Into<Visitor>) -> Arc<Self> {
        Self::with_peer(service, outbox, access.into(), Arc::default(), false).subscribe_to_changes()
    }

    /// Subscribes the connection to notifications of changes.
    fn subscribe_to_changes(self: Arc<Self>) -> Arc<Self> {
        self.service.add_listener(Arc::downgrade(&self.peer));
        self
    }

    fn with_peer(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: Visitor,
        session: Arc<PeerSession>,
        is_modern_only: bool,
    ) -> Arc<Self> {
        let peer = Peer::new(outbox, session, access, Arc::clone(service.quotas()));
        Arc::new_cyclic(|myself| Self {
            service: Arc::clone(service),
            peer: Arc::new(peer),
            calls: Calls::default(),
            unanswered: OnceLock::new(),
            is_modern_only,
            myself: Weak::clone(myself),
        })
    }

    /// Starts the connection's session, which lasts until the returned value is dropped. The transport and the protocol are in
    /// the terms of OpenTelemetry.
    #[cfg_attr(not(feature = "tracing"), expect(clippy::unused_self, reason = "nothing is recorded"))]
    pub(crate) fn observe(
        &self,
        transport: Option<&'static str>,
        protocol: Option<&'static str>,
    ) -> ObservedSession {
        let session = ObservedSession::start(transport, protocol);
        #[cfg(feature = "tracing")]
        if self.peer.session.observed.set(Arc::clone(session.info())).is_ok()
            && let Some(revision) = self.agreed_revision()
        {
            // It was negotiated before.
            let _ = session.info().revision.set(revision.as_str());
        }
        session
    }

    /// The caller whose share of the limits the connection uses.
    pub(crate) fn caller(&self) -> &Caller {
        self.peer.caller()
    }

    /// What the peer may use.
    pub(crate) fn access(&self) -> &Access {
        self.peer.access()
    }

    /// Handles one frame: a message or a batch. Appends an immediate response to `out` as a line, or returns a future
    /// for a later one.
    pub(crate) fn receive(&self, frame: &[u8], out: &mut Vec<u8>) -> Option<Later> {
        let frame = trimmed(frame);
        let start = out.len();
        let taken = match frame.first() {
            None => return None,
            Some(b'[') => match self.read_batch(frame) {
                Ok(batch) => self.take_batch(batch, &|_| Ok(()), out),
                Err(error) => Taken::Answered(self.refuse_message(None, &error, out)),
            },
            Some(_) => match Envelope::parse(frame) {
                Ok(envelope) => self.take_message(envelope, out),
                Err(malformed) => self.refuse_malformed(&malformed, out),
            },
        };
        if out.len() > start {
            out.push(b'\n');
        }
        if let Taken::Later(later) = taken { Some(later) } else { None }
    }

    /// Answers a frame that is not valid UTF-8 or is too long.
    #[cfg(any(feature = "stdio", feature = "socket"))]
    pub(crate) fn refuse(&self, why: &str, out: &mut Vec<u8>) {
        self.refuse_message(None, &error::parse(why), out);
        out.push(b'\n');
    }

    /// Answers an invalid message, unless it is a notification.
    fn refuse_malformed(&self, malformed: &Malformed<'_>, out: &mut Vec<u8>) -> Taken {
        if malformed.fault == Fault::Notification {
            return Taken::Silent;
        }
        let error = error::malformed(malformed.fault, "line");
        Taken::Answered(self.refuse_message(malformed.id.as_ref(), &error, out))
    }

    /// Like [`Connection::receive`], for a parsed message. Its response has no line break.
    pub(crate) fn take_message(&self, envelope: Envelope<'_>, out: &mut Vec<u8>) -> Taken {
        self.take_known(envelope, Known::default(), out)
    }

    /// Like [`Connection::take_message`], with what the transport knows about the message.
    pub(crate) fn take_known(&self, envelope: Envelope<'_>, known: Known<'_>, out: &mut Vec<u8>) -> Taken {
        let id = envelope.id.map(RequestId::new);
        let mut refuse = |id: Option<&RequestId<'_>>, why| {
            Taken::Answered(self.refuse_message(id, &error::invalid_request(why), out))
        };
        if envelope.is_response() {
            if let Some(id) = envelope.id {
                self.peer.session.waiting.respond(id, envelope.result, envelope.error);
            }
            return Taken::Silent;
        }
        let Some(method) = envelope.method else {
            return refuse(id.flatten().as_ref(), "`method` is missing");
        };
        let Some(method) = string(method) else {
            return refuse(id.flatten().as_ref(), "`method` must be a string");
        };
        let is_versioned = envelope.jsonrpc.is_some_and(|version| {
            // Nearly all peers write it like this, which needs no parsing.
            version.get() == "\"2.0\"" || string(version).is_some_and(|version| version == "2.0")
        });
        let params = envelope.params.unwrap_or_default();
        match id {
            // Notifications are never answered, even if they are invalid (JSON-RPC 2.0 §4.1).
            None => {
                if is_versioned {
                    self.take_notification(&method, &params);
                }
                Taken::Silent
            }
            Some(id) if !is_versioned => refuse(id.as_ref(), "`jsonrpc` must be \"2.0\""),
            Some(None) => refuse(None, "`id` must be a string or an integer"),
            Some(Some(id)) => {
                let request = self.read_request(&method, &id, &params, envelope.meta.as_ref(), known);
                self.answer(request, &id, out)
            }
        }
    }

    /// Dispatches a request, and writes its reply. This is the only place that writes replies.
    fn answer(
        &self,
        request: Result<Request<'_>, ErrorObject>,
        id: &RequestId<'_>,
        out: &mut Vec<u8>,
    ) -> Taken {
        let revision = request.as_ref().map_or(Revision::NEWEST, |request| request.revision);
        match request.and_then(|request| self.dispatch(&request)) {
            Ok(Dispatched::Now(reply)) => Taken::Answered(reply.write(out, id, &self.form(revision))),
            Ok(Dispatched::Later(reply)) => {
                Taken::Later(write_later(self.myself.clone(), id.clone().into_owned(), revision, reply))
            }
            Ok(Dispatched::Open) => Taken::Silent,
            Err(error) => Taken::Answered(write_error(out, Some(id), &error, revision)),
        }
    }

    /// The bare result of a request, for a method table that writes responses itself.
    #[cfg(feature = "jsonrpsee")]
    pub(crate) async fn result_of(
        &self,
        method: &str,
        envelope: Envelope<'_>,
    ) -> Result<Box<RawValue>, ErrorObject> {
        let id = RequestId::from(0);
        let (revision, dispatched) = {
            let params = envelope.params.unwrap_or_default();
            let request =
                self.read_request(method, &id, &params, envelope.meta.as_ref(), Known::default())?;
            (request.revision, self.dispatch(&request)?)
        };
        let reply = match dispatched {
            Dispatched::Now(reply) => Some(reply),
            Dispatched::Later(reply) => reply.await,
            Dispatched::Open => None,
        };
        let reply = reply.ok_or_else(|| error::internal("the request was cancelled"))?;
        reply.into_result(&self.form(revision))
    }

    /// Reads the request with its revision: modern requests name it, all others follow `initialize` (2026-07-28,
    /// basic/versioning "Backward Compatibility").
    fn read_request<'a>(
        &self,
        method: &'a str,
        id: &'a RequestId<'a>,
        params: &'a Params<'a>,
        meta: Option<&'a RequestMeta<'a>>,
        Known { era, called }: Known<'a>,
    ) -> Result<Request<'a>, ErrorObject> {
        let meta =
            meta.ok_or_else(|| error::invalid_params("`_meta` must be an object without duplicate members"))?;
        let named = || if meta.protocol_version.is_some() { Era::Modern } else { Era::Legacy };
        let (revision, log_level) = match era.unwrap_or_else(named) {
            Era::Modern => self.modern_revision(meta)?,
            Era::Legacy => (self.legacy_revision(method)?, None),
        };
        Ok(Request { id, method, params, meta, revision, log_level, called })
    }

    fn dispatch(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        match request.revision.era() {
            Era::Modern => self.modern(request),
            Era::Legacy => self.legacy(request),
        }
    }

    /// The form of results that the peer expects in this revision.
    fn form(&self, revision: Revision) -> Form<'_> {
        Form { revision, server_meta: self.service.server_meta() }
    }

    fn take_notification(&self, method: &str, params: &Params<'_>) {
        if method == method::CANCELLED
            && let Some(id) = params.request_id.and_then(RequestId::referred_to)
        {
            self.cancel(&id);
        }
    }

    /// Cancels the request with this id, if it is running.
    pub(crate) fn cancel(&self, id: &RequestId<'_>) {
        let key = id.key();
        if !self.calls.cancel(&key) {
            self.peer.subscriptions().remove(&key);
        }
    }

    fn refuse_message(
        &self,
        id: Option<&RequestId<'_>>,
        error: &ErrorObject,
        out: &mut Vec<u8>,
    ) -> AnswerKind {
        write_error(out, id, error, self.error_revision())
    }

    /// The revision whose form applies to an error without an id.
    fn error_revision(&self) -> Revision {
        self.agreed_revision().unwrap_or(Revision::NEWEST)
    }

    /// The revision that `initialize` negotiated.
    pub(crate) fn agreed_revision(&self) -> Option<Revision> {
        self.peer.session.revision()
    }

    /// Passes a response to the waiting request.
    #[cfg(feature = "http")]
    pub(crate) fn respond(&self, id: &RawValue, result: Option<&RawValue>, error: Option<&RawValue>) {
        self.peer.session.waiting.respond(id, result, error);
    }

    /// Waits for a response in a task, and sends it.
    pub(crate) fn answer_later(&self, later: Later) {
        let Some(connection) = self.myself.upgrade() else { return };
        let unanswered = Unanswered::new(self.unanswered());
        tokio::spawn(async move {
            if let Some(answer) = later.await {
                connection.peer.send(&answer.text).await;
            }
            drop(unanswered);
        });
    }

    /// Waits until every response is in the outbox.
    #[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
    pub(crate) async fn wait_until_answered(&self) {
        let mut count = self.unanswered().subscribe();
        // `self` owns the sender, so waiting ends only when the count is zero.
        let _ = count.wait_for(|count| *count == 0).await;
    }

    fn unanswered(&self) -> &watch::Sender<usize> {
        self.unanswered.get_or_init(|| watch::Sender::new(0))
    }

    /// Cancels all calls and ends all subscriptions gracefully. Returns the names of the calls' targets.
    pub(crate) fn end(&self) -> Vec<String> {
        self.peer.subscriptions().end(&self.peer.outbox);
        self.calls.cancel_all()
    }

    /// Returns the requested page of `tools/list`.
    fn list_tools(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let context_path = optional_string(request.meta.context_path, meta::CONTEXT_PATH)?;
        let table = self.service.table_for(self.access());
        let view = View { context_path: context_path.as_deref(), ..self.view() };
        self.list_page(request, table.list(), view)
    }

    /// The peer's view of lists.
    pub(super) fn view(&self) -> View<'_> {
        View { context_path: None, access: self.access(), rule: &self.service.features().rule }
    }

    /// Returns the requested page of a list.
    fn list_page<T: Listed>(
        &self,
        request: &Request<'_>,
        list: &List<T>,
        view: View<'_>,
    ) -> Result<Dispatched, ErrorObject> {
        let cursor = optional_string(request.params.cursor, "cursor")?;
        let settings = self.service.list_settings();
        let page = list.page(cursor.as_deref(), view, request.revision, &settings).ok_or_else(|| {
            error::invalid_params("this server did not issue `cursor` for this list; list again without it")
        })?;
        Ok(Reply::Written(page).into())
    }
}

/// Counts a pending response, even if its task is dropped.
struct Unanswered(watch::Sender<usize>);

impl Unanswered {
    fn new(count: &watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count.clone())
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Returns a required string member.
fn required_string<'a>(member: Option<&'a RawValue>, name: &str) -> Result<Cow<'a, str>, ErrorObject> {
    member.and_then(string).ok_or_else(|| error::invalid_params(&format!("`{name}` must be a string")))
}

/// Returns an optional string member.
fn optional_string<'a>(
    member: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<Cow<'a, str>>, ErrorObject> {
    member.map(|text| required_string(Some(text), name)).transpose()
}

/// Returns the arguments of a request, if there are any.
fn arguments_of<'a>(params: &Params<'a>) -> Result<Option<&'a RawValue>, ErrorObject> {
    match params.arguments {
        Some(arguments) if !arguments.get().starts_with('{') => {
            Err(error::invalid_params("`arguments` must be an object"))
        }
        arguments => Ok(arguments),
    }
}

/// Parses a log level.
fn level_of(member: &RawValue) -> Result<LogLevel, ErrorObject> {
    serde_json::from_str(member.get()).map_err(|_| {
        error::invalid_params(
            "the log level must be one of debug, info, notice, warning, error, critical, alert, emergency",
        )
    })
}
