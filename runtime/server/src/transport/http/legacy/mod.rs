//! The legacy era over HTTP: messages of the client, and the end of its session (2025-11-25, basic/transports).
//!
//! A `session` has streams that outlive their connections: GET (`resumability`) reads a `stream`, whose events have ids
//! (`event_id`) and are stored (`event_store`) for authorized readers (`grants`). `http_sse` is the predecessor of this
//! transport.

mod event_id;
mod event_store;
mod grants;
mod http_sse;
mod resumability;
mod session;
mod stream;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Response, StatusCode};
use toolwright_core::protocol::method;
use toolwright_core::protocol::{Era, ErrorObject};
use toolwright_core::revision::Revision;
use toolwright_wire::headers::{SESSION_ID, single};
use toolwright_wire::outbox::Outbox;

use super::answer::{self, ANSWER_BYTES};
use super::body::HttpBody;
use super::exchange::{EndCall, PendingResponse, ResponseForm, Step, answer_unless_abandoned};
use super::modern::check_agreement;
use super::{Endpoint, headers, outbox_of, too_many, too_many_of_caller};
use crate::auth::{Access, Visitor};
use crate::connection::{Answer, Connection, Known, Later, Taken};
use crate::error;
use crate::message::{Envelope, RequestId};

pub(super) use event_id::EventId;
pub use event_store::{EventLimits, EventStore, EventStoreError, MemoryEventStore, StoredEvent};
pub(super) use http_sse::SseStreams;
pub(super) use session::{HttpSession, Sessions};
use session::{KEPT_WITHOUT_STREAM, NotOpened};
pub(super) use stream::{Reader, Reading, exactly, filled_or_hung_up};

impl Endpoint {
    /// Handles a message.
    pub(super) fn legacy(
        &self,
        headers: &HeaderMap,
        access: Visitor,
        form: ResponseForm,
        envelope: Envelope<'_>,
    ) -> Step {
        let id = envelope.request_id();
        let method = envelope.method_name();
        if !self.config.has_sessions() {
            let why = format!(
                "the `MCP-Protocol-Version` header is missing; this server supports only {}, which has no `initialize`",
                Revision::NEWEST
            );
            let error = error::header_mismatch(&why);
            return Step::Done(answer::refusal(StatusCode::BAD_REQUEST, id.as_ref(), &error));
        }
        let session = match method.as_deref() {
            // A client may send the id of a session that has ended, or that it is about to leave
            // (diegosouzapw/OmniRoute#5957).
            Some(method::INITIALIZE) if id.is_some() => {
                return Step::Done(self.initialize(access, form, envelope, id.as_ref()));
            }
            // Allowed before `initialize` (2025-11-25, basic/lifecycle "Initialization").
            Some(method::PING) if !headers.contains_key(&SESSION_ID) => None,
            _ => match self.session(headers, &access, id.as_ref()) {
                Ok(session) => Some(session),
                Err(response) => return Step::Done(*response),
            },
        };
        if envelope.id.is_none() || envelope.method.is_none() {
            return Step::Done(accept_unanswered(session.as_deref(), &envelope));
        }
        // Headers do not name the tool here, so only protected endpoints have to look it up before the connection does.
        #[cfg(feature = "auth")]
        let called = self.config.protection().and_then(|_| self.called_tool(&access, &envelope));
        #[cfg(not(feature = "auth"))]
        let called = None;
        #[cfg(feature = "auth")]
        if let Some(refusal) = self.insufficient(&access, called.as_ref(), &envelope) {
            return Step::Done(refusal);
        }
        let take = |connection: &Connection, out: &mut _| {
            connection.take_known(envelope, Known { era: Some(Era::Legacy), called: called.as_ref() }, out)
        };
        self.request(access, form, session, id.as_ref(), take)
    }

