//! Session tokens, which agents present to the gateway.
//!
//! A token is a JWT that any gateway with the keys can verify offline; the registry checks whether its run still
//! exists. `claims` defines its contents, `keys` has the signing keys and their rotation, and this module issues
//! and verifies tokens. The only algorithm is Ed25519 (RFC 8037).

mod claims;
mod keys;

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright_server::auth::Rejected;

pub use claims::{Claims, Permission, SessionRequest};
pub use keys::{KEY_OVERLAP, KeyError, KeyRing, KeyState, KeyStatus};

use toolwright_server::auth::Clock;

/// The `typ` header of every token (RFC 9068 §2.1).
const TYPE: &str = "at+jwt";
const ALGORITHM: &str = "EdDSA";

/// Issues and verifies the session tokens of a gateway.
///
/// ```
/// use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
/// use toolwright_gateway::Selection;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tokens = SessionTokens::new(KeyRing::generate()?, "https://gateway.example/mcp/gateway");
/// let request = SessionRequest::new("agent").run(Some("acme"), "run-1", "epoch-1").nodes(Selection::only(["abuseipdb"]));
/// let minted = tokens.mint(&request)?;
/// let claims = tokens.check(&minted.token)?;
/// assert_eq!(claims.run.as_deref(), Some("run-1"));
/// # Ok(())
/// # }
/// ```
pub struct SessionTokens {
    keys: KeyRing,
    audience: String,
    issuer: String,
    lifetime: Duration,
    clock: Clock,
}

/// An issued token.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Minted {
    /// The token: a secret.
    pub token: String,
    /// Its claims.
    pub claims: Claims,
}

/// Errors of issuing tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MintError {
    /// Without a list of nodes, a token grants its whole run, which requires [`Permission::RunAll`].
    #[error(
        "no nodes are named; name them (an empty list is none), or ask for the permission `run:all` if the token is to reach every node of the run"
    )]
    AllNodes,
    /// The lists would make the token too long for a header.
    #[error(
        "the lists of nodes and tools take {0} bytes, {max} are allowed; leave the list of tools out, or split the work among several agents",
        max = SessionTokens::MAX_LIST_BYTES
    )]
    TooLong(usize),
    /// No key is available.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl SessionTokens {
    /// The default lifetime of a token: 15 minutes.
    pub const LIFETIME: Duration = Duration::from_mins(15);
    /// Maximum lifetime: one hour, since keys are retired after that. Agents renew their tokens.
    pub const MAX_LIFETIME: Duration = Duration::from_hours(1);
    /// Maximum clock skew between gateways: 30 seconds.
    pub const CLOCK_SKEW: Duration = Duration::from_secs(30);
    /// Maximum total length of the names of nodes and tools in a token: 4 KiB.
    pub const MAX_LIST_BYTES: usize = 4 << 10;

    /// Creates tokens for the gateway at `audience`, the URL that agents use. It is also the issuer, unless
    /// [`SessionTokens::issuer`] sets another.
    pub fn new(keys: KeyRing, audience: impl Into<String>) -> Self {
        let audience = audience.into();
        let (issuer, lifetime) = (audience.clone(), Self::LIFETIME);
        Self { keys, audience, issuer, lifetime, clock: Clock::default() }
    }

    /// Sets the issuer, which must be the same for all gateways that share keys.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = issuer.into();
        self
    }

    /// Sets the lifetime, at most [`SessionTokens::MAX_LIFETIME`]; default [`SessionTokens::LIFETIME`].
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime.min(Self::MAX_LIFETIME);
        self
    }

    /// Sets the clock, for tests.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the signing keys.
    pub fn keys(&self) -> &KeyRing {
        &self.keys
    }

    /// Issues a token.
    ///
    /// # Errors
    /// [`MintError`].
    pub fn mint(&self, request: &SessionRequest) -> Result<Minted, MintError> {
        let claims = request.claims(&self.issuer, &self.audience, self.clock.now(), self.lifetime)?;
        let token = self.keys.with_signer(|kid, sign| {
            let header = json!({"alg": ALGORITHM, "typ": TYPE, "kid": kid});
            let signed = format!("{}.{}", encode(&header), encode(&claims));
            let signature = URL_SAFE_NO_PAD.encode(sign(signed.as_bytes()));
            format!("{signed}.{signature}")
        })?;
        Ok(Minted { token, claims })
    }

    /// Verifies the signature, issuer, audience and times of a token, but not whether its run still exists.
    ///
    /// # Errors
    /// Returns the reason, as a message for the bearer.
    pub fn check(&self, token: &str) -> Result<Claims, Rejected> {
        let not_one = || Rejected::invalid("the token is not a session token of this gateway");
        let (signed, signature) = token.rsplit_once('.').ok_or_else(not_one)?;
        let (header, payload) = signed.split_once('.').ok_or_else(not_one)?;
        let header: Header = decode(header).ok_or_else(not_one)?;
        if header.alg != ALGORITHM || header.typ != TYPE || header.crit.is_some() {
            return Err(not_one());
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| not_one())?;
        if !self.keys.is_signed(&header.kid, signed.as_bytes(), &signature) {
            return Err(not_one());
        }
        let claims: Claims = decode(payload).ok_or_else(not_one)?;
        if claims.iss != self.issuer {
            return Err(Rejected::invalid("the token is from another issuer"));
        }
        if claims.aud != self.audience {
            return Err(Rejected::invalid("the token is for another gateway"));
        }
        self.check_again(&claims)?;
        Ok(claims)
    }

    /// Verifies the times of a token whose signature was verified before.
    pub(crate) fn check_again(&self, claims: &Claims) -> Result<(), Rejected> {
        claims.check_times(self.clock.now())
    }
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    typ: String,
    kid: String,
    crit: Option<Value>,
}

