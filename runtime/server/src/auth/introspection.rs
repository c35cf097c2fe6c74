//! Token introspection, for tokens that only their issuer can read (RFC 7662).

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use toolwright_core::future::BoxFuture;
use toolwright_wire::fetch::{Endpoint, EndpointError, Fetcher};

use super::claims::{is_audience, principal, seconds, text};
use super::clock::Clock;
use super::token::digest;
use super::{Principal, Rejected, TokenVerifier};

/// Accepts tokens that an authorization server reports as active: opaque tokens, or any that can be revoked.
///
/// Active responses are cached for 30 seconds, but never past the token's expiry, under the token's digest. A revoked
/// token therefore works for up to that long. Other responses are not cached, so made-up tokens evict nothing. A
/// response without an audience is rejected, unless [`Introspection::audience_checked_by_server`] is set.
///
/// ```no_run
/// # fn example(secret: &str) -> Result<(), toolwright_server::auth::EndpointError> {
/// use toolwright_server::auth::Introspection;
///
/// let verifier = Introspection::new("https://login.example/introspect", "https://shop.example/mcp")?
///     .credentials("shop", secret);
/// # drop(verifier);
/// # Ok(())
/// # }
/// ```
pub struct Introspection {
    endpoint: Endpoint,
    audience: String,
    issuer: Option<String>,
    credentials: Option<HeaderValue>,
    needs_audience: bool,
    keep: Duration,
    max_cached: usize,
    max_cached_bytes: usize,
    clock: Clock,
    fetcher: Fetcher,
    /// Limits concurrent introspection requests.
    asking: Semaphore,
    kept: Mutex<CachedResponses>,
}

/// The cached responses, by the digests of their tokens.
#[derive(Default)]
struct CachedResponses {
    by_digest: HashMap<[u8; 32], CachedResponse>,
    bytes: usize,
}

/// A cached response and its expiry.
struct CachedResponse {
    principal: Principal,
    until: Duration,
    /// The length of the response as JSON.
    bytes: usize,
}

impl Introspection {
    /// How long an active response is cached: 30 seconds.
    pub const CACHE_TIME: Duration = Duration::from_secs(30);

    /// The maximum number of cached responses: 10,000.
    pub const MAX_CACHED: usize = 10_000;

    /// The maximum total size of cached responses as JSON: 16 MiB. A response that does not fit is requested each time.
    pub const MAX_CACHED_BYTES: usize = 16 << 20;

    /// The maximum number of concurrent introspection requests: 64. Further ones wait.
    pub const MAX_CONCURRENT: usize = 64;

    /// Introspects tokens for `audience`, the resource identifier of the protected endpoint, at the address `endpoint`.
    /// Audiences are compared exactly.
    ///
    /// # Errors
    /// [`EndpointError`] if `endpoint` is not a valid address.
    pub fn new(endpoint: &str, audience: &str) -> Result<Self, EndpointError> {
        Ok(Self {
            endpoint: Endpoint::new(endpoint)?,
            audience: audience.to_owned(),
            issuer: None,
            credentials: None,
            needs_audience: true,
            keep: Self::CACHE_TIME,
            max_cached: Self::MAX_CACHED,
            max_cached_bytes: Self::MAX_CACHED_BYTES,
            clock: Clock::default(),
            fetcher: Fetcher::default(),
            asking: Semaphore::new(Self::MAX_CONCURRENT),
            kept: Mutex::default(),
        })
    }

    /// Sets the credentials with which this server authenticates to the authorization server (RFC 6749 §2.3.1).
    pub fn credentials(mut self, client_id: &str, secret: &str) -> Self {
        let pair = STANDARD.encode(format!("{}:{}", form_encoded(client_id), form_encoded(secret)));
        let mut credentials = HeaderValue::from_str(&format!("Basic {pair}")).ok();
        if let Some(credentials) = &mut credentials {
            credentials.set_sensitive(true);
        }
        self.credentials = credentials;
        self
    }

    /// Sets the issuer of the tokens: responses that name another issuer are rejected, and principals carry the name.
    pub fn issuer(mut self, issuer: &str) -> Self {
        self.issuer = Some(issuer.to_owned());
        self
    }

    /// Accepts responses without an audience, for authorization servers that report a token as inactive if it was
    /// issued for another resource than the one that asks. An audience that is present still has to match.
    pub fn audience_checked_by_server(mut self) -> Self {
        self.needs_audience = false;
        self
    }

    /// Overrides [`Introspection::CACHE_TIME`]; zero disables the cache.
    pub fn cache_time(mut self, time: Duration) -> Self {
        self.keep = time;
        self
    }

    /// Overrides [`Introspection::MAX_CACHED`].
    pub fn max_cached(mut self, answers: usize) -> Self {
        self.max_cached = answers;
        self
    }

