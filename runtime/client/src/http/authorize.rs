//! Authorization of HTTP requests.

use std::fmt;

use http::{HeaderName, HeaderValue};

use crate::config::{BoxFuture, Headers, Secret, Template, Tokens};

/// Adds authorization headers to HTTP requests, and handles requests that a server rejects.
///
/// The client calls [`Authorize::headers`] before each request. If the server responds with status 401 or 403, the client calls
/// [`Authorize::handle_rejection`], and sends the request again if that returns `true`, at most three times per request.
///
/// ```
/// use toolwright_client::{Authorize, RequestTarget, Rejection};
/// use toolwright_client::config::BoxFuture;
/// use http::{HeaderName, HeaderValue, header};
///
/// /// A static API key.
/// #[derive(Debug)]
/// struct ApiKey(HeaderValue);
///
/// impl Authorize for ApiKey {
///     fn headers<'a>(
///         &'a self,
///         _request: &'a RequestTarget<'a>,
///     ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
///         Box::pin(std::future::ready(Ok(vec![(header::AUTHORIZATION, self.0.clone())])))
///     }
///
///     fn handle_rejection<'a>(&'a self, _: &'a Rejection<'a>) -> BoxFuture<'a, Result<bool, String>> {
///         Box::pin(std::future::ready(Err("the API key is not accepted: create another one".to_owned())))
///     }
/// }
/// # let _: &dyn Authorize = &ApiKey(HeaderValue::from_static("Bearer f3a9"));
/// ```
pub trait Authorize: Send + Sync + fmt::Debug {
    /// Returns the authorization headers of a request, such as `Authorization`.
    ///
    /// # Errors
    /// If there is no token. The error says why and what to do, without secrets.
    fn headers<'a>(
        &'a self,
        request: &'a RequestTarget<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>>;

    /// Handles a rejected request, for example by refreshing a token. Returns whether the request is to be sent again.
    ///
    /// # Errors
    /// If no other token is available. The error says why and what to do, without secrets.
    fn handle_rejection<'a>(&'a self, rejection: &'a Rejection<'a>) -> BoxFuture<'a, Result<bool, String>>;

    /// Stores the `DPoP-Nonce` of a response, for the proofs of later requests (RFC 9449 §8). It does nothing by default.
    fn set_dpop_nonce(&self, _nonce: &str) {}
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RequestTarget<'a> {
    /// The HTTP method: `POST`, `GET` or `DELETE`.
    pub method: &'a str,
    /// The URL, with its query.
    pub url: &'a str,
}

impl<'a> RequestTarget<'a> {
    /// Creates a request from its HTTP method and URL.
    pub fn new(method: &'a str, url: &'a str) -> Self {
        Self { method, url }
    }
}

/// A request that a server rejected with status 401 or 403.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Rejection<'a> {
    /// The status of the response: 401 or 403.
    pub status: u16,
    /// The URL of the request, with its query.
    pub url: &'a str,
    /// The values of `WWW-Authenticate` (RFC 9110 §11.6.1).
    pub challenges: Vec<String>,
    /// How many times the same request was rejected before.
    pub attempt: usize,
    /// The authorization headers of the request.
    pub headers: &'a [(HeaderName, HeaderValue)],
}

/// The headers of a configuration. Their tokens are fetched when needed, and fetched again if they are rejected.
#[derive(Debug)]
pub(crate) struct ConfiguredHeaders {
    headers: Headers,
    tokens: Tokens,
}

impl ConfiguredHeaders {
    pub(crate) fn new(headers: Headers, tokens: Tokens) -> Self {
        Self { headers, tokens }
    }

    async fn resolve(&self) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let mut resolved = Vec::new();
        for (name, template) in self.headers.iter() {
            let value = template.resolve(&self.tokens).await.map_err(|error| error.to_string())?;
            resolved.push(parse_header(name, value.expose())?);
        }
        Ok(resolved)
    }

    /// Renews the tokens of a header, unless that has been done since the request with the header `rejected` was sent.
    async fn renew(&self, template: &Template, rejected: Option<&HeaderValue>) -> Result<bool, String> {
        let current = template.resolve(&self.tokens).await.map_err(|error| error.to_string())?;
        if rejected.is_some_and(|rejected| rejected.as_bytes() != current.expose().trim().as_bytes()) {
            return Ok(true);
        }
        let mut is_new = false;
        for name in template.tokens() {
            let old: Secret = self.tokens.get(name).await.map_err(|error| error.to_string())?;
            let new = self.tokens.renew(name, &old).await.map_err(|error| error.to_string())?;
            is_new |= new != old;
        }
        Ok(is_new)
    }
}

impl Authorize for ConfiguredHeaders {
    fn headers<'a>(
        &'a self,
        _: &'a RequestTarget<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
        Box::pin(self.resolve())
    }

    fn handle_rejection<'a>(&'a self, rejection: &'a Rejection<'a>) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(async move {
            // A 403 means too few scopes, which a renewed token does not change (anthropics/claude-code#92518).
            if rejection.status != 401 || rejection.attempt > 0 {
                return Ok(false);
            }
            let mut is_new = false;
            for (name, template) in self.headers.iter() {
                let mut sent =
                    rejection.headers.iter().filter(|(sent, _)| sent.as_str().eq_ignore_ascii_case(name));
                is_new |= self.renew(template, sent.next().map(|(_, value)| value)).await?;
            }
            Ok(is_new)
        })
    }
}

/// Parses a header, and marks its value as sensitive.
pub(crate) fn parse_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let header_name = name.parse().map_err(|_| format!("`{name}` is not a valid header name"))?;
    let mut value = HeaderValue::from_str(value.trim())
        .map_err(|_| format!("the value of the header `{name}` is invalid: check it for line breaks"))?;
    value.set_sensitive(true);
    Ok((header_name, value))
}
