//! Access tokens that are JWTs (RFC 9068, RFC 7519), checked with the keys of their issuer.
//!
//! Signatures are checked with `ring`, which TLS needs anyway. A JWT library would add up to 60 crates, and
//! algorithm, audience, times and keys have to be our rules in any case: nothing may be chosen by the token, and
//! tests set the clock.

mod claims;
mod discovery;
mod jwks;
mod jws;

use std::time::{Duration, SystemTime};

use super::clock::Clock;
use super::{Principal, Rejected, TokenVerifier};
use crate::future::BoxFuture;

use claims::Rules;
use discovery::{Keys, Source};
use jwks::KeySet;
use jws::Jws;
use toolwright_wire::fetch::{Endpoint, EndpointError};

pub use jws::Algorithm;

/// Takes access tokens that are JWTs of one issuer, for one audience.
///
/// A token is good if it is signed by one of the issuer's keys with one of the algorithms that are configured here
/// ([`JwtVerifier::algorithms`]), names the issuer and the audience exactly, has not expired and is valid already, and
/// says for whom it was issued (`sub`, or `client_id` for a program that acts for itself). Scopes are read from `scope`,
/// or `scp`, as one text or a list. A token that says how it must be understood (`crit`) is not taken.
///
/// Keys are found by the issuer's metadata (RFC 8414, or `OpenID` Connect Discovery), unless [`JwtVerifier::jwks_url`]
/// or [`JwtVerifier::jwks`] says otherwise. They are fetched when the first token comes, fetched again after an hour, and
/// also when a token names a key that is not known, but then not more often than each [`JwtVerifier::refresh_pause`].
/// Requests that come meanwhile wait for the same fetch. Keys that cannot be fetched again are used for a day. Without
/// keys no token is taken: callers get status 503.
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
    /// How far the clocks of issuer and server may differ: 30 seconds.
    pub const CLOCK_SKEW: Duration = Duration::from_secs(30);

    /// The algorithms that are taken where nothing else is set.
    pub const ALGORITHMS: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

    /// How long a token with a key that is not known leads to no further fetch: 30 seconds.
    pub const REFRESH_PAUSE: Duration = Duration::from_secs(30);

    /// Takes tokens that `issuer` has signed for `audience`, the resource identifier of the protected endpoint. Both are
    /// compared as they are, letter by letter.
    ///
    /// # Errors
    /// Where the issuer is no address to fetch keys from.
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

    /// Fetches the keys from this address, whatever the issuer's metadata says.
    ///
    /// # Errors
    /// Where it is no address to fetch from.
    pub fn jwks_url(mut self, url: &str) -> Result<Self, EndpointError> {
        self.keys = Keys::fetched(Source::Jwks(Endpoint::new(url)?)).with_pause(self.keys.pause());
        Ok(self)
    }

    /// Uses these keys, and fetches none: the JSON text of a set of keys (RFC 7517).
    ///
    /// # Errors
    /// Where it is no such text. Keys that no algorithm here can use are left out.
    pub fn jwks(mut self, set: &str) -> Result<Self, serde_json::Error> {
        self.keys = Keys::fixed(KeySet::of(serde_json::from_str(set)?));
        Ok(self)
    }

    /// Takes these algorithms, and no others: what a token says is compared with them, and never decides.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Other than [`JwtVerifier::CLOCK_SKEW`].
    pub fn clock_skew(mut self, skew: Duration) -> Self {
        self.rules.skew = skew;
        self
    }

    /// Other than [`JwtVerifier::REFRESH_PAUSE`].
    pub fn refresh_pause(mut self, pause: Duration) -> Self {
        self.keys = self.keys.with_pause(pause);
        self
    }

    /// Takes tokens only that say that they are access tokens (`typ` is `at+jwt`, RFC 9068 §2.1). Good where the issuer
    /// does so, which not all do.
    pub fn access_tokens_only(mut self) -> Self {
        self.rules.access_tokens_only = true;
        self
    }

    /// Takes the time from elsewhere: for tests.
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock::of(now);
        self
    }

    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let jws = Jws::parse(token).ok_or_else(no_jwt)?;
        let algorithm = self.algorithm_of(&jws)?;
        self.rules.check_type(jws.header.typ.as_deref())?;
        let now = self.clock.now();
        // Before a key is looked for, so that a token of another issuer leads to no fetch.
        let claims = jws.claims().ok_or_else(no_jwt)?;
        self.rules.check(&claims, now)?;
        let kid = jws.header.kid.as_deref();
        let keys = self.keys.with(kid, algorithm, now).await?;
        let mut fitting = keys.fitting(kid, algorithm);
        if !fitting.any(|key| jws.is_signed_by(algorithm, key)) {
            return Err(Rejected::invalid("the token's signature is not one of its issuer's"));
        }
        self.rules.principal(claims)
    }

    fn algorithm_of(&self, jws: &Jws<'_>) -> Result<Algorithm, Rejected> {
        if jws.header.crit.is_some() {
            return Err(Rejected::invalid("the token has critical headers that are not understood"));
        }
        let named = Algorithm::from_name(&jws.header.alg);
        named
            .filter(|algorithm| self.algorithms.contains(algorithm))
            .ok_or_else(|| Rejected::invalid("the token is signed with an algorithm that is not taken here"))
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
