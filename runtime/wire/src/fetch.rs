//! Fetching small documents over TLS, such as the metadata and keys of authorization servers.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use serde::de::DeserializeOwned;

use crate::body;
use crate::origin::is_loopback;

/// The timeout of one request, from name resolution to the last byte.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of a document: 256 KiB. An issuer's keys take a few KiB.
pub const MAX_DOCUMENT_BYTES: usize = 256 << 10;

/// The maximum number of idle connections.
const MAX_IDLE: usize = 8;

/// The address of an authorization server: `https`, or `http` on the loopback interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Uri);

/// An HTTP client for authorization servers. Each verifier has its own. The underlying client is created for the first
/// request, since loading the system's certificates takes a while.
#[derive(Default)]
pub struct Fetcher(OnceLock<HttpClient>);

type HttpClient = Client<HttpsConnector<HttpConnector>, String>;

/// An address is not a valid authorization server endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` must be a URL such as `https://login.example/…`; `http` is allowed for loopback hosts only, and user names are not allowed"
)]
pub struct EndpointError(pub String);

/// Why a document could not be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchError {
    /// The server answered that the document does not exist.
    Absent,
    /// The server is unreachable or did not respond in time.
    Unreachable,
    /// The server answered with something other than the document.
    Unusable,
}

impl Endpoint {
    /// Parses an address.
    ///
    /// # Errors
    /// [`EndpointError`] if the address is neither `https` nor on the loopback interface, or contains a user name.
    pub fn new(address: &str) -> Result<Self, EndpointError> {
        let wrong = || EndpointError(redact(address));
        let uri: Uri = address.parse().map_err(|_| wrong())?;
        let authority = uri.authority().ok_or_else(wrong)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let is_safe = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => is_loopback(host),
            _ => false,
        };
        if !is_safe || authority.as_str().contains('@') || address.contains('#') {
            return Err(wrong());
        }
        Ok(Self(uri))
    }

    /// Returns the parsed address.
    pub fn uri(&self) -> &Uri {
        &self.0
    }
}

/// Formats an address for an error message, without the parts that may be secret.
fn redact(address: &str) -> String {
    let without_query = address.split(['?', '#']).next().unwrap_or_default();
    match without_query.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => without_query.to_owned(),
    }
}

impl Fetcher {
    /// Fetches the document at an address.
    ///
    /// # Errors
    /// Returns [`FetchError`] if there is no such document.
    pub async fn get<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, FetchError> {
        let request = Request::get(&endpoint.0).header(ACCEPT, "application/json");
        self.fetch(request.body(String::new())).await
    }

    /// Posts a form with client credentials and returns the response.
    ///
    /// # Errors
    /// Returns [`FetchError`] if there is no usable response.
    pub async fn post<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        form: String,
        credentials: Option<&HeaderValue>,
    ) -> Result<T, FetchError> {
        let mut request = Request::post(&endpoint.0)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(credentials) = credentials {
            request = request.header(AUTHORIZATION, credentials);
        }
        self.fetch(request.body(form)).await
    }

    /// Sends a request. Redirects are not followed: an authorization server has no reason to redirect its resource
    /// servers, and a redirect must not lead into a private network.
    async fn fetch<T: DeserializeOwned>(
        &self,
        request: Result<Request<String>, http::Error>,
    ) -> Result<T, FetchError> {
        let request = request.map_err(|_| FetchError::Unusable)?;
        let answer = async {
            let response =
                self.0.get_or_init(client).request(request).await.map_err(|_| FetchError::Unreachable)?;
            match response.status() {
                StatusCode::OK => {}
                StatusCode::NOT_FOUND => return Err(FetchError::Absent),
                status if status.is_server_error() => return Err(FetchError::Unreachable),
                _ => return Err(FetchError::Unusable),
            }
            let body = body::read(response.into_body(), MAX_DOCUMENT_BYTES, TIMEOUT, |_| true).await;
            let body = body.map_err(|_| FetchError::Unusable)?;
            serde_json::from_slice(&body).map_err(|_| FetchError::Unusable)
        };
        tokio::time::timeout(TIMEOUT, answer).await.unwrap_or(Err(FetchError::Unreachable))
    }
}

/// Trusts the system's certificates. Without any, no server is trusted.
fn client() -> HttpClient {
    // The provider is explicit: a program that compiles several of them would have to install a default.
    let tls = HttpsConnectorBuilder::new().with_provider_and_native_roots(default_provider());
    let tls = tls.unwrap_or_else(|_| {
        let config = ClientConfig::builder_with_provider(default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("ring has the cipher suites of the default versions")
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        HttpsConnectorBuilder::new().with_tls_config(config)
    });
    let connector = tls.https_or_http().enable_http1().build();
    Client::builder(TokioExecutor::new()).pool_max_idle_per_host(MAX_IDLE).build(connector)
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fetcher")
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn plain_http_is_for_loopback_only() {
        for good in [
            "https://login.example",
            "https://login.example:8443/keys?tenant=1",
            "http://localhost:1/keys",
            "http://127.0.0.1:1",
            "http://[::1]:1/",
        ] {
            assert!(Endpoint::new(good).is_ok(), "{good}");
        }
        for wrong in [
            "",
            "login.example",
            "/keys",
            "http://login.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "https://u:secret@login.example",
            "https://login.example/#x",
            "ftp://login.example",
        ] {
            let error = Endpoint::new(wrong).expect_err(wrong);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
