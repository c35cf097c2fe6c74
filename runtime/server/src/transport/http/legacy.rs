//! The legacy era over HTTP: messages of the client, and the end of its session (2025-11-25, basic/transports).

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde_json::value::RawValue;
use toolwright_core::revision::Revision;

use super::answer::{self, ANSWER_BYTES, Era};
use super::body::HttpBody;
use super::exchange::{EndCall, Form, Step, Waiting};
use super::headers::single;
use super::session::{NotOpened, Session};
use super::{Endpoint, id_of, too_many};
use crate::auth::Access;
use crate::connection::{Connection, Later};
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
        access: Access,
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
                return Step::Done(self.initialize(access, form, envelope, id.as_ref()));
            }
            // Allowed before `initialize` (2025-11-25, basic/lifecycle "Initialization").
            (Some("ping"), envelope) if !headers.contains_key(&SESSION_ID) => (None, envelope),
            (_, envelope) => match self.session(headers, &access, id.as_ref()) {
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
        #[cfg(feature = "auth")]
        if let Some(refusal) = envelope.as_ref().and_then(|envelope| self.insufficient(&access, envelope)) {
            return Step::Done(refusal);
        }
        if let Some(session) = session.as_ref().filter(|_| envelope.is_none()) {
            for cancellation in cancellations(session, frame, self.service.limits().max_batch_messages) {
                session.cancel(cancellation.get().as_bytes());
            }
        }
        self.request(access, form, frame, envelope, session, id.as_ref())
    }

    /// Takes a request or a batch.
    fn request(
        &self,
        access: Access,
        form: Form,
        frame: &[u8],
        envelope: Option<Envelope<'_>>,
        session: Option<Arc<Session>>,
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
            access,
            session.as_ref().map(|session| &*session.connection),
        );
        let mut out = Vec::with_capacity(ANSWER_BYTES);
        let later = match envelope {
            Some(envelope) => connection.take_message(envelope, &mut out),
            None => connection.receive(frame, &mut out),
        };
        let answer: Later = match later {
            None if out.is_empty() => return Step::Done(answer::empty(StatusCode::ACCEPTED)),
            None if form.is_json(&outbox) => return Step::Done(answer::json(Era::Legacy, out)),
            None if session.is_none() => return Step::Done(form.respond(&outbox, out)),
            // What a session sends as events is kept first.
            None => Box::pin(std::future::ready(Some(out))),
            Some(later) => {
                if let Some(session) = &session {
                    session.add(&connection);
                }
                // The call outlives its reader, so it runs in a task of its own.
                let call = tokio::spawn(async move {
                    let answer = later.await;
                    drop((connection, count));
                    answer
                });
                Box::pin(async move { call.await.ok().flatten() })
            }
        };
        let kept = EndCall { outbox: Arc::clone(&outbox), connection: None, _count: None };
        Step::Waiting(Box::new(Waiting { answer, outbox, form, kept, session }))
    }

    /// Opens a session, if the handshake succeeds.
    fn initialize(
        &self,
        access: Access,
        form: Form,
        envelope: Envelope<'_>,
        id: Option<&RequestId<'_>>,
    ) -> Response<HttpBody> {
        let outbox = Arc::new(Outbox::dropping(KEPT_WITHOUT_STREAM));
        let connection = Connection::open(self.service.shared(), Arc::clone(&outbox), access);
        let mut out = Vec::new();
        // Never `Some`: a handshake takes no time.
        let _ = connection.take_message(envelope, &mut out);
        if !connection.is_agreed() {
            return form.respond(&outbox, out);
        }
        let session = match self.sessions.open(connection, outbox) {
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

    /// The session that a request is of; else 400 where it names none, 404 where the caller has none of its name.
    pub(super) fn session(
        &self,
        headers: &HeaderMap,
        access: &Access,
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
        self.sessions.get(session, access).ok_or_else(|| {
            refused(StatusCode::NOT_FOUND, "there is no session of this id any more; start with `initialize`")
        })
    }

    /// DELETE: the client leaves.
    pub(super) fn end_session(&self, headers: &HeaderMap, access: &Access) -> Response<HttpBody> {
        let session = match self.session(headers, access, None) {
            Ok(_) => headers.get(&SESSION_ID).and_then(|id| id.to_str().ok()),
            Err(response) => return *response,
        };
        session.map(|id| self.sessions.remove(id));
        answer::empty(StatusCode::OK)
    }
}

/// The cancellations in a batch, if it is one that the session takes. They may be of requests that came before it.
fn cancellations<'a>(session: &Session, batch: &'a [u8], limit: usize) -> Vec<&'a RawValue> {
    const METHOD: &str = "notifications/cancelled";
    let has_batches = session.connection.agreed_revision() == Some(Revision::V2025_03_26);
    if !has_batches || memchr::memmem::find(batch, METHOD.as_bytes()).is_none() {
        return Vec::new();
    }
    let messages = serde_json::from_slice::<Vec<&RawValue>>(batch).unwrap_or_default();
    let is_cancellation = |message: &&RawValue| {
        let envelope = Envelope::parse(message.get().as_bytes());
        envelope.is_ok_and(|envelope| envelope.id.is_none() && envelope.method_name() == Some(METHOD))
    };
    if messages.len() > limit { Vec::new() } else { messages.into_iter().filter(is_cancellation).collect() }
}
