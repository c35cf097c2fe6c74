//! The legacy era over HTTP: sessions, their streams and their end (2025-11-25, basic/transports).

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use toolwright_core::revision::Revision;

use super::answer::{self, ANSWER_BYTES, Era};
use super::body::{EventStream, HttpBody};
use super::exchange::{EndCall, Form, Step, Waiting};
use super::headers::{Accept, single};
use super::session::{NotOpened, Session};
use super::{Endpoint, id_of, not_acceptable, too_many};
use crate::connection::Connection;
use crate::error;
use crate::message::{Envelope, RequestId};
use crate::outbox::Outbox;

static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// How much of what belongs to no request is kept for a client that has no stream open.
const KEPT_WITHOUT_STREAM: usize = 16 << 10;

impl Endpoint {
    /// Takes a message, or a batch where there is no envelope.
    pub(super) fn legacy(
        &self,
        headers: &HeaderMap,
        form: Form,
        frame: &[u8],
        envelope: Option<Envelope<'_>>,
    ) -> Step {
        let id = envelope.as_ref().and_then(id_of);
        let method = envelope.as_ref().and_then(Envelope::method_name);
        if !self.config.has_sessions() {
            let why = format!(
                "the `MCP-Protocol-Version` header is missing, and this server speaks {} only, which has no `initialize`",
                Revision::NEWEST
            );
            let error = error::header_mismatch(&why);
            return Step::Done(answer::refusal(StatusCode::BAD_REQUEST, id.as_ref(), &error));
        }
        let session = match (method, envelope) {
            // A client may send the id of a session that ended, or that it wants to leave (RPC-12).
            (Some("initialize"), Some(envelope)) if id.is_some() => {
                return Step::Done(self.initialize(form, envelope, id.as_ref()));
            }
            // Allowed before `initialize` (2025-11-25, basic/lifecycle "Initialization").
            (Some("ping"), envelope) if !headers.contains_key(&SESSION_ID) => (None, envelope),
            (_, envelope) => match self.session(headers, id.as_ref()) {
                Ok(session) => (Some(session), envelope),
                Err(response) => return Step::Done(*response),
            },
        };
        let (session, envelope) = session;
        if let Some(envelope) = &envelope
            && (envelope.id.is_none() || envelope.method.is_none())
        {
            if let Some(session) = session.as_ref().filter(|_| method == Some("notifications/cancelled")) {
                session.cancel(frame);
            }
            let is_response = envelope.result.is_some() || envelope.error.is_some();
            if method.is_none() && is_response {
                if let (Some(session), Some(id)) = (session, envelope.id) {
                    session.connection.waiting().respond(id, envelope.result, envelope.error);
                }
                return Step::Done(answer::empty(StatusCode::ACCEPTED));
            }
            if method.is_some() {
                return Step::Done(answer::empty(StatusCode::ACCEPTED));
            }
            let error = error::invalid_request("`method` is missing");
            return Step::Done(answer::refusal(StatusCode::BAD_REQUEST, id.as_ref(), &error));
        }
        self.request(form, frame, envelope, session.as_deref(), id.as_ref())
    }

    /// Takes a request or a batch.
    fn request(
        &self,
        form: Form,
        frame: &[u8],
        envelope: Option<Envelope<'_>>,
        session: Option<&Session>,
        id: Option<&RequestId<'_>>,
    ) -> Step {
        let limits = self.service.limits();
        let Some(count) = self.unanswered.one_more(limits.max_calls_in_flight) else {
            return Step::Done(too_many(id, "too many requests are running"));
        };
        let outbox = Arc::new(Outbox::new(limits.max_unsent_bytes));
        if !form.accept.events {
            outbox.close();
        }
        let connection = Connection::for_exchange(
            self.service.shared(),
            Arc::clone(&outbox),
            session.map(|session| &*session.connection),
        );
        let mut out = Vec::with_capacity(ANSWER_BYTES);
        let later = match envelope {
            Some(envelope) => connection.take_message(envelope, &mut out),
            None => connection.receive(frame, &mut out),
        };
        let Some(later) = later else {
            return Step::Done(if out.is_empty() {
                answer::empty(StatusCode::ACCEPTED)
            } else {
                form.respond(&outbox, out)
            });
        };
        if let Some(session) = session {
            session.add(&connection);
        }
        // The call outlives its reader, so it runs in a task of its own.
        let call = tokio::spawn(async move {
            let answer = later.await;
            drop((connection, count));
            answer
        });
        let answer = Box::pin(async move { call.await.ok().flatten() });
        let kept = EndCall { outbox: Arc::clone(&outbox), connection: None, _count: None };
        Step::Waiting(Box::new(Waiting { answer, outbox, form, kept }))
    }

