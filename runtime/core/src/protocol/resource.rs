//! Resources: data that a client reads by its address (2026-07-28, server/resources).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::metadata::{contents_builders, metadata_builders};
use super::{Annotations, Icon, InputResponses, RequestMeta, ResourceContents};

/// A resource as a client sees it (2026-07-28, schema `Resource`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// The address; unique on a server.
    pub uri: String,
    /// The size of the contents in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The name for programs; shown where there is no title.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type of the contents, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// For whom it is and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A family of resources, by the form of their addresses (2026-07-28, schema `ResourceTemplate`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The form of the addresses, a URI template of RFC 6570; unique on a server.
    pub uri_template: String,
    /// The name for programs; shown where there is no title.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type of the contents, if known and the same for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures for user interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// For whom it is and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Resource {
    /// A resource with nothing but its address and its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            size: None,
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
            other: Map::new(),
        }
    }

    /// The resource with the size of its contents in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

impl ResourceTemplate {
    /// A template with nothing but its form, such as `shop://orders/{id}`, and its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
            other: Map::new(),
        }
    }
}

metadata_builders!(Resource);
metadata_builders!(ResourceTemplate);
contents_builders!(Resource);
contents_builders!(ResourceTemplate);

/// What was read (2026-07-28, schema `ReadResourceResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceResult {
    /// The contents; more than one for a resource with parts, such as a folder.
    pub contents: Vec<ResourceContents>,
    /// How many milliseconds a client may keep them; not at all if not said (2026-07-28, server/utilities/caching).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may keep them; the caller alone if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// Whatever else belongs to the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceResult {
    /// The contents, which no client may keep.
    pub fn new(contents: impl Into<Vec<ResourceContents>>) -> Self {
        Self { contents: contents.into(), ..Self::default() }
    }

    /// The contents, which clients may keep for `ttl`.
    pub fn keep(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.ttl_ms = Some(super::milliseconds(ttl));
        self.cache_scope = Some(scope);
        self
    }
}

/// Who may keep a result (2026-07-28, server/utilities/caching "Cache Scope Field").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Anybody: the result is the same for all callers.
    Public,
    /// The caller alone.
    #[default]
    Private,
}

/// The parameters of `resources/read` (2026-07-28, schema `ReadResourceRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceParams {
    /// The address.
    pub uri: String,
    /// Answers to what the server asked before; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// What the server said then; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ReadResourceParams {
    /// The resource at this address.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), input_responses: None, request_state: None, meta: None, other: Map::new() }
    }
}
