//! The policy file.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolwright_core::manifest::visible;

use crate::pins::digest;

/// Maximum number of rules in a policy.
pub const MAX_RULES: usize = 256;
/// Maximum size of a policy file: 1 MiB.
pub const MAX_POLICY_BYTES: u64 = 1 << 20;

/// Rules for tool calls. The file format is JSON.
///
/// ```
/// use toolwright_gateway::policy::Policy;
///
/// let policy = Policy::parse(
///     r#"{"rules": [
///         {"callsPerMinute": 600, "concurrency": 16},
///         {"tools": ["files__*"], "maxResultBytes": 1048576},
///         {"tools": ["*__delete*"], "approval": "ask"}
///     ]}"#,
/// )?;
/// assert_eq!(policy.rules().len(), 3);
/// # Ok::<(), toolwright_gateway::policy::PolicyError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    rules: Vec<Rule>,
    revision: String,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    rules: Vec<Rule>,
}

/// A rule: the calls that it applies to, and its limits. Without a list, it applies to all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Rule {
    /// Public names of tools; `*` matches any characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Callers: the `sub` claims of their tokens. `*` matches any characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<Vec<String>>,
    /// Organizations. `*` matches any characters; callers without an organization never match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orgs: Option<Vec<String>>,
    /// What is counted together.
    pub per: Per,
    /// Maximum number of calls per minute, and the size of a burst after a pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_minute: Option<u32>,
    /// Maximum number of concurrent calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Maximum number of bytes of arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_argument_bytes: Option<usize>,
    /// Maximum number of bytes of a result; a larger one is replaced by an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_bytes: Option<usize>,
    /// Whether a user must approve the call.
    pub approval: Approval,
}

/// The unit that a rule counts calls by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Per {
    /// All matching calls of one caller.
    #[default]
    Caller,
    /// All calls of one tool, by any caller.
    Tool,
    /// All calls of one tool by one caller.
    CallerAndTool,
}

/// Whether a call needs approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Approval {
    /// No approval is needed.
    #[default]
    None,
    /// The user of the client must approve (elicitation). Without this capability, the call is rejected.
    Ask,
    /// The call is rejected.
    Refuse,
}

/// Errors of reading a policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("the policy in {} cannot be read", visible(&.path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// It is not a valid policy.
    #[error("the policy cannot be used: {0}")]
    Invalid(String),
}

impl Policy {
    /// Parses a policy from JSON.
    ///
    /// # Errors
    /// [`PolicyError::Invalid`] if it is not valid JSON, has unknown members, more than [`MAX_RULES`] rules, or
    /// a rule that allows no calls.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let invalid = |why: String| PolicyError::Invalid(why);
        let Written { rules } = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        if rules.len() > MAX_RULES {
            return Err(invalid(format!("it has {} rules, {MAX_RULES} are allowed", rules.len())));
        }
        for (number, rule) in (1..).zip(&rules) {
            rule.check().map_err(|why| invalid(format!("rule {number}: {why}")))?;
        }
        let value = serde_json::to_value(Written { rules: rules.clone() });
        let revision = value.map(|value| digest(&value)).unwrap_or_default();
        Ok(Self { rules, revision })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`PolicyError`]; a file with more than [`MAX_POLICY_BYTES`] is invalid.
    pub fn read(path: &Path) -> Result<Self, PolicyError> {
        let failed = |source| PolicyError::File { path: path.to_owned(), source };
        let mut text = String::new();
        let file = File::open(path).map_err(failed)?;
        file.take(MAX_POLICY_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > MAX_POLICY_BYTES {
            return Err(PolicyError::Invalid(format!("it has more than {MAX_POLICY_BYTES} bytes")));
        }
        Self::parse(&text)
    }

    /// Returns the rules in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns the digest of the rules, which identifies the policy in the audit log.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Returns the rules that apply to a call, with their indices.
    pub(crate) fn rules_for<'a>(
        &'a self,
        org: Option<&'a str>,
        caller: &'a str,
        tool: &'a str,
    ) -> impl Iterator<Item = (usize, &'a Rule)> {
        self.rules.iter().enumerate().filter(move |(_, rule)| rule.is_for(org, caller, tool))
    }
}

impl Rule {
    fn check(&self) -> Result<(), String> {
        for (name, limit) in [("callsPerMinute", self.calls_per_minute), ("concurrency", self.concurrency)] {
            if limit == Some(0) {
                return Err(format!(
                    "`{name}` is 0, which allows no call: write `\"approval\": \"refuse\"` for that"
                ));
            }
        }
        for list in [&self.tools, &self.callers, &self.orgs].into_iter().flatten() {
            if list.is_empty() {
                return Err("an empty list matches nothing: leave it out to match everything".to_owned());
            }
        }
        let is_limit = self.calls_per_minute.is_some()
            || self.concurrency.is_some()
            || self.max_argument_bytes.is_some()
            || self.max_result_bytes.is_some()
            || self.approval != Approval::None;
        if !is_limit {
            return Err("it limits nothing".to_owned());
        }
        Ok(())
    }

    fn is_for(&self, org: Option<&str>, caller: &str, tool: &str) -> bool {
        let is_in = |list: &Option<Vec<String>>, name: Option<&str>| match (list, name) {
            (None, _) => true,
            (Some(list), Some(name)) => list.iter().any(|pattern| matches(pattern, name)),
            (Some(_), None) => false,
        };
        is_in(&self.tools, Some(tool)) && is_in(&self.callers, Some(caller)) && is_in(&self.orgs, org)
    }
}

/// Returns whether a name matches a pattern, in which `*` matches any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{Policy, matches};

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("files__read", "files__read", true),
            ("files__read", "files__read2", false),
            ("files__*", "files__read", true),
            ("files__*", "other__files__read", false),
            ("*__delete*", "files__delete_all", true),
            ("*__delete*", "files__undelete", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn invalid_policies_say_what_is_wrong() {
        for (text, why) in [
            ("{}", "missing field `rules`"),
            (r#"{"rules":[{"tool":["x"]}]}"#, "unknown field `tool`"),
            (r#"{"rules":[{"tools":["x"]}]}"#, "rule 1: it limits nothing"),
            (r#"{"rules":[{"concurrency":1},{"callsPerMinute":0}]}"#, "rule 2: `callsPerMinute` is 0"),
            (r#"{"rules":[{"tools":[],"concurrency":1}]}"#, "an empty list"),
            (r#"{"rules":[{"approval":"maybe"}]}"#, "maybe"),
        ] {
            let error = Policy::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        let many = format!(r#"{{"rules":[{}]}}"#, vec![r#"{"concurrency":1}"#; 257].join(","));
        assert!(Policy::parse(&many).unwrap_err().to_string().contains("257 rules"));
    }

    #[test]
    fn equal_policies_have_one_revision() {
        let revision = |text: &str| Policy::parse(text).unwrap().revision().to_owned();
        let one = revision(r#"{"rules":[{"concurrency":1,"tools":["x"]}]}"#);
        assert_eq!(one, revision("{ \"rules\": [ {\"tools\": [\"x\"], \"concurrency\": 1} ] }"));
        assert_ne!(one, revision(r#"{"rules":[{"concurrency":2,"tools":["x"]}]}"#));
    }
}
