//! Rejections of requests whose body was not read.
//!
//! A connection that is closed while its client still sends is reset, and the reset can overtake the response: the client
//! then sees a broken connection instead of the reason (RFC 9112 §9.6). Many clients send the body in a second packet, so it
//! is read first, within limits.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use http::header::EXPECT;
use http::request::Parts;
use http_body::Body;
use hyper::Response;

use super::body::HttpBody;

/// How much of a body is read before a rejection: 64 KiB. Clients with longer ones may see a reset.
const MAX_DISCARDED_BYTES: usize = 64 << 10;
/// How long the body of a rejected request may take.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads the rest of a rejected request, and returns the response.
pub(super) async fn reject<B: Body>(
    head: &Parts,
    body: B,
    response: Response<HttpBody>,
) -> Response<HttpBody> {
    // Such a client waits for the status before it sends the body.
    if !head.headers.contains_key(EXPECT) && body.size_hint().lower() <= MAX_DISCARDED_BYTES as u64 {
        _ = tokio::time::timeout(DISCARD_TIMEOUT, discard(body)).await;
    }
    response
}

async fn discard<B: Body>(body: B) {
    let mut body = pin!(body);
    let mut left = MAX_DISCARDED_BYTES;
    while let Some(Ok(frame)) = poll_fn(|task| body.as_mut().poll_frame(task)).await {
        let length = frame.data_ref().map_or(0, Buf::remaining);
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