    /// Opens a session, if the handshake succeeds.
    fn initialize(
        &self,
        form: Form,
        envelope: Envelope<'_>,
        id: Option<&RequestId<'_>>,
    ) -> Response<HttpBody> {
        let outbox = Arc::new(Outbox::dropping(KEPT_WITHOUT_STREAM));
        let connection = Connection::open(self.service.shared(), Arc::clone(&outbox));
        let mut out = Vec::new();
        // Never `Some`: a handshake takes no time.
        let _ = connection.take_message(envelope, &mut out);
        if !connection.is_agreed() {
            return form.respond(&outbox, out);
        }
        let session = match self.sessions.open(connection, Arc::clone(&outbox), self.stop.child_token()) {
            Ok(session) => session,
            Err(NotOpened::TooMany) => return too_many(id, "too many sessions are open"),
            Err(NotOpened::NoId) => {
                let error = error::internal("the system gives no random numbers for a session's id");
                return answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, id, &error);
            }
        };
        let mut response = if form.accept.json {
            answer::json(Era::Legacy, out)
        } else {
            form.respond(&Outbox::new(0), out)
        };
        if let Ok(session) = HeaderValue::from_str(&session) {
            response.headers_mut().insert(&SESSION_ID, session);
        }
        response
    }

    /// The session that a request is of; else 400 where it names none, 404 where there is none of its name.
    fn session(
        &self,
        headers: &HeaderMap,
        id: Option<&RequestId<'_>>,
    ) -> Result<Arc<Session>, Box<Response<HttpBody>>> {
        let refused = |status, why| Box::new(answer::refusal(status, id, &error::invalid_request(why)));
        let value = single(headers, &SESSION_ID)
            .map_err(|_| refused(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is there more than once"))?
            .ok_or_else(|| {
                refused(
                    StatusCode::BAD_REQUEST,
                    "`Mcp-Session-Id` is missing; start with `initialize`, which gives one, or send `MCP-Protocol-Version` and `_meta` as revision 2026-07-28 has it",
                )
            })?;
        let session = value
            .to_str()
            .ok()
            .filter(|session| session.bytes().all(|byte| byte.is_ascii_graphic()))
            .ok_or_else(|| refused(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is no session's id"))?;
        self.sessions.get(session).ok_or_else(|| {
            refused(StatusCode::NOT_FOUND, "there is no session of this id any more; start with `initialize`")
        })
    }

    /// GET: a stream of what belongs to no request ("Listening for Messages from the Server").
    pub(super) fn stream(&self, headers: &HeaderMap) -> Response<HttpBody> {
        if !Accept::of(headers).events {
            return not_acceptable();
        }
        let session = match self.session(headers, None) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        if headers.contains_key("last-event-id") {
            // Events have no ids here, so there is nothing to resume; 204 is what ends the attempts (WHATWG HTML,
            // "Server-sent events").
            return answer::empty(StatusCode::NO_CONTENT);
        }
        let limit = self.service.limits().max_session_streams;
        let Some(open) = session.open_stream(limit) else {
            return answer::refused(
                StatusCode::TOO_MANY_REQUESTS,
                &format!("{limit} streams of this session are open already; read one of them"),
            );
        };
        let ended = session.ended().clone().cancelled_owned();
        let stream = EventStream::new(Arc::clone(&session.outbox), self.config.silence(), open);
        answer::event_stream(stream.until(ended, None))
    }

    /// DELETE: the client leaves.
    pub(super) fn end_session(&self, headers: &HeaderMap) -> Response<HttpBody> {
        let session = match self.session(headers, None) {
            Ok(_) => headers.get(&SESSION_ID).and_then(|id| id.to_str().ok()),
            Err(response) => return *response,
        };
        session.map(|id| self.sessions.remove(id));
        answer::empty(StatusCode::OK)
    }
}
