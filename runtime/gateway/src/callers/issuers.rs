//! Access tokens of other issuers: the gateway as an OAuth resource server (2026-07-28, basic/authorization).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolwright_server::BoxFuture;
use toolwright_server::auth::{
    Algorithm, JwtVerifier, Principal, Rejected, RejectedKind, TokenSources, TokenVerifier,
};

use super::rules::{ClaimRule, ClaimRules};
use crate::followed::{Files, Followed, FromFile};

/// Maximum number of issuers in a file.
pub const MAX_ISSUERS: usize = 16;
/// Maximum size of a file of issuers, and of a key set: 1 MiB.
pub const MAX_ISSUERS_BYTES: u64 = 1 << 20;
/// Maximum number of distinct expiry times of an issuer's tokens that are watched. Further ones end the streams of the
/// tokens that would expire last.
const MAX_ENDS: usize = 10_000;

/// Accepts JWT access tokens of other issuers, as configured in a file. The format is JSON:
///
/// ```json
/// {
///   "issuers": [
///     {
///       "issuer": "https://login.example",
///       "rules": [
///         { "claim": "groups", "value": "ops", "servers": ["files"] },
///         { "claim": "scope", "value": "tools:all", "all": true }
///       ]
///     }
///   ]
/// }
/// ```
///
/// | member | meaning |
/// |---|---|
/// | `issuer` | the exact `iss` of its tokens |
/// | `rules` | what callers may use: [`ClaimRules`] |
/// | `audience` | the exact `aud` of its tokens; the URL of the gateway by default |
/// | `jwks` | the URL of its keys, or a file relative to this one; discovered through its metadata by default |
/// | `algorithms` | the accepted signatures; `["RS256", "ES256", "EdDSA"]` by default |
/// | `requiredScopes` | scopes that every token must have; others get 403 with a challenge that names them |
/// | `accessTokensOnly` | `true` rejects tokens that are not marked as access tokens (`typ`: `at+jwt`) |
///
/// Unknown members are errors. Tokens are verified by [`JwtVerifier`], which has the limits for keys; while they are
/// unavailable, requests are rejected with 503 (`issuer_unavailable`), not with 401 or an empty list.
///
/// Changes of the file and of key sets are applied within a second; an invalid file changes nothing. Subscriptions end
/// when their token expires, and when the rules or settings of its issuer change; running calls continue.
///
/// ```no_run
/// use toolwright_gateway::callers::Issuers;
/// use toolwright_server::auth::Protection;
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://gateway.example/mcp/gateway";
/// let protection = Protection::new(url, Issuers::open("issuers.json", url)?)?;
/// # drop(protection);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Issuers {
    followed: Arc<Followed<IssuerSet>>,
}

/// Errors of a file of issuers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the issuers in {} cannot be used: {why}", .path.display())]
pub struct IssuersError {
    path: PathBuf,
    why: String,
}

impl Issuers {
    /// Opens a file, for the gateway at this URL, which tokens name as their audience.
    ///
    /// # Errors
    /// The file cannot be read, is invalid, or names the gateway itself as an issuer.
    pub fn open(path: impl Into<PathBuf>, gateway: &str) -> Result<Self, IssuersError> {
        let path = path.into();
        let followed = Followed::open(path.clone(), gateway.to_owned());
        let followed = followed.map_err(|why| IssuersError { path, why })?;
        Ok(Self { followed })
    }

    /// Sets a callback for changes of the files, with the problem of an invalid one. It must not block.
    pub fn on_reload(self, hear: impl Fn(Result<(), &str>) + Send + Sync + 'static) -> Self {
        self.followed.on_reload(Box::new(hear));
        self
    }

