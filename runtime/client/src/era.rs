//! Detects the era of a server with a probe (2026-07-28, basic/versioning "Backward Compatibility with
//! Initialization-Based Versions").

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_core::protocol::error::{
    HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};
use toolwright_core::protocol::method;
use toolwright_core::protocol::{Era, ErrorObject, Revision, meta};

use crate::error::{ClientError, ErrorKind, quote};
use crate::host::Host;
use crate::message::OutgoingRequest;
use crate::pending::Reply;
use crate::server_info::ServerInfo;

/// What a client declares about itself.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    /// Its name and version, as JSON.
    pub(crate) info: String,
    pub(crate) capabilities: Map<String, Value>,
    /// Settings for the server from a configuration file.
    pub(crate) settings: Option<Map<String, Value>>,
    /// The minimum level of log messages of a modern server.
    pub(crate) log_level: Option<String>,
}

/// The key in `_meta` of the settings for the server.
const SETTINGS: &str = "io.toolwright/config";

/// The outcome of the probe.
#[derive(Debug)]
pub(crate) enum ProbeOutcome {
    Modern(Box<ServerInfo>),
    /// The server is modern but supports another revision; the probe is repeated once.
    Retry,
    /// The server is legacy: `initialize` follows, with this revision.
    Legacy(Revision),
    Failed(ClientError),
}

impl Identity {
    /// Returns the members of `_meta` that every modern request has, as JSON without braces (2026-07-28, basic
    /// "_meta").
    pub(crate) fn meta(&self) -> String {
        self.meta_for(&Value::Object(self.capabilities.clone()).to_string(), self.log_level.as_deref())
    }

    /// Returns the same members with other capabilities, as JSON, and another log level.
    pub(crate) fn meta_for(&self, capabilities: &str, log_level: Option<&str>) -> String {
        /// More than the names take.
        const MORE_BYTES: usize = 256;

        let mut members = String::with_capacity(self.info.len() + capabilities.len() + MORE_BYTES);
        members.extend(["\"", meta::PROTOCOL_VERSION, "\":\"", Revision::NEWEST.as_str(), "\","]);
        members.extend(["\"", meta::CLIENT_INFO, "\":", &self.info, ","]);
        members.extend(["\"", meta::CLIENT_CAPABILITIES, "\":", capabilities]);
        if let Some(level) = log_level {
            _ = write!(members, r#","{}":{}"#, meta::LOG_LEVEL, Value::from(level));
        }
        if let Some(settings) = &self.settings {
            _ = write!(members, r#","{SETTINGS}":{}"#, Value::Object(settings.clone()));
        }
        members
    }

    /// Returns the `initialize` request of the legacy era.
    pub(crate) fn initialize_request(&self, revision: Revision) -> OutgoingRequest<'static> {
        let capabilities = Value::Object(self.capabilities.clone());
        let mut members = format!(
            r#""protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{}"#,
            self.info
        );
        if let Some(settings) = &self.settings {
            _ = write!(members, r#","_meta":{{"{SETTINGS}":{}}}"#, Value::Object(settings.clone()));
        }
        OutgoingRequest { method: "initialize".into(), members: members.into(), ..OutgoingRequest::default() }
    }
}

/// Returns the request that is the probe.
pub(crate) fn discover_request() -> OutgoingRequest<'static> {
    OutgoingRequest {
        method: method::SERVER_DISCOVER.into(),
        is_idempotent: true,
        ..OutgoingRequest::default()
    }
}

/// Evaluates the response to the probe. `status` is the HTTP status, if any.
pub(crate) fn evaluate_probe(reply: &Reply, status: Option<u16>, host: &Arc<Host>) -> ProbeOutcome {
    let failed = |problem: String, advice: &'static str| {
        ProbeOutcome::Failed(host.error(ErrorKind::Protocol, problem, advice))
    };
    match reply {
        Reply::Result(result) => match ServerInfo::from_discover(result) {
            Some((server, supported)) => match newest_common(&supported) {
                Some(revision) if revision.era() == Era::Modern => ProbeOutcome::Modern(Box::new(server)),
                Some(revision) => ProbeOutcome::Legacy(revision),
                None => failed(no_common_revision(&supported), "use a newer client, or an older server"),
            },
            None => ProbeOutcome::Legacy(Revision::NEWEST_LEGACY),
        },
        Reply::Error(error) => {
            let error = parse_rpc_error(error);
            match (error.code, status) {
                (UNSUPPORTED_PROTOCOL_VERSION, _) => {
                    let supported = supported_revisions(&error);
                    match newest_common(&supported) {
                        Some(revision) if revision.era() == Era::Modern => ProbeOutcome::Retry,
                        Some(revision) => ProbeOutcome::Legacy(revision),
                        None => {
                            failed(no_common_revision(&supported), "use a newer client, or an older server")
                        }
                    }
                }
                (HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY, _) => {
                    let text =
                        format!("it rejected `server/discover`: {} ({})", quote(&error.message), error.code);
                    match failed(text, "check which client capabilities the server requires") {
                        ProbeOutcome::Failed(failure) => ProbeOutcome::Failed(failure.with_rpc(error)),
                        other => other,
                    }
                }
                // This is a modern server without the method: a legacy server sends no such body with its 404
                // (basic/transports/streamable-http "Protocol Version Header").
                (METHOD_NOT_FOUND, Some(404)) => ProbeOutcome::Modern(Box::new(ServerInfo::unknown())),
                _ => ProbeOutcome::Legacy(Revision::NEWEST_LEGACY),
            }
        }
    }
}