    /// Handles a batch, which only one revision supports (2025-03-26, basic "Batching").
    pub(super) fn batch(
        &self,
        headers: &HeaderMap,
        access: Visitor,
        form: ResponseForm,
        frame: &[u8],
    ) -> Step {
        let refused = |error| Step::Done(answer::refusal(StatusCode::BAD_REQUEST, None, &error));
        match headers::version(headers) {
            Ok(Some(revision)) if !revision.has_sessions() => {
                let why =
                    format!("revision {revision} does not support batches; send each message separately");
                return refused(error::invalid_request(&why));
            }
            Ok(_) if !self.config.has_sessions() || !headers.contains_key(&SESSION_ID) => {
                let why = "batches are only supported in sessions of revision 2025-03-26; send each message separately";
                return refused(error::invalid_request(why));
            }
            Ok(_) => {}
            Err(error) => return refused(error),
        }
        let session = match self.session(headers, &access, None) {
            Ok(session) => session,
            Err(response) => return Step::Done(*response),
        };
        let batch = match session.connection.read_batch(frame) {
            Ok(batch) => batch,
            Err(error) => return refused(error),
        };
        for id in batch.cancelled() {
            session.cancel(&id);
        }
        let take = |connection: &Connection, out: &mut _| {
            let check = |envelope: &Envelope<'_>| self.check_any(headers, connection.access(), envelope);
            connection.take_batch(batch, &check, out)
        };
        self.request(access, form, Some(session), None, take)
    }

    /// Handles a request or a batch, and answers it.
    fn request(
        &self,
        access: Visitor,
        form: ResponseForm,
        session: Option<Arc<HttpSession>>,
        id: Option<&RequestId<'_>>,
        take: impl FnOnce(&Connection, &mut Vec<u8>) -> Taken,
    ) -> Step {
        let limits = self.service.limits();
        let Some(count) = self.unanswered.one_more(limits.max_calls_in_flight) else {
            return Step::Done(too_many(id, "too many requests are running"));
        };
        let outbox = Arc::new(outbox_of(limits, &access, false));
        if !form.accept.events {
            outbox.close();
        }
        let granted = Access::clone(&access);
        let connection = Connection::for_exchange(
            self.service.shared(),
            Arc::clone(&outbox),
            access,
            session.as_ref().map(|session| &*session.connection),
        );
        let mut out = Vec::with_capacity(ANSWER_BYTES);
        let taken = take(&connection, &mut out);
        let answer: Later = match taken {
            Taken::Silent => return Step::Done(answer::empty(StatusCode::ACCEPTED)),
            Taken::Answered(kind) => {
                let answer = Answer { text: out, kind };
                if form.is_json(&outbox) {
                    return Step::Done(answer::json(Era::Legacy, answer));
                }
                if session.is_none() {
                    return Step::Done(form.respond(&outbox, answer));
                }
                // What a session sends as events is stored first.
                Box::pin(std::future::ready(Some(answer)))
            }
            Taken::Later(later) => {
                if let Some(session) = &session {
                    session.add(&connection);
                }
                let (session, abandoned) = (session.clone(), self.abandoned.clone());
                let id = id.cloned().map(RequestId::into_owned);
                // The call outlives its reader, so it runs in its own task.
                let call = tokio::spawn(async move {
                    let answer = answer_unless_abandoned(later, abandoned, Arc::clone(&connection), id).await;
                    // The session may become idle now.
                    if let Some(session) = session {
                        session.touch();
                    }
                    drop((connection, count));
                    answer
                });
                Box::pin(async move { call.await.ok().flatten() })
            }
        };
        let kept = EndCall { outbox: Arc::clone(&outbox), connection: None, _count: None };
        let session = session.map(|session| (session, granted));
        Step::Pending(Box::new(PendingResponse { answer, outbox, form, kept, session }))
    }

    /// Checks the headers of a message that may belong to either era: on a transport of the legacy era only, or in a
    /// batch, a message that names its revision must still match that revision's headers.
    pub(super) fn check_any(
        &self,
        headers: &HeaderMap,
        access: &Access,
        envelope: &Envelope<'_>,
    ) -> Result<(), ErrorObject> {
        let names_revision = envelope.meta.as_ref().is_some_and(|meta| meta.protocol_version.is_some());
        if !names_revision || envelope.id.is_none() {
            return Ok(());
        }
        headers::era(headers, envelope, true)?;
        check_agreement(headers, self.called_tool(access, envelope).as_ref(), envelope)
    }

