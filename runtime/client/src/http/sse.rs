//! HTTP+SSE, the transport of 2024-11-05: the server sends all messages on one event stream, and the client posts its messages to
//! the endpoint that is the first event of the stream (2024-11-05, basic/transports "HTTP with SSE").

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::task::JoinHandle;
use tokio::time::{sleep_until, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{Outcome, PendingResponse, media_type};
use super::{HttpTransport, RequestTimer};
use crate::error::{AFTER_LOSS, ClientError, ErrorKind};
use crate::event::Event;
use crate::message::{self, OutgoingRequest};
use crate::mux::Mux;
use crate::pending::{RequestFailure, RequestOptions, TimeLimit};

/// An open event stream.
struct EventStream {
    pending: PendingResponse,
    reader: EventReader,
    /// The endpoint for messages of the client.
    endpoint: Arc<HttpTransport>,
}

impl HttpTransport {
    /// Opens the stream, and spawns a task that drives it until it ends.
    pub(crate) async fn open_sse(self: &Arc<Self>, mux: &Arc<Mux>) -> Result<JoinHandle<()>, ClientError> {
        let stream = match timeout(self.settings.timeout, self.open_event_stream()).await {
            Ok(stream) => stream?,
            Err(_) => return Err(self.timeout_error("GET")),
        };
        let (http, mux) = (Arc::clone(self), Arc::clone(mux));
        Ok(tokio::spawn(async move { http.drive_sse(stream, &mux).await }))
    }

    async fn open_event_stream(self: &Arc<Self>) -> Result<EventStream, ClientError> {
        let (outgoing, mut rejections) = (OutgoingRequest::default(), 0);
        let mut pending = loop {
            let sending = self.send_http(Method::GET, Bytes::new(), &outgoing, HeaderMap::new());
            let pending = sending.await.map_err(|failure| self.failure_error(failure))?;
            let status = pending.response.status();
            if status.is_success() && media_type(pending.response.headers()) == "text/event-stream" {
                break pending;
            }
            let time_limit = TimeLimit::new(self.settings.timeout, self.settings.timeout);
            let sleep = pin!(sleep_until(time_limit.deadline()));
            let mut timer = RequestTimer { time_limit, sleep, pending_input: &self.host.pending_input };
            let (timeout, max_duration) = (self.settings.timeout, self.settings.timeout);
            let mut options = RequestOptions::new(timeout, max_duration);
            match self.read_response(0, pending, &mut timer, &mut options).await {
                Ok(Outcome::ErrorStatus(response)) if rejections < super::MAX_REJECTIONS => {
                    let is_retried = matches!(response.status, 401 | 403)
                        && self.reauthorize(&response, rejections).await?;
                    if !is_retried {
                        return Err(self.status_error(&response));
                    }
                    rejections += 1;
                }
                Ok(Outcome::ErrorStatus(response)) => return Err(self.status_error(&response)),
                Err(failure) => return Err(self.failure_error(failure)),
                Ok(_) => {
                    let problem =
                        format!("{} responded with something other than an event stream", self.address());
                    return Err(self.host.error(
                        ErrorKind::Protocol,
                        problem,
                        "check that the address belongs to an MCP server",
                    ));
                }
            }
        };
        let mut reader = EventReader::new(self.settings.max_message_bytes);
        loop {
            while let Some(event) = reader.next() {
                let event = event.map_err(|_| self.too_large_error(self.settings.max_message_bytes))?;
                if event.name == "endpoint" {
                    let endpoint = self.message_endpoint(&String::from_utf8_lossy(&event.data))?;
                    return Ok(EventStream { pending, reader, endpoint });
                }
            }
            let PendingResponse { response, connection, .. } = &mut pending;
            let Ok(Some(bytes)) = connection.next_chunk(response.body_mut()).await else {
                let problem = format!("the stream of {} ended before the event `endpoint`", self.address());
                return Err(self.host.error(
                    ErrorKind::Protocol,
                    problem,
                    "check that the address belongs to an MCP server",
                ));
            };
            reader.push(&bytes);
        }
    }

    /// Returns the transport to the message endpoint. It must have the same origin, since tokens are sent to it.
    fn message_endpoint(&self, endpoint: &str) -> Result<Arc<Self>, ClientError> {
        let address = self.address();
        let invalid = |problem: String| {
            self.host.error(ErrorKind::Protocol, problem, "report this to the server's developers")
        };
        let endpoint = address
            .join(endpoint)
            .map_err(|problem| invalid(format!("its message endpoint is invalid: {problem}")))?;
        if !address.has_same_origin(&endpoint) {
            return Err(invalid(format!("its message endpoint {endpoint} is on another server")));
        }
        Ok(Arc::new(Self::new(Arc::clone(&self.host), endpoint, self.settings.clone())))
    }

    async fn drive_sse(self: Arc<Self>, stream: EventStream, mux: &Arc<Mux>) {
        let EventStream { mut pending, mut reader, endpoint } = stream;
        let reading = async {
            let PendingResponse { response, connection, .. } = &mut pending;
            let body = response.body_mut();
            loop {
                while let Some(event) = reader.next() {
                    let event = match event {
                        Ok(event) => event,
                        Err(large) => {
                            if let Err(error) =
                                mux.receive_oversized(&large.start, self.settings.max_message_bytes)
                            {
                                return error;
                            }
                            continue;
                        }
                    };
                    if matches!(event.name.as_str(), "" | "message")
                        && let Err(error) = mux.receive(&event.data)
                    {
                        return error;
                    }
                }
                let reason = match timeout(self.settings.read_timeout, connection.next_chunk(body)).await {
                    Ok(Ok(Some(bytes))) => {
                        reader.push(&bytes);
                        continue;
                    }
                    Ok(Ok(None)) => "its stream ended".to_owned(),
                    Ok(Err(error)) => format!("its stream broke: {error}"),
                    Err(_) => {
                        let read_timeout = self.settings.read_timeout;
                        format!("its stream had no data for {read_timeout:?} (`sse_read_timeout`)")
                    }
                };
                let problem = format!("it is no longer available: {reason}");
                return self.host.error(ErrorKind::Lost, problem, AFTER_LOSS);
            }
        };
        let error = tokio::select! {
            error = reading => error,
            () = post_outgoing(&endpoint, mux) => mux.host.closed_locally(),
        };
        mux.close(&error);
        mux.host.emit(Event::Disconnected(error.problem().to_owned()));
    }

    fn failure_error(&self, failure: RequestFailure) -> ClientError {
        match failure {
            RequestFailure::Failed(error) => error,
            RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_) => self.timeout_error("GET"),
        }
    }
}

/// Posts the outgoing messages in order, until the channel is closed.
async fn post_outgoing(endpoint: &Arc<HttpTransport>, mux: &Arc<Mux>) {
    let mut lines = Vec::new();
    while poll_fn(|cx| mux.poll_outgoing(&mut lines, cx)).await {
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut outcome = Err(endpoint.timeout_error("POST"));
            for attempt in 0..super::MAX_REJECTIONS {
                outcome = endpoint.try_post(line.to_vec(), attempt).await;
                if !matches!(outcome, Ok(false)) {
                    break;
                }
            }
            // A request that was not sent gets no response.
            if let Err(error) = outcome
                && let Some(id) = message::find_id(line)
            {
                mux.fail(id, error);
            }
        }
        lines.clear();
    }
}
