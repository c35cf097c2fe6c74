//! One connection: messages in, answers out. Transports own the bytes, this owns their meaning.

mod batch;
mod calls;
#[cfg(any(feature = "http", feature = "jsonrpsee"))]
mod exchange;
mod extensions;
mod features;
mod input_requests;
mod legacy;
mod modern;
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
use toolwright_core::protocol::ErrorObject;
use toolwright_core::revision::Revision;

use crate::auth::{Access, Visitor};
use crate::context::LogLevel;
use crate::error;
use crate::future::BoxFuture;
use crate::message::{Envelope, Fault, Malformed, Params, RequestId, RequestMeta, string, trimmed};
use crate::pagination::{List, Listed, View};
use crate::peer::{Peer, Session};
use crate::quotas::Caller;
use crate::reply;
use crate::service::Shared;

#[cfg(feature = "http")]
pub(crate) use batch::Check;
use calls::Calls;
pub(crate) use calls::{Ended, finish};

/// The exchange of messages with one peer of the server.
#[derive(Debug)]
pub(crate) struct Connection {
    service: Arc<Shared>,
    peer: Arc<Peer>,
    calls: Calls,
    /// How many answers are still to come. Made by the first: it is larger than all the rest.
    unanswered: OnceLock<watch::Sender<usize>>,
    /// Whether its transport serves the modern era alone.
    is_modern_only: bool,
    myself: Weak<Connection>,
}

/// An answer that is not there yet; none if the request was cancelled.
pub(crate) type Later = BoxFuture<'static, Option<Vec<u8>>>;

impl Connection {
    /// A connection that is notified of changes. A transport says who is at its other end: a peer over a network is never
    /// [`Access::Trusted`] unless the user says so.
    pub(crate) fn open(service: &Arc<Shared>, outbox: Arc<Outbox>, access: impl Into<Visitor>) -> Arc<Self> {
        Self::unlisted(service, outbox, access.into(), Arc::default(), false).listed()
    }

    /// From now on it is notified of changes.
    fn listed(self: Arc<Self>) -> Arc<Self> {
        self.service.add_listener(Arc::downgrade(&self.peer));
        self
    }

    fn unlisted(
        service: &Arc<Shared>,
        outbox: Arc<Outbox>,
        access: Visitor,
        session: Arc<Session>,
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

    /// Whose share of the limits it takes.
    pub(crate) fn caller(&self) -> &Caller {
        self.peer.caller()
    }

    /// What the peer may use.
    pub(crate) fn access(&self) -> &Access {
        self.peer.access()
    }

    /// Takes one frame: a message or a batch. Appends the answer, if there is one at once, as a line to `out`;
    /// else returns what to wait for.
    pub(crate) fn receive(&self, frame: &[u8], out: &mut Vec<u8>) -> Option<Later> {
        let frame = trimmed(frame);
        let start = out.len();
        let later = match frame.first() {
            None => return None,
            Some(b'[') => match self.read_batch(frame) {
                Ok(batch) => self.take_batch(batch, &|_| Ok(()), out),
                Err(error) => {
                    self.refuse_message(None, &error, out);
                    None
                }
            },
            Some(_) => match Envelope::parse(frame) {
                Ok(envelope) => self.take_message(envelope, out),
                Err(malformed) => {
                    self.refuse_malformed(&malformed, out);
                    None
                }
            },
        };
        if out.len() > start {
            out.push(b'\n');
        }
        later
    }

    /// Answers a frame that could not be read as text or was too long.
    #[cfg(any(feature = "stdio", feature = "socket"))]
    pub(crate) fn refuse(&self, why: &str, out: &mut Vec<u8>) {
        reply::error(out, None, &error::parse(why), self.error_revision());
        out.push(b'\n');
    }

    /// Answers an invalid message, unless it is a notification.
    fn refuse_malformed(&self, malformed: &Malformed<'_>, out: &mut Vec<u8>) {
        if malformed.fault != Fault::Notification {
            self.refuse_message(malformed.id.as_ref(), &error::malformed(malformed.fault, "line"), out);
        }
    }

    /// As [`Connection::receive`], for a message that was read already. Its answer ends no line.
    pub(crate) fn take_message(&self, envelope: Envelope<'_>, out: &mut Vec<u8>) -> Option<Later> {
        let id = envelope.id.map(RequestId::new);
        let mut refuse = |id: Option<&RequestId<'_>>, why| {
            self.refuse_message(id, &error::invalid_request(why), out);
            None
        };
        if envelope.is_response() {
            if let Some(id) = envelope.id {
                self.peer.session.waiting.respond(id, envelope.result, envelope.error);
            }
            return None;
        }
        let Some(method) = envelope.method else {
            return refuse(id.flatten().as_ref(), "`method` is missing");
        };
        let Some(method) = string(method) else {
            return refuse(id.flatten().as_ref(), "`method` must be a string");
        };
        let is_versioned = envelope.jsonrpc.is_some_and(|version| {
            // As nearly all write it, which need not be taken apart.
            version.get() == "\"2.0\"" || string(version).is_some_and(|version| version == "2.0")
        });
        let params = envelope.params.unwrap_or_default();
        match id {
            // Never answered, whatever is wrong with it (JSON-RPC 2.0 §4.1).
            None => {
                if is_versioned {
                    self.notified(&method, &params);
                }
                None
            }
            Some(id) if !is_versioned => refuse(id.as_ref(), "`jsonrpc` must be \"2.0\""),
            Some(None) => refuse(None, "`id` must be a string or an integer"),
            Some(Some(id)) => self.request(&method, &id, &params, envelope.meta.as_ref(), out),
        }
    }

