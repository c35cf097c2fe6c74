//! The GET stream for notifications and requests of a legacy server that are unrelated to a request (2025-11-25,
//! basic/transports "Listening for Messages from the Server").

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::{sleep, sleep_until, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{LAST_EVENT_ID, Outcome, PendingResponse, media_type};
use super::session::DEFAULT_RETRY;
use super::{HttpTransport, RequestTimer};
use crate::message::OutgoingRequest;
use crate::pending::{RequestOptions, TimeLimit};

/// The maximum delay before the stream is opened again.
const MAX_DELAY: Duration = Duration::from_mins(1);
/// The time limit of a stream, which is practically unlimited.
const FOREVER: Duration = Duration::from_hours(24 * 365);

impl HttpTransport {
    /// Opens the stream. Waits for its response, so that requests of the server during the first request arrive. The server may
    /// not have a stream.
    pub(crate) async fn start_listening(self: &Arc<Self>) {
        let Some(stream) = self.open_stream(None).await else { return };
        let http = Arc::clone(self);
        let task = tokio::spawn(async move { http.keep_listening(stream).await });
        let old = self.lock().listener.replace(task.abort_handle());
        old.inspect(tokio::task::AbortHandle::abort);
    }

    /// Opens the stream, unless it is open or the server has none in this session.
    pub(crate) async fn ensure_listening(self: &Arc<Self>) {
        let is_done = {
            let state = self.lock();
            let is_open = state.listener.as_ref().is_some_and(|listener| !listener.is_finished());
            is_open || state.without_stream == Some(state.generation)
        };
        if !is_done {
            self.start_listening().await;
        }
    }

    /// Reads the stream, and opens it again when it ends.
    async fn keep_listening(self: &Arc<Self>, first: PendingResponse) {
        let (mut stream, mut delay, mut last_event_id) = (first, DEFAULT_RETRY, None);
        loop {
            let body = stream.response.into_body();
            let reader = EventReader::new(self.settings.max_message_bytes);
            let time_limit = TimeLimit::new(FOREVER, FOREVER);
            let sleep_limit = pin!(sleep_until(time_limit.deadline()));
            let mut timer =
                RequestTimer { time_limit, sleep: sleep_limit, pending_input: &self.host.pending_input };
            let mut options = RequestOptions::new(FOREVER, FOREVER);
            // No request has this ID, so no message is treated as its response.
            let outcome =
                self.read_events(u64::MAX, body, stream.connection, reader, &mut timer, &mut options).await;
            let Ok(Outcome::StreamEnded(end)) = outcome else { return };
            delay = match (end.retry, end.last_event_id.is_some()) {
                (Some(retry), _) => retry.max(Duration::from_millis(10)),
                (None, true) => DEFAULT_RETRY,
                (None, false) => (delay * 2).min(MAX_DELAY),
            };
            last_event_id = end.last_event_id.or(last_event_id);
            sleep(delay).await;
            stream = match self.open_stream(last_event_id.as_deref()).await {
                Some(stream) => stream,
                None => return,
            };
        }
    }

    /// Opens the stream, if the server has one.
    async fn open_stream(self: &Arc<Self>, last_event_id: Option<&str>) -> Option<PendingResponse> {
        let mut headers = HeaderMap::new();
        if let Some(value) = last_event_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert(LAST_EVENT_ID, value);
        }
        let generation = self.lock().generation;
        let outgoing = OutgoingRequest::default();
        let sending = self.send_http(Method::GET, Bytes::new(), &outgoing, headers);
        let pending = timeout(self.settings.timeout, sending).await.ok()?.ok()?;
        let status = pending.response.status();
        if status.is_success() && media_type(pending.response.headers()) == "text/event-stream" {
            return Some(pending);
        }
        self.lock().without_stream = Some(generation);
        if status.as_u16() != 405 {
            let problem = format!(
                "it responded to the GET request for its event stream with status {}",
                status.as_u16()
            );
            self.host.warn(&format!("{problem}; its notifications and requests are not received"));
        }
        None
    }
}
