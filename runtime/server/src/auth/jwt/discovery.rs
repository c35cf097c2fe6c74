//! Discovers the keys of an issuer, and refreshes them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::Uri;
use serde::Deserialize;
use tokio::task::JoinHandle;
use toolwright_wire::fetch::{Endpoint, FetchError, Fetcher};

use super::JwtVerifier;
use super::jwks::{JwkSet, KeySet};
use super::jws::Algorithm;
use crate::auth::Rejected;

/// The age after which keys are refreshed, so that revoked ones do not stay valid for long.
const FRESH: Duration = Duration::from_hours(1);

/// The age up to which keys remain usable if they cannot be refreshed.
const USABLE: Duration = Duration::from_hours(24);

/// The source of an issuer's keys.
#[derive(Debug)]
pub(super) enum Source {
    /// The issuer's metadata names their address; the issuer's name, which the metadata must repeat, and its address.
    Issuer(String, Endpoint),
    /// A fixed address.
    Jwks(Endpoint),
}

/// The keys of one issuer.
#[derive(Debug)]
pub(super) enum Keys {
    Given(Arc<KeySet>, Duration),
    Fetched(Arc<Fetched>, Duration),
}

impl Keys {
    pub(super) fn fixed(set: KeySet) -> Self {
        Self::Given(Arc::new(set), JwtVerifier::REFRESH_PAUSE)
    }

    pub(super) fn fetched(source: Source) -> Self {
        let fetched = Fetched {
            source,
            fetcher: Fetcher::default(),
            state: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        };
        Self::Fetched(Arc::new(fetched), JwtVerifier::REFRESH_PAUSE)
    }

    pub(super) fn pause(&self) -> Duration {
        let (Self::Given(_, pause) | Self::Fetched(_, pause)) = self;
        *pause
    }

    pub(super) fn with_pause(self, pause: Duration) -> Self {
        match self {
            Self::Given(set, _) => Self::Given(set, pause),
            Self::Fetched(fetched, _) => Self::Fetched(fetched, pause),
        }
    }

    /// Returns the known keys, after looking for one that matches the token's.
    pub(super) async fn with(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
        now: Duration,
    ) -> Result<Arc<KeySet>, Rejected> {
        let (fetched, pause) = match self {
            Self::Given(set, _) => return Ok(Arc::clone(set)),
            Self::Fetched(fetched, pause) => (fetched, *pause),
        };
        let fits = |keys: &Arc<KeySet>| keys.fitting(kid, algorithm).next().is_some();
        let seen = fetched.state().clone();
        if let Some(keys) = seen.usable(now).filter(fits) {
            if !seen.is_fresh(now) && seen.may_fetch(now, pause) {
                // The keys are probably unchanged, so this caller does not wait for them.
                drop(fetched.refresh(seen.round, now));
            }
            return Ok(keys);
        }
        if seen.may_fetch(now, pause) || fetched.is_fetching() {
            // Joining fails only when the runtime shuts down; there are no new keys then.
            let _ = fetched.refresh(seen.round, now).await;
        }
        let seen = fetched.state().clone();
        match seen.usable(now) {
            // A missing key may be one that could not be fetched.
            Some(keys) if fits(&keys) || !seen.failed => Ok(keys),
            _ => Err(Rejected::unavailable("the keys of the issuer cannot be fetched")),
        }
    }
}

/// Keys that are fetched from a server.
#[derive(Debug)]
pub(super) struct Fetched {
    source: Source,
    fetcher: Fetcher,
    state: Mutex<FetchState>,
    /// Held during a fetch, so that other callers wait for it.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Debug, Clone, Default)]
struct FetchState {
    /// The number of completed fetches.
    round: u64,
    /// When the last fetch began.
    tried: Option<Duration>,
    /// Whether the last fetch failed.
    failed: bool,
    keys: Option<(Arc<KeySet>, Duration)>,
}

impl FetchState {
    fn usable(&self, now: Duration) -> Option<Arc<KeySet>> {
        self.keys
            .as_ref()
            .filter(|(_, at)| now.saturating_sub(*at) < USABLE)
            .map(|(keys, _)| Arc::clone(keys))
    }