    /// A request goes to the era that it is of: modern ones say so themselves, all others follow `initialize`
    /// (2026-07-28, basic/versioning "Backward Compatibility").
    fn request(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: Option<&RequestMeta<'_>>,
        out: &mut Vec<u8>,
    ) -> Option<Later> {
        let Some(meta) = meta else {
            self.refuse_message(
                Some(id),
                &error::invalid_params("`_meta` must be an object in which nothing is said twice"),
                out,
            );
            return None;
        };
        let answer = if meta.protocol_version.is_some() {
            self.modern(method, id, params, meta, out)
        } else {
            self.legacy(method, id, params, meta, out)
        };
        answer.unwrap_or_else(|error| {
            self.refuse_message(Some(id), &error, out);
            None
        })
    }

    fn notified(&self, method: &str, params: &Params<'_>) {
        if method == method::CANCELLED
            && let Some(id) = params.request_id.and_then(RequestId::referred_to)
        {
            self.cancel(&id);
        }
    }

    /// Takes back what runs with this id, if anything does.
    pub(crate) fn cancel(&self, id: &RequestId<'_>) {
        let key = id.key();
        if !self.calls.cancel(&key) {
            self.peer.subscriptions().remove(&key);
        }
    }

    fn refuse_message(&self, id: Option<&RequestId<'_>>, error: &ErrorObject, out: &mut Vec<u8>) {
        reply::error(out, id, error, self.error_revision());
    }

    /// The revision whose form an error without an id takes.
    fn error_revision(&self) -> Revision {
        self.agreed_revision().unwrap_or(Revision::NEWEST)
    }

    /// The revision that `initialize` agreed on.
    pub(crate) fn agreed_revision(&self) -> Option<Revision> {
        self.peer.session.revision()
    }

    /// Gives a response to the one who waits for it.
    #[cfg(feature = "http")]
    pub(crate) fn respond(&self, id: &RawValue, result: Option<&RawValue>, error: Option<&RawValue>) {
        self.peer.session.waiting.respond(id, result, error);
    }

    /// Waits for an answer in a task of its own and sends it.
    pub(crate) fn answer_later(&self, later: Later) {
        let Some(connection) = self.myself.upgrade() else { return };
        let unanswered = Unanswered::new(self.unanswered());
        tokio::spawn(async move {
            if let Some(answer) = later.await {
                connection.peer.send(&answer).await;
            }
            drop(unanswered);
        });
    }

    /// Waits until every answer is in the outbox.
    #[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
    pub(crate) async fn answered(&self) {
        let mut count = self.unanswered().subscribe();
        // The sender lives in `self`, so waiting ends with the count only.
        let _ = count.wait_for(|count| *count == 0).await;
    }

    fn unanswered(&self) -> &watch::Sender<usize> {
        self.unanswered.get_or_init(|| watch::Sender::new(0))
    }

    /// Cancels what runs and ends the subscriptions in order. Returns the names of what was running.
    pub(crate) fn end(&self) -> Vec<String> {
        self.peer.subscriptions().end(&self.peer.outbox);
        self.calls.cancel_all()
    }

    /// The page of `tools/list` that the parameters ask for.
    fn list_tools(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &RequestMeta<'_>,
        revision: Revision,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        let context_path = optional_string(meta.context_path, meta::CONTEXT_PATH)?;
        let table = self.service.table();
        let view = View { context_path: context_path.as_deref(), ..self.view() };
        self.list_page(id, params, table.list(), view, revision, out)
    }

    /// What the peer sees of a list.
    pub(super) fn view(&self) -> View<'_> {
        View { context_path: None, access: self.access(), rule: &self.service.features().rule }
    }

    /// The page of a list that the parameters ask for.
    fn list_page<T: Listed>(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        list: &List<T>,
        view: View<'_>,
        revision: Revision,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        let cursor = optional_string(params.cursor, "cursor")?;
        let settings = self.service.list_settings();
        let page = list.page(cursor.as_deref(), view, revision, &settings).ok_or_else(|| {
            error::invalid_params(
                "`cursor` is not one that this server gave you for this list; list again without it",
            )
        })?;
        reply::result(out, id, &page);
        Ok(None)
    }
}

/// Counts an answer that is still to come, also if its task is dropped.
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

/// The string at a member that must be there.
fn required_string<'a>(member: Option<&'a RawValue>, name: &str) -> Result<Cow<'a, str>, ErrorObject> {
    member.and_then(string).ok_or_else(|| error::invalid_params(&format!("`{name}` must be a string")))
}

/// The string at a member that may be left out.
fn optional_string<'a>(
    member: Option<&'a RawValue>,
    name: &str,
) -> Result<Option<Cow<'a, str>>, ErrorObject> {
    member.map(|text| required_string(Some(text), name)).transpose()
}

/// The arguments of a request, if there are any.
fn arguments_of<'a>(params: &Params<'a>) -> Result<Option<&'a RawValue>, ErrorObject> {
    match params.arguments {
        Some(arguments) if !arguments.get().starts_with('{') => {
            Err(error::invalid_params("`arguments` must be an object"))
        }
        arguments => Ok(arguments),
    }
}

/// The log level at a member.
fn level_of(member: &RawValue) -> Result<LogLevel, ErrorObject> {
    serde_json::from_str(member.get()).map_err(|_| {
        error::invalid_params(
            "the log level must be one of debug, info, notice, warning, error, critical, alert, emergency",
        )
    })
}
