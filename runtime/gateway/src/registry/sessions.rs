//! The session tokens in use. The signature of each is verified once; open requests end when their token is
//! revoked or expires.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwright_core::definition::ToolDefinition;
use toolwright_server::auth::{Principal, Rejected};

use super::live::{LiveRun, Shared};
use super::store::TokenId;
use super::view::View;
use crate::scope::Scope;
use crate::store::StoreError;
use crate::tokens::{Claims, SessionTokens};

/// Maximum number of cached tokens. Open requests of evicted tokens end.
const MAX_KNOWN: usize = 10_000;
/// How often expired tokens and their lists are removed.
const FORGET: Duration = Duration::from_mins(1);
/// How long the store's confirmation of a token counts: 100 milliseconds.
const CONFIRMED: Duration = Duration::from_millis(100);

/// The cached tokens.
pub(super) struct Sessions {
    tokens: Arc<SessionTokens>,
    known: Mutex<KnownTokens>,
}

struct KnownTokens {
    /// By the text of the token: a digest of it takes longer than the rest of the check.
    tokens: HashMap<Box<str>, Arc<Session>>,
    forgot: Instant,
}

/// A token with a verified signature.
pub(super) struct Session {
    pub(super) claims: Claims,
    principal: Principal,
    scope: Arc<Scope>,
    /// With the run as last used.
    agent: Mutex<Option<Arc<Agent>>>,
    /// Ends streams when the token is revoked or expires.
    end: CancellationToken,
    /// Ends calls when the token is revoked.
    revoked: CancellationToken,
}

/// The store's confirmation that a token is valid, which the verifier passes to the provider with the agent: the call of the same
/// request need not ask again.
#[derive(Debug)]
pub(super) struct Confirmed {
    at: Instant,
    is_used: AtomicBool,
}

/// A caller with a token of a run, which the verifier passes to the provider.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(super) claims: Claims,
    pub(crate) scope: Scope,
    pub(super) run: Arc<LiveRun>,
    /// The last list, and its sources.
    pub(super) listed: Mutex<Option<Listed>>,
    revoked: CancellationToken,
}

/// The sources of an agent's list, and the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) view: Arc<View>,
    pub(super) of_servers: Option<Arc<[ToolDefinition]>>,
    pub(super) list: Arc<[ToolDefinition]>,
}

impl Sessions {
    pub(super) fn new(tokens: Arc<SessionTokens>) -> Self {
        let known = KnownTokens { tokens: HashMap::new(), forgot: Instant::now() };
        Self { tokens, known: Mutex::new(known) }
    }

    /// Returns the session of a token; the signature is verified once, the times every time.
    pub(super) fn check(&self, token: &str) -> Result<Arc<Session>, Rejected> {
        let known = self.known().tokens.get(token).cloned();
        if let Some(known) = known {
            self.tokens.check_again(&known.claims)?;
            return Ok(known);
        }
        let new = Arc::new(Session::new(self.tokens.check(token)?));
        let mut known = self.known();
        if known.tokens.len() >= MAX_KNOWN || known.forgot.elapsed() > FORGET {
            self.forget_expired_of(&mut known);
        }
        if known.tokens.len() >= MAX_KNOWN
            && let Some(any) = known.tokens.keys().next().cloned()
            && let Some(forgotten) = known.tokens.remove(&any)
        {
            // A revocation of an uncached token would go unnoticed.
            forgotten.end.cancel();
        }
        Ok(Arc::clone(known.tokens.entry(token.into()).or_insert(new)))
    }

    /// Removes expired tokens. Their streams end, their calls continue.
    fn forget_expired(&self) {
        self.forget_expired_of(&mut self.known());
    }

    fn forget_expired_of(&self, known: &mut KnownTokens) {
        known.tokens.retain(|_, session| {
            let is_good = self.tokens.check_again(&session.claims).is_ok();
            if !is_good {
                session.end.cancel();
            }
            is_good
        });
        known.forgot = Instant::now();
    }

    /// Returns the sessions with open requests of a run, or of all runs.
    fn in_use(&self, run: Option<&str>) -> Vec<Arc<Session>> {
        let known = self.known();
        let of_run = |session: &&Arc<Session>| run.is_none() || session.claims.run.as_deref() == run;
        known.tokens.values().filter(of_run).filter(|session| session.is_in_use()).cloned().collect()
    }

