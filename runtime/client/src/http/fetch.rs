//! Single requests that are not MCP: to authorization servers and session endpoints.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::exchange::{Body, read_all};
use super::pool::Once;
use super::{Address, Pool};

/// How long one request may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest document that is read.
const MAX_BYTES: usize = 1 << 20;

/// What came back.
pub(crate) struct Fetched {
    pub(crate) status: u16,
    #[cfg(feature = "oauth")]
    pub(crate) headers: HeaderMap,
    body: Vec<u8>,
}

impl Fetched {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("{what} cannot be read: {error}"))
    }

    /// What an error says (RFC 6749 §5.2), or the beginning of the body.
    pub(crate) fn problem(&self) -> String {
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

/// Sends a request and reads its answer. Nothing is sent without TLS but to this machine.
///
/// # Errors
/// Why there is no answer, with nothing secret.
#[cfg(feature = "oauth")]
pub(crate) async fn fetch(
    verb: Method,
    url: &str,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    let address = Address::parse(url).map_err(|problem| format!("{url}: {problem}"))?;
    // Codes and tokens go over it (2026-07-28, basic/authorization "Communication Security").
    if !address.is_tls && !address.is_local() {
        return Err(format!("{address} is not https://, and tokens are not asked for without TLS"));
    }
    fetch_from(address, verb, body, headers).await
}

/// The same, with TLS or without: for callers that have checked the address.
///
/// # Errors
/// As [`fetch`].
pub(crate) async fn fetch_from(
    address: Address,
    verb: Method,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    let address = Arc::new(address);
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
            .send(&address, request, false, FETCH_TIMEOUT)
            .await
            .map_err(|broken| format!("{address}: {broken}"))?;
        let (head, mut body) = response.into_parts();
        let read = read_all(&mut link, &mut body, Vec::new(), MAX_BYTES)
            .await
            .map_err(|broken| format!("{address}: {broken}"))?;
        match read {
            Body::Whole(body) => Ok(Fetched {
                status: head.status.as_u16(),
                #[cfg(feature = "oauth")]
                headers: head.headers,
                body,
            }),
            Body::Cut(_) => Err(format!("{address}: the answer has more than 1 MiB")),
        }
    };
    timeout(FETCH_TIMEOUT, exchange)
        .await
        .map_err(|_| format!("{address}: no answer within {FETCH_TIMEOUT:?}"))?
}
