//! Validation of a token's claims (RFC 9068 §4, RFC 7519 §4.1).

use std::time::Duration;

use serde_json::{Map, Value};

use crate::auth::claims::{is_audience, principal, seconds, text};
use crate::auth::{Principal, Rejected};

/// The rules for the claims of a token.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) skew: Duration,
    pub(super) access_tokens_only: bool,
}

impl Rules {
    /// Checks the type in the header (RFC 9068 §2.1; the prefix is optional, RFC 7515 §4.1.9).
    pub(super) fn check_type(&self, typ: Option<&str>) -> Result<(), Rejected> {
        let is_access_token = typ.is_some_and(|typ| {
            let typ = typ.to_ascii_lowercase();
            typ.strip_prefix("application/").unwrap_or(&typ) == "at+jwt"
        });
        if self.access_tokens_only && !is_access_token {
            return Err(Rejected::invalid("the token is not an access token"));
        }
        Ok(())
    }

    /// Checks issuer, audience and times.
    pub(super) fn check(&self, claims: &Map<String, Value>, now: Duration) -> Result<(), Rejected> {
        if text(claims, "iss") != Some(&self.issuer) {
            return Err(Rejected::invalid("the token has another issuer"));
        }
        if !is_audience(claims.get("aud"), &self.audience) {
            return Err(Rejected::invalid("the token is for another audience"));
        }
        check_times(claims, now, self.skew)
    }

    /// Creates the token's principal.
    pub(super) fn principal(&self, claims: Map<String, Value>) -> Result<Principal, Rejected> {
        principal(claims, Some(&self.issuer))
    }
}

/// Checks times: a token must have an expiry, and may have a start of validity.
fn check_times(claims: &Map<String, Value>, now: Duration, skew: Duration) -> Result<(), Rejected> {
    let Some(expires) = seconds(claims.get("exp")) else {
        return Err(Rejected::invalid("the token has no valid expiry (`exp`)"));
    };
    if now >= expires.saturating_add(skew) {
        return Err(Rejected::invalid("the token has expired"));
    }
    let Some(not_before) = claims.get("nbf") else { return Ok(()) };
    match seconds(Some(not_before)) {
        Some(not_before) if now.saturating_add(skew) >= not_before => Ok(()),
        _ => Err(Rejected::invalid("the token is not valid yet")),
    }
}
