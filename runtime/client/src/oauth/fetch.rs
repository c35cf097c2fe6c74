//! Requests to authorization servers.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};

use super::encoding::percent_encode;
use crate::http::{Fetched, fetch};

/// Fetches a document.
pub(super) async fn get(url: &str) -> Result<Fetched, String> {
    fetch(Method::GET, url, Bytes::new(), Vec::new()).await
}

/// Posts a body of the given content type.
pub(super) async fn post(
    url: &str,
    content_type: &'static str,
    body: String,
    mut headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    headers.push((CONTENT_TYPE, HeaderValue::from_static(content_type)));
    fetch(Method::POST, url, body.into(), headers).await
}

/// Returns an `Authorization` header for HTTP Basic authentication of a client (RFC 6749 §2.3.1).
pub(super) fn basic_auth(id: &str, secret: &str) -> Result<(HeaderName, HeaderValue), String> {
    let credentials = format!("{}:{}", percent_encode(id), percent_encode(secret));
    let value = format!("Basic {}", toolwright_core::content::base64::encode(credentials.as_bytes()));
    let value = HeaderValue::from_str(&value).map_err(|error| error.to_string())?;
    Ok((AUTHORIZATION, value))
}
