//! The registration of a node.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::external;
use toolwright_core::names::check_server;

/// Maximum size of an entry as JSON: 256 KiB.
pub const MAX_ENTRY_BYTES: usize = 256 << 10;
/// Maximum length of the name of a run, node, pool or organization, in bytes.
pub const MAX_ID_BYTES: usize = 200;

/// A registered node of a run, which provides tools.
///
/// ```
/// use toolwright_gateway::registry::{Backend, Entry};
///
/// let entry: Entry = serde_json::from_str(
///     r#"{"node":"abuseipdb","kind":"component","pool":"security","bound":["apiKey"],
///         "tool":{"name":"abuseipdb","inputSchema":{"type":"object","properties":{"ip":{"type":"string"}}}}}"#,
/// )?;
/// assert!(matches!(entry.backend, Backend::Component { .. }));
/// entry.check()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Entry {
    /// The node's id: unique in its run.
    pub node: String,
    /// What executes its calls.
    #[serde(flatten)]
    pub backend: Backend,
    /// Names of inputs that are bound by the run, such as credentials: callers neither see nor set them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub bound: BTreeSet<String>,
    /// Names of credentials in a [`SecretStore`](crate::secrets::SecretStore): headers of a remote node, or
    /// bound inputs of a component. Their values are never part of an entry.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sealed: BTreeSet<String>,
    /// Whether its tools can be called.
    #[serde(default)]
    pub status: Status,
}

/// What executes the calls of an entry's tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Backend {
    /// One tool, whose calls are executed by the workers of a pool.
    Component {
        /// The tool, with the inputs that callers set.
        tool: Box<ToolDefinition>,
        /// The pool of its workers.
        #[serde(default = "default_pool")]
        pool: String,
    },
    /// A remote MCP server. Its tools are named `{node}__{tool}`.
    Remote {
        /// Its URL.
        url: String,
        /// Headers of every request.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// An MCP server that the gateway starts, by the name of a launcher. The gateway's configuration defines the
    /// program, never the registration.
    Local {
        /// The launcher.
        launcher: String,
        /// Arguments, appended to those of the launcher.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
    },
}

/// Whether the tools of a node can be called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Status {
    /// They can be called.
    #[default]
    Ready,
    /// The node is still starting: its tools are neither listed nor called.
    Pending,
    /// The node has failed: its tools are not listed.
    Failed,
}

/// Why a node cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the node `{node}` cannot be registered: {why}")]
pub struct EntryError {
    node: String,
    why: String,
}

fn default_pool() -> String {
    "default".to_owned()
}

impl Entry {
    /// Creates a tool that is executed by the workers of a pool.
    pub fn component(node: impl Into<String>, pool: impl Into<String>, tool: ToolDefinition) -> Self {
        let backend = Backend::Component { tool: Box::new(tool), pool: pool.into() };
        Self::new(node, backend)
    }

    /// Creates a node for a remote MCP server.
    pub fn remote(node: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(node, Backend::Remote { url: url.into(), headers: BTreeMap::new() })
    }

    /// Creates a node with this backend, which is ready.
    pub fn new(node: impl Into<String>, backend: Backend) -> Self {
        Self {
            node: node.into(),
            backend,
            bound: BTreeSet::new(),
            sealed: BTreeSet::new(),
            status: Status::Ready,
        }
    }

    /// Adds bound inputs.
    pub fn bind(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.bound.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the status.
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// Validates the entry.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn check(&self) -> Result<(), EntryError> {
        let wrong = |why: String| EntryError { node: shorten(&self.node), why };
        check_id("the node's id", &self.node).map_err(wrong)?;
        let size = serde_json::to_vec(self).map_or(usize::MAX, |text| text.len());
        if size > MAX_ENTRY_BYTES {
            return Err(wrong(format!("it has {size} bytes as JSON, {MAX_ENTRY_BYTES} are allowed")));
        }
        match &self.backend {
            Backend::Component { tool, pool } => {
                check_id("the pool's name", pool).map_err(wrong)?;
                external::check(tool).map_err(|flaw| wrong(format!("its tool cannot be used: {flaw}")))?;
                let properties = tool.input_schema.get("properties").and_then(|all| all.as_object());
                let is_shown = |name: &&String| properties.is_some_and(|all| all.contains_key(*name));
                if let Some(name) = self.bound.iter().find(is_shown) {
                    return Err(wrong(format!(
                        "the input `{name}` is bound, and its tool's schema shows it to callers: take it out of the schema"
                    )));
                }
            }
            Backend::Remote { url, .. } => {
                check_server(&self.node).map_err(|error| wrong(error.to_string()))?;
                let uri: Option<http::Uri> = url.parse().ok();
                let scheme = uri.as_ref().and_then(http::Uri::scheme_str);
                if !matches!(scheme, Some("http" | "https" | "ws" | "wss")) {
                    return Err(wrong(
                        "its address must begin with http://, https://, ws:// or wss://".to_owned(),
                    ));
                }
                if uri.as_ref().and_then(http::Uri::authority).is_some_and(|at| at.as_str().contains('@')) {
                    return Err(wrong("its address has a user name; put credentials in a header".to_owned()));
                }
            }
            Backend::Local { launcher, .. } => {
                check_server(&self.node).map_err(|error| wrong(error.to_string()))?;
                check_id("the launcher's name", launcher).map_err(wrong)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a name is valid for a run, node, pool or organization: visible characters, and not too long.
pub(crate) fn check_id(what: &str, id: &str) -> Result<(), String> {
    if id.is_empty() || id.len() > MAX_ID_BYTES {
        return Err(format!("{what} must have 1 to {MAX_ID_BYTES} bytes"));
    }
    if id.chars().any(|char| char.is_control() || char.is_whitespace()) {
        return Err(format!("{what} must have no spaces and control characters"));
    }
    Ok(())
}

fn shorten(id: &str) -> String {
    id.chars().filter(|char| !char.is_control()).take(60).collect()
}