/// Returns whether the error of `initialize` shows that the server is modern.
pub(crate) fn is_modern_rejection(error: &ErrorObject) -> bool {
    error.code == UNSUPPORTED_PROTOCOL_VERSION
        && newest_common(&supported_revisions(error)).is_some_and(Revision::is_modern)
}

/// Parses the error of a response. An invalid error object is an error too.
pub(crate) fn parse_rpc_error(text: &str) -> ErrorObject {
    serde_json::from_str(text)
        .unwrap_or_else(|_| ErrorObject::new(0, format!("invalid error object: {}", quote(text))))
}

fn supported_revisions(error: &ErrorObject) -> Vec<String> {
    let data = error
        .data
        .as_ref()
        .and_then(|data| serde_json::from_str::<Value>(data.get()).ok())
        .unwrap_or_default();
    let list = data.get("supported").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Returns the newest revision that both sides support.
fn newest_common(supported: &[String]) -> Option<Revision> {
    Revision::ALL.into_iter().rev().find(|revision| supported.iter().any(|name| name == revision.as_str()))
}

fn no_common_revision(supported: &[String]) -> String {
    let ours: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
    let theirs = quote(&supported.join(", "));
    format!("it supports the revisions {theirs}, and this client supports {}", ours.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input_requests::InputHandlers;

    fn evaluate(reply: &Value, status: Option<u16>) -> String {
        let reply = match reply.get("code") {
            Some(_) => Reply::Error(reply.to_string()),
            None => Reply::Result(reply.to_string()),
        };
        match evaluate_probe(&reply, status, &Arc::new(Host::new("x", InputHandlers::default(), None))) {
            ProbeOutcome::Modern(server) => format!("modern, knows {}", !server.is_unknown),
            ProbeOutcome::Retry => "retry".to_owned(),
            ProbeOutcome::Legacy(revision) => revision.to_string(),
            ProbeOutcome::Failed(error) => error.problem().to_owned(),
        }
    }

    /// 2026-07-28, basic/transports/stdio and streamable-http "Backward Compatibility".
    #[test]
    fn the_response_to_the_probe_shows_the_era() {
        let unsupported = |list: Value| json!({"code": -32022, "message": "", "data": {"supported": list}});
        for (reply, status, expected) in [
            (json!({"supportedVersions": ["2026-07-28", "2025-11-25"]}), None, "modern, knows true"),
            (json!({"supportedVersions": ["2025-06-18"]}), None, "2025-06-18"),
            (json!({"tools": []}), None, "2025-11-25"),
            (json!({"code": -32601, "message": ""}), None, "2025-11-25"),
            (json!({"code": -32601, "message": ""}), Some(200), "2025-11-25"),
            (json!({"code": -32601, "message": ""}), Some(404), "modern, knows false"),
            (json!({"code": -32000, "message": "Bad Request"}), Some(400), "2025-11-25"),
            (json!({"code": "odd"}), None, "2025-11-25"),
            (unsupported(json!(["2026-07-28"])), Some(400), "retry"),
            (unsupported(json!(["2025-11-25", "2024-11-05"])), Some(400), "2025-11-25"),
        ] {
            assert_eq!(evaluate(&reply, status), expected, "{reply} {status:?}");
        }
        for (reply, part) in [
            (json!({"supportedVersions": ["2030-01-01"]}), "it supports the revisions 2030-01-01"),
            (unsupported(json!(["2030-01-01"])), "it supports the revisions 2030-01-01"),
            (unsupported(json!("odd")), "it supports the revisions"),
            (json!({"code": -32021, "message": "roots"}), "it rejected `server/discover`: roots (-32021)"),
            (json!({"code": -32020, "message": "Mcp-Method"}), "Mcp-Method (-32020)"),
        ] {
            let outcome = evaluate(&reply, Some(400));
            assert!(outcome.contains(part), "{reply}: {outcome}");
        }
    }
}