    /// Returns whether a token claims to be from one of the issuers.
    pub(super) fn has_issuer_of(&self, token: &str) -> bool {
        issuer_of(token).is_some_and(|issuer| self.followed.current().find(&issuer).is_some())
    }

    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let named = issuer_of(token).ok_or_else(|| Rejected::invalid("the token is not a signed JWT"))?;
        let issuers = self.followed.current();
        let unknown = || Rejected::invalid("the token is from an issuer that this gateway does not accept");
        let issuer = issuers.find(&named).ok_or_else(unknown)?;
        let checked = issuer.verifier.verify(token).await;
        let principal = checked.map_err(|rejected| match rejected.kind() {
            RejectedKind::Unavailable => rejected.with_error_kind("issuer_unavailable"),
            _ => rejected,
        })?;
        if !issuer.required.iter().all(|scope| principal.has_scope(scope)) {
            return Err(Rejected::lacks_scopes(&issuer.required));
        }
        let principal = issuer.rules.grant(principal);
        let end = issuer.ends.of(&principal);
        Ok(principal.with_end(end))
    }
}

impl TokenVerifier for Issuers {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(self.check(token))
    }

    fn sends_tokens(&self) -> bool {
        false
    }

    fn sources(&self) -> TokenSources {
        let issuers = self.followed.current();
        let servers = issuers.0.iter().map(|issuer| issuer.settings.issuer.clone()).collect();
        let scopes: BTreeSet<String> =
            issuers.0.iter().flat_map(|issuer| issuer.required.iter().cloned()).collect();
        TokenSources::new(servers, scopes.into_iter().collect())
    }
}

impl fmt::Debug for Issuers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Issuers").field(&self.followed).finish()
    }
}

/// Returns the issuer that a token names, before anything is verified.
fn issuer_of(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        iss: String,
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice::<Named>(&payload).ok().map(|named| named.iss)
}

/// The contents of a file.
struct IssuerSet(Vec<Issuer>);

struct Issuer {
    settings: Settings,
    required: Vec<String>,
    rules: ClaimRules,
    verifier: Arc<JwtVerifier>,
    ends: Arc<Ends>,
}

/// What the verification of signatures depends on.
#[derive(PartialEq, Eq)]
struct Settings {
    issuer: String,
    audience: String,
    keys: KeySource,
    algorithms: Vec<Algorithm>,
    access_tokens_only: bool,
}

#[derive(PartialEq, Eq)]
enum KeySource {
    Discovered,
    Url(String),
    /// The text of a key set.
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    issuers: Vec<WrittenIssuer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenIssuer {
    issuer: String,
    audience: Option<String>,
    jwks: Option<String>,
    algorithms: Option<Vec<String>>,
    #[serde(default)]
    required_scopes: Vec<String>,
    #[serde(default)]
    access_tokens_only: bool,
    rules: Vec<ClaimRule>,
}

impl IssuerSet {
    fn find(&self, issuer: &str) -> Option<&Issuer> {
        self.0.iter().find(|known| known.settings.issuer == issuer)
    }
}

impl FromFile for IssuerSet {
    /// The URL of the gateway.
    type Context = String;

    fn load(
        path: &Path,
        gateway: &String,
        files: &mut Files,
        previous: Option<&Self>,
    ) -> Result<Self, String> {
        let text = files.read_public(path, MAX_ISSUERS_BYTES).map_err(|error| error.to_string())?;
        let Written { issuers } = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if issuers.len() > MAX_ISSUERS {
            return Err(format!("it has {} issuers, {MAX_ISSUERS} are allowed", issuers.len()));
        }
        let mut set = Self(Vec::new());
        for written in issuers {
            let name = written.issuer.clone();
            let folder = path.parent().unwrap_or(Path::new(""));
            let issuer = written.read(gateway, folder, files, previous);
            let issuer = issuer.map_err(|why| format!("the issuer `{name}`: {why}"))?;
            if set.find(&name).is_some() {
                return Err(format!("the issuer `{name}` appears twice"));
            }
            set.0.push(issuer);
        }
        Ok(set)
    }

    fn retire(&self, next: &Self) {
        for issuer in &self.0 {
            if !next.0.iter().any(|kept| Arc::ptr_eq(&kept.ends, &issuer.ends)) {
                issuer.ends.cancel_all();
            }
        }
    }

