//! Dispatches the legacy era: a handshake, then requests in the negotiated revision (2025-11-25,
//! basic/lifecycle).

use serde_json::json;
use serde_json::value::RawValue;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::{Connection, Dispatched, Request, level_of};
use crate::error;
use crate::input_requests::ClientCapabilities;
use crate::message::{Params, string};
use crate::reply::Reply;

impl Connection {
    /// The revision of a request that does not name one.
    pub(super) fn legacy_revision(&self, method: &str) -> Result<Revision, ErrorObject> {
        match self.agreed_revision() {
            Some(revision) => Ok(revision),
            // Allowed before the handshake as well (2025-11-25, basic/lifecycle "Initialization").
            None if matches!(method, method::INITIALIZE | method::PING) => Ok(Revision::NEWEST_LEGACY),
            None => Err(error::invalid_params(
                "the request has no protocol revision; send `_meta` with `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` (2026-07-28), or start with `initialize` (2025-11-25 and before)",
            )),
        }
    }

    /// Answers a request that does not name its revision.
    pub(super) fn legacy(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        match request.method {
            method::TOOLS_CALL => self.call_tool(request),
            method::TOOLS_LIST => self.list_tools(request),
            method::PING => Ok(Reply::Done.into()),
            method::INITIALIZE => self.initialize(request.params).map(Dispatched::from),
            method::LOGGING_SET_LEVEL => {
                let level =
                    request.params.level.ok_or_else(|| error::invalid_params("`level` is missing"))?;
                self.peer.session.set_log_level(level_of(level)?);
                Ok(Reply::Done.into())
            }
            _ => self.extension(request),
        }
    }

    /// Negotiates the revision: the requested one if it is a known legacy revision, otherwise the newest
    /// legacy revision (2025-11-25, basic/lifecycle "Version Negotiation").
    fn initialize(&self, params: &Params<'_>) -> Result<Reply, ErrorObject> {
        if self.agreed_revision().is_some() {
            return Err(error::invalid_request("this connection is already initialized"));
        }
        let asked = params
            .protocol_version
            .and_then(string)
            .ok_or_else(|| error::invalid_params("`protocolVersion` must be a string"))?;
        for (name, member) in [("capabilities", params.capabilities), ("clientInfo", params.client_info)] {
            if member.is_none_or(|value| !value.get().starts_with('{')) {
                return Err(error::invalid_params(&format!("`{name}` must be an object")));
            }
        }
        let revision = Revision::from_name(&asked)
            .filter(|revision| revision.has_handshake())
            .unwrap_or(Revision::NEWEST_LEGACY);
        let mut result = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": self.service.capabilities(revision),
            "serverInfo": self.service.info().clone().for_revision(revision),
        });
        if let (Some(instructions), Some(result)) = (self.service.instructions(), result.as_object_mut()) {
            result.insert("instructions".to_owned(), instructions.into());
        }
        let declared = params.capabilities.map_or("{}", RawValue::get);
        self.peer.session.agree(revision, ClientCapabilities::read(declared, revision));
        Ok(Reply::of_value(&result))
    }
}