    fn end(&self, ended: &Arc<Session>) {
        ended.end.cancel();
        ended.revoked.cancel();
        self.known().tokens.retain(|_, session| !Arc::ptr_eq(session, ended));
    }

    fn known(&self) -> MutexGuard<'_, KnownTokens> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    fn new(claims: Claims) -> Self {
        let (end, revoked) = (CancellationToken::new(), CancellationToken::new());
        Self {
            principal: principal(&claims).with_end(end.clone()),
            scope: Arc::new(claims.to_scope()),
            claims,
            agent: Mutex::default(),
            end,
            revoked,
        }
    }

    /// Returns the caller, with its scope.
    pub(super) fn caller(&self) -> Principal {
        self.principal.clone().with_extension(Arc::clone(&self.scope))
    }

    /// Returns the caller with its scope and its run, whose state the store has just confirmed.
    pub(super) fn caller_in(&self, run: Arc<LiveRun>) -> Principal {
        self.caller().with_extension(self.agent(run)).with_extension(Arc::new(Confirmed::now()))
    }

    fn agent(&self, run: Arc<LiveRun>) -> Arc<Agent> {
        let mut agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = agent.as_ref().filter(|agent| Arc::ptr_eq(&agent.run, &run)) {
            return Arc::clone(same);
        }
        Arc::clone(agent.insert(Arc::new(Agent {
            claims: self.claims.clone(),
            scope: Scope::clone(&self.scope),
            run,
            listed: Mutex::default(),
            revoked: self.revoked.clone(),
        })))
    }

    /// Returns whether the caller is in use, or about to be.
    fn is_in_use(self: &Arc<Self>) -> bool {
        let agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::strong_count(self) > 1
            || Arc::strong_count(&self.scope) > 1
            || agent.as_ref().is_some_and(|agent| Arc::strong_count(agent) > 1)
    }
}

impl Confirmed {
    fn now() -> Self {
        Self { at: Instant::now(), is_used: AtomicBool::new(false) }
    }

    /// Uses the confirmation, and returns whether it counts: once, and for [`CONFIRMED`]. A connection may be older than that,
    /// and has more than one call.
    pub(super) fn take(&self) -> bool {
        !self.is_used.swap(true, Ordering::Relaxed) && self.at.elapsed() < CONFIRMED
    }
}

impl Agent {
    /// Returns the revision of the run's registry that the agent sees.
    pub(crate) fn revision(&self) -> u64 {
        self.run.view().state.revision
    }

    /// Waits until the token is revoked, individually or with its run or organization.
    pub(super) fn revoked(&self) -> impl Future<Output = ()> + use<> {
        let (own, of_run) = (self.revoked.clone(), self.run.revoked());
        async move {
            tokio::select! {
                () = own.cancelled() => {}
                () = of_run.cancelled() => {}
            }
        }
    }
}

impl Shared {
    /// Ends the revoked sessions of a run, or of all runs. While the store cannot be reached, sessions stay:
    /// their requests are rejected.
    pub(super) async fn end_revoked_sessions(&self, run: Option<&str>) {
        for sessions in self.sessions() {
            sessions.forget_expired();
            for session in sessions.in_use(run) {
                if self.is_revoked(&session.claims).await.unwrap_or(false) {
                    sessions.end(&session);
                }
            }
        }
    }

    async fn is_revoked(&self, claims: &Claims) -> Result<bool, StoreError> {
        let id = TokenId { id: &claims.jti, issued_at: claims.iat };
        let Some(run) = &claims.run else { return self.store.is_revoked(claims.org.as_deref(), id).await };
        let state = self.store.state(run, Some(id)).await?;
        let is_good = |state| claims.is_good_for(state);
        Ok(!state.as_ref().is_some_and(is_good))
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

#[cfg(test)]
mod tests {
    use super::{CONFIRMED, Confirmed};

    #[test]
    fn a_confirmation_counts_once_and_not_for_long() {
        let confirmed = Confirmed::now();
        assert!(confirmed.take());
        assert!(!confirmed.take());
        let old = Confirmed::now();
        std::thread::sleep(CONFIRMED);
        assert!(!old.take());
    }
}
