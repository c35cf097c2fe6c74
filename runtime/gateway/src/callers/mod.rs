//! Verifies the callers of a gateway, whatever kind of token they have.
//!
//! [`Callers`] combines the verifiers: session tokens of the [`registry`](crate::registry), [`CallerKeys`] for simple
//! cases, and [`Issuers`] for access tokens of other issuers, whose claims [`ClaimRules`] map to a
//! [`Scope`](crate::Scope). Each of them adds the scope to the principal, so lists and calls of a
//! [`Gateway`](crate::Gateway) follow the same rule for all.
//!
//! `keys` (with `key_set`, their file), `rules` and `issuers` have one kind each, `grant` is what keys and rules
//! name.

mod grant;
#[cfg(feature = "oauth")]
mod issuers;
mod key_set;
mod keys;
mod rules;

use toolwright_server::BoxFuture;
use toolwright_server::auth::{Principal, Rejected, TokenSources, TokenVerifier};

use crate::registry::SessionVerifier;

#[cfg(feature = "oauth")]
pub use issuers::{Issuers, IssuersError, MAX_ISSUERS, MAX_ISSUERS_BYTES};
pub use key_set::{CallerKey, MAX_CALLER_KEYS, MAX_CALLER_KEYS_BYTES, MAX_CALLER_NAME_BYTES};
pub use keys::{CALLER_KEY_PREFIX, CallerKeyError, CallerKeyRequest, CallerKeys};
pub use rules::{ClaimRule, ClaimRules, MAX_CLAIM_RULES, RuleError, ScopedVerifier};

/// Verifies tokens of several kinds. The form of a token decides which verifier checks it, so that a rejection names
/// the problem: [`CALLER_KEY_PREFIX`] for API keys, the claim `iss` for access tokens of other issuers. Anything else is
/// a session token. A token is never passed to servers behind the gateway.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use toolwright_gateway::callers::{CallerKeys, Callers};
/// use toolwright_gateway::registry::Registry;
/// use toolwright_gateway::tokens::{KeyRing, SessionTokens};
/// use toolwright_server::auth::Protection;
///
/// # fn example(registry: Registry) -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://gateway.example/mcp/gateway";
/// let tokens = Arc::new(SessionTokens::new(KeyRing::open("signing-keys.json")?, url));
/// let callers = Callers::new().sessions(registry.verifier(tokens)).keys(CallerKeys::open("callers.json")?);
/// let protection = Protection::new(url, callers)?;
/// # drop(protection);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Callers {
    sessions: Option<SessionVerifier>,
    keys: Option<CallerKeys>,
    #[cfg(feature = "oauth")]
    issuers: Option<Issuers>,
}

impl Callers {
    /// Creates a verifier that rejects every token.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts session tokens.
    pub fn sessions(mut self, verifier: SessionVerifier) -> Self {
        self.sessions = Some(verifier);
        self
    }

    /// Accepts API keys.
    pub fn keys(mut self, keys: CallerKeys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Accepts access tokens of other issuers.
    #[cfg(feature = "oauth")]
    pub fn issuers(mut self, issuers: Issuers) -> Self {
        self.issuers = Some(issuers);
        self
    }

    /// Returns the verifier for tokens of this form.
    fn verifier_of(&self, token: &str) -> Result<&dyn TokenVerifier, Rejected> {
        if CallerKeys::is_key(token) {
            return match &self.keys {
                Some(keys) => Ok(keys),
                None => Err(Rejected::invalid("this gateway accepts no API keys")),
            };
        }
        #[cfg(feature = "oauth")]
        if let Some(issuers) = self.issuers.as_ref().filter(|issuers| issuers.has_issuer_of(token)) {
            return Ok(issuers);
        }
        match &self.sessions {
            Some(sessions) => Ok(sessions),
            None => Err(Rejected::invalid("the token is of no kind that this gateway accepts")),
        }
    }
}

impl TokenVerifier for Callers {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        match self.verifier_of(token) {
            Ok(verifier) => verifier.verify(token),
            Err(rejected) => Box::pin(std::future::ready(Err(rejected))),
        }
    }

    fn sends_tokens(&self) -> bool {
        false
    }

    fn sources(&self) -> TokenSources {
        #[cfg(feature = "oauth")]
        if let Some(issuers) = &self.issuers {
            return issuers.sources();
        }
        TokenSources::default()
    }
}
