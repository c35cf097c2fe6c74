//! The modern era: every request carries its own metadata (2026-07-28, basic "_meta").

use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::calls::CallMeta;
use super::{Connection, Later, level_of};
use crate::error;
use crate::message::{Params, RequestId, RequestMeta, string};
use crate::reply;

impl Connection {
    /// Answers a request that names its revision.
    pub(super) fn modern(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &RequestMeta<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        let revision = self.requested_revision(meta)?;
        let has_capabilities = meta.client_capabilities.is_some_and(|value| value.get().starts_with('{'));
        if !has_capabilities {
            return Err(error::invalid_params(
                "`_meta` needs the object `io.modelcontextprotocol/clientCapabilities` on every request",
            ));
        }
        let log_level = meta.log_level.map(level_of).transpose()?;
        match method {
            method::TOOLS_CALL => self.call_tool(id, params, &CallMeta { meta, log_level, revision }, out),
            method::TOOLS_LIST => self.list_tools(id, params, meta, revision, out),
            method::SERVER_DISCOVER => {
                if self.is_modern_only {
                    reply::result_of(
                        out,
                        id,
                        &self.service.discover_result_of(&error::supported_versions(true)),
                    );
                } else {
                    reply::result(out, id, self.service.discover_result());
                }
                Ok(None)
            }
            method::SUBSCRIPTIONS_LISTEN => self.listen(id, params, meta),
            _ => self.extension(method, id, params, &CallMeta { meta, log_level, revision }, out),
        }
    }

    /// The revision that the request names, if the server speaks it without a handshake.
    fn requested_revision(&self, meta: &RequestMeta<'_>) -> Result<Revision, ErrorObject> {
        let name = meta.protocol_version.and_then(string).ok_or_else(|| {
            error::invalid_params("`io.modelcontextprotocol/protocolVersion` must be a string")
        })?;
        Revision::from_name(&name)
            .filter(|revision| revision.is_modern())
            .ok_or_else(|| error::unsupported_version(&name, self.is_modern_only))
    }
}
