//! HTTP+SSE, the transport of revision 2024-11-05 (basic/transports "HTTP with SSE"): one stream for everything that
//! the server sends, and a POST for each message of the client. Streams cannot be resumed: a connection lasts as long
//! as its stream.
//!
//! It is off by default, since later revisions deprecate it. An `initialize` over Streamable HTTP that requests
//! 2024-11-05 is accepted anyway: the client has shown which transport it supports, and the server has to agree to a
//! supported revision.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::request::Parts;
use http::{Response, StatusCode, Uri};
use http_body::Body;
use tokio_util::sync::CancellationToken;
use toolwright_core::protocol::Era;
use toolwright_wire::headers::Accept;
use toolwright_wire::outbox::Outbox;

use super::session::new_id;
use crate::auth::Visitor;
use crate::connection::{Answer, Connection, MessageCheck, Taken};
use crate::error;
use crate::message::{Envelope, RequestId, trimmed};
use crate::observed::ObservedSession;
use crate::quotas::{Received, TakenShare, What};
use crate::reply::AnswerKind;
use crate::transport::http::body::{EventStream, HttpBody};
use crate::transport::http::exchange::{Counted, answer_unless_abandoned};
use crate::transport::http::headers::check_content;
use crate::transport::http::{
    Endpoint, answer, not_acceptable, outbox_of, refuse_malformed, too_many, too_many_of_caller,
};

/// The open streams, by the ids that their clients POST with.
#[derive(Debug, Clone, Default)]
pub(in crate::transport::http) struct SseStreams(Arc<Mutex<HashMap<Box<str>, Arc<SsePeer>>>>);

/// A client and its stream.
#[derive(Debug)]
struct SsePeer {
    connection: Arc<Connection>,
    outbox: Arc<Outbox>,
    _session: ObservedSession,
    /// The stream's share of its caller's limits.
    _taken: TakenShare,
}

impl SseStreams {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<SsePeer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cleans up when the reader of a stream leaves.
struct Leave {
    streams: SseStreams,
    id: Box<str>,
    peer: Arc<SsePeer>,
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.streams.lock().remove(&self.id);
        self.peer.connection.end();
        // Releases senders that wait for room.
        self.peer.outbox.close();
    }
}

impl Endpoint {
    /// Handles GET: opens the stream, whose first event says where to POST.
    pub(in crate::transport::http) fn sse_stream(&self, head: &Parts, access: Visitor) -> Response<HttpBody> {
        if !Accept::of(&head.headers).events {
            return not_acceptable();
        }
        let Some(id) = new_id() else {
            let error =
                error::internal("the system's random number generator failed, so the stream has no id");
            return answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, None, &error);
        };
        let limits = self.service.limits();
        let outbox = Arc::new(outbox_of(limits, &access, false));
        let connection = Connection::open(self.service.shared(), Arc::clone(&outbox), access);
        let own = limits.per_caller.max_sessions;
        let Some(taken) = connection.caller().take(What::Sessions, own) else {
            return too_many_of_caller(None, &format!("{own} sessions and streams of this caller are open"));
        };
        let peer = Arc::new(SsePeer {
            connection: Arc::clone(&connection),
            outbox: Arc::clone(&outbox),
            _session: connection.observe(Some("tcp"), Some("http")),
            _taken: taken,
        });
        {
            let mut open = self.sse.lock();
            if open.len() >= limits.max_sessions {
                return too_many(None, "too many streams are open");
            }
            open.insert(id.as_str().into(), Arc::clone(&peer));
        }
        let first = format!("event: endpoint\ndata: {}\n\n", self.messages_uri(&head.uri, &id));
        let ended = wait_for_end(self.stop.clone(), Arc::clone(&connection), limits.http_read_timeout);
        let leave = Leave { streams: self.sse.clone(), id: id.into(), peer };
        let stream = EventStream::new(outbox, self.config.reading().keep_alive, leave)
            .naming_messages()
            .starting_with(first.into_bytes())
            .until(ended, Some(connection));
        answer::event_stream(stream)
    }

    /// Handles POST: a message of the client. Its response is sent on the stream, which must belong to the caller.
    pub(in crate::transport::http) async fn sse_message<B: Body>(
        &self,
        head: &Parts,
        access: &Visitor,
        body: B,
    ) -> Response<HttpBody> {
        if let Err(refused) = check_content(&head.headers) {
            return *refused;
        }
        let Some(id) = session_of(&head.uri) else {
            return answer::refused(
                StatusCode::BAD_REQUEST,
                "`session` is missing in the URL; GET the stream, whose first event contains the URL",
            );
        };
        let is_callers = |peer: &Arc<SsePeer>| peer.connection.access().owner() == access.owner();
        let Some(peer) = self.sse.lock().get(id).cloned().filter(is_callers) else {
            return answer::refused(
                StatusCode::NOT_FOUND,
                "this stream does not exist, or has ended; GET a new one",
            );
        };
        // The message is handled with the access of the stream's token, so its own token must have at least that.
        #[cfg(feature = "auth")]
        if let Some(scopes) = access.lacking_of(peer.connection.access())
            && let Some(refusal) = self.lacks(&scopes, None)
        {
            return refusal;
        }
        let (bytes, received) = match self.read(body, access).await {
            Ok(read) => read,
            Err(refused) => return *refused,
        };
        match self.unanswered.one_more(self.service.limits().max_calls_in_flight) {
            Some(count) => {
                let check = |envelope: &Envelope<'_>| self.check_any(&head.headers, access, envelope);
                peer.take(trimmed(&bytes), (count, received), &check, &self.abandoned)
            }
            None => too_many(None, "too many requests are running"),
        }
    }

    /// Where the client of a stream has to POST, relative to the stream's URL (RFC 3986 §5).
    fn messages_uri(&self, stream: &Uri, id: &str) -> String {
        let uri = self
            .config
            .messages_path()
            .unwrap_or_else(|| if stream.path().ends_with('/') { "../messages" } else { "messages" });
        let separator = if uri.contains('?') { '&' } else { '?' };
        format!("{uri}{separator}session={id}")
    }
}