    fn tick(&self, now: Duration) {
        for issuer in &self.0 {
            issuer.ends.cancel_expired(now);
        }
    }
}

impl WrittenIssuer {
    fn read(
        self,
        gateway: &str,
        folder: &Path,
        files: &mut Files,
        previous: Option<&IssuerSet>,
    ) -> Result<Issuer, String> {
        if self.issuer == gateway {
            return Err("the gateway itself issues session tokens, which need no rules".to_owned());
        }
        let rules = ClaimRules::new(self.rules).map_err(|error| error.to_string())?;
        let settings = Settings {
            keys: KeySource::read(self.jwks.as_deref(), folder, files)?,
            audience: self.audience.unwrap_or_else(|| gateway.to_owned()),
            algorithms: algorithms(self.algorithms)?,
            access_tokens_only: self.access_tokens_only,
            issuer: self.issuer,
        };
        let required = self.required_scopes;
        let known = previous.and_then(|previous| previous.find(&settings.issuer));
        // Fetched keys are kept, so that a change of rules does not depend on the issuer.
        let known = known.filter(|known| known.settings == settings);
        let verifier = match known {
            Some(known) => Arc::clone(&known.verifier),
            None => Arc::new(settings.verifier()?),
        };
        let known = known.filter(|known| known.rules == rules && known.required == required);
        let ends = known.map(|known| Arc::clone(&known.ends)).unwrap_or_default();
        Ok(Issuer { settings, required, rules, verifier, ends })
    }
}

impl KeySource {
    fn read(jwks: Option<&str>, folder: &Path, files: &mut Files) -> Result<Self, String> {
        let Some(place) = jwks else { return Ok(Self::Discovered) };
        if place.starts_with("https://") || place.starts_with("http://") {
            return Ok(Self::Url(place.to_owned()));
        }
        let text = files.read_public(&folder.join(place), MAX_ISSUERS_BYTES);
        let text = text.map_err(|error| format!("its keys in {place} cannot be read: {error}"))?;
        Ok(Self::Text(text))
    }
}

fn algorithms(names: Option<Vec<String>>) -> Result<Vec<Algorithm>, String> {
    let Some(names) = names else { return Ok(JwtVerifier::ALGORITHMS.to_vec()) };
    let algorithm = |name: &String| {
        let unknown = || {
            format!(
                "the algorithm `{name}` is not supported; use RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 or EdDSA"
            )
        };
        Algorithm::from_name(name).ok_or_else(unknown)
    };
    if names.is_empty() {
        return Err("`algorithms` is empty, so no token would be valid".to_owned());
    }
    names.iter().map(algorithm).collect()
}

impl Settings {
    fn verifier(&self) -> Result<JwtVerifier, String> {
        let text = |error: &dyn std::error::Error| error.to_string();
        let mut verifier = JwtVerifier::new(&self.issuer, &self.audience).map_err(|error| text(&error))?;
        verifier = match &self.keys {
            KeySource::Discovered => verifier,
            KeySource::Url(url) => verifier.jwks_url(url).map_err(|error| text(&error))?,
            KeySource::Text(set) => {
                let invalid = |error| format!("its keys are not a JSON Web Key Set: {error}");
                verifier.jwks(set).map_err(invalid)?
            }
        };
        verifier = verifier.algorithms(self.algorithms.iter().copied());
        Ok(if self.access_tokens_only { verifier.access_tokens_only() } else { verifier })
    }
}

/// The ends of streams, by the second in which their tokens expire.
#[derive(Default)]
struct Ends(Mutex<BTreeMap<u64, CancellationToken>>);

impl Ends {
    /// Returns the end of a principal's token.
    fn of(&self, principal: &Principal) -> CancellationToken {
        let expires = principal.claims::<Value>().ok().and_then(|claims| claims.get("exp")?.as_f64());
        // The verifier requires `exp`; it rejects negative ones.
        let seconds = Duration::try_from_secs_f64(expires.unwrap_or_default()).unwrap_or_default().as_secs();
        let mut ends = self.lock();
        let end = ends.entry(seconds).or_default().clone();
        if ends.len() > MAX_ENDS
            && let Some((_, last)) = ends.pop_last()
        {
            last.cancel();
        }
        end
    }

    fn cancel_expired(&self, now: Duration) {
        let limit = now.saturating_sub(JwtVerifier::CLOCK_SKEW).as_secs();
        let mut ends = self.lock();
        let later = ends.split_off(&limit);
        for end in std::mem::replace(&mut *ends, later).into_values() {
            end.cancel();
        }
    }

