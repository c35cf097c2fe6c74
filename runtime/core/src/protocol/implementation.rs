//! Names and versions of clients and servers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Icon, Revision};

/// The name and version of a client or a server (2026-07-28, schema `Implementation`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// Programmatic name.
    pub name: String,
    /// The version.
    pub version: String,
    /// Human-readable name; since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Icons for user interfaces; since 2025-11-25.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// The website; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Implementation {
    /// Creates an implementation with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
            other: Map::new(),
        }
    }
}

impl Implementation {
    /// Sets the human-readable name.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Removes the members that `revision` does not have (schema `Implementation` of each).
    pub fn for_revision(mut self, revision: Revision) -> Self {
        if !revision.has_titles() {
            self.title = None;
        }
        if !revision.has_icons() {
            self.description = None;
            self.website_url = None;
            self.icons.clear();
        }
        self
    }
}
