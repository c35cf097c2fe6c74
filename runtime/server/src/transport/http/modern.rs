//! The modern era over HTTP, in which every request is independent (2026-07-28, basic/transports/streamable-http).

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use toolwright_core::future::boxed;
use toolwright_core::protocol::method;
use toolwright_core::protocol::{Era, ErrorObject};
use toolwright_wire::headers::check_standard;

use super::answer::ANSWER_BYTES;
use super::body::EventStream;
use super::exchange::{EndCall, PendingResponse, ResponseForm, Step, answer_unless_abandoned};
use super::{Endpoint, answer, not_acceptable, outbox_of, too_many};
use crate::auth::{Access, Visitor};
use crate::connection::{Answer, CalledTool, Connection, Known, Taken};
use crate::error;
use crate::message::{Envelope, RequestId, string};

impl Endpoint {
    /// Handles a message whose header names a modern or unknown revision, and whose `_meta` names the same or
    /// none.
    pub(super) fn modern(
        &self,
        headers: &HeaderMap,
        access: Visitor,
        form: ResponseForm,
        envelope: Envelope<'_>,
    ) -> Step {
        let id = envelope.request_id();
        if envelope.id.is_none() && envelope.method.is_some() {
            // No notification has a meaning in this revision; closing the stream cancels.
            return Step::Done(answer::empty(StatusCode::ACCEPTED));
        }
        let called = self.called_tool(&access, &envelope);
        #[cfg(feature = "auth")]
        if let Some(refusal) = self.insufficient(&access, called.as_ref(), &envelope) {
            return Step::Done(refusal);
        }
        if let Err(error) = check_agreement(headers, called.as_ref(), &envelope) {
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
        let taken = connection.take_known(
            envelope,
            Known { era: Some(Era::Modern), called: called.as_ref() },
            &mut out,
        );
        let kept = EndCall {
            outbox: Arc::clone(&outbox),
            connection: Some(Arc::clone(&connection)),
            _count: Some(count),
        };
        match taken {
            Taken::Later(answer) => {
                let (abandoned, id) = (self.abandoned.clone(), id.map(RequestId::into_owned));
                let answer = boxed(|| answer_unless_abandoned(answer, abandoned, connection, id));
                Step::Pending(Box::new(PendingResponse { answer, outbox, form, kept, session: None }))
            }
            Taken::Silent if listens => {
                let stream = EventStream::new(outbox, form.reading.keep_alive, kept)
                    .until(self.stop.clone().cancelled_owned(), Some(connection));
                Step::Done(answer::event_stream(stream))
            }
            Taken::Silent => Step::Done(answer::empty(StatusCode::ACCEPTED)),
            Taken::Answered(kind) => Step::Done(form.respond(&outbox, Answer { text: out, kind })),
        }
    }

    /// Looks up the tool that a message calls, if any, once for all uses.
    pub(super) fn called_tool(&self, access: &Access, envelope: &Envelope<'_>) -> Option<CalledTool> {
        envelope.method_name().filter(|method| method == method::TOOLS_CALL)?;
        let name = envelope.params.as_ref()?.name.and_then(string)?;
        Some(self.service.shared().tool_for(&name, access))
    }
}

/// Checks that headers and body match ("Server Validation"), based on the values that the connection receives. The
/// connection reports problems of the body alone.
pub(super) fn check_agreement(
    headers: &HeaderMap,
    called: Option<&CalledTool>,
    envelope: &Envelope<'_>,
) -> Result<(), ErrorObject> {
    if envelope.meta.as_ref().is_none_or(|meta| meta.protocol_version.is_none()) {
        return Err(error::invalid_params(
            "`_meta` must contain the string `io.modelcontextprotocol/protocolVersion` in every request",
        ));
    }
    let (Some(method), Some(params)) = (envelope.method_name(), &envelope.params) else { return Ok(()) };
    check_standard(headers, &method, params)?;
    match called {
        Some(Ok(tool)) => tool.header_params.check(headers, params.arguments),
        // A tool that the caller may not call is not revealed: the connection reports it as unknown.
        Some(Err(_)) | None => Ok(()),
    }
}
