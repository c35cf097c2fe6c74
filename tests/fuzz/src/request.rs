//! Requests written as text, so that inputs can be read and written by hand:
//!
//! ```text
//! POST
//! Content-Type: application/json
//! Mcp-Session-Id: {session}
//!
//! {"jsonrpc":"2.0","id":1,"method":"ping"}
//! ```
//!
//! `{session}` is replaced with the id of an open session.

use bytes::Bytes;
use http::header::{HOST, HeaderName, HeaderValue};
use http::{Method, Request};
use http_body_util::Full;

/// A request that was written down.
#[derive(Debug)]
pub struct Written<'a> {
    method: Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The body as it is sent.
    pub body: &'a [u8],
}

impl<'a> Written<'a> {
    /// Reads the request; none if an HTTP server would reject it before it reaches the service.
    pub fn read(input: &'a [u8], session: &str) -> Option<Self> {
        let end = input.windows(2).position(|pair| pair == b"\n\n")?;
        let (head, body) = (&input[..end], &input[end + 2..]);
        let mut lines = head.split(|byte| *byte == b'\n');
        let method = Method::from_bytes(lines.next()?).ok()?;
        let headers = lines.map(|line| header(line, session)).collect::<Option<_>>()?;
        Some(Self { method, headers, body })
    }

    /// The values of a header.
    pub fn values(&self, name: &HeaderName) -> impl Iterator<Item = &HeaderValue> {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value)
    }

    /// The request to send. `Host` names this machine unless the input names another.
    pub fn to_request(&self) -> Request<Full<Bytes>> {
        let body = self.body.to_vec();
        let mut request = Request::new(Full::new(body.into()));
        *request.method_mut() = self.method.clone();
        for (name, value) in &self.headers {
            request.headers_mut().append(name, value.clone());
        }
        if !request.headers().contains_key(HOST) {
            request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        }
        request
    }
}

fn header(line: &[u8], session: &str) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    let value = line[colon + 1..].trim_ascii();
    let value = if value == b"{session}" { session.as_bytes() } else { value };
    Some((name, HeaderValue::from_bytes(value).ok()?))
}
