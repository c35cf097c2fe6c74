//! Builds responses: status, headers, and errors in bodies.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use toolwright_core::protocol::error::{INTERNAL_ERROR, METHOD_NOT_FOUND};
use toolwright_core::protocol::{Era, ErrorObject};
use toolwright_core::revision::Revision;

use super::body::{EventStream, HttpBody};
use super::legacy::Reader;
use crate::connection::Answer;
use crate::error;
use crate::message::RequestId;
use crate::reply::AnswerKind;

/// The initial capacity of a response, which suffices for most.
pub(super) const ANSWER_BYTES: usize = 512;

/// The status of a response. Modern errors have specific ones (2026-07-28, basic/transports/streamable-http
/// "Protocol Version Header"); legacy errors are ordinary responses, unless they have no request id.
fn status(era: Era, answer: AnswerKind) -> StatusCode {
    let AnswerKind::Error { code, has_id } = answer else { return StatusCode::OK };
    match (era, code) {
        (Era::Modern, METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        // Internal errors are regular responses: with status 500, clients would drop the body that explains
        // them.
        (Era::Modern, INTERNAL_ERROR) => StatusCode::OK,
        (Era::Legacy, _) if has_id => StatusCode::OK,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// A response as JSON.
pub(super) fn json(era: Era, answer: Answer) -> Response<HttpBody> {
    json_with(status(era, answer.kind), answer.text)
}

fn json_with(status: StatusCode, answer: Vec<u8>) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::full(answer));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A rejection with an error in its body.
pub(super) fn refusal(
    status: StatusCode,
    id: Option<&RequestId<'_>>,
    error: &ErrorObject,
) -> Response<HttpBody> {
    json_with(status, Answer::error(id, error, Revision::NEWEST).text)
}

/// A rejection of a request that was not parsed as a message.
pub(super) fn refused(status: StatusCode, why: &str) -> Response<HttpBody> {
    refusal(status, None, &error::invalid_request(why))
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::full(Vec::new()));
    *response.status_mut() = status;
    response
}

/// 405, with the supported methods.
pub(super) fn method_not_allowed(allowed: &'static str) -> Response<HttpBody> {
    let mut response =
        refused(StatusCode::METHOD_NOT_ALLOWED, &format!("method not allowed; use one of: {allowed}"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A complete event stream.
pub(super) fn events(text: Vec<u8>) -> Response<HttpBody> {
    event_response(HttpBody::full(text))
}

/// An event stream of a session.
pub(super) fn session_stream(reader: Reader) -> Response<HttpBody> {
    event_response(HttpBody::stream(reader))
}

/// An event stream.
pub(super) fn event_stream(stream: EventStream) -> Response<HttpBody> {
    event_response(HttpBody::events(stream))
}

fn event_response(body: HttpBody) -> Response<HttpBody> {
    /// Proxies must not buffer events (2026-07-28, basic/transports/streamable-http "Receiving Messages").
    const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
