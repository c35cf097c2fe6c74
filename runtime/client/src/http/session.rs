//! Sessions of legacy servers, which are replaced if they are lost, and their streams, which are resumed if they break
//! (2025-11-25, basic/transports "Session Management", "Resumability and Redelivery").

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::{sleep, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{LAST_EVENT_ID, Outcome, StreamEnd, media_type};
use super::negotiate::Negotiated;
use super::{HttpTransport, RequestTimer};
use crate::era::Identity;
use crate::error::{ClientError, ErrorKind};
use crate::event::Event;
use crate::message::OutgoingRequest;
use crate::pending::{Reply, RequestFailure, RequestOptions};

/// The delay before a stream is resumed, if the server does not send one.
pub(super) const DEFAULT_RETRY: Duration = Duration::from_secs(1);
/// The maximum number of consecutive resumptions without a new event.
const MAX_EMPTY_RESUMPTIONS: usize = 5;
/// The timeout for the DELETE request that ends a session.
const DELETE_TIMEOUT: Duration = Duration::from_secs(2);

impl HttpTransport {
    /// Replaces a lost session, once for concurrent callers. `lost` is its generation.
    pub(super) async fn replace_session(self: &Arc<Self>, lost: u64) -> Result<(), ClientError> {
        let _session_lock = self.session_lock.lock().await;
        if self.generation() != lost {
            return Ok(());
        }
        let Some((identity, revision)) = self.lock().handshake.clone() else {
            return Err(self.host.error(ErrorKind::Lost, "its session is lost", "connect again"));
        };
        match self.initialize(&identity, revision, self.settings.timeout).await? {
            Negotiated::Streamable(_) => {
                self.host
                    .emit(Event::Disconnected("its session was lost and replaced by a new one".to_owned()));
                Ok(())
            }
            Negotiated::MaybeSse(error) => Err(error),
        }
    }

    /// Waits for a response on resumed streams, after its stream ended early.
    pub(super) async fn resume(
        self: &Arc<Self>,
        id: u64,
        mut end: StreamEnd,
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let lost = |end: &StreamEnd| {
            let problem = format!("the response did not arrive: {}", end.reason);
            let advice = "check whether the request was executed before you repeat it";
            RequestFailure::Failed(self.host.error(ErrorKind::Lost, problem, advice))
        };
        let mut attempts = 0;
        while self.is_legacy() && attempts < MAX_EMPTY_RESUMPTIONS {
            let Some(last_event_id) = end.last_event_id.clone() else { return Err(lost(&end)) };
            timer.within(sleep(end.retry.unwrap_or(DEFAULT_RETRY))).await?;
            let mut headers = HeaderMap::new();
            let Ok(value) = HeaderValue::from_str(&last_event_id) else { return Err(lost(&end)) };
            headers.insert(LAST_EVENT_ID, value);
            let outgoing = OutgoingRequest::default();
            let sending = self.send_http(Method::GET, Bytes::new(), &outgoing, headers);
            let pending = match timer.within(timeout(self.settings.timeout, sending)).await? {
                Ok(Ok(pending)) => pending,
                // The server may be available again at the next attempt.
                Ok(Err(RequestFailure::Failed(error))) => {
                    attempts += 1;
                    error.problem().clone_into(&mut end.reason);
                    continue;
                }
                Ok(Err(other)) => return Err(other),
                Err(_) => return Err(self.timeout_error("GET").into()),
            };
            let status = pending.response.status();
            let (head, body) = pending.response.into_parts();
            if !status.is_success() || media_type(&head.headers) != "text/event-stream" {
                end.reason =
                    format!("{}, and the stream was not resumed (status {})", end.reason, status.as_u16());
                return Err(lost(&end));
            }
            let reader = EventReader::new(self.settings.max_message_bytes);
            match self.read_events(id, body, pending.connection, reader, timer, options).await? {
                Outcome::Reply { reply, .. } => return Ok(reply),
                Outcome::StreamEnded(next) => {
                    attempts = if next.last_event_id.is_some() { 0 } else { attempts + 1 };
                    end.last_event_id = next.last_event_id.or(end.last_event_id);
                    end.retry = next.retry.or(end.retry);
                    end.reason = next.reason;
                }
                Outcome::Empty { .. } | Outcome::ErrorStatus(_) => return Err(lost(&end)),
            }
        }
        Err(lost(&end))
    }

    /// Saves the handshake for new sessions.
    pub(crate) fn save_handshake(&self, identity: &Identity) {
        let mut state = self.lock();
        state.handshake = state.revision.map(|revision| (Arc::new(identity.clone()), revision));
    }

    /// Ends the session, if there is one.
    pub(crate) async fn end_session(self: &Arc<Self>) {
        let session = {
            let mut state = self.lock();
            state.listener.take().inspect(tokio::task::AbortHandle::abort);
            state.session.clone()
        };
        if session.is_none() || !self.settings.deletes_session {
            return;
        }
        let outgoing = OutgoingRequest::default();
        let sending = self.send_http(Method::DELETE, Bytes::new(), &outgoing, HeaderMap::new());
        // The server may not support it (405), or may be gone.
        _ = timeout(DELETE_TIMEOUT, sending).await;
        self.lock().session = None;
    }
}
