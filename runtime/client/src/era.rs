//! Which era a server belongs to: the probe and what its answer means (2026-07-28, basic/versioning "Backward Compatibility
//! with Initialization-Based Versions").

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright_core::protocol::error::{
    HEADER_MISMATCH, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION,
};
use toolwright_core::protocol::method;
use toolwright_core::protocol::{Era, ErrorObject, Revision, meta};

use crate::error::{ClientError, ErrorKind, quoted};
use crate::host::Host;
use crate::message::OutgoingRequest;
use crate::pending::Reply;
use crate::server_info::ServerInfo;

/// How a client introduces itself.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) info: Value,
    pub(crate) capabilities: Map<String, Value>,
    /// What a configuration hands to the server.
    pub(crate) settings: Option<Map<String, Value>>,
    /// From which level on a modern server sends log messages.
    pub(crate) log_level: Option<String>,
}

/// The key under `_meta` for what a configuration hands to a server.
const SETTINGS: &str = "io.toolwright/config";

/// What the answer to the probe means.
#[derive(Debug)]
pub(crate) enum ProbeOutcome {
    Modern(Box<ServerInfo>),
    /// It is modern and asks for another revision; the probe is repeated once.
    Retry,
    /// `initialize` comes next, with this revision.
    Legacy(Revision),
    Failed(ClientError),
}

impl Identity {
    /// The members of `_meta` that every modern request carries, as JSON text (2026-07-28, basic "_meta").
    pub(crate) fn meta(&self) -> String {
        self.meta_for(&self.capabilities, self.log_level.as_deref())
    }

    /// The same for a client that can be asked for something else.
    pub(crate) fn meta_for(&self, capabilities: &Map<String, Value>, log_level: Option<&str>) -> String {
        let mut meta = Map::new();
        meta.insert(meta::PROTOCOL_VERSION.to_owned(), Revision::NEWEST.as_str().into());
        meta.insert(meta::CLIENT_INFO.to_owned(), self.info.clone());
        meta.insert(meta::CLIENT_CAPABILITIES.to_owned(), capabilities.clone().into());
        if let Some(level) = log_level {
            meta.insert(meta::LOG_LEVEL.to_owned(), level.into());
        }
        if let Some(settings) = &self.settings {
            meta.insert(SETTINGS.to_owned(), settings.clone().into());
        }
        let text = Value::Object(meta).to_string();
        text[1..text.len() - 1].to_owned()
    }

    /// The handshake of the legacy era.
    pub(crate) fn initialize_request(&self, revision: Revision) -> OutgoingRequest<'static> {
        let mut params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": self.capabilities,
            "clientInfo": self.info,
        });
        if let Some(settings) = &self.settings {
            params["_meta"] = json!({SETTINGS: settings});
        }
        let text = params.to_string();
        let members = text[1..text.len() - 1].to_owned().into();
        OutgoingRequest { method: "initialize".into(), members, ..OutgoingRequest::default() }
    }
}

/// The probe.
pub(crate) fn discover_request() -> OutgoingRequest<'static> {
    OutgoingRequest {
        method: method::SERVER_DISCOVER.into(),
        is_idempotent: true,
        ..OutgoingRequest::default()
    }
}

/// What the answer to the probe means; `status` is that of HTTP.
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
                        format!("it refused `server/discover`: {} ({})", quoted(&error.message), error.code);
                    match failed(text, "see what the server asks of its clients") {
                        ProbeOutcome::Failed(failure) => ProbeOutcome::Failed(failure.with_rpc(error)),
                        other => other,
                    }
                }
                // A modern server that lacks the method; a legacy one has no such body with its 404
                // (basic/transports/streamable-http "Protocol Version Header").
                (METHOD_NOT_FOUND, Some(404)) => ProbeOutcome::Modern(Box::new(ServerInfo::unknown())),
                _ => ProbeOutcome::Legacy(Revision::NEWEST_LEGACY),
            }
        }
    }
}

/// Whether the answer to `initialize` says that the server is modern.
pub(crate) fn is_modern_rejection(error: &ErrorObject) -> bool {
    error.code == UNSUPPORTED_PROTOCOL_VERSION
        && newest_common(&supported_revisions(error)).is_some_and(Revision::is_modern)
}

/// The error of an answer. One that is not of the form of an error is one all the same.
pub(crate) fn parse_rpc_error(text: &str) -> ErrorObject {
    serde_json::from_str(text).unwrap_or_else(|_| {
        ErrorObject::new(0, format!("an error that is not of the form of one: {}", quoted(text)))
    })
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

/// The newest revision that both sides know.
fn newest_common(supported: &[String]) -> Option<Revision> {
    Revision::ALL.into_iter().rev().find(|revision| supported.iter().any(|name| name == revision.as_str()))
}

fn no_common_revision(supported: &[String]) -> String {
    let known: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
    let shown = quoted(&supported.join(", "));
    format!("it speaks the revisions {shown}, and this client {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_requests::InputHandlers;

    fn judged(reply: &Value, status: Option<u16>) -> String {
        let reply = match reply.get("code") {
            Some(_) => Reply::Error(reply.to_string()),
            None => Reply::Result(reply.to_string()),
        };
        match evaluate_probe(&reply, status, &Arc::new(Host::new("x", InputHandlers::default(), None))) {
            ProbeOutcome::Modern(server) => format!("modern, knows {}", !server.is_unknown),
            ProbeOutcome::Retry => "again".to_owned(),
            ProbeOutcome::Legacy(revision) => revision.to_string(),
            ProbeOutcome::Failed(error) => error.problem().to_owned(),
        }
    }

    /// 2026-07-28, basic/transports/stdio and streamable-http "Backward Compatibility".
    #[test]
    fn the_answer_to_the_probe_tells_the_era() {
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
            (unsupported(json!(["2026-07-28"])), Some(400), "again"),
            (unsupported(json!(["2025-11-25", "2024-11-05"])), Some(400), "2025-11-25"),
        ] {
            assert_eq!(judged(&reply, status), expected, "{reply} {status:?}");
        }
        for (reply, part) in [
            (json!({"supportedVersions": ["2030-01-01"]}), "it speaks the revisions 2030-01-01"),
            (unsupported(json!(["2030-01-01"])), "it speaks the revisions 2030-01-01"),
            (unsupported(json!("odd")), "it speaks the revisions"),
            (json!({"code": -32021, "message": "roots"}), "it refused `server/discover`: roots (-32021)"),
            (json!({"code": -32020, "message": "Mcp-Method"}), "Mcp-Method (-32020)"),
        ] {
            let verdict = judged(&reply, Some(400));
            assert!(verdict.contains(part), "{reply}: {verdict}");
        }
    }
}
