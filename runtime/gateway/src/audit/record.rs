//! The audit record of a request.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_server::auth::Access;

use crate::pins::digest;
use crate::scope::Scope;

/// Maximum length of a name in a record, in bytes; longer ones are truncated.
pub const MAX_TEXT_BYTES: usize = 256;

/// A completed request. Serializes as one line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditRecord {
    /// When it ended, in milliseconds since 1970.
    pub time: u64,
    /// The organization of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    /// The run of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The caller: the `sub` claim of its token. `None` for the program that started the gateway, and for
    /// callers without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The id of the caller's token (`jti`), by which it can be revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The method, such as `tools/call`.
    pub method: &'static str,
    /// The public name of the tool or prompt, or the URI of the resource.
    pub target: String,
    /// The node that owns the tool, for a tool call of a run that the caller may make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// SHA-256 of the arguments' canonical JSON (RFC 8785): `sha256:` and hexadecimal digits. Short arguments can be guessed from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The size of the arguments in bytes.
    pub argument_bytes: usize,
    /// The outcome.
    pub outcome: Outcome,
    /// The machine-readable name of the error, such as `timeout`, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The code of a protocol error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The id of the call on the call bus, if a worker was called, whatever the outcome: `GET calls/{call}` of the
    /// internal API has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The configuration in use, or the revision of the run's registry.
    pub configuration: String,
    /// The policy in use, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// A result.
    Ok,
    /// A result with `isError`.
    ToolError,
    /// A protocol error.
    Error,
    /// The client was asked for input and will repeat the request.
    InputRequired,
    /// The call became a task. Each request that returns the final state of the task has a record of its own.
    Task,
    /// A policy rejected it.
    Refused,
    /// It was cancelled, or its caller disconnected.
    Cancelled,
}

impl Outcome {
    /// Returns the name in the audit log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ToolError => "tool_error",
            Self::Error => "error",
            Self::InputRequired => "input_required",
            Self::Task => "task",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
        }
    }
}

impl AuditRecord {
    /// A request whose outcome is not known yet.
    pub fn new(access: &Access, method: &'static str, target: &str, arguments: Option<&RawValue>) -> Self {
        let scope = Scope::of(access);
        let who = access.principal().and_then(|principal| principal.claims::<Who>().ok()).unwrap_or_default();
        let caller = who.sub.or_else(|| Some(access.principal()?.subject().to_owned()));
        Self {
            time: 0,
            org: scope.and_then(|scope| scope.org.clone()),
            run: scope.and_then(|scope| scope.run.clone()),
            caller: caller.map(|caller| cut(&caller)),
            token: who.jti.map(|id| cut(&id)),
            method,
            target: cut(target),
            node: None,
            arguments: arguments.map(digest_of),
            argument_bytes: arguments.map_or(0, |arguments| arguments.get().len()),
            outcome: Outcome::Cancelled,
            kind: None,
            code: None,
            call: None,
            duration_ms: 0,
            configuration: String::new(),
            policy: None,
        }
    }

    /// Sets the duration and the end time.
    pub(crate) fn end(&mut self, took: Duration, now: Duration) {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        (self.duration_ms, self.time) = (milliseconds(took), milliseconds(now));
    }
}

/// Returns the claims for the record.
#[derive(Default, Deserialize)]
struct Who {
    sub: Option<String>,
    jti: Option<String>,
}

/// Returns the digest of arguments, which does not depend on formatting.
fn digest_of(arguments: &RawValue) -> String {
    // A raw value is valid JSON, but may be nested too deeply.
    let value: Value = serde_json::from_str(arguments.get()).unwrap_or_else(|_| arguments.get().into());
    digest(&value)
}

fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let end = (0..=MAX_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use toolwright_server::auth::Access;

    use super::{AuditRecord, MAX_TEXT_BYTES};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn equal_arguments_have_one_digest_and_are_not_written() {
        let record = |arguments: &str| {
            AuditRecord::new(&Access::Trusted, "tools/call", "files__read", Some(&raw(arguments)))
        };
        let first = record(r#"{"b":1.0,"a":"s3cret"}"#);
        assert_eq!(first.arguments, record(r#"{ "a": "s3cret", "b": 1 }"#).arguments);
        assert_ne!(first.arguments, record(r#"{"a":"s3cre","b":1}"#).arguments);
        let written = serde_json::to_string(&first).unwrap();
        assert!(!written.contains("s3cret") && !written.contains('\n'), "{written}");
    }

    #[test]
    fn names_of_callers_are_cut() {
        let long = AuditRecord::new(&Access::Trusted, "tools/call", &"ü".repeat(10_000), None);
        assert!(long.target.len() <= MAX_TEXT_BYTES + 3, "{}", long.target.len());
    }
}
