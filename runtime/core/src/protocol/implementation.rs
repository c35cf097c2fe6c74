//! Who a client or a server is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Icon, Revision};

/// The name and version of a client or a server (2026-07-28, schema `Implementation`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The name for programs.
    pub name: String,
    /// The version.
    pub version: String,
    /// A name for people; since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures for user interfaces; since 2025-11-25.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Where there is more about it; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Implementation {
    /// A name and a version.
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
    /// The same with a name for people.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same with the members that the revision has (schema `Implementation` of each).
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
