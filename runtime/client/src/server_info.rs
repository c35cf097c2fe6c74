//! What a server says about itself.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright_core::protocol::{Revision, meta};

/// What a server says about itself, and in which revision it is spoken to. None of it is verified.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The revision that is spoken.
    pub revision: Revision,
    /// `name`, `version` and so on (2026-07-28, schema `Implementation`); may be empty in 2026-07-28.
    pub info: Map<String, Value>,
    /// What the server has (2026-07-28, schema `ServerCapabilities`).
    pub capabilities: Map<String, Value>,
    /// How a model should use it.
    pub instructions: Option<String>,
    /// It did not say what it has, so everything is asked for.
    pub(crate) is_unknown: bool,
}

impl ServerInfo {
    /// The server's name, if it gives one.
    pub fn name(&self) -> Option<&str> {
        self.info.get("name")?.as_str()
    }

    /// The server's version, if it gives one.
    pub fn version(&self) -> Option<&str> {
        self.info.get("version")?.as_str()
    }

    /// Whether the server says that it has `capability`, such as `tools` or `prompts`.
    pub fn has(&self, capability: &str) -> bool {
        self.is_unknown || self.capabilities.contains_key(capability)
    }

    /// A modern server of which nothing else is known.
    pub(crate) fn unknown() -> Self {
        Self {
            revision: Revision::NEWEST,
            info: Map::new(),
            capabilities: Map::new(),
            instructions: None,
            is_unknown: true,
        }
    }

    /// Reads a `DiscoverResult`, with the revisions that the server supports; none if it is not one.
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

    /// Reads an `InitializeResult` of a revision with a handshake.
    ///
    /// # Errors
    /// What is wrong with it.
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
                .map_err(|error| format!("its answer to `initialize` is not one: {error}"))?;
        let revision = Revision::from_name(&protocol_version).filter(|revision| revision.has_handshake());
        let revision = revision.ok_or_else(|| {
            let shown = crate::error::quoted(&protocol_version);
            format!("it wants to speak the revision `{shown}`, which this client does not know")
        })?;
        Ok(Self { revision, info, capabilities, instructions, is_unknown: false })
    }
}
