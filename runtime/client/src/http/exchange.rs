//! One request over HTTP and what comes back.

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
use super::pool::{Broken, Link, Once};
use super::{Clock, Http};
use crate::buffers::Buffers;
use crate::error::ErrorKind;
use crate::message::{self, Id, Message, OutgoingRequest};
use crate::pending::{Notice, Reply, RequestFailure, RequestOptions};
use crate::progress::read_progress;

/// How much of the body of a refusal is read, in bytes.
const MAX_REFUSAL: usize = 64 << 10;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// What came back.
pub(super) enum Answer {
    Reply {
        reply: Reply,
        status: u16,
    },
    /// A status of success without a message.
    Nothing {
        status: u16,
    },
    /// A stream that ended before the answer came.
    Ended(Ended),
    Refused(Refused),
}

/// A stream that ended before the answer came.
pub(super) struct Ended {
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<Duration>,
    pub(super) why: String,
}

/// A status that is no success.
pub(super) struct Refused {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) location: Option<String>,
    pub(super) challenges: Vec<String>,
    pub(super) sent: Vec<(HeaderName, HeaderValue)>,
    /// It was sent within a session.
    pub(super) had_session: bool,
}

/// A response whose body is still to be read.
pub(super) struct Opened {
    pub(super) response: Response<Incoming>,
    pub(super) link: Link,
    pub(super) sent: Vec<(HeaderName, HeaderValue)>,
    pub(super) had_session: bool,
}

impl Http {
    /// Posts a message and reads what comes back. The message with id 0 expects no answer.
    pub(super) async fn exchange(
        self: &Arc<Self>,
        id: u64,
        body: &Bytes,
        outgoing: &OutgoingRequest<'_>,
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Answer, RequestFailure> {
        let opening = self.open(Method::POST, body.clone(), outgoing, HeaderMap::new());
        let opened = if outgoing.method == method::TOOLS_CALL {
            clock.within(opening).await??
        } else {
            clock
                .within(timeout(self.settings.timeout, opening))
                .await?
                .map_err(|_| self.late(&outgoing.method))??
        };
        if outgoing.method == "initialize" && opened.response.status().is_success() {
            self.lock().session = opened.response.headers().get(SESSION).cloned();
        }
        self.read(id, opened, clock, options).await
    }

    /// Sends a request and waits for the head of the response.
    pub(super) async fn open(
        &self,
        verb: Method,
        body: Bytes,
        outgoing: &OutgoingRequest<'_>,
        further: HeaderMap,
    ) -> Result<Opened, RequestFailure> {
        let address = self.address();
        let mut sent = Vec::new();
        if !self.settings.authorize.is_empty() {
            let url = address.to_url();
            let request = RequestTarget::new(verb.as_str(), &url);
            for authorize in &self.settings.authorize {
                let headers = authorize.headers(&request).await;
                sent.extend(headers.map_err(|problem| {
                    self.host.error(
                        ErrorKind::Connect,
                        format!("it wants a token: {problem}"),
                        "log in, or give it one",
                    )
                })?);
            }
        }
        let mut headers = HeaderMap::new();
        let had_session = self.write_headers(&mut headers, &address.authority, outgoing);
        headers.extend(further);
        for (name, value) in &sent {
            headers.insert(name, value.clone());
        }
        let is_idempotent =
            outgoing.is_idempotent || verb != Method::POST || outgoing.method == method::INITIALIZE;
        let request = || {
            let mut request = Request::new(Once::new(body.clone()));
            *request.method_mut() = verb.clone();
            *request.uri_mut() = address.target.clone();
            *request.headers_mut() = headers.clone();
            request
        };
        let sending = self.pool.send(&address, request, is_idempotent, self.settings.timeout);
        let (response, link) = sending.await.map_err(|broken| self.broken(broken))?;
        if let Some(nonce) = response.headers().get(NONCE).and_then(|nonce| nonce.to_str().ok()) {
            self.settings.authorize.iter().for_each(|authorize| authorize.set_dpop_nonce(nonce));
        }
        Ok(Opened { response, link, sent, had_session })
    }

    /// Writes the headers of a request; says whether they name a session.
    fn write_headers(
        &self,
        headers: &mut HeaderMap,
        authority: &str,
        outgoing: &OutgoingRequest<'_>,
    ) -> bool {
        headers.reserve(10);
        // An authority has only characters that a header may have.
        headers.insert(HOST, HeaderValue::from_str(authority).unwrap_or(HeaderValue::from_static("")));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &self.settings.fixed {
            headers.insert(name, value.clone());
        }
        let state = self.lock();
        if outgoing.method == "initialize" {
            return false;
        }
        if let Some(revision) = state.revision {
            headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
        }
        let session = state.session.clone();
        let is_modern = state.revision.is_some_and(toolwright_core::revision::Revision::is_modern);
        drop(state);
        if is_modern {
            if !outgoing.method.is_empty() {
                headers.insert(METHOD, encoded(&outgoing.method));
            }
            if let Some(name) = &outgoing.name {
                headers.insert(NAME, encoded(name));
            }
            for (name, value) in &outgoing.headers {
                if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                    headers.insert(name, encoded(value));
                }
            }
        }
        let had_session = session.is_some();
        if let Some(session) = session {
            headers.insert(SESSION, session);
        }
        had_session
    }

