//! The legacy era: one handshake, then requests in the revision it agreed on (2025-11-25, basic/lifecycle).

use serde_json::json;
use serde_json::value::RawValue;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::calls::CallMeta;
use super::{Connection, Later, level_of};
use crate::error;
use crate::input::ClientCapabilities;
use crate::message::{Params, RequestId, RequestMeta, string};
use crate::reply;

impl Connection {
    /// Answers a request that does not name its revision.
    pub(super) fn legacy(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &RequestMeta<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        match method {
            method::INITIALIZE => return self.initialize(id, params, out).map(|()| None),
            // Allowed before the handshake as well (2025-11-25, basic/lifecycle "Initialization").
            method::PING => {
                reply::result(out, id, b"{}");
                return Ok(None);
            }
            _ => {}
        }
        let Some(revision) = self.agreed_revision() else {
            return Err(error::invalid_params(
                "the request names no protocol revision: send `_meta` with `io.modelcontextprotocol/protocolVersion` and `io.modelcontextprotocol/clientCapabilities` (2026-07-28), or start with `initialize` (2025-11-25 and before)",
            ));
        };
        match method {
            method::TOOLS_CALL => {
                self.call_tool(id, params, &CallMeta { meta, log_level: None, revision }, out)
            }
            method::TOOLS_LIST => self.list_tools(id, params, meta, revision, out),
            method::LOGGING_SET_LEVEL => {
                let level = params.level.ok_or_else(|| error::invalid_params("`level` is missing"))?;
                self.peer.session.set_log_level(level_of(level)?);
                reply::result(out, id, b"{}");
                Ok(None)
            }
            _ => self.extension(method, id, params, &CallMeta { meta, log_level: None, revision }, out),
        }
    }

    /// Agrees on a revision: the one asked for if it is a legacy one that exists, else the newest legacy one
    /// (2025-11-25, basic/lifecycle "Version Negotiation").
    fn initialize(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), ErrorObject> {
        if self.agreed_revision().is_some() {
            return Err(error::invalid_request("this connection is initialized already"));
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
            .filter(|revision| !revision.is_modern())
            .unwrap_or(Revision::NEWEST_LEGACY);
        let mut result = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": self.service.capabilities(revision),
            "serverInfo": self.service.info().clone().for_revision(revision),
        });
        if let (Some(instructions), Some(result)) = (self.service.instructions(), result.as_object_mut()) {
            result.insert("instructions".to_owned(), instructions.into());
        }
        reply::result_of(out, id, &result);
        let declared = params.capabilities.map_or("{}", RawValue::get);
        self.peer.session.agree(revision, ClientCapabilities::read(declared, revision));
        Ok(())
    }
}
