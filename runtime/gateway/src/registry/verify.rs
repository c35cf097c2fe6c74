//! Callers by their session tokens.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;
use toolwright_server::BoxFuture;
use toolwright_server::auth::{Principal, Rejected, TokenVerifier};

use super::live::{LiveRun, Registry, Shared};
use super::store::{StoreError, TokenId};
use super::view::View;
use crate::scope::Scope;
use crate::tokens::{Claims, SessionTokens};

/// How many tokens are remembered, so that the signature of each is checked once.
const MAX_KNOWN: usize = 10_000;
/// How often those that have expired are forgotten, with the lists that were made for them.
const FORGET: Duration = Duration::from_mins(1);

/// Checks session tokens, and whether their runs are still there: one question to the store for each request.
///
/// A request is refused with 503, and neither with 401 nor with an empty list, while the store cannot be reached.
pub struct SessionVerifier {
    registry: Arc<Shared>,
    tokens: Arc<SessionTokens>,
    known: Mutex<KnownTokens>,
}

/// The tokens that are remembered, by their digests.
struct KnownTokens {
    tokens: HashMap<[u8; 32], Arc<Known>>,
    forgot: Instant,
}

/// A token whose signature was checked.
struct Known {
    claims: Claims,
    principal: Principal,
    /// With the run as it was used last.
    agent: Mutex<Option<Arc<Agent>>>,
}

/// A caller with a token of a run: what the verifier finds for the provider.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) claims: Claims,
    pub(super) scope: Scope,
    pub(super) run: Arc<LiveRun>,
    /// The list that was made last, and of what.
    pub(super) listed: Mutex<Option<Listed>>,
}

/// What an agent's list was made of, and the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) view: Arc<View>,
    pub(super) of_servers: Option<Arc<[ToolDefinition]>>,
    pub(super) list: Arc<[ToolDefinition]>,
}

impl Registry {
    /// The verifier of tokens for [`Protection`](toolwright_server::auth::Protection): whoever has a good one is a caller
    /// of its run. A token of no run has its [`Scope`] as the extension of the principal, for a
    /// [`Gateway`](crate::Gateway) beside the registry.
    pub fn verifier(&self, tokens: impl Into<Arc<SessionTokens>>) -> SessionVerifier {
        let known = KnownTokens { tokens: HashMap::new(), forgot: Instant::now() };
        SessionVerifier { registry: Arc::clone(&self.0), tokens: tokens.into(), known: Mutex::new(known) }
    }
}

impl SessionVerifier {
    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let known = self.known_token(token)?;
        let claims = &known.claims;
        let id = TokenId { id: &claims.jti, issued_at: claims.iat };
        let store = &self.registry.store;
        let Some(run) = &claims.run else {
            if store.is_revoked(claims.org.as_deref(), id).await.map_err(|error| unavailable(&error))? {
                return Err(revoked());
            }
            return Ok(known.principal.clone().with_extension(Arc::new(claims.to_scope())));
        };
        let state = store.state(run, Some(id)).await.map_err(|error| unavailable(&error))?;
        let state = state.ok_or_else(|| unavailable(&StoreError::NoRun(run.clone())))?;
        if state.org != claims.org {
            return Err(Rejected::invalid("the token is of another organization than its run"));
        }
        if state.is_revoked || claims.epoch.as_ref() != Some(&state.epoch) {
            return Err(revoked());
        }
        let live = self.registry.live(run, &state).await.map_err(|error| unavailable(&error))?;
        Ok(known.principal.clone().with_extension(known.agent(live)))
    }

    /// A token with its claims; the signature of each is checked once, its times every time.
    fn known_token(&self, token: &str) -> Result<Arc<Known>, Rejected> {
        let key = digest(&SHA256, token.as_bytes());
        let key: [u8; 32] = key.as_ref().try_into().unwrap_or_default();
        let known = self.known().tokens.get(&key).cloned();
        if let Some(known) = known {
            self.tokens.check_again(&known.claims)?;
            return Ok(known);
        }
        let claims = self.tokens.check(token)?;
        let new = Arc::new(Known { principal: principal(&claims), claims, agent: Mutex::default() });
        let mut known = self.known();
        if known.tokens.len() >= MAX_KNOWN || known.forgot.elapsed() > FORGET {
            known.tokens.retain(|_, known| self.tokens.check_again(&known.claims).is_ok());
            known.forgot = Instant::now();
        }
        if known.tokens.len() >= MAX_KNOWN
            && let Some(any) = known.tokens.keys().next().copied()
        {
            known.tokens.remove(&any);
        }
        known.tokens.insert(key, Arc::clone(&new));
        Ok(new)
    }

    fn known(&self) -> MutexGuard<'_, KnownTokens> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The caller in its run.
    fn agent(&self, run: Arc<LiveRun>) -> Arc<Agent> {
        let mut agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = agent.as_ref().filter(|agent| Arc::ptr_eq(&agent.run, &run)) {
            return Arc::clone(same);
        }
        let (claims, scope) = (self.claims.clone(), self.claims.to_scope());
        Arc::clone(agent.insert(Arc::new(Agent { claims, scope, run, listed: Mutex::default() })))
    }
}

/// Who calls: what belongs to an agent of one run is not that of the same node in another run, and a renewed token has what
/// the one before it had.
fn principal(claims: &Claims) -> Principal {
    let subject = match &claims.run {
        Some(run) => serde_json::json!([claims.org, run, claims.sub]).to_string(),
        None => serde_json::json!([claims.org, claims.sub]).to_string(),
    };
    let all: Map<String, Value> = match serde_json::to_value(claims) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    Principal::new(subject)
        .with_issuer(&claims.iss)
        .with_scopes(claims.scope.split(' ').filter(|word| !word.is_empty()))
        .with_claims(all)
}

fn revoked() -> Rejected {
    Rejected::invalid("the token was revoked; get another one from the session endpoint")
}

fn unavailable(error: &StoreError) -> Rejected {
    Rejected::unavailable(error.to_string()).with_error_kind(error.kind())
}

impl TokenVerifier for SessionVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(self.check(token))
    }

    fn sends_tokens(&self) -> bool {
        false
    }
}

impl fmt::Debug for SessionVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionVerifier").field("tokens", &self.tokens).finish_non_exhaustive()
    }
}
