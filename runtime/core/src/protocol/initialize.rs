//! Handshake and discovery: `initialize` up to 2025-11-25 (2025-11-25, basic/lifecycle), `server/discover`
//! since 2026-07-28 (2026-07-28, server/discover).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CacheScope, ClientCapabilities, Implementation, RequestMeta, ResultType, ServerCapabilities};

/// The parameters of `initialize` (2025-11-25, schema `InitializeRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeParams {
    /// The newest revision that the client supports.
    pub protocol_version: String,
    /// The capabilities of the client.
    pub capabilities: ClientCapabilities,
    /// The client's implementation info.
    pub client_info: Implementation,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl InitializeParams {
    /// Creates parameters with the required members.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            client_info,
            meta: None,
            other: Map::new(),
        }
    }
}

/// The result of `initialize` (2025-11-25, schema `InitializeResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InitializeResult {
    /// The negotiated revision.
    pub protocol_version: String,
    /// The capabilities of the server.
    pub capabilities: ServerCapabilities,
    /// The server's implementation info.
    pub server_info: Implementation,
    /// Usage instructions for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl InitializeResult {
    /// Creates a result with the required members.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            other: Map::new(),
        }
    }
}

/// The result of `server/discover` (2026-07-28, schema `DiscoverResult`). `_meta` has the server's
/// implementation info, see [`server_info_in`](super::server_info_in).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiscoverResult {
    /// The revisions that the server supports.
    pub supported_versions: Vec<String>,
    /// The capabilities of the server.
    pub capabilities: ServerCapabilities,
    /// Usage instructions for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Always `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// How long clients may cache the result, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl DiscoverResult {
    /// Creates a result with the required members.
    pub fn new(supported_versions: Vec<String>, capabilities: ServerCapabilities) -> Self {
        Self {
            supported_versions,
            capabilities,
            instructions: None,
            result_type: None,
            ttl_ms: None,
            cache_scope: None,
            meta: None,
            other: Map::new(),
        }
    }
}
