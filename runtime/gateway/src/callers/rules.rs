//! Rules that map the claims of a token to what its bearer may use.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright_server::BoxFuture;
use toolwright_server::auth::{Principal, Rejected, TokenSources, TokenVerifier};

use super::grant::scope_of;
use crate::scope::Scope;

/// Maximum number of rules of an issuer.
pub const MAX_CLAIM_RULES: usize = 256;

/// A rule: what the bearers of tokens with a claim may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ClaimRule {
    /// The name of the claim, such as `groups`, or a JSON pointer (RFC 6901) to a nested one, such as
    /// `/realm_access/roles`.
    pub claim: String,
    /// The string, number or boolean that the claim has, or contains if it is a list. `scope` and `scp` are lists, even
    /// if they are strings separated by spaces.
    pub value: Value,
    /// Whether it grants all servers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The granted servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<BTreeSet<String>>,
    /// The granted tools, by their public names; if absent, all tools of the servers. A rule with a list of tools grants
    /// no prompts and resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<String>>,
}

/// Rules that map the claims of a token to a [`Scope`] of the gateway's configuration.
///
/// A caller may use what any matching rule grants. Without a matching rule it may use nothing: it sees empty lists. No
/// rule grants the nodes of runs.
///
/// ```
/// use serde_json::json;
/// use toolwright_gateway::EntryId;
/// use toolwright_gateway::callers::ClaimRules;
///
/// let rules = ClaimRules::parse(
///     r#"[
///         {"claim": "groups", "value": "ops", "servers": ["files"]},
///         {"claim": "scope", "value": "tools:all", "all": true}
///     ]"#,
/// )?;
/// let read = EntryId { org: None, run: None, node: "files", tool: "files__read" };
/// assert!(rules.scope(&json!({"groups": ["ops", "dev"]})).admits(&read));
/// assert!(rules.scope(&json!({"scope": "openid tools:all"})).admits(&read));
/// assert!(!rules.scope(&json!({"groups": "op"})).admits(&read));
/// # Ok::<(), toolwright_gateway::callers::RuleError>(())
/// ```
///
/// [`ClaimRules::of`] applies them to the principals of any verifier, such as one that introspects opaque tokens:
///
/// ```
/// use toolwright_gateway::callers::ClaimRules;
/// use toolwright_server::auth::{ApiKeys, Protection};
///
/// # fn example(verifier: ApiKeys, rules: ClaimRules) -> Result<(), toolwright_server::auth::ProtectionError> {
/// let protection = Protection::new("https://gateway.example/mcp/gateway", rules.of(verifier))?;
/// # drop(protection);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimRules(Vec<(ClaimRule, Scope)>);

/// A rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(String);

/// A verifier whose principals have a [`Scope`]; see [`ClaimRules::of`].
#[derive(Debug)]
pub struct ScopedVerifier<V> {
    verifier: V,
    rules: ClaimRules,
}

impl ClaimRules {
    /// Checks rules.
    ///
    /// # Errors
    /// There are more than [`MAX_CLAIM_RULES`], or one grants nothing, has no claim, or a value that is neither a string
    /// nor a number nor a boolean.
    pub fn new(rules: impl IntoIterator<Item = ClaimRule>) -> Result<Self, RuleError> {
        let mut checked = Vec::new();
        for (number, rule) in (1_usize..).zip(rules) {
            if number > MAX_CLAIM_RULES {
                return Err(RuleError(format!("there are more than {MAX_CLAIM_RULES} rules")));
            }
            let scope = rule.check().map_err(|why| RuleError(format!("rule {number}: {why}")))?;
            checked.push((rule, scope));
        }
        Ok(Self(checked))
    }

    /// Parses a list of rules from JSON.
    ///
    /// # Errors
    /// As [`ClaimRules::new`]; also if it is not valid JSON, or has unknown members.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let rules: Vec<ClaimRule> =
            serde_json::from_str(text).map_err(|error| RuleError(error.to_string()))?;
        Self::new(rules)
    }

    /// Returns the scope of a caller with these claims, an object.
    pub fn scope(&self, claims: &Value) -> Scope {
        let matching = self.0.iter().filter(|(rule, _)| rule.applies_to(claims));
        let mut scopes = matching.map(|(_, scope)| scope.clone());
        let Some(first) = scopes.next() else { return Scope::of_nothing() };
        Scope { further: scopes.collect(), ..first }
    }

    /// Returns a verifier that adds the scope to the principals of another one.
    pub fn of<V: TokenVerifier>(self, verifier: V) -> ScopedVerifier<V> {
        ScopedVerifier { verifier, rules: self }
    }

    /// Adds the scope to a principal.
    pub(super) fn grant(&self, principal: Principal) -> Principal {
        let scope = match principal.claims::<Value>() {
            Ok(claims) => self.scope(&claims),
            Err(_) => Scope::of_nothing(),
        };
        principal.with_extension(Arc::new(scope))
    }
}

