//! Dispatches the modern era, in which every request carries its own metadata (2026-07-28, basic
//! "_meta").

use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::{Connection, Dispatched, Request, level_of};
use crate::context::LogLevel;
use crate::error;
use crate::message::{RequestMeta, string};
use crate::reply::Reply;

impl Connection {
    /// Reads the revision that a request names, and its log level.
    pub(super) fn modern_revision(
        &self,
        meta: &RequestMeta<'_>,
    ) -> Result<(Revision, Option<LogLevel>), ErrorObject> {
        let revision = self.requested_revision(meta)?;
        let has_capabilities = meta.client_capabilities.is_some_and(|value| value.get().starts_with('{'));
        if !has_capabilities {
            return Err(error::invalid_params(
                "`_meta` must contain the object `io.modelcontextprotocol/clientCapabilities` in every request",
            ));
        }
        Ok((revision, meta.log_level.map(level_of).transpose()?))
    }

    /// Answers a request that names its revision.
    pub(super) fn modern(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        match request.method {
            method::TOOLS_CALL => self.call_tool(request),
            method::TOOLS_LIST => self.list_tools(request),
            method::SERVER_DISCOVER if self.is_modern_only => {
                let result = self.service.discover_result_of(&error::supported_versions(true));
                Ok(Reply::of_value(&result).into())
            }
            method::SERVER_DISCOVER => Ok(Reply::Written(self.service.discover_result()).into()),
            method::SUBSCRIPTIONS_LISTEN => self.listen(request),
            _ => self.extension(request),
        }
    }

    /// Checks the revision that the request names.
    fn requested_revision(&self, meta: &RequestMeta<'_>) -> Result<Revision, ErrorObject> {
        let name = meta.protocol_version.and_then(string).ok_or_else(|| {
            error::invalid_params("`io.modelcontextprotocol/protocolVersion` must be a string")
        })?;
        Revision::from_name(&name)
            .filter(|revision| revision.has_request_meta())
            .ok_or_else(|| error::unsupported_version(&name, self.is_modern_only))
    }
}
