//! Verifies session tokens.

use std::fmt;
use std::sync::Arc;

use toolwright_server::BoxFuture;
use toolwright_server::auth::{Principal, Rejected, TokenVerifier};

use super::live::{Registry, Shared};
use super::sessions::Sessions;
use super::store::{RunState, TokenId};
use crate::store::StoreError;
use crate::tokens::{Claims, SessionTokens};

/// Verifies session tokens and the state of their runs, with at most one query to the store per request.
///
/// While the store cannot be reached, requests are rejected with 503, not with 401 or an empty list. Open
/// requests end when their token is revoked, and subscriptions also when it expires: immediately, or within 30
/// seconds if the notification of the store was lost.
pub struct SessionVerifier {
    registry: Arc<Shared>,
    sessions: Arc<Sessions>,
}

impl Registry {
    /// Returns the token verifier for [`Protection`](toolwright_server::auth::Protection): a valid token makes
    /// its bearer a caller of its run. For a token without a run, its [`Scope`](crate::Scope) is the extension
    /// of the principal, for a [`Gateway`](crate::Gateway) next to the registry.
    pub fn verifier(&self, tokens: impl Into<Arc<SessionTokens>>) -> SessionVerifier {
        let sessions = Arc::new(Sessions::new(tokens.into()));
        self.0.add_sessions(&sessions);
        SessionVerifier { registry: Arc::clone(&self.0), sessions }
    }
}

impl SessionVerifier {
    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        let session = self.sessions.check(token)?;
        let claims = &session.claims;
        let id = TokenId { id: &claims.jti, issued_at: claims.iat };
        let store = &self.registry.store;
        let Some(run) = &claims.run else {
            if store.is_revoked(claims.org.as_deref(), id).await.map_err(|error| unavailable(&error))? {
                return Err(revoked());
            }
            return Ok(session.caller());
        };
        let state = store.recent_state(run, id).await.map_err(|error| unavailable(&error))?;
        let state = state.ok_or_else(|| unavailable(&StoreError::NoRun(run.clone())))?;
        if state.org != claims.org {
            return Err(Rejected::invalid("the token is of another organization than its run"));
        }
        if !claims.is_good_for(&state) {
            return Err(revoked());
        }
        let live = self.registry.live(run, &state).await.map_err(|error| unavailable(&error))?;
        Ok(session.caller_in(live))
    }
}

impl Claims {
    /// Returns whether the token is valid for its run in this state.
    pub(super) fn is_good_for(&self, run: &RunState) -> bool {
        !run.is_revoked && run.org == self.org && self.epoch.as_ref() == Some(&run.epoch)
    }
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
        f.debug_struct("SessionVerifier").finish_non_exhaustive()
    }
}