    /// Reads a response.
    pub(super) async fn read(
        self: &Arc<Self>,
        id: u64,
        opened: Opened,
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Answer, RequestFailure> {
        let Opened { response, mut link, sent, had_session } = opened;
        let (head, mut body) = response.into_parts();
        let status = head.status.as_u16();
        let kind = media_type(&head.headers);
        if head.status.is_success() && kind == "text/event-stream" && id > 0 {
            return self
                .read_events(
                    id,
                    body,
                    link,
                    EventReader::with_buffers(
                        self.settings.max_message_bytes,
                        [self.host.buffers.take(), self.host.buffers.take()],
                    ),
                    clock,
                    options,
                )
                .await;
        }
        let is_success = head.status.is_success();
        let limit = if is_success { self.settings.max_message_bytes } else { MAX_REFUSAL };
        let buffers = &self.host.buffers;
        let text = clock.within(read_all(&mut link, &mut body, buffers.take(), limit)).await?;
        let is_whole = matches!(text, Ok(Body::Whole(_)));
        let text = match text {
            Ok(Body::Whole(text)) => text,
            Ok(Body::Cut(text)) if !is_success => text,
            Ok(Body::Cut(_)) => return Err(self.too_large(limit).into()),
            Err(broken) if is_success => return Err(self.broken(broken).into()),
            Err(_) => Vec::new(),
        };
        if is_whole {
            self.pool.keep(link, None);
        }
        // The body of a 404 within a session may be a message too; the session is gone in any case (2025-11-25,
        // basic/transports "Session Management").
        let is_about_access = matches!(status, 401 | 403) || status == 404 && had_session;
        if id > 0
            && !is_about_access
            && let Some(reply) = answer_in(&text, id, buffers)
        {
            buffers.put(text);
            return Ok(Answer::Reply { reply, status });
        }
        if is_success {
            if text.trim_ascii().is_empty() || id == 0 {
                return Ok(Answer::Nothing { status });
            }
            return Err(self.not_a_message(&kind, &text).into());
        }
        let text_of = |name| head.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        Ok(Answer::Refused(Refused {
            status,
            body: String::from_utf8_lossy(&text).into_owned(),
            location: text_of(LOCATION).next().map(str::to_owned),
            challenges: text_of(WWW_AUTHENTICATE).take(16).map(str::to_owned).collect(),
            sent,
            had_session,
        }))
    }

    /// Reads a stream of events up to the answer.
    pub(super) async fn read_events(
        self: &Arc<Self>,
        id: u64,
        mut body: Incoming,
        mut link: Link,
        mut reader: EventReader,
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Answer, RequestFailure> {
        loop {
            while let Some(event) = reader.next() {
                let event = event.map_err(|_| self.too_large(self.settings.max_message_bytes))?;
                // Proxies and servers have events of their own (rmusser01/tldw_server#907).
                if !matches!(event.name.as_str(), "" | "message") {
                    continue;
                }
                let reply = self.take_event(id, &event.data, clock, options);
                reader.reuse(event.data);
                if let Some(reply) = reply {
                    reader.into_buffers().into_iter().for_each(|buffer| self.host.buffers.put(buffer));
                    let rest = if link.is_at_end(&mut body).await { None } else { Some(body) };
                    self.pool.keep(link, rest);
                    return Ok(Answer::Reply { reply, status: 200 });
                }
            }
            let ended = |why: String, reader: &EventReader| {
                let (last_id, retry) = (reader.last_id().map(str::to_owned), reader.retry());
                Ok(Answer::Ended(Ended { last_id, retry, why }))
            };
            match clock.within(timeout(self.settings.silence, link.next(&mut body))).await? {
                Ok(Ok(Some(bytes))) => reader.push(&bytes),
                Ok(Ok(None)) => {
                    self.pool.keep(link, None);
                    return ended("the stream ended".to_owned(), &reader);
                }
                Ok(Err(broken)) => return ended(broken.to_string(), &reader),
                Err(_) => {
                    let silence = self.settings.silence;
                    return ended(
                        format!("the stream was silent for {silence:?} (`sse_read_timeout`)"),
                        &reader,
                    );
                }
            }
        }
    }

    /// Takes one message of a stream; gives the answer, if it is that.
    fn take_event(
        self: &Arc<Self>,
        id: u64,
        data: &[u8],
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Option<Reply> {
        if let Some(reply) = answer_in(data, id, &self.host.buffers) {
            return Some(reply);
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
                    clock.restart();
                    if let Some(on_notice) = &mut options.on_notice {
                        on_notice(notice);
                    }
                }
            }
            Ok(Message::Request { id, method, params }) => {
                let http = Arc::clone(self);
                let relay = options.relay.as_ref();
                self.host.handle_request(id, &method, params, relay, move |answer| http.send(answer));
            }
            Ok(Message::Response { .. }) => {
                self.host.warn("it answered a request that is not open on this stream");
            }
            Err(problem) => self.host.warn(&format!("an event is not a message: {problem}")),
        }
        None
    }
}

/// The answer to the request with this id in a text, which may be a batch (2025-03-26).
fn answer_in(text: &[u8], id: u64, buffers: &Buffers) -> Option<Reply> {
    let reply = |message: Message<'_>, is_alone: bool| match message {
        Message::Response { id: of, outcome } if of == Id::Own(id) || is_alone && of == Id::Unknown => {
            match outcome {
                Ok(result) if of == Id::Own(id) => Some(Reply::Result(buffers.copy(result.get()))),
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
            messages.into_iter().find_map(|message| reply(message, false))
        }
        None => reply(message::read(text).ok()?, true),
    }
}

pub(super) fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) enum Body {
    Whole(Vec<u8>),
    /// Only the beginning was read.
    Cut(Vec<u8>),
}

/// The most that is allocated because of a `Content-Length`, before any of the bytes have arrived.
const MAX_EXPECTED: usize = 1 << 20;

/// Reads a body of up to `limit` bytes into `text`, which is empty.
pub(crate) async fn read_all(
    link: &mut Link,
    body: &mut Incoming,
    mut text: Vec<u8>,
    limit: usize,
) -> Result<Body, Broken> {
    let expected = body.size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
    text.reserve(expected.min(limit).min(MAX_EXPECTED));
    while let Some(bytes) = link.next(body).await? {
        if text.len() + bytes.len() > limit {
            text.extend_from_slice(&bytes[..limit - text.len()]);
            return Ok(Body::Cut(text));
        }
        text.extend_from_slice(&bytes);
    }
    Ok(Body::Whole(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_found_by_its_id() {
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
            assert_eq!(answer_in(text.as_bytes(), 7, &Buffers::default()).is_some(), is_found, "{text}");
        }
    }
}