    /// Overrides [`Introspection::MAX_CACHED_BYTES`].
    pub fn max_cached_bytes(mut self, bytes: usize) -> Self {
        self.max_cached_bytes = bytes;
        self
    }

    /// Overrides the clock, for tests.
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock::of(now);
        self
    }

    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let key = digest(token);
        if let Some(principal) = self.remembered(&key) {
            return Ok(principal);
        }
        let answer = self.ask(token).await?;
        let until = self.accept(&answer)?;
        let issuer = text(&answer, "iss").map(str::to_owned).or_else(|| self.issuer.clone());
        // A response that cannot be serialized is not cached.
        let bytes = serde_json::to_vec(&answer).map_or(usize::MAX, |text| text.len());
        let principal = principal(answer, issuer.as_deref())?;
        self.remember(key, CachedResponse { principal: principal.clone(), until, bytes });
        Ok(principal)
    }

    async fn ask(&self, token: &str) -> Result<Map<String, Value>, Rejected> {
        let unavailable = |_| Rejected::unavailable("the introspection endpoint does not respond");
        // The semaphore is never closed.
        let _asking = self.asking.acquire().await.ok();
        let form = format!("token={}&token_type_hint=access_token", form_encoded(token));
        self.fetcher.post(&self.endpoint, form, self.credentials.as_ref()).await.map_err(unavailable)
    }

    /// Checks a response, and returns its expiry.
    fn accept(&self, answer: &Map<String, Value>) -> Result<Duration, Rejected> {
        if answer.get("active") != Some(&Value::Bool(true)) {
            return Err(Rejected::invalid("the token is not active"));
        }
        let is_of_other = |issuer: &String| text(answer, "iss").is_some_and(|named| named != issuer);
        if self.issuer.as_ref().is_some_and(is_of_other) {
            return Err(Rejected::invalid("the token has another issuer"));
        }
        let audience = answer.get("aud");
        if (audience.is_some() || self.needs_audience) && !is_audience(audience, &self.audience) {
            return Err(Rejected::invalid("the token is for another audience"));
        }
        let now = self.clock.now();
        let until = now.saturating_add(self.keep);
        match answer.get("exp") {
            None => Ok(until),
            Some(expires) => match seconds(Some(expires)) {
                Some(expires) if now < expires => Ok(until.min(expires)),
                _ => Err(Rejected::invalid("the token has expired")),
            },
        }
    }

    fn remembered(&self, key: &[u8; 32]) -> Option<Principal> {
        let now = self.clock.now();
        self.lock().by_digest.get(key).filter(|kept| now < kept.until).map(|kept| kept.principal.clone())
    }

    fn remember(&self, key: [u8; 32], answer: CachedResponse) {
        let now = self.clock.now();
        let mut kept = self.lock();
        if !self.has_room(&kept, &answer) {
            kept.forget_old(now);
        }
        // With more callers than cache entries, some responses are requested each time.
        if now < answer.until && self.has_room(&kept, &answer) {
            kept.insert(key, answer);
        }
    }

    fn has_room(&self, kept: &CachedResponses, answer: &CachedResponse) -> bool {
        kept.by_digest.len() < self.max_cached
            && kept.bytes.checked_add(answer.bytes).is_some_and(|bytes| bytes <= self.max_cached_bytes)
    }

    fn lock(&self) -> MutexGuard<'_, CachedResponses> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedResponses {
    fn insert(&mut self, key: [u8; 32], answer: CachedResponse) {
        self.bytes += answer.bytes;
        if let Some(before) = self.by_digest.insert(key, answer) {
            self.bytes -= before.bytes;
        }
    }

    fn forget_old(&mut self, now: Duration) {
        self.by_digest.retain(|_, kept| now < kept.until);
        self.bytes = self.by_digest.values().map(|kept| kept.bytes).sum();
    }
}

impl TokenVerifier for Introspection {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(self.check(token))
    }
}

impl fmt::Debug for Introspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The credentials are secret.
        f.debug_struct("Introspection")
            .field("endpoint", &self.endpoint)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}

/// Encodes a string for a form (`application/x-www-form-urlencoded`).
fn form_encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::{Introspection, form_encoded};

    #[test]
    fn form_values_are_encoded() {
        assert_eq!(form_encoded("a-Z_0.9~+/= &:ö"), "a-Z_0.9%7E%2B%2F%3D%20%26%3A%C3%B6");
    }

    // As reported in punkpeye/mcp-remote#268, netlify/netlify-mcp#19, open-mercato/open-mercato#2832.
    #[test]
    fn debug_output_does_not_contain_the_secret() {
        let endpoint = "http://127.0.0.1:1/introspect";
        let verifier = Introspection::new(endpoint, "https://h.example").expect("an address");
        let text = format!("{:?}", verifier.credentials("shop", "s3cret"));
        assert!(text.contains(endpoint) && !text.contains("s3cret") && !text.contains("Basic"), "{text}");
    }
}
