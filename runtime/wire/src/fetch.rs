//! Requests for small documents over TLS, as authorization servers have them: few, small and short.

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

/// How long one request may take, from its name look-up to the last byte.
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest document that is read: 256 KiB. The keys of an issuer have some KiB.
pub const MAX_DOCUMENT_BYTES: usize = 256 << 10;

/// How many connections are kept open for the next request.
const MAX_IDLE: usize = 8;

/// An address of an authorization server: `https`, or `http` on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Uri);

/// What asks authorization servers: each verifier has its own. The client is made for the first request, since reading
/// the system's certificates takes a while.
#[derive(Default)]
pub struct Fetcher(OnceLock<HttpClient>);

type HttpClient = Client<HttpsConnector<HttpConnector>, String>;

/// Why an address is not one of an authorization server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` must be an address such as `https://login.example/…`; `http` is for this machine only, and user names have no place in it"
)]
pub struct EndpointError(pub String);

/// Why there is no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchError {
    /// The server says that there is none at this address.
    Absent,
    /// The server cannot be reached, or not in time.
    Unreachable,
    /// The server says something else than what was asked for.
    Unusable,
}

impl Endpoint {
    /// Reads an address.
    ///
    /// # Errors
    /// Where it would be asked without TLS over a network, or holds a user name.
    pub fn new(address: &str) -> Result<Self, EndpointError> {
        let wrong = || EndpointError(shown(address));
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

    /// The parts of the address.
    pub fn uri(&self) -> &Uri {
        &self.0
    }
}

/// An address without what may be secret in it, for an error.
fn shown(address: &str) -> String {
    let without_query = address.split(['?', '#']).next().unwrap_or_default();
    match without_query.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => without_query.to_owned(),
    }
}

impl Fetcher {
    /// The document at an address.
    ///
    /// # Errors
    /// [`FetchError`].
    pub async fn get<T: DeserializeOwned>(&self, endpoint: &Endpoint) -> Result<T, FetchError> {
        let request = Request::get(&endpoint.0).header(ACCEPT, "application/json");
        self.fetch(request.body(String::new())).await
    }

    /// What the server answers to a form that is sent with a name and a secret.
    ///
    /// # Errors
    /// [`FetchError`].
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

    /// Sends a request. Redirects are not followed: an authorization server has no reason to send its resource servers
    /// elsewhere, and a request must not be led into a private network.
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

/// Trusts the certificates of the system. Where it has none, no server with TLS is trusted.
fn client() -> HttpClient {
    // The provider is named, since a program may compile others and then has to choose one for itself.
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
    fn only_tls_leaves_this_machine() {
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
