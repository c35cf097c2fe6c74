//! What decides whether a token is good.

use std::borrow::Cow;

use super::Principal;
use crate::future::BoxFuture;

/// Decides whether a token is good, and whom it stands for.
///
/// [`ApiKeys`](super::ApiKeys) is one; with the feature `oauth`, [`JwtVerifier`](super::JwtVerifier) and
/// [`Introspection`](super::Introspection) are as well.
///
/// ```
/// use std::collections::HashMap;
///
/// use toolwright_server::BoxFuture;
/// use toolwright_server::auth::{Principal, Protection, Rejected, TokenVerifier};
///
/// /// Sessions that another part of the program keeps.
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
    /// Checks a token. It has at most [`Protection::MAX_TOKEN_BYTES`](super::Protection::MAX_TOKEN_BYTES) bytes of
    /// visible ASCII and is never empty. The answer must not hold the token, nor may it be logged or sent elsewhere but
    /// to who issued it.
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>>;

    /// Whether a token leaves this process when it is checked, as [`Introspection`](super::Introspection) sends it to
    /// an authorization server. Where there are several verifiers, those that keep it are asked first, so that what
    /// they know is shown to nobody else. `true` unless said otherwise.
    fn sends_tokens(&self) -> bool {
        true
    }
}

/// Why a token was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Rejected {
    kind: RejectedKind,
    reason: Cow<'static, str>,
    error_kind: Option<&'static str>,
}

/// Whose matter it is that a token was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RejectedKind {
    /// The caller's: it needs another token. Answered with status 401.
    Invalid,
    /// The server's: it cannot tell now whether the token is good. Answered with status 503, never by letting the caller
    /// in.
    Unavailable,
}

impl Rejected {
    /// The token is not good. Callers are told the reason, so it must say nothing that they must not know.
    pub fn invalid(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: RejectedKind::Invalid, reason: reason.into(), error_kind: None }
    }

    /// Whether the token is good cannot be found out now. Callers are not told the reason;
    /// [`Protection::on_rejected`](super::Protection::on_rejected) is.
    pub fn unavailable(reason: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: RejectedKind::Unavailable, reason: reason.into(), error_kind: None }
    }

    /// Gives callers the reason of an [unavailable](Rejected::unavailable) check as well, with this name for it: the error has
    /// `kind` and `retryable` in its data.
    pub fn with_error_kind(self, name: &'static str) -> Self {
        Self { error_kind: Some(name), ..self }
    }

    /// The name that callers get for the reason.
    pub fn error_kind(&self) -> Option<&'static str> {
        self.error_kind
    }

    /// Whose matter it is.
    pub fn kind(&self) -> RejectedKind {
        self.kind
    }

    /// Why, for people.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}
