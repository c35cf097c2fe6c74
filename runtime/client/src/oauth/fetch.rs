//! Requests to authorization servers.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};

use crate::http::{Fetched, fetch};

/// A document.
pub(super) async fn get(url: &str) -> Result<Fetched, String> {
    fetch(Method::GET, url, Bytes::new(), Vec::new()).await
}

/// The answer to a form.
pub(super) async fn post(
    url: &str,
    kind: &'static str,
    body: String,
    mut headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    headers.push((CONTENT_TYPE, HeaderValue::from_static(kind)));
    fetch(Method::POST, url, body.into(), headers).await
}

/// `Authorization` as HTTP's Basic has it (RFC 6749 §2.3.1).
pub(super) fn basic(id: &str, secret: &str) -> Result<(HeaderName, HeaderValue), String> {
    let pair = format!("{}:{}", super::text::encoded(id), super::text::encoded(secret));
    let value = format!("Basic {}", toolwright_core::content::base64::encode(pair.as_bytes()));
    let value = HeaderValue::from_str(&value).map_err(|error| error.to_string())?;
    Ok((AUTHORIZATION, value))
}