    /// Opens a session if the handshake succeeds.
    fn initialize(
        &self,
        access: Visitor,
        form: ResponseForm,
        envelope: Envelope<'_>,
        id: Option<&RequestId<'_>>,
    ) -> Response<HttpBody> {
        let outbox = Arc::new(Outbox::dropping(KEPT_WITHOUT_STREAM));
        let visitor = access.without_message();
        let connection = Connection::open(self.service.shared(), Arc::clone(&outbox), visitor);
        let mut text = Vec::new();
        // A handshake completes immediately.
        let Taken::Answered(kind) = connection.take_message(envelope, &mut text) else {
            return answer::empty(StatusCode::ACCEPTED);
        };
        let answer = Answer { text, kind };
        if !connection.is_agreed() {
            return form.respond(&outbox, answer);
        }
        let session = match self.sessions.open(connection, outbox) {
            Ok(session) => session,
            Err(NotOpened::TooMany) => return too_many(id, "too many sessions are open"),
            Err(NotOpened::TooManyOfCaller) => {
                return too_many_of_caller(
                    id,
                    "this caller has the maximum number of sessions, and all are in use",
                );
            }
            Err(NotOpened::NoId) => {
                let error =
                    error::internal("the system's random number generator failed, so the session has no id");
                return answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, id, &error);
            }
        };
        let mut response = if form.accept.json {
            answer::json(Era::Legacy, answer)
        } else {
            form.respond(&Outbox::new(0), answer)
        };
        if let Ok(session) = HeaderValue::from_str(&session) {
            response.headers_mut().insert(&SESSION_ID, session);
        }
        response
    }

    /// Returns the session of a request; otherwise 400 if it names none, or 404 if the caller has no such session.
    pub(super) fn session(
        &self,
        headers: &HeaderMap,
        access: &Access,
        id: Option<&RequestId<'_>>,
    ) -> Result<Arc<HttpSession>, Box<Response<HttpBody>>> {
        let refused = |status, why| Box::new(answer::refusal(status, id, &error::invalid_request(why)));
        let value = single(headers, &SESSION_ID)
            .map_err(|_| refused(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` appears more than once"))?
            .ok_or_else(|| {
                refused(
                    StatusCode::BAD_REQUEST,
                    "`Mcp-Session-Id` is missing; start with `initialize`, which returns one, or send `MCP-Protocol-Version` and `_meta` as in revision 2026-07-28",
                )
            })?;
        let session = value
            .to_str()
            .ok()
            .filter(|session| session.bytes().all(|byte| byte.is_ascii_graphic()))
            .ok_or_else(|| refused(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is not a session id"))?;
        self.sessions.get(session, access).ok_or_else(|| {
            refused(
                StatusCode::NOT_FOUND,
                "this session does not exist, or has ended; start with `initialize`",
            )
        })
    }

    /// Handles DELETE: ends the session.
    pub(super) fn end_session(&self, headers: &HeaderMap, access: &Access) -> Response<HttpBody> {
        let session = match self.session(headers, access, None) {
            Ok(_) => headers.get(&SESSION_ID).and_then(|id| id.to_str().ok()),
            Err(response) => return *response,
        };
        session.map(|id| self.sessions.remove(id));
        answer::empty(StatusCode::OK)
    }
}

/// Handles a message without a response: a notification, or a response to a request of the server.
fn accept_unanswered(session: Option<&HttpSession>, envelope: &Envelope<'_>) -> Response<HttpBody> {
    if envelope.is_response() {
        if let (Some(session), Some(id)) = (session, envelope.id) {
            session.connection.respond(id, envelope.result, envelope.error);
        }
        return answer::empty(StatusCode::ACCEPTED);
    }
    if envelope.method.is_none() {
        let error = error::invalid_request("`method` is missing");
        return answer::refusal(StatusCode::BAD_REQUEST, envelope.request_id().as_ref(), &error);
    }
    if let (Some(session), Some(id)) = (session, envelope.cancelled()) {
        session.cancel(&id);
    }
    answer::empty(StatusCode::ACCEPTED)
}