    fn cancel_all(&self) {
        for end in std::mem::take(&mut *self.lock()).into_values() {
            end.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Map, Value, json};
    use toolwright_server::auth::Principal;

    use super::{Ends, Issuers, MAX_ENDS, MAX_ISSUERS};

    const GATEWAY: &str = "https://gateway.example/mcp/gateway";

    fn open(text: &str) -> Result<Issuers, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("issuers.json");
        std::fs::write(&file, text).unwrap();
        std::fs::write(folder.path().join("keys.json"), r#"{"keys": []}"#).unwrap();
        std::fs::write(folder.path().join("nonsense.json"), "keys").unwrap();
        Issuers::open(file, GATEWAY).map_err(|error| error.to_string())
    }

    #[test]
    fn files_say_what_is_wrong_with_them() {
        let rules = json!([{"claim": "groups", "value": "ops", "all": true}]);
        let with = |name: &str, value: Value| {
            let mut issuer = json!({"issuer": "https://login.example", "rules": rules});
            issuer[name] = value;
            json!({"issuers": [issuer]}).to_string()
        };
        open(&with("jwks", json!("keys.json"))).unwrap();
        open(&with("jwks", json!("https://login.example/keys"))).unwrap();
        open(&with("algorithms", json!(["PS512"]))).unwrap();
        open(r#"{"issuers": []}"#).unwrap();
        for (text, why) in [
            (String::new(), "EOF"),
            ("{}".to_owned(), "missing field `issuers`"),
            (r#"{"issuers": [], "issuer": "x"}"#.to_owned(), "unknown field `issuer`"),
            (r#"{"issuers": [{"issuer": "https://login.example"}]}"#.to_owned(), "missing field `rules`"),
            (with("rule", json!([])), "unknown field `rule`"),
            (with("issuer", json!(GATEWAY)), "session tokens"),
            (with("issuer", json!("login.example")), "must be a URL"),
            (with("issuer", json!("http://login.example")), "loopback"),
            (with("jwks", json!("http://login.example/keys")), "loopback"),
            (with("jwks", json!("missing.json")), "missing.json"),
            (with("jwks", json!("nonsense.json")), "not a JSON Web Key Set"),
            (with("algorithms", json!(["HS256"])), "`HS256` is not supported"),
            (with("algorithms", json!(["none"])), "`none` is not supported"),
            (with("algorithms", json!([])), "empty"),
            (with("rules", json!([{"claim": "groups", "value": "ops"}])), "rule 1: it grants nothing"),
        ] {
            let error = open(&text).unwrap_err();
            assert!(error.contains(why) && error.contains("issuers.json"), "{text}: {error}");
        }
        let issuer = |number: usize| json!({"issuer": format!("https://login{number}.example"), "rules": []});
        let many: Vec<_> = (0..=MAX_ISSUERS).map(issuer).collect();
        open(&json!({"issuers": many[1..]}).to_string()).unwrap();
        assert!(open(&json!({"issuers": many}).to_string()).unwrap_err().contains("allowed"));
        let twice = json!({"issuers": [issuer(1), issuer(1)]}).to_string();
        assert!(open(&twice).unwrap_err().contains("appears twice"));
    }

    #[test]
    fn the_streams_of_a_token_end_when_it_expires() {
        let of =
            |exp: f64| Principal::new("ada").with_claims(Map::from_iter([("exp".to_owned(), json!(exp))]));
        let ends = Ends::default();
        let (first, second) = (ends.of(&of(1_000.5)), ends.of(&of(2_000.0)));
        ends.cancel_expired(Duration::from_secs(1_030));
        assert!(!first.is_cancelled(), "within the clock skew");
        ends.cancel_expired(Duration::from_secs(1_031));
        assert!(first.is_cancelled() && !second.is_cancelled());
        ends.cancel_all();
        assert!(second.is_cancelled());
        let last = ends.of(&of(1e9));
        for number in 0..MAX_ENDS {
            ends.of(&of(f64::from(u32::try_from(number).unwrap())));
        }
        assert!(last.is_cancelled(), "the number of ends is bounded");
        assert_eq!(ends.lock().len(), MAX_ENDS);
    }
}
