//! The description of a server.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright_core::protocol::{Revision, meta};

/// What a server says about itself, and the negotiated revision. Nothing of it is verified.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The negotiated revision.
    pub revision: Revision,
    /// `name`, `version` and so on (2026-07-28, schema `Implementation`); may be empty in 2026-07-28.
    pub info: Map<String, Value>,
    /// The capabilities of the server (2026-07-28, schema `ServerCapabilities`).
    pub capabilities: Map<String, Value>,
    /// Instructions for models that use the server.
    pub instructions: Option<String>,
    /// The server did not declare capabilities, so all of them are assumed.
    pub(crate) is_unknown: bool,
}

impl ServerInfo {
    /// Returns the name of the server, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.info.get("name")?.as_str()
    }

    /// Returns the version of the server, if it has one.
    pub fn version(&self) -> Option<&str> {
        self.info.get("version")?.as_str()
    }

    /// Returns whether the server declares `capability`, such as `tools` or `prompts`.
    pub fn has(&self, capability: &str) -> bool {
        self.is_unknown || self.capabilities.contains_key(capability)
    }

    /// Returns whether the server declares an extension, such as `io.modelcontextprotocol/tasks`.
    pub fn has_extension(&self, identifier: &str) -> bool {
        let declared = self.capabilities.get("extensions");
        self.is_unknown || declared.is_some_and(|declared| declared.get(identifier).is_some())
    }

    /// Describes a modern server without any other information.
    pub(crate) fn unknown() -> Self {
        Self {
            revision: Revision::NEWEST,
            info: Map::new(),
            capabilities: Map::new(),
            instructions: None,
            is_unknown: true,
        }
    }

    /// Parses a `DiscoverResult`; also returns the revisions that the server supports. `None` if it is invalid.
    pub(crate) fn from_discover(result: &str) -> Option<(Self, Vec<String>)> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Discovery {
            supported_versions: Vec<String>,
            #[serde(default)]
            capabilities: Map<String, Value>,
            #[serde(default)]
            instructions: Option<String>,
            #[serde(default, rename = "_meta")]
            meta: Map<String, Value>,
        }
        let Discovery { supported_versions, capabilities, instructions, mut meta } =
            serde_json::from_str(result).ok()?;
        let info = match meta.remove(meta::SERVER_INFO) {
            Some(Value::Object(info)) => info,
            _ => Map::new(),
        };
        let server = Self { revision: Revision::NEWEST, info, capabilities, instructions, is_unknown: false };
        Some((server, supported_versions))
    }

    /// Parses an `InitializeResult` of a revision with a handshake.
    ///
    /// # Errors
    /// If it is invalid, or its revision is unsupported.
    pub(crate) fn from_initialize(result: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Handshake {
            protocol_version: String,
            #[serde(default)]
            capabilities: Map<String, Value>,
            #[serde(default)]
            server_info: Map<String, Value>,
            #[serde(default)]
            instructions: Option<String>,
        }
        let Handshake { protocol_version, capabilities, server_info: info, instructions } =
            serde_json::from_str(result)
                .map_err(|error| format!("its response to `initialize` is invalid: {error}"))?;
        let revision = Revision::from_name(&protocol_version).filter(|revision| revision.has_handshake());
        let revision = revision.ok_or_else(|| {
            let version = crate::error::quote(&protocol_version);
            format!("it selected the revision `{version}`, which this client does not support")
        })?;
        Ok(Self { revision, info, capabilities, instructions, is_unknown: false })
    }
}