    fn is_fresh(&self, now: Duration) -> bool {
        self.keys.as_ref().is_some_and(|(_, at)| now.saturating_sub(*at) < FRESH)
    }

    /// Whether the pause since the last fetch has ended; setting the clock back must not block fetches for long.
    fn may_fetch(&self, now: Duration, pause: Duration) -> bool {
        self.tried.is_none_or(|tried| now.checked_sub(tried).is_none_or(|since| since >= pause))
    }
}

impl Fetched {
    /// Fetches the keys, unless another caller has done so since `round` was read.
    fn refresh(self: &Arc<Self>, round: u64, now: Duration) -> JoinHandle<()> {
        let fetched = Arc::clone(self);
        // The fetch is a separate task: a caller that leaves must not abort it for those who wait for it, or who may
        // not start another one for a while.
        let refresh = async move {
            let _fetching = fetched.fetching.lock().await;
            if fetched.state().round != round {
                return;
            }
            fetched.state().tried = Some(now);
            let found = fetched.fetch().await;
            let mut state = fetched.state();
            state.round += 1;
            state.failed = found.is_err();
            if let Ok(set) = found {
                state.keys = Some((Arc::new(KeySet::of(set)), now));
            }
        };
        tokio::spawn(refresh)
    }

    fn is_fetching(&self) -> bool {
        self.fetching.try_lock().is_err()
    }

    async fn fetch(&self) -> Result<JwkSet, FetchError> {
        match &self.source {
            Source::Jwks(endpoint) => self.fetcher.get(endpoint).await,
            Source::Issuer(issuer, address) => {
                let jwks = self.discover(issuer, address).await?;
                self.fetcher.get(&jwks).await
            }
        }
    }

    /// Finds the address of the keys in the issuer's metadata (2026-07-28,
    /// basic/authorization/authorization-server-discovery).
    async fn discover(&self, issuer: &str, address: &Endpoint) -> Result<Endpoint, FetchError> {
        #[derive(Deserialize)]
        struct Metadata {
            issuer: String,
            jwks_uri: String,
        }
        for place in metadata_urls(address.uri()) {
            let Ok(place) = Endpoint::new(&place) else { continue };
            match self.fetcher.get::<Metadata>(&place).await {
                // The document must belong to the issuer (RFC 8414 §3.3).
                Ok(metadata) if metadata.issuer == issuer => {
                    return Endpoint::new(&metadata.jwks_uri).map_err(|_| FetchError::Unusable);
                }
                Ok(_) => return Err(FetchError::Unusable),
                Err(FetchError::Unreachable) => return Err(FetchError::Unreachable),
                Err(FetchError::Absent | FetchError::Unusable) => {}
            }
        }
        Err(FetchError::Absent)
    }

    fn state(&self) -> MutexGuard<'_, FetchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the addresses at which an issuer's metadata may be located, in lookup order.
fn metadata_urls(issuer: &Uri) -> Vec<String> {
    let host = format!(
        "{}://{}",
        issuer.scheme_str().unwrap_or("https"),
        issuer.authority().map_or("", |authority| authority.as_str())
    );
    let path = issuer.path().trim_end_matches('/');
    let mut urls = vec![
        format!("{host}/.well-known/oauth-authorization-server{path}"),
        format!("{host}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        urls.push(format!("{host}{path}/.well-known/openid-configuration"));
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::metadata_urls;

    #[test]
    fn metadata_is_looked_up_in_the_specified_order() {
        let urls = |issuer: &str| metadata_urls(&issuer.parse().expect("an address"));
        let host = "https://auth.example.com";
        assert_eq!(
            urls(&format!("{host}/tenant1")),
            [
                format!("{host}/.well-known/oauth-authorization-server/tenant1"),
                format!("{host}/.well-known/openid-configuration/tenant1"),
                format!("{host}/tenant1/.well-known/openid-configuration"),
            ]
        );
        let without_path = [
            format!("{host}/.well-known/oauth-authorization-server"),
            format!("{host}/.well-known/openid-configuration"),
        ];
        assert_eq!(urls(host), without_path);
        assert_eq!(urls(&format!("{host}/")), without_path);
    }
}