impl ClaimRule {
    fn check(&self) -> Result<Scope, &'static str> {
        if self.claim.is_empty() {
            return Err("it names no `claim`");
        }
        if !(self.value.is_string() || self.value.is_number() || self.value.is_boolean()) {
            return Err("its `value` is neither a string nor a number nor a boolean");
        }
        scope_of(self.all, self.servers.as_ref(), self.tools.as_ref())
    }

    fn applies_to(&self, claims: &Value) -> bool {
        let is_pointer = self.claim.starts_with('/');
        let found = if is_pointer { claims.pointer(&self.claim) } else { claims.get(&self.claim) };
        match found {
            Some(Value::Array(list)) => list.contains(&self.value),
            // RFC 9068 §2.2.3; some issuers use `scp`.
            Some(Value::String(words)) if matches!(&*self.claim, "scope" | "scp") => {
                self.value.as_str().is_some_and(|scope| words.split(' ').any(|word| word == scope))
            }
            Some(value) => *value == self.value,
            None => false,
        }
    }
}

impl<V: TokenVerifier> TokenVerifier for ScopedVerifier<V> {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(async move { Ok(self.rules.grant(self.verifier.verify(token).await?)) })
    }

    fn sends_tokens(&self) -> bool {
        self.verifier.sends_tokens()
    }

    fn sources(&self) -> TokenSources {
        self.verifier.sources()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ClaimRules, MAX_CLAIM_RULES};
    use crate::scope::{EntryId, Scope};

    fn granted(rules: &ClaimRules, claims: &Value) -> Vec<&'static str> {
        let entries = [("files", "files__read"), ("files", "files__write"), ("web", "web__get")];
        let scope = rules.scope(claims);
        let admits = |node, tool| scope.admits(&EntryId { org: None, run: None, node, tool });
        entries.into_iter().filter(|(node, tool)| admits(node, tool)).map(|(_, tool)| tool).collect()
    }

    #[test]
    fn a_caller_may_use_what_any_matching_rule_grants() {
        let rules = json!([
            {"claim": "groups", "value": "ops", "servers": ["web"]},
            {"claim": "/realm_access/roles", "value": "reader", "tools": ["files__read"]},
            {"claim": "https://example.com/level", "value": 3, "servers": ["files"]},
            {"claim": "email_verified", "value": true, "servers": ["web"], "tools": ["web__get"]},
            {"claim": "scope", "value": "tools:all", "all": true},
        ]);
        let rules = ClaimRules::parse(&rules.to_string()).unwrap();
        let everything = ["files__read", "files__write", "web__get"];
        for (claims, expected) in [
            (json!({}), &[][..]),
            (json!({"groups": ["ops"]}), &["web__get"]),
            (json!({"groups": "ops"}), &["web__get"]),
            (json!({"groups": ["ops"], "realm_access": {"roles": ["reader"]}}), &["files__read", "web__get"]),
            (json!({"realm_access": {"roles": ["reader"]}}), &["files__read"]),
            (json!({"https://example.com/level": 3}), &everything[..2]),
            (json!({"email_verified": true}), &["web__get"]),
            (json!({"scope": "openid tools:all"}), &everything),
            (json!({"scope": ["tools:all"]}), &everything),
            // Near misses.
            (json!({"groups": ["Ops", "ops ", "opsx", ["ops"], {"ops": true}]}), &[]),
            (json!({"groups": "dev ops"}), &[]),
            (json!({"groups": {"ops": "ops"}}), &[]),
            (json!({"realm_access": "reader", "roles": ["reader"], "/realm_access/roles": "reader"}), &[]),
            (json!({"https://example.com/level": "3"}), &[]),
            (json!({"email_verified": "true"}), &[]),
            (json!({"scope": "tools:all2 xtools:all"}), &[]),
            (json!({"scp": "tools:all"}), &[]),
            // What session tokens name has no effect.
            (json!({"nodes": ["files"], "tools": ["files__read"], "scope": "run:all", "run": "r"}), &[]),
        ] {
            assert_eq!(granted(&rules, &claims), expected, "{claims}");
        }
        for no_object in [json!(null), json!("ops"), json!(["ops"])] {
            assert_eq!(rules.scope(&no_object), Scope::of_nothing());
        }
    }

    #[test]
    fn invalid_rules_are_rejected_by_number() {
        let good = json!({"claim": "groups", "value": "ops", "all": true});
        for (wrong, why) in [
            (json!({"claim": "groups", "value": "ops"}), "grants nothing"),
            (json!({"claim": "groups", "value": "ops", "all": false}), "grants nothing"),
            (json!({"claim": "groups", "value": "ops", "all": true, "servers": ["a"]}), "exclude"),
            (json!({"claim": "", "value": "ops", "all": true}), "names no `claim`"),
            (json!({"claim": "groups", "value": null, "all": true}), "neither a string"),
            (json!({"claim": "groups", "value": ["ops"], "all": true}), "neither a string"),
            (json!({"claim": "groups", "value": "ops", "server": ["a"]}), "unknown field"),
            (json!({"value": "ops", "all": true}), "missing field `claim`"),
            (json!({"claim": "groups", "all": true}), "missing field `value`"),
        ] {
            let error = ClaimRules::parse(&json!([good, wrong]).to_string()).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(why.contains("field") || error.starts_with("rule 2: "), "{error}");
        }
        let many = vec![good; MAX_CLAIM_RULES + 1];
        assert!(ClaimRules::parse(&json!(many[1..]).to_string()).is_ok());
        assert!(ClaimRules::parse(&json!(many).to_string()).is_err());
    }
}
