//! What authorizes requests over HTTP.

use std::fmt;

use http::{HeaderName, HeaderValue};

use crate::config::{BoxFuture, Headers, Secret, Template, Tokens};

/// Gives requests over HTTP what authorizes them, and hears when a server refuses one.
///
/// The client calls [`Authorize::headers`] before each request. After a 401, and after a 403 that asks for more scopes, it
/// calls [`Authorize::refused`] and sends the request again if that says so, at most three times a request.
///
/// ```
/// use toolwright_client::{Authorize, Authorizing, Refusal};
/// use toolwright_client::config::BoxFuture;
/// use http::{HeaderName, HeaderValue, header};
///
/// /// A key that never changes.
/// #[derive(Debug)]
/// struct Key(HeaderValue);
///
/// impl Authorize for Key {
///     fn headers<'a>(
///         &'a self,
///         _request: &'a Authorizing<'a>,
///     ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
///         Box::pin(std::future::ready(Ok(vec![(header::AUTHORIZATION, self.0.clone())])))
///     }
///
///     fn refused<'a>(&'a self, _refusal: &'a Refusal<'a>) -> BoxFuture<'a, Result<bool, String>> {
///         Box::pin(std::future::ready(Err("the key is not accepted: ask for another one".to_owned())))
///     }
/// }
/// # let _: &dyn Authorize = &Key(HeaderValue::from_static("Bearer f3a9"));
/// ```
pub trait Authorize: Send + Sync + fmt::Debug {
    /// The headers of a request, such as `Authorization`.
    ///
    /// # Errors
    /// Why there is no token, and what to do, with nothing secret.
    fn headers<'a>(
        &'a self,
        request: &'a Authorizing<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>>;

    /// Whether the request is to be sent again, after what has been done about the refusal.
    ///
    /// # Errors
    /// Why no other token can be had, and what to do, with nothing secret.
    fn refused<'a>(&'a self, refusal: &'a Refusal<'a>) -> BoxFuture<'a, Result<bool, String>>;

    /// Takes a header `DPoP-Nonce` of any response (RFC 9449 §8).
    fn nonce(&self, _nonce: &str) {}
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Authorizing<'a> {
    /// The verb: `POST`, `GET` or `DELETE`.
    pub verb: &'a str,
    /// The whole address.
    pub url: &'a str,
}

impl<'a> Authorizing<'a> {
    /// A request with this verb to this address.
    pub fn new(verb: &'a str, url: &'a str) -> Self {
        Self { verb, url }
    }
}

/// A request that a server refused.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Refusal<'a> {
    /// The status: 401 or 403.
    pub status: u16,
    /// The whole address.
    pub url: &'a str,
    /// The values of `WWW-Authenticate` (RFC 9110 §11.6.1).
    pub challenges: Vec<String>,
    /// How often the same request was refused before.
    pub attempt: usize,
    /// The headers that it was sent with.
    pub sent: &'a [(HeaderName, HeaderValue)],
}

/// Headers of a configuration, with tokens that are fetched when they are needed and once more when they are refused.
#[derive(Debug)]
pub(crate) struct Configured {
    headers: Headers,
    tokens: Tokens,
}

impl Configured {
    pub(crate) fn new(headers: Headers, tokens: Tokens) -> Self {
        Self { headers, tokens }
    }

    async fn resolve(&self) -> Result<Vec<(HeaderName, HeaderValue)>, String> {
        let mut resolved = Vec::new();
        for (name, template) in self.headers.iter() {
            let value = template.resolve(&self.tokens).await.map_err(|error| error.to_string())?;
            resolved.push(header(name, value.expose())?);
        }
        Ok(resolved)
    }

    async fn renew(&self, template: &Template) -> Result<bool, String> {
        let mut is_new = false;
        for name in template.tokens() {
            let old: Secret = self.tokens.get(name).await.map_err(|error| error.to_string())?;
            let new = self.tokens.renew(name, &old).await.map_err(|error| error.to_string())?;
            is_new |= new != old;
        }
        Ok(is_new)
    }
}

impl Authorize for Configured {
    fn headers<'a>(
        &'a self,
        _: &'a Authorizing<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
        Box::pin(self.resolve())
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal<'a>) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(async move {
            // A token with too few scopes is not a lost one (anthropics/claude-code#92518).
            if refusal.status != 401 || refusal.attempt > 0 {
                return Ok(false);
            }
            let mut is_new = false;
            for (_, template) in self.headers.iter() {
                is_new |= self.renew(template).await?;
            }
            Ok(is_new)
        })
    }
}

/// A header as HTTP has it; the value is not shown in any output.
pub(crate) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let bad = || format!("the header `{name}` has a value that cannot be sent: check it for line ends");
    let header = name.parse().map_err(|_| format!("`{name}` cannot be the name of a header"))?;
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
    value.set_sensitive(true);
    Ok((header, value))
}
