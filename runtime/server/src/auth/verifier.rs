//! The interface of token verifiers.

use std::borrow::Cow;

use toolwright_core::future::BoxFuture;

use super::Principal;

/// Verifies tokens and identifies their principals.
///
/// Implemented by [`ApiKeys`](super::ApiKeys) and, with the feature `oauth`, by [`JwtVerifier`](super::JwtVerifier) and
/// [`Introspection`](super::Introspection).
///
/// ```
/// use std::collections::HashMap;
///
/// use toolwright_server::BoxFuture;
/// use toolwright_server::auth::{Principal, Protection, Rejected, TokenVerifier};
///
/// /// Sessions that another part of the program manages.
/// struct Sessions(HashMap<String, String>);
///
/// impl TokenVerifier for Sessions {
///     fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
///         let user = self.0.get(token).map(|user| Principal::new(user).with_scopes(["orders:read"]));
///         Box::pin(std::future::ready(user.ok_or_else(|| Rejected::invalid("the session has ended; sign in again"))))
///     }
///
///     fn sends_tokens(&self) -> bool {
///         false
///     }
/// }
///
/// let sessions = Sessions(HashMap::from([("f3a9".to_owned(), "ada".to_owned())]));
/// let protection = Protection::new("https://shop.example/mcp", sessions)?;
/// # let _ = protection;
/// # Ok::<(), toolwright_server::auth::ProtectionError>(())
/// ```
pub trait TokenVerifier: Send + Sync + 'static {
    /// Verifies a token, which has between 1 and [`Protection::MAX_TOKEN_BYTES`](super::Protection::MAX_TOKEN_BYTES)
    /// bytes of visible ASCII. The returned value must not contain the token, and the token must not be logged, or sent
    /// to anyone but its issuer.
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>>;

    /// Returns whether verification sends the token out of this process, as [`Introspection`](super::Introspection)
    /// does. With several verifiers, those that keep it local are tried first, so that tokens they know are not sent to
    /// anyone else. Defaults to `true`.
    fn sends_tokens(&self) -> bool {
        true
    }

    /// Returns where clients get the tokens that this verifier accepts, for the metadata document and for challenges, in
    /// addition to what [`Protection`](super::Protection) names. It is called for each of them, so it may change. Defaults
    /// to nothing.
    fn sources(&self) -> TokenSources {
        TokenSources::default()
    }
}

/// Where clients get tokens, and which scopes they need; see [`TokenVerifier::sources`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenSources {
    /// Issuers of authorization servers.
    pub authorization_servers: Vec<String>,
    /// The scopes to request.
    pub scopes: Vec<String>,
}

impl TokenSources {
    /// Creates a value from issuers, as in [`Protection::authorization_server`](super::Protection::authorization_server),
    /// and scopes.
    pub fn new(authorization_servers: Vec<String>, scopes: Vec<String>) -> Self {
        Self { authorization_servers, scopes }
    }
}

/// A token was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Rejected {
    kind: RejectedKind,
    reason: Cow<'static, str>,
    error_kind: Option<&'static str>,
    scopes: Vec<String>,
}

/// Whether the caller or the server is responsible for a [`Rejected`] token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RejectedKind {
    /// The caller needs another token. Results in status 401.
    Invalid,
    /// The server cannot verify the token at the moment. Results in status 503; the caller is never let in.
    Unavailable,
    /// The token is valid, but lacks scopes. Results in status 403 with a challenge that names them.
    LacksScopes,
}

#[cfg(all(feature = "auth", feature = "tracing"))]
impl RejectedKind {
    /// Returns the error code of OAuth for this (RFC 6749 §5.2, RFC 6750 §3.1).
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid_token",
            Self::Unavailable => "temporarily_unavailable",
            Self::LacksScopes => "insufficient_scope",
        }
    }
}

impl Rejected {
    /// The token is invalid. Callers receive the reason, so it must not contain anything that they must not know.
    pub fn invalid(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: RejectedKind::Invalid, reason: reason.into(), error_kind: None, scopes: Vec::new() }
    }

    /// The token cannot be verified at the moment. Callers do not receive the reason, but
    /// [`Protection::on_rejected`](super::Protection::on_rejected) does.
    pub fn unavailable(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: RejectedKind::Unavailable, reason: reason.into(), error_kind: None, scopes: Vec::new() }
    }

    /// The token is valid, but does not have all of these scopes, which every request needs (2026-07-28,
    /// basic/authorization "Runtime Insufficient Scope Errors"). Callers receive the scopes.
    pub fn lacks_scopes(scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let scopes: Vec<String> = scopes.into_iter().map(Into::into).collect();
        let reason = format!("the token lacks scopes; every request needs `{}`", scopes.join(" "));
        Self { kind: RejectedKind::LacksScopes, reason: reason.into(), error_kind: None, scopes }
    }

    /// Sends callers the reason of an [unavailable](Rejected::unavailable) check as well, under this name: the error
    /// has `kind` and `retryable` in its data.
    pub fn with_error_kind(self, name: &'static str) -> Self {
        Self { error_kind: Some(name), ..self }
    }

    /// Returns the name under which callers receive the reason.
    pub fn error_kind(&self) -> Option<&'static str> {
        self.error_kind
    }

    /// Returns the scopes of [`Rejected::lacks_scopes`].
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Returns whether the caller or the server is responsible.
    pub fn kind(&self) -> RejectedKind {
        self.kind
    }

    /// Returns the reason, for people.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}