impl SsePeer {
    fn take(
        &self,
        frame: &[u8],
        held: (Counted, Received),
        check: &MessageCheck<'_>,
        abandoned: &CancellationToken,
    ) -> Response<HttpBody> {
        if self.outbox.is_full() {
            let error = error::internal("too much of the stream is unread; read it and try again");
            return answer::refusal(StatusCode::SERVICE_UNAVAILABLE, None, &error);
        }
        let refused = |id, error| answer::refusal(StatusCode::BAD_REQUEST, id, error);
        let (mut out, mut id) = (Vec::new(), None);
        let taken = if frame.first() == Some(&b'[') {
            match self.connection.read_batch(frame) {
                Ok(batch) => self.connection.take_batch(batch, check, &mut out),
                Err(error) => return refused(None, &error),
            }
        } else {
            let envelope = match Envelope::parse(frame) {
                Ok(envelope) => envelope,
                Err(malformed) => return refuse_malformed(&malformed),
            };
            id = envelope.request_id().map(RequestId::into_owned);
            if let Err(error) = check(&envelope) {
                return refused(id.as_ref(), &error);
            }
            self.connection.take_message(envelope, &mut out)
        };
        match taken {
            // Without an id, the client could not tell on the stream which message it belongs to.
            Taken::Answered(kind @ AnswerKind::Error { has_id: false, .. }) => {
                return answer::json(Era::Legacy, Answer { text: out, kind });
            }
            Taken::Answered(_) => self.outbox.push(&out),
            Taken::Later(later) => {
                let (abandoned, connection) = (abandoned.clone(), Arc::clone(&self.connection));
                self.connection.answer_later(Box::pin(async move {
                    let answer = answer_unless_abandoned(later, abandoned, connection, id).await;
                    drop(held);
                    answer
                }));
            }
            Taken::Silent => {}
        }
        answer::empty(StatusCode::ACCEPTED)
    }
}

/// Completes when the server shuts down and all calls are answered, or when the client has not sent `initialize` in
/// `time`.
async fn wait_for_end(stop: CancellationToken, connection: Arc<Connection>, time: Duration) {
    let stopped = tokio::time::timeout(time, stop.cancelled()).await;
    if stopped.is_err() && connection.is_agreed() {
        stop.cancelled().await;
    }
    connection.wait_until_answered().await;
}

/// Returns the session id in the URL of a message.
fn session_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("session="))
}
