//! The stream on which a legacy server says and asks what belongs to no request (2025-11-25, basic/transports "Listening for
//! Messages from the Server").

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::{sleep, sleep_until, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{Answer, LAST_EVENT, Opened, media_type};
use super::session::RETRY;
use super::{Clock, Http};
use crate::message::OutgoingRequest;
use crate::pending::{RequestOptions, TimeLimit};

/// The longest pause before the stream is opened again.
const MAX_PAUSE: Duration = Duration::from_mins(1);
/// How long one stream is read, for the clocks that requests have.
const FOREVER: Duration = Duration::from_hours(24 * 365);

impl Http {
    /// Opens the stream, and waits until it is there: what the server asks during the first request must arrive. It is not an
    /// error if the server has none.
    pub(crate) async fn listen(self: &Arc<Self>) {
        let Some(opened) = self.open_stream(None).await else { return };
        let http = Arc::clone(self);
        let task = tokio::spawn(async move { http.keep_listening(opened).await });
        let old = self.lock().listener.replace(task.abort_handle());
        old.inspect(tokio::task::AbortHandle::abort);
    }

    /// Opens the stream unless it is open, or the server has refused it in this session.
    pub(crate) async fn listen_once(self: &Arc<Self>) {
        let is_settled = {
            let state = self.lock();
            let is_open = state.listener.as_ref().is_some_and(|listener| !listener.is_finished());
            is_open || state.without_stream == Some(state.generation)
        };
        if !is_settled {
            self.listen().await;
        }
    }

    async fn keep_listening(self: &Arc<Self>, first: Opened) {
        let (mut opened, mut pause, mut last_id) = (first, RETRY, None);
        loop {
            let body = opened.response.into_body();
            let reader = EventReader::new(self.settings.max_message_bytes);
            let timer = pin!(sleep_until(TimeLimit::new(FOREVER, FOREVER).deadline()));
            let mut clock = Clock {
                time_limit: TimeLimit::new(FOREVER, FOREVER),
                timer,
                pending_input: &self.host.pending_input,
            };
            let mut options =
                RequestOptions { timeout: FOREVER, max_duration: FOREVER, on_notice: None, relay: None };
            // No request has this id, so that nothing is taken for an answer.
            let ended = self.read_events(u64::MAX, body, opened.link, reader, &mut clock, &mut options).await;
            let Ok(Answer::Ended(ended)) = ended else { return };
            pause = match (ended.retry, ended.last_id.is_some()) {
                (Some(retry), _) => retry.max(Duration::from_millis(10)),
                (None, true) => RETRY,
                (None, false) => (pause * 2).min(MAX_PAUSE),
            };
            last_id = ended.last_id.or(last_id);
            sleep(pause).await;
            opened = match self.open_stream(last_id.as_deref()).await {
                Some(opened) => opened,
                None => return,
            };
        }
    }

    /// The stream, if the server has one.
    async fn open_stream(self: &Arc<Self>, last_id: Option<&str>) -> Option<Opened> {
        let mut further = HeaderMap::new();
        if let Some(value) = last_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            further.insert(LAST_EVENT, value);
        }
        let generation = self.lock().generation;
        let nothing = OutgoingRequest::default();
        let opening = self.open(Method::GET, Bytes::new(), &nothing, further);
        let opened = timeout(self.settings.timeout, opening).await.ok()?.ok()?;
        let status = opened.response.status();
        if status.is_success() && media_type(opened.response.headers()) == "text/event-stream" {
            return Some(opened);
        }
        self.lock().without_stream = Some(generation);
        if status.as_u16() != 405 {
            let problem = format!("it answered the request for its stream with status {}", status.as_u16());
            self.host.warn(&format!("{problem}; what it says by itself is not heard"));
        }
        None
    }
}
