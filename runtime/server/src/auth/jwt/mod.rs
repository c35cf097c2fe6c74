//! JWT access tokens (RFC 9068, RFC 7519), verified with the keys of their issuer.
//!
//! Signatures are verified with `ring`, which TLS needs anyway. A JWT library would add up to 60 crates, and the rules
//! for algorithms, audience, times and keys have to be our own in any case: a token must not choose any of them, and
//! tests control the clock.

mod claims;
mod discovery;
mod jwks;
mod jws;

use std::time::{Duration, SystemTime};

use toolwright_core::future::BoxFuture;

use super::clock::Clock;
use super::{Principal, Rejected, TokenVerifier};

use claims::Rules;
use discovery::{Keys, Source};
use jwks::KeySet;
use jws::Jws;
use toolwright_wire::fetch::{Endpoint, EndpointError};

pub use jws::Algorithm;

/// Accepts JWT access tokens of one issuer for one audience.
///
/// A token is valid if it is signed by one of the issuer's keys with one of the configured algorithms
/// ([`JwtVerifier::algorithms`]), names exactly the issuer and the audience, is within its validity period, and names
/// its subject (`sub`, or `client_id` for a program that acts for itself). Scopes are read from `scope` or `scp`, as a
/// string or a list. Tokens with critical headers (`crit`) are rejected.
///
/// Keys are discovered through the issuer's metadata (RFC 8414, or `OpenID` Connect Discovery), unless
/// [`JwtVerifier::jwks_url`] or [`JwtVerifier::jwks`] is set. They are fetched for the first token and refreshed every
/// hour, and also when a token names an unknown key, but then at most once per [`JwtVerifier::refresh_pause`]. Requests
/// that arrive in the meantime wait for the same fetch. If refreshing fails, keys remain usable for a day. Without any
/// keys, requests get status 503.
///
/// ```no_run
/// # fn example() -> Result<(), toolwright_server::auth::EndpointError> {
/// use toolwright_server::auth::JwtVerifier;
///
/// let verifier = JwtVerifier::new("https://login.example", "https://shop.example/mcp")?;
/// # drop(verifier);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct JwtVerifier {
    rules: Rules,
    algorithms: Vec<Algorithm>,
    clock: Clock,
    keys: Keys,
}

impl JwtVerifier {
    /// The tolerated difference between the clocks of issuer and server: 30 seconds.
    pub const CLOCK_SKEW: Duration = Duration::from_secs(30);

    /// The default algorithms.
    pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

    /// The minimum time between two fetches that tokens with unknown keys cause: 30 seconds.
    pub const REFRESH_PAUSE: Duration = Duration::from_secs(30);

    /// Accepts tokens that `issuer` has signed for `audience`, the resource identifier of the protected endpoint. Both
    /// are compared exactly.
    ///
    /// # Errors
    /// [`EndpointError`] if the issuer is not a valid address.
    pub fn new(issuer: &str, audience: &str) -> Result<Self, EndpointError> {
        let source = Source::Issuer(issuer.to_owned(), Endpoint::new(issuer)?);
        Ok(Self::with(issuer, audience, Keys::fetched(source)))
    }

    fn with(issuer: &str, audience: &str, keys: Keys) -> Self {
        Self {
            rules: Rules {
                issuer: issuer.to_owned(),
                audience: audience.to_owned(),
                skew: Self::CLOCK_SKEW,
                access_tokens_only: false,
            },
            algorithms: Self::ALGORITHMS.to_vec(),
            clock: Clock::default(),
            keys,
        }
    }

    /// Fetches the keys from this address, instead of the one in the issuer's metadata.
    ///
    /// # Errors
    /// [`EndpointError`] if the address is invalid.
    pub fn jwks_url(mut self, url: &str) -> Result<Self, EndpointError> {
        self.keys = Keys::fetched(Source::Jwks(Endpoint::new(url)?)).with_pause(self.keys.pause());
        Ok(self)
    }

    /// Uses a fixed key set (RFC 7517) in JSON, and fetches none.
    ///
    /// # Errors
    /// The parse error. Keys that no supported algorithm can use are ignored.
    pub fn jwks(mut self, set: &str) -> Result<Self, serde_json::Error> {
        self.keys = Keys::fixed(KeySet::of(serde_json::from_str(set)?));
        Ok(self)
    }

    /// Sets the accepted algorithms. A token's header is only compared with them.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Overrides [`JwtVerifier::CLOCK_SKEW`].
    pub fn clock_skew(mut self, skew: Duration) -> Self {
        self.rules.skew = skew;
        self
    }

    /// Overrides [`JwtVerifier::REFRESH_PAUSE`].
    pub fn refresh_pause(mut self, pause: Duration) -> Self {
        self.keys = self.keys.with_pause(pause);
        self
    }

    /// Accepts only tokens that are marked as access tokens (`typ` is `at+jwt`, RFC 9068 §2.1), which not all issuers
    /// do.
    pub fn access_tokens_only(mut self) -> Self {
        self.rules.access_tokens_only = true;
        self
    }

    /// Overrides the clock, for tests.
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock::of(now);
        self
    }

    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let jws = Jws::parse(token).ok_or_else(no_jwt)?;
        let algorithm = self.algorithm_of(&jws)?;
        self.rules.check_type(jws.header.typ.as_deref())?;
        let now = self.clock.now();
        // Claims are checked before keys are looked up, so that a token of another issuer causes no fetch.
        let claims = jws.claims().ok_or_else(no_jwt)?;
        self.rules.check(&claims, now)?;
        let kid = jws.header.kid.as_deref();
        let keys = self.keys.with(kid, algorithm, now).await?;
        let mut fitting = keys.fitting(kid, algorithm);
        if !fitting.any(|key| jws.is_signed_by(algorithm, key)) {
            return Err(Rejected::invalid("the token's signature does not match any key of its issuer"));
        }
        self.rules.principal(claims)
    }

    fn algorithm_of(&self, jws: &Jws<'_>) -> Result<Algorithm, Rejected> {
        if jws.header.crit.is_some() {
            return Err(Rejected::invalid("the token has critical headers that are not supported"));
        }
        let named = Algorithm::from_name(&jws.header.alg);
        named
            .filter(|algorithm| self.algorithms.contains(algorithm))
            .ok_or_else(|| Rejected::invalid("the token is signed with an algorithm that is not accepted"))
    }
}

fn no_jwt() -> Rejected {
    Rejected::invalid("the token is not a signed JWT")
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(self.check(token))
    }

    fn sends_tokens(&self) -> bool {
        false
    }
}
