//! Invariants of every response.

use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use serde_json::Value;

use crate::events::data_of;

/// The statuses that the server uses.
const STATUSES: [StatusCode; 13] = [
    StatusCode::OK,
    StatusCode::ACCEPTED,
    StatusCode::NO_CONTENT,
    StatusCode::BAD_REQUEST,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::SERVICE_UNAVAILABLE,
];

/// The messages in a response, after it was checked that they are messages.
pub fn messages(response: &Response<Vec<u8>>) -> Vec<Value> {
    assert!(STATUSES.contains(&response.status()), "{}", response.status());
    let body = std::str::from_utf8(response.body()).expect("a body is UTF-8");
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.to_str().expect("a type is text"));
    match kind {
        None => {
            assert!(body.is_empty(), "a body without a type: {body}");
            Vec::new()
        }
        Some("application/json") => read(body),
        Some("text/event-stream") => data_of(body).iter().flat_map(|data| read(data)).collect(),
        Some(kind) => panic!("a body of type {kind}"),
    }
}

/// The messages in one JSON text: a single one, or a batch.
pub fn read(text: &str) -> Vec<Value> {
    let value = serde_json::from_str(text).unwrap_or_else(|problem| panic!("{problem}: {text}"));
    let messages = match value {
        Value::Array(batch) => batch,
        message => vec![message],
    };
    messages.iter().for_each(check);
    messages
}

/// A message is exactly one of a request, a notification, a result and an error.
fn check(message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let has = |member| message.get(member).is_some();
    match (has("method"), has("result"), has("error")) {
        (true, false, false) => assert!(message["method"].is_string(), "{message}"),
        (false, true, false) => assert!(message["result"].is_object() && has("id"), "{message}"),
        (false, false, true) => {
            assert!(
                message["error"]["code"].is_i64() && message["error"]["message"].is_string(),
                "{message}"
            );
        }
        _ => panic!("no message: {message}"),
    }
}