fn encode(part: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(part).unwrap_or_default())
}

fn decode<T: serde::de::DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

impl fmt::Debug for SessionTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTokens")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted").field("claims", &self.claims).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::{Claims, KeyRing, MintError, Permission, SessionRequest, SessionTokens, encode};
    use crate::scope::Selection;
    use toolwright_server::auth::Clock;

    const AUDIENCE: &str = "https://gateway.example/mcp/gateway";

    fn request() -> SessionRequest {
        SessionRequest::new("agent").run(Some("acme"), "r", "e").nodes(Selection::only(["n"]))
    }

    fn tokens(keys: &KeyRing) -> SessionTokens {
        SessionTokens::new(keys.clone(), AUDIENCE)
    }

    fn reason(tokens: &SessionTokens, token: &str) -> String {
        tokens.check(token).unwrap_err().reason().to_owned()
    }

    #[test]
    fn a_token_says_what_it_was_made_for() {
        let tokens = tokens(&KeyRing::generate().unwrap());
        let minted = tokens.mint(&request().tools(Selection::only(["n__t"]))).unwrap();
        let claims: Claims = tokens.check(&minted.token).unwrap();
        assert_eq!(claims, minted.claims);
        assert_eq!((claims.org.as_deref(), claims.run.as_deref()), (Some("acme"), Some("r")));
        assert_eq!(claims.exp - claims.iat, 900);
        let scope = claims.to_scope();
        assert_eq!(scope.nodes, Selection::only(["n"]));
        assert_eq!(scope.tools, Selection::only(["n__t"]));
        assert!(!format!("{minted:?} {tokens:?}").contains(&minted.token));
        let other = tokens.mint(&request()).unwrap();
        assert_ne!(other.claims.jti, minted.claims.jti);
    }

    #[test]
    fn all_nodes_must_be_asked_for() {
        let tokens = tokens(&KeyRing::generate().unwrap());
        let all = SessionRequest::new("agent").run(None, "r", "e");
        assert_eq!(tokens.mint(&all).unwrap_err(), MintError::AllNodes);
        let minted = tokens.mint(&all.clone().permit(Permission::RunAll)).unwrap();
        assert_eq!(tokens.check(&minted.token).unwrap().to_scope().nodes, Selection::All);
        let none = tokens.mint(&all.nodes(Selection::only([] as [&str; 0]))).unwrap();
        assert_eq!(tokens.check(&none.token).unwrap().to_scope().nodes, Selection::only([] as [&str; 0]));
        let many = request().nodes(Selection::only((0..1_000).map(|number| format!("node-{number}"))));
        assert!(matches!(tokens.mint(&many), Err(MintError::TooLong(_))));
    }

    #[test]
    fn what_was_changed_or_made_elsewhere_is_refused() {
        let keys = KeyRing::generate().unwrap();
        let here = tokens(&keys);
        let token = here.mint(&request()).unwrap().token;
        let parts: Vec<&str> = token.split('.').collect();
        let mut claims = here.check(&token).unwrap();
        claims.nodes = Selection::only(["other"]);
        let forged = [
            String::new(),
            ".".to_owned(),
            "..".to_owned(),
            "a.b.c".to_owned(),
            format!("{}.{}.{}", parts[0], encode(&claims), parts[2]),
            format!("{}.{}.", parts[0], parts[1]),
            format!(
                "{}.{}.{}",
                encode(&serde_json::json!({"alg": "none", "typ": "at+jwt", "kid": "x"})),
                parts[1],
                ""
            ),
            format!("{token}A"),
            tokens(&KeyRing::generate().unwrap()).mint(&request()).unwrap().token,
        ];
        for forged in &forged {
            assert!(here.check(forged).is_err(), "{forged}");
        }
        let elsewhere = SessionTokens::new(keys.clone(), "https://other.example").issuer(AUDIENCE);
        assert!(reason(&here, &elsewhere.mint(&request()).unwrap().token).contains("another gateway"));
        let other = tokens(&keys).issuer("https://other.example");
        assert!(reason(&here, &other.mint(&request()).unwrap().token).contains("another issuer"));
    }

    #[test]
    fn tokens_end_and_begin_with_some_slack_for_clocks() {
        let time = Arc::new(AtomicU64::new(1_000_000));
        let now = Arc::clone(&time);
        let clock = Clock::new(move || Duration::from_secs(now.load(Ordering::Relaxed)));
        let tokens = tokens(&KeyRing::generate().unwrap()).lifetime(Duration::from_mins(1)).clock(clock);
        let token = tokens.mint(&request()).unwrap().token;
        for (at, is_good) in
            [(999_971, true), (999_969, false), (1_000_089, true), (1_000_090, false), (u64::MAX, false)]
        {
            time.store(at, Ordering::Relaxed);
            assert_eq!(tokens.check(&token).is_ok(), is_good, "{at}");
        }
    }
}
