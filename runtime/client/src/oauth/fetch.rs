//! Requests to authorization servers.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::http::{Address, Body, Once, Pool, read_all};

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The largest document that is read.
const MAX_BYTES: usize = 1 << 20;

/// What came back.
pub(super) struct Fetched {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    body: Vec<u8>,
}

impl Fetched {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("{what} cannot be read: {error}"))
    }

    /// What an error says (RFC 6749 §5.2), or the beginning of the body.
    pub(super) fn problem(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Failure {
            error: String,
            #[serde(default)]
            error_description: Option<String>,
        }
        let said = match serde_json::from_slice(&self.body) {
            Ok(Failure { error, error_description: Some(description) }) => format!("{error}: {description}"),
            Ok(Failure { error, error_description: None }) => error,
            Err(_) => String::from_utf8_lossy(&self.body[..self.body.len().min(300)]).into_owned(),
        };
        format!("status {}: {}", self.status, crate::error::quoted(&said))
    }
}

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

async fn fetch(
    verb: Method,
    url: &str,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    let address = Arc::new(Address::parse(url).map_err(|problem| format!("{url}: {problem}"))?);
    // Codes and tokens go over it (2026-07-28, basic/authorization "Communication Security").
    if !address.is_tls && !address.is_local() {
        return Err(format!("{address} is not https://, and tokens are not asked for without TLS"));
    }
    let mut all = HeaderMap::new();
    let host = HeaderValue::from_str(&address.authority).map_err(|error| error.to_string())?;
    all.insert(HOST, host);
    all.insert(ACCEPT, HeaderValue::from_static("application/json"));
    all.extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
    let request = || {
        let mut request = Request::new(Once::new(body.clone()));
        *request.method_mut() = verb.clone();
        *request.uri_mut() = address.target.clone();
        *request.headers_mut() = all.clone();
        request
    };
    let exchange = async {
        let (response, mut link) = Pool::default()
            .send(&address, request, false, PATIENCE)
            .await
            .map_err(|broken| format!("{address}: {broken}"))?;
        let (head, mut body) = response.into_parts();
        let read = read_all(&mut link, &mut body, MAX_BYTES)
            .await
            .map_err(|broken| format!("{address}: {broken}"))?;
        match read {
            Body::Whole(body) => Ok(Fetched { status: head.status.as_u16(), headers: head.headers, body }),
            Body::Cut(_) => Err(format!("{address}: the answer has more than 1 MiB")),
        }
    };
    timeout(PATIENCE, exchange).await.map_err(|_| format!("{address}: no answer within {PATIENCE:?}"))?
}
