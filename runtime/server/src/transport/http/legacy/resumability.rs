//! GET in the legacy era: streams of messages that belong to no request, and the resumption of interrupted streams
//! (2025-11-25, basic/transports "Listening for Messages from the Server" and "Resumability and Redelivery").
//!
//! A stream that has ended and was read completely is answered with 204, which stops clients that reconnect whenever a
//! stream ends; after 404, they would give up the session. An unknown event id is answered with 400, and with 503 if the
//! store failed.
//!
//! A token applies only to its own request (`grants`): a stream carries what the token of its GET may see, regardless
//! of the token that opened the session, and a weaker token than that of an interrupted stream gets 403 instead of its
//! events.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use toolwright_wire::event_stream::write_event_with_id;
use toolwright_wire::headers::{Accept, single};

use super::event_id::{EventId, StreamKind};
use super::event_store::{EventStoreError, StoredEvent};
use super::session::HttpSession;
use crate::auth::Access;
use crate::transport::http::body::HttpBody;
use crate::transport::http::{Endpoint, answer, not_acceptable};

static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl Endpoint {
    /// Opens or resumes a stream.
    pub(in crate::transport::http) async fn stream(
        &self,
        headers: &HeaderMap,
        access: &Access,
    ) -> Response<HttpBody> {
        if !Accept::of(headers).events {
            return not_acceptable();
        }
        let session = match self.session(headers, access, None) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        match single(headers, &LAST_EVENT_ID) {
            Ok(None) => self.standing_stream(&session, access, None).await,
            Ok(Some(id)) => match id.to_str().ok().and_then(EventId::parse) {
                Some(id) if session.has_sent(id.stream.number, id.sequence) => {
                    #[cfg(feature = "auth")]
                    if let Some(scopes) = session.lacking(id.stream.number, access)
                        && let Some(refusal) = self.lacks(&scopes, None)
                    {
                        return refusal;
                    }
                    self.resumed_stream(&session, access, id).await
                }
                _ => unknown_event(),
            },
            Err(error) => answer::refusal(StatusCode::BAD_REQUEST, None, &error),
        }
    }

    /// Resumes the stream of an event, after that event.
    async fn resumed_stream(
        &self,
        session: &Arc<HttpSession>,
        access: &Access,
        id: EventId,
    ) -> Response<HttpBody> {
        let EventId { stream, sequence } = id;
        if stream.kind == StreamKind::Standing {
            // From now on, the stream carries what this caller may see. A stream of another token ends.
            session.listen_as(access);
        }
        if let Some(stream) = session.stream(stream.number).filter(|open| !open.is_over()) {
            // From here on, the reader receives everything; events that it gets twice are sent once.
            let reading = self.config.reading();
            let reader = stream.attach(&reading).starting_at(sequence, &reading);
            return match session.after(stream.id.number, sequence).await {
                Ok(missed) => answer::session_stream(reader.replaying(missed.unwrap_or_default())),
                Err(error) => unavailable(&error),
            };
        }
        match stream.kind {
            StreamKind::Standing => self.standing_stream(session, access, Some(id)).await,
            StreamKind::Request => match session.after(stream.number, sequence).await {
                // The only response that stops reconnecting (WHATWG HTML, "Server-sent events"). After 404, a client
                // would start a new session.
                Ok(Some(missed)) if missed.is_empty() => answer::empty(StatusCode::NO_CONTENT),
                Ok(Some(missed)) => {
                    let mut events = Vec::new();
                    for StoredEvent { sequence, message, .. } in missed {
                        write_event_with_id(&mut events, EventId { stream, sequence }, &message);
                    }
                    answer::events(events)
                }
                Ok(None) => unknown_event(),
                Err(error) => unavailable(&error),
            },
        }
    }

    /// Opens a standing stream, or reopens that of an event.
    async fn standing_stream(
        &self,
        session: &Arc<HttpSession>,
        access: &Access,
        from: Option<EventId>,
    ) -> Response<HttpBody> {
        let limit = self.service.limits().max_session_streams;
        let (outbox, number) = (session.listen_as(access), from.map(|id| id.stream.number));
        let Some(stream) = session.open_standing_stream(number, limit, access) else {
            return answer::refused(
                StatusCode::TOO_MANY_REQUESTS,
                &format!("{limit} streams of this session are already open; read one of them"),
            );
        };
        let reading = self.config.reading();
        let sequence = from.map_or_else(|| session.next_sequence(), |id| id.sequence);
        let mut reader = stream.attach(&reading).starting_at(sequence, &reading);
        if let Some(id) = from {
            let missed = match session.after(id.stream.number, sequence).await {
                Ok(missed) => missed,
                Err(error) => {
                    session.close_stream(&stream);
                    return unavailable(&error);
                }
            };
            reader = reader.replaying(missed.unwrap_or_default());
        }
        let stopped = self.stop.clone().cancelled_owned();
        let stopped = Box::pin(async move {
            stopped.await;
            None
        });
        tokio::spawn(stream.run(outbox, stopped));
        answer::session_stream(reader)
    }
}

/// The client may continue its session, but not on this stream.
fn unknown_event() -> Response<HttpBody> {
    answer::refused(
        StatusCode::BAD_REQUEST,
        "`Last-Event-ID` does not name a stored event of this session; omit it to open a new stream",
    )
}

/// The client may ask for the same events again.
fn unavailable(error: &EventStoreError) -> Response<HttpBody> {
    let why = format!("the store of events failed: {error}; reconnect later with the same `Last-Event-ID`");
    let mut response = answer::refused(StatusCode::SERVICE_UNAVAILABLE, &why);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
