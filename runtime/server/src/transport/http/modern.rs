//! The modern era over HTTP: every request is on its own (2026-07-28, basic/transports/streamable-http).

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;
use toolwright_wire::headers::{VERSION, check_standard};

use super::answer::ANSWER_BYTES;
use super::body::EventStream;
use super::exchange::{EndCall, Form, Step, Waiting, answer_unless_abandoned};
use super::{Endpoint, answer, not_acceptable, outbox_of, too_many};
use crate::auth::{Access, Visitor};
use crate::connection::Connection;
use crate::error;
use crate::message::{Envelope, RequestId, string};

impl Endpoint {
    /// Takes a message whose header names a modern revision, or one that is not known, and whose `_meta` names the
    /// same or none.
    pub(super) fn modern(
        &self,
        headers: &HeaderMap,
        access: Visitor,
        form: Form,
        envelope: Envelope<'_>,
    ) -> Step {
        let id = envelope.request_id();
        if envelope.id.is_none() && envelope.method.is_some() {
            // No notification means anything to this revision's server; ending the stream is what cancels.
            return Step::Done(answer::empty(StatusCode::ACCEPTED));
        }
        #[cfg(feature = "auth")]
        if let Some(refusal) = self.insufficient(&access, &envelope) {
            return Step::Done(refusal);
        }
        if let Err(error) = self.check(headers, &access, &envelope) {
            return Step::Done(answer::refusal(StatusCode::BAD_REQUEST, id.as_ref(), &error));
        }
        let limits = self.service.limits();
        let Some(count) = self.unanswered.one_more(limits.max_calls_in_flight) else {
            return Step::Done(too_many(id.as_ref(), "too many requests are running"));
        };
        let listens = envelope.method_name().is_some_and(|method| method == method::SUBSCRIPTIONS_LISTEN);
        if listens && !form.accept.events {
            return Step::Done(not_acceptable());
        }
        let shared = self.service.shared();
        let outbox = Arc::new(outbox_of(limits, &access, listens));
        let is_modern_only = !self.config.has_sessions();
        let connection =
            Connection::for_modern_exchange(shared, Arc::clone(&outbox), access, listens, is_modern_only);
        if !form.accept.events {
            outbox.close();
        }
        let mut out = Vec::with_capacity(ANSWER_BYTES);
        let later = connection.take_message(envelope, &mut out);
        let kept = EndCall {
            outbox: Arc::clone(&outbox),
            connection: Some(Arc::clone(&connection)),
            _count: Some(count),
        };
        match later {
            Some(answer) => {
                let answer = Box::pin(answer_unless_abandoned(
                    answer,
                    self.abandoned.clone(),
                    connection,
                    id.map(RequestId::into_owned),
                ));
                Step::Waiting(Box::new(Waiting { answer, outbox, form, kept, session: None }))
            }
            None if listens && out.is_empty() => {
                let stream = EventStream::new(outbox, form.reading.keep_alive, kept)
                    .until(self.stop.clone().cancelled_owned(), Some(connection));
                Step::Done(answer::event_stream(stream))
            }
            None if out.is_empty() => Step::Done(answer::empty(StatusCode::ACCEPTED)),
            None => Step::Done(form.respond(&outbox, out)),
        }
    }

    /// Whether headers and body agree ("Server Validation"), by the very values that the connection is handed. What is
    /// wrong with the body alone, the connection says.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        access: &Access,
        envelope: &Envelope<'_>,
    ) -> Result<(), ErrorObject> {
        if envelope.meta.as_ref().is_none_or(|meta| meta.protocol_version.is_none()) {
            return Err(error::invalid_params(
                "`_meta` needs the string `io.modelcontextprotocol/protocolVersion` on every request",
            ));
        }
        let speaks_modern = headers
            .get(&VERSION)
            .and_then(|version| Revision::from_name(version.to_str().ok()?))
            .is_some_and(Revision::is_modern);
        let (Some(method), Some(params)) = (envelope.method_name(), &envelope.params) else { return Ok(()) };
        // A revision that is not served may have other headers; the connection names those that are.
        if !speaks_modern {
            return Ok(());
        }
        check_standard(headers, &method, params)?;
        if method != method::TOOLS_CALL {
            return Ok(());
        }
        let name = params.name.and_then(string);
        // Of a tool that the caller may not call, nothing is told: the connection says that there is none.
        let tool = name.and_then(|name| self.service.shared().tool_for(&name, access).ok());
        tool.map_or(Ok(()), |tool| tool.header_params.check(headers, params.arguments))
    }
}
