//! Single HTTP requests outside MCP: to authorization servers and session endpoints.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::exchange::{Body, read_body};
use super::pool::RequestBody;
use super::{Address, Pool};

/// How long one request may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum size of a response body.
const MAX_BODY_BYTES: usize = 1 << 20;

/// The response to a request.
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

    /// Deserializes the body; `what` names it in the error.
    pub(crate) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, String> {
        serde_json::from_slice(&self.body).map_err(|error| format!("{what} is invalid: {error}"))
    }

    /// Returns the status with the OAuth error of the body (RFC 6749 §5.2), or with the start of the body.
    pub(crate) fn describe_error(&self) -> String {
        #[derive(serde::Deserialize)]
        struct OAuthError {
            error: String,
            #[serde(default)]
            error_description: Option<String>,
        }
        let detail = match serde_json::from_slice(&self.body) {
            Ok(OAuthError { error, error_description: Some(description) }) => {
                format!("{error}: {description}")
            }
            Ok(OAuthError { error, error_description: None }) => error,
            Err(_) => String::from_utf8_lossy(&self.body[..self.body.len().min(300)]).into_owned(),
        };
        format!("status {}: {}", self.status, crate::error::quote(&detail))
    }
}

/// Sends a request and reads the response. TLS is required, except for requests to this machine.
///
/// # Errors
/// If there is no response. The error says why, without secrets.
#[cfg(feature = "oauth")]
pub(crate) async fn fetch(
    method: Method,
    url: &str,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    let address = Address::parse(url).map_err(|problem| format!("{url}: {problem}"))?;
    // Codes and tokens must not be sent in clear text (2026-07-28, basic/authorization "Communication Security").
    if !address.is_tls && !address.is_local() {
        return Err(format!("{address} is not https://: tokens are not requested without TLS"));
    }
    fetch_from(address, method, body, headers).await
}

/// Like [`fetch`], but does not require TLS, for callers that check the address.
///
/// # Errors
/// See [`fetch`].
pub(crate) async fn fetch_from(
    address: Address,
    method: Method,
    body: Bytes,
    headers: Vec<(HeaderName, HeaderValue)>,
) -> Result<Fetched, String> {
    let address = Arc::new(address);
    let mut header_map = HeaderMap::new();
    let host = HeaderValue::from_str(&address.authority).map_err(|error| error.to_string())?;
    header_map.insert(HOST, host);
    header_map.insert(ACCEPT, HeaderValue::from_static("application/json"));
    header_map.extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
    let mut request = Request::new(RequestBody::new(body));
    *request.method_mut() = method;
    *request.headers_mut() = header_map;
    let exchange = async {
        let (response, mut connection) = Pool::default()
            .send(&address, request, false, FETCH_TIMEOUT)
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        let (head, mut body) = response.into_parts();
        let read = read_body(&mut connection, &mut body, Vec::new(), MAX_BODY_BYTES)
            .await
            .map_err(|error| format!("{address}: {error}"))?;
        match read {
            Body::Complete(body) => Ok(Fetched {
                status: head.status.as_u16(),
                #[cfg(feature = "oauth")]
                headers: head.headers,
                body,
            }),
            Body::Truncated(_) => Err(format!("{address}: the response is larger than 1 MiB")),
        }
    };
    timeout(FETCH_TIMEOUT, exchange)
        .await
        .map_err(|_| format!("{address}: no response within {FETCH_TIMEOUT:?}"))?
}
