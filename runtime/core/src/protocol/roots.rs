//! Roots: the directories that a client works in (2026-07-28, client/roots).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A directory or file that the client works in (2026-07-28, schema `Root`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Root {
    /// The URI: `file://…`.
    pub uri: String,
    /// Human-readable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Root {
    /// Creates a root without a name.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None, other: Map::new() }
    }
}

/// The result of `roots/list` (2026-07-28, schema `ListRootsResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ListRootsResult {
    /// Creates a result.
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots, meta: None, other: Map::new() }
    }
}
