//! One HTTP request and its response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use toolwright_core::protocol::method;
use toolwright_wire::event_stream::EventReader;
use toolwright_wire::headers::encoded;

use super::authorize::RequestTarget;
use super::pool::{ConnectionError, HttpConnection, RequestBody};
use super::{HttpTransport, RequestTimer};
use crate::buffers::Buffers;
use crate::message::{self, Id, Message, OutgoingRequest};
use crate::pending::{Notice, Reply, RequestFailure, RequestOptions};
use crate::progress::read_progress;

/// The maximum size of the body of an error response that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// The outcome of a request.
pub(super) enum Outcome {
    /// The response of the protocol.
    Reply {
        reply: Reply,
        status: u16,
    },
    /// A success status without a message.
    Empty {
        status: u16,
    },
    /// An event stream that ended before the response.
    StreamEnded(StreamEnd),
    ErrorStatus(ErrorResponse),
}

/// The end of an event stream before the response.
pub(super) struct StreamEnd {
    pub(super) last_event_id: Option<String>,
    pub(super) retry: Option<Duration>,
    pub(super) reason: String,
}

/// A response with an error status or a redirect.
pub(super) struct ErrorResponse {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) location: Option<String>,
    pub(super) challenges: Vec<String>,
    /// The authorization headers of the request.
    pub(super) authorization: Vec<(HeaderName, HeaderValue)>,
    /// Whether the request had a session ID.
    pub(super) had_session: bool,
}

/// A response whose body has not been read.
pub(super) struct PendingResponse {
    pub(super) response: Response<Incoming>,
    pub(super) connection: HttpConnection,
    pub(super) authorization: Vec<(HeaderName, HeaderValue)>,
    pub(super) had_session: bool,
}

impl HttpTransport {
    /// Posts a message and reads the response. A message with ID 0 expects no response of the protocol.
    pub(super) async fn exchange(
        self: &Arc<Self>,
        id: u64,
        body: &Bytes,
        outgoing: &OutgoingRequest<'_>,
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Outcome, RequestFailure> {
        let sending = self.send_http(Method::POST, body.clone(), outgoing, HeaderMap::new());
        let pending = if outgoing.method == method::TOOLS_CALL {
            timer.within(sending).await??
        } else {
            timer
                .within(timeout(self.settings.timeout, sending))
                .await?
                .map_err(|_| self.timeout_error(&outgoing.method))??
        };
        if outgoing.method == "initialize" && pending.response.status().is_success() {
            self.lock().session = pending.response.headers().get(SESSION_ID).cloned();
        }
        self.read_response(id, pending, timer, options).await
    }

    /// Sends an HTTP request and waits for the head of its response.
    pub(super) async fn send_http(
        &self,
        http_method: Method,
        body: Bytes,
        outgoing: &OutgoingRequest<'_>,
        extra_headers: HeaderMap,
    ) -> Result<PendingResponse, RequestFailure> {
        let address = self.address();
        let mut authorization = Vec::new();
        if !self.settings.authorize.is_empty() {
            let target = RequestTarget::new(http_method.as_str(), &address.url);
            for authorize in &self.settings.authorize {
                let headers = authorize.headers(&target).await;
                authorization.extend(headers.map_err(|problem| self.authorization_error(&problem))?);
            }
        }
        let mut headers = HeaderMap::new();
        let had_session = self.write_headers(&mut headers, &address.authority, outgoing);
        headers.extend(extra_headers);
        for (name, value) in &authorization {
            headers.insert(name, value.clone());
        }
        let is_idempotent =
            outgoing.is_idempotent || http_method != Method::POST || outgoing.method == method::INITIALIZE;
        let mut request = Request::new(RequestBody::new(body));
        *request.method_mut() = http_method;
        *request.headers_mut() = headers;
        let sending = self.pool.send(&address, request, is_idempotent, self.settings.timeout);
        let (response, connection) = sending.await.map_err(|error| self.connection_error(error))?;
        if let Some(nonce) = response.headers().get(DPOP_NONCE).and_then(|nonce| nonce.to_str().ok()) {
            self.settings.authorize.iter().for_each(|authorize| authorize.set_dpop_nonce(nonce));
        }
        Ok(PendingResponse { response, connection, authorization, had_session })
    }

    /// Adds the headers of the protocol; returns whether they include a session ID.
    fn write_headers(
        &self,
        headers: &mut HeaderMap,
        authority: &str,
        outgoing: &OutgoingRequest<'_>,
    ) -> bool {
        headers.reserve(10);
        // An authority only contains characters that are valid in a header.
        headers.insert(HOST, HeaderValue::from_str(authority).unwrap_or(HeaderValue::from_static("")));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &self.settings.headers {
            headers.insert(name, value.clone());
        }
        let state = self.lock();
        if outgoing.method == "initialize" {
            return false;
        }
        if let Some(revision) = state.revision {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
        }
        let session = state.session.clone();
        let is_modern = state.revision.is_some_and(toolwright_core::revision::Revision::is_modern);
        drop(state);
        if is_modern {
            if !outgoing.method.is_empty() {
                headers.insert(MCP_METHOD, encoded(&outgoing.method));
            }
            if let Some(name) = &outgoing.name {
                headers.insert(MCP_NAME, encoded(name));
            }
            for (name, value) in &outgoing.headers {
                if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                    headers.insert(name, encoded(value));
                }
            }
        }
        let had_session = session.is_some();
        if let Some(session) = session {
            headers.insert(SESSION_ID, session);
        }
        had_session
    }

