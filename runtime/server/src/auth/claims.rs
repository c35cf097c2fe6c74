//! Claims that JWTs and introspection responses share (RFC 7519 §4.1, RFC 7662 §2.2).

use std::time::Duration;

use serde_json::{Map, Value};

use super::{Principal, Rejected};

/// Returns a string claim.
pub(super) fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    claims.get(name)?.as_str()
}

/// Whether `aud` equals the audience, or is a list that contains it. Compared exactly (RFC 7519 §4.1.3).
pub(super) fn is_audience(aud: Option<&Value>, audience: &str) -> bool {
    match aud {
        Some(Value::String(one)) => one == audience,
        Some(Value::Array(list)) => list.iter().any(|one| one.as_str() == Some(audience)),
        _ => false,
    }
}

/// Parses a time in seconds since 1970, with or without a fraction (RFC 7519 §2, `NumericDate`).
pub(super) fn seconds(time: Option<&Value>) -> Option<Duration> {
    Duration::try_from_secs_f64(time?.as_f64()?).ok()
}

/// Creates the principal of the claims: `sub`, or the client if it acts for itself.
pub(super) fn principal(claims: Map<String, Value>, issuer: Option<&str>) -> Result<Principal, Rejected> {
    let client = text(&claims, "client_id").or_else(|| text(&claims, "azp")).map(str::to_owned);
    let subject = text(&claims, "sub").map(str::to_owned).or_else(|| client.clone());
    let Some(subject) = subject.filter(|subject| !subject.is_empty()) else {
        return Err(Rejected::invalid("the token has neither `sub` nor `client_id`"));
    };
    let mut principal = Principal::new(subject).with_scopes(scopes(&claims));
    if let Some(issuer) = issuer {
        principal = principal.with_issuer(issuer);
    }
    if let Some(client) = client {
        principal = principal.with_client_id(client);
    }
    Ok(principal.with_claims(claims))
}

/// `scope` is a space-separated string (RFC 9068 §2.2.3, RFC 8693 §4.2); some issuers write a list, or use
/// `scp`.
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    match claims.get("scope").or_else(|| claims.get("scp")) {
        Some(Value::String(text)) => words(text),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
