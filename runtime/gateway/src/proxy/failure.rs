//! Why an upstream server did not answer, for people and programs.

use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::{ClientError, ErrorKind};
use toolwright_server::auth::Access;

/// The failure of a request.
pub(super) struct Failure {
    pub(super) text: String,
    /// `kind` and `retryable`.
    pub(super) fault: Value,
    /// Whether the connection was lost during a request that may be repeated.
    pub(super) may_be_repeated: bool,
}

impl Failure {
    /// `name` is that of the server in its gateway.
    pub(super) fn of(error: &ClientError, name: Option<&str>, caller: &Access, is_repeatable: bool) -> Self {
        let (kind, is_retryable, why) = match (error.kind(), error.status()) {
            (ErrorKind::Connect, Some(401 | 403)) => (
                "auth_required",
                false,
                "does not accept the credentials of the gateway; an operator has to replace them",
            ),
            // Whoever sends such a status may have passed the request on before. 503 means that nothing was done.
            (ErrorKind::Connect, Some(500..=502 | 505..)) => {
                ("outcome_unknown", is_repeatable, "has failed; the request may have been carried out")
            }
            (ErrorKind::Connect, _) => ("unavailable", true, "cannot be reached; try again later"),
            (ErrorKind::Timeout, _) => ("timeout", false, "did not respond in time"),
            (ErrorKind::Lost, _) => (
                "outcome_unknown",
                is_repeatable,
                "is no longer available; the request may have been carried out",
            ),
            _ => ("upstream_error", false, "sent a response that cannot be forwarded"),
        };
        // The command, the URL and the last lines of standard error are for operators, not for callers over a
        // network.
        let text = match (caller, name) {
            (Access::Trusted, _) => error.to_string(),
            (_, Some(name)) => format!("the upstream server `{name}` {why}"),
            _ => format!("the upstream server {why}"),
        };
        let may_be_repeated = error.kind() == ErrorKind::Lost && is_repeatable;
        Self { text, fault: json!({"kind": kind, "retryable": is_retryable}), may_be_repeated }
    }

    pub(super) fn circuit_open(left: Duration) -> Self {
        let text = format!(
            "the upstream server has not responded lately, so requests fail immediately; try again in {} seconds",
            left.as_secs_f64().ceil()
        );
        let milliseconds = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let fault = json!({"kind": "circuit_open", "retryable": true, "retry_after_ms": milliseconds});
        Self { text, fault, may_be_repeated: false }
    }
}