    /// Reads the body of a response.
    pub(super) async fn read_response(
        self: &Arc<Self>,
        id: u64,
        pending: PendingResponse,
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Outcome, RequestFailure> {
        let PendingResponse { response, mut connection, authorization, had_session } = pending;
        let (head, mut body) = response.into_parts();
        let status = head.status.as_u16();
        let media_type = media_type(&head.headers);
        if head.status.is_success() && media_type == "text/event-stream" && id > 0 {
            return self
                .read_events(
                    id,
                    body,
                    connection,
                    EventReader::with_buffers(
                        self.settings.max_message_bytes,
                        [self.host.buffers.take(), self.host.buffers.take()],
                    ),
                    timer,
                    options,
                )
                .await;
        }
        let is_success = head.status.is_success();
        let limit = if is_success { self.settings.max_message_bytes } else { MAX_ERROR_BODY };
        let buffers = &self.host.buffers;
        let body = timer.within(read_body(&mut connection, &mut body, buffers.take(), limit)).await?;
        let is_complete = matches!(body, Ok(Body::Complete(_)));
        let body = match body {
            Ok(Body::Complete(body)) => body,
            Ok(Body::Truncated(body)) if !is_success => body,
            Ok(Body::Truncated(_)) => return Err(self.too_large_error(limit).into()),
            Err(error) if is_success => return Err(self.connection_error(error).into()),
            Err(_) => Vec::new(),
        };
        if is_complete {
            self.pool.put_back(connection, None);
        }
        // A 404 response within a session may have a message too, but the session is lost in any case (2025-11-25,
        // basic/transports "Session Management").
        let is_about_access = matches!(status, 401 | 403) || status == 404 && had_session;
        if id > 0
            && !is_about_access
            && let Some(reply) =
                store_tool_result(&body, id, options).or_else(|| find_reply(&body, id, buffers))
        {
            buffers.put(body);
            return Ok(Outcome::Reply { reply, status });
        }
        if is_success {
            if body.trim_ascii().is_empty() || id == 0 {
                return Ok(Outcome::Empty { status });
            }
            return Err(self.invalid_message_error(&media_type, &body).into());
        }
        let values = |name| head.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        Ok(Outcome::ErrorStatus(ErrorResponse {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
            location: values(LOCATION).next().map(str::to_owned),
            challenges: values(WWW_AUTHENTICATE).take(16).map(str::to_owned).collect(),
            authorization,
            had_session,
        }))
    }

    /// Reads an event stream up to the response.
    pub(super) async fn read_events(
        self: &Arc<Self>,
        id: u64,
        mut body: Incoming,
        mut connection: HttpConnection,
        mut reader: EventReader,
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Outcome, RequestFailure> {
        loop {
            while let Some(event) = reader.next() {
                let event = event.map_err(|_| self.too_large_error(self.settings.max_message_bytes))?;
                // Proxies and servers send other events too (rmusser01/tldw_server#907).
                if !matches!(event.name.as_str(), "" | "message") {
                    continue;
                }
                let reply = self.handle_event(id, &event.data, timer, options);
                reader.reuse(event.data);
                if let Some(reply) = reply {
                    reader.into_buffers().into_iter().for_each(|buffer| self.host.buffers.put(buffer));
                    let unread = if connection.is_at_end(&mut body).await { None } else { Some(body) };
                    self.pool.put_back(connection, unread);
                    return Ok(Outcome::Reply { reply, status: 200 });
                }
            }
            let ended = |reason: String, reader: &EventReader| {
                let (last_event_id, retry) = (reader.last_id().map(str::to_owned), reader.retry());
                Ok(Outcome::StreamEnded(StreamEnd { last_event_id, retry, reason }))
            };
            match timer.within(timeout(self.settings.read_timeout, connection.next_chunk(&mut body))).await? {
                Ok(Ok(Some(bytes))) => reader.push(&bytes),
                Ok(Ok(None)) => {
                    self.pool.put_back(connection, None);
                    return ended("the stream ended".to_owned(), &reader);
                }
                Ok(Err(error)) => return ended(error.to_string(), &reader),
                Err(_) => {
                    let read_timeout = self.settings.read_timeout;
                    return ended(
                        format!("the stream had no data for {read_timeout:?} (`sse_read_timeout`)"),
                        &reader,
                    );
                }
            }
        }
    }

    /// Handles a message of a stream; returns it if it is the response.
    fn handle_event(
        self: &Arc<Self>,
        id: u64,
        data: &[u8],
        timer: &mut RequestTimer<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Option<Reply> {
        let reply = store_tool_result(data, id, options).or_else(|| find_reply(data, id, &self.host.buffers));
        if reply.is_some() {
            return reply;
        }
        match message::read(data) {
            Ok(Message::Notification { method, params }) => {
                let params = params.map_or("{}", |params| params.get());
                let notice = if method == method::PROGRESS {
                    read_progress(params)
                        .filter(|(of, _)| *of == id)
                        .map(|(_, progress)| Notice::Progress(progress))
                } else {
                    self.host.handle_notification(&method, params, options.relay.as_ref());
                    Some(Notice::Subscription { method: method.into_owned(), params: params.to_owned() })
                };
                if let Some(notice) = notice {
                    timer.restart();
                    if let Some(on_notice) = &mut options.on_notice {
                        on_notice(notice);
                    }
                }
            }
            Ok(Message::Request { id, method, params }) => {
                let http = Arc::clone(self);
                let relay = options.relay.as_ref();
                self.host.handle_request(id, &method, params, relay, move |response| http.send(response));
            }
            Ok(Message::Response { .. }) => {
                self.host.warn("it sent a response to a request that is not pending on this stream");
            }
            Err(problem) => self.host.warn(&format!("an event is not a message: {problem}")),
        }
        None
    }
}

/// Parses the response to a tool call in one pass, and stores the result. `None` if that is not requested, or for a response
/// that is not of the usual form.
fn store_tool_result(text: &[u8], id: u64, options: &mut RequestOptions<'_>) -> Option<Reply> {
    let destination = options.tool_result.as_deref_mut()?;
    *destination = Some(message::read_tool_response(text, id)?);
    Some(Reply::Result(String::new()))
}

/// Finds the response to the request with this ID in a message or a batch (2025-03-26).
fn find_reply(text: &[u8], id: u64, buffers: &Buffers) -> Option<Reply> {
    let to_reply = |message: Message<'_>, is_alone: bool| match message {
        Message::Response { id: response_id, outcome }
            if response_id == Id::Own(id) || is_alone && response_id == Id::Unknown =>
        {
            match outcome {
                Ok(result) if response_id == Id::Own(id) => Some(Reply::Result(buffers.copy(result.get()))),
                Err(error) => Some(Reply::Error(error.get().into())),
                Ok(_) => None,
            }
        }
        _ => None,
    };
    if let Some((of, result)) = message::read_simple_response(text) {
        return (of == id).then(|| Reply::Result(buffers.copy(result)));
    }
    match message::split_batch(text) {
        Some(batch) => {
            let messages = batch.iter().filter_map(|text| message::read(text.get().as_bytes()).ok());
            messages.into_iter().find_map(|message| to_reply(message, false))
        }
        None => to_reply(message::read(text).ok()?, true),
    }
}

/// Returns the media type of a response in lower case, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The body of a response.
pub(crate) enum Body {
    Complete(Vec<u8>),
    /// The body is larger than the limit; has its start.
    Truncated(Vec<u8>),
}

/// The maximum number of bytes that are allocated in advance because of a `Content-Length`.
const MAX_PREALLOCATED: usize = 1 << 20;

/// Reads a body of up to `limit` bytes into an empty buffer.
pub(crate) async fn read_body(
    connection: &mut HttpConnection,
    body: &mut Incoming,
    mut buffer: Vec<u8>,
    limit: usize,
) -> Result<Body, ConnectionError> {
    let expected = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
    buffer.reserve(expected.min(limit).min(MAX_PREALLOCATED));
    while let Some(bytes) = connection.next_chunk(body).await? {
        if buffer.len() + bytes.len() > limit {
            buffer.extend_from_slice(&bytes[..limit - buffer.len()]);
            return Ok(Body::Truncated(buffer));
        }
        buffer.extend_from_slice(&bytes);
    }
    Ok(Body::Complete(buffer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_is_found_by_its_id() {
        for (text, is_found) in [
            (r#"{"id":7,"result":{}}"#, true),
            (r#"{"id":"7","result":{}}"#, true),
            (r#"{"id":null,"error":{"code":1,"message":""}}"#, true),
            (r#"[{"method":"x"},{"id":7,"result":{}}]"#, true),
            (r#"{"id":8,"result":{}}"#, false),
            (r#"{"id":8,"error":{}}"#, false),
            (r#"{"id":"x","result":{}}"#, false),
            (r#"{"method":"x"}"#, false),
            ("<html>", false),
        ] {
            assert_eq!(find_reply(text.as_bytes(), 7, &Buffers::default()).is_some(), is_found, "{text}");
        }
    }
}
