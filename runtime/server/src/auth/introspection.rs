//! Tokens that only their issuer can read: it is asked (RFC 7662).

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use toolwright_wire::fetch::{Endpoint, EndpointError, Fetcher};

use super::claims::{is_audience, principal, seconds, text};
use super::clock::Clock;
use super::token::digest;
use super::{Principal, Rejected, TokenVerifier};
use crate::future::BoxFuture;

/// Takes tokens that an authorization server calls active when asked: opaque ones, or any that can be withdrawn.
///
/// A good answer is kept for half a minute, and no longer than the token is valid, by the token's digest: so long does a
/// token work after it was withdrawn. Others are not kept, so that made-up tokens push out nothing. An answer that names
/// no audience is refused, unless [`Introspection::audience_checked_by_server`] is set.
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
    most_kept: usize,
    most_kept_bytes: usize,
    clock: Clock,
    fetcher: Fetcher,
    /// Bounds how many input requests are under way.
    asking: Semaphore,
    kept: Mutex<KeptAnswers>,
}

/// The answers that are kept, by the digests of their tokens.
#[derive(Default)]
struct KeptAnswers {
    by_digest: HashMap<[u8; 32], KeptAnswer>,
    bytes: usize,
}

/// A good answer, and until when it holds.
struct KeptAnswer {
    principal: Principal,
    until: Duration,
    /// How long it is as JSON text.
    bytes: usize,
}

impl Introspection {
    /// How long a good answer is kept: 30 seconds.
    pub const KEEP: Duration = Duration::from_secs(30);

    /// How many answers are kept: 10,000.
    pub const MOST_KEPT: usize = 10_000;

    /// How many bytes the answers that are kept may have together, as JSON text: 16 MiB. An answer with more claims than
    /// there is room for is asked for each time.
    pub const MOST_KEPT_BYTES: usize = 16 << 20;

    /// How many input requests may be under way at once: 64. Others wait.
    pub const MOST_ASKING: usize = 64;

    /// Asks at the address `endpoint` about tokens for `audience`, the resource identifier of the protected endpoint,
    /// which is compared letter by letter.
    ///
    /// # Errors
    /// Where `endpoint` is no address to ask at.
    pub fn new(endpoint: &str, audience: &str) -> Result<Self, EndpointError> {
        Ok(Self {
            endpoint: Endpoint::new(endpoint)?,
            audience: audience.to_owned(),
            issuer: None,
            credentials: None,
            needs_audience: true,
            keep: Self::KEEP,
            most_kept: Self::MOST_KEPT,
            most_kept_bytes: Self::MOST_KEPT_BYTES,
            clock: Clock::default(),
            fetcher: Fetcher::default(),
            asking: Semaphore::new(Self::MOST_ASKING),
            kept: Mutex::default(),
        })
    }

    /// As whom this server asks: the name and secret that the authorization server knows it by (RFC 6749 §2.3.1).
    pub fn credentials(mut self, client_id: &str, secret: &str) -> Self {
        let pair = STANDARD.encode(format!("{}:{}", form_encoded(client_id), form_encoded(secret)));
        let mut credentials = HeaderValue::from_str(&format!("Basic {pair}")).ok();
        if let Some(credentials) = &mut credentials {
            credentials.set_sensitive(true);
        }
        self.credentials = credentials;
        self
    }

    /// Says who issues the tokens: an answer that names another issuer is refused, and principals carry the name.
    pub fn issuer(mut self, issuer: &str) -> Self {
        self.issuer = Some(issuer.to_owned());
        self
    }

    /// Takes answers without an audience: for an authorization server that calls a token inactive when it was issued for
    /// another resource than the one that asks. An audience that is named must be right all the same.
    pub fn audience_checked_by_server(mut self) -> Self {
        self.needs_audience = false;
        self
    }

    /// Other than [`Introspection::KEEP`]; zero keeps nothing.
    pub fn keep(mut self, time: Duration) -> Self {
        self.keep = time;
        self
    }

    /// Other than [`Introspection::MOST_KEPT`].
    pub fn most_kept(mut self, answers: usize) -> Self {
        self.most_kept = answers;
        self
    }

    /// Other than [`Introspection::MOST_KEPT_BYTES`].
    pub fn most_kept_bytes(mut self, bytes: usize) -> Self {
        self.most_kept_bytes = bytes;
        self
    }

    /// Takes the time from elsewhere: for tests.
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
        // What cannot be written is not kept.
        let bytes = serde_json::to_vec(&answer).map_or(usize::MAX, |text| text.len());
        let principal = principal(answer, issuer.as_deref())?;
        self.remember(key, KeptAnswer { principal: principal.clone(), until, bytes });
        Ok(principal)
    }

    async fn ask(&self, token: &str) -> Result<Map<String, Value>, Rejected> {
        let unavailable = |_| Rejected::unavailable("the introspection endpoint gives no answer");
        // The semaphore is never closed.
        let _asking = self.asking.acquire().await.ok();
        let form = format!("token={}&token_type_hint=access_token", form_encoded(token));
        self.fetcher.post(&self.endpoint, form, self.credentials.as_ref()).await.map_err(unavailable)
    }

    /// Checks an answer; says until when it holds.
    fn accept(&self, answer: &Map<String, Value>) -> Result<Duration, Rejected> {
        if answer.get("active") != Some(&Value::Bool(true)) {
            return Err(Rejected::invalid("the token is not active"));
        }
        let is_of_other = |issuer: &String| text(answer, "iss").is_some_and(|named| named != issuer);
        if self.issuer.as_ref().is_some_and(is_of_other) {
            return Err(Rejected::invalid("the token is of another issuer"));
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

    fn remember(&self, key: [u8; 32], answer: KeptAnswer) {
        let now = self.clock.now();
        let mut kept = self.lock();
        if !self.has_room(&kept, &answer) {
            kept.forget_old(now);
        }
        // With more callers than answers are kept, some are asked for each time.
        if now < answer.until && self.has_room(&kept, &answer) {
            kept.insert(key, answer);
        }
    }

    fn has_room(&self, kept: &KeptAnswers, answer: &KeptAnswer) -> bool {
        kept.by_digest.len() < self.most_kept
            && kept.bytes.checked_add(answer.bytes).is_some_and(|bytes| bytes <= self.most_kept_bytes)
    }

    fn lock(&self) -> MutexGuard<'_, KeptAnswers> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptAnswers {
    fn insert(&mut self, key: [u8; 32], answer: KeptAnswer) {
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
        // The credentials are a secret.
        f.debug_struct("Introspection")
            .field("endpoint", &self.endpoint)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}

/// A text as a value of a form (`application/x-www-form-urlencoded`).
fn form_encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::{Introspection, form_encoded};

    #[test]
    fn values_of_forms_are_encoded() {
        assert_eq!(form_encoded("a-Z_0.9~+/= &:ö"), "a-Z_0.9%7E%2B%2F%3D%20%26%3A%C3%B6");
    }

    // As reported in punkpeye/mcp-remote#268, netlify/netlify-mcp#19, open-mercato/open-mercato#2832.
    #[test]
    fn the_secret_is_not_in_the_debug_text() {
        let endpoint = "http://127.0.0.1:1/introspect";
        let verifier = Introspection::new(endpoint, "https://h.example").expect("an address");
        let text = format!("{:?}", verifier.credentials("shop", "s3cret"));
        assert!(text.contains(endpoint) && !text.contains("s3cret") && !text.contains("Basic"), "{text}");
    }
}
