//! The members of each type of block.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::base64::{self, Base64Error};
use crate::protocol::Icon;
use crate::protocol::metadata::title_builders;

/// A text block.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// What any block may have beside its own members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl TextContent {
    /// A text with nothing else.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), extras: None }
    }
}

/// A picture or a recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MediaContent {
    /// The bytes as base64. Toolwright writes the standard alphabet with padding and no prefix; what another
    /// server wrote stays as it came, see [`super::ContentBlock::repaired`].
    pub data: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// What any block may have beside its own members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl MediaContent {
    /// Encodes `bytes`.
    pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self { data: base64::encode(bytes.as_ref()), mime_type: mime_type.into(), extras: None }
    }

    /// The bytes. Takes also the URL-safe alphabet, line breaks, missing padding and a `data:` prefix.
    ///
    /// # Errors
    /// [`Base64Error`] where the data is not base64.
    pub fn bytes(&self) -> Result<Vec<u8>, Base64Error> {
        base64::decode(&self.data)
    }

    /// The number of bytes behind the data, without decoding it; exact for data that Toolwright wrote.
    pub fn size(&self) -> usize {
        base64::decoded_size(&self.data)
    }
}

/// The address of a resource (2026-07-28, schema `ResourceLink`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceLink {
    /// The address.
    pub uri: String,
    /// The name for programs; shown where there is no title.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resource is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The number of bytes of the raw contents, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures for user interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// What any block may have beside its own members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl ResourceLink {
    /// A link with nothing but its address and its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
            extras: None,
        }
    }

    /// The link in one line.
    pub(super) fn to_line(&self) -> String {
        let mut line = format!("[resource: {} at {}", self.title.as_ref().unwrap_or(&self.name), self.uri);
        if let Some(mime_type) = &self.mime_type {
            line.push_str(", ");
            line.push_str(mime_type);
        }
        if let Some(size) = self.size {
            let _ = write!(line, ", {size} bytes");
        }
        line.push(']');
        if let Some(description) = &self.description {
            line.push(' ');
            line.push_str(description);
        }
        line
    }
}

title_builders!(ResourceLink);

/// A resource inside a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The resource.
    pub resource: ResourceContents,
    /// What any block may have beside its own members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl EmbeddedResource {
    /// A resource with nothing else.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, extras: None }
    }
}

/// The contents of a resource (2026-07-28, schema `TextResourceContents` and `BlobResourceContents`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// The address.
    pub uri: String,
    /// The media type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The contents.
    #[serde(flatten)]
    pub data: ResourceData,
    /// Whatever else belongs to the resource.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceContents {
    /// A text at an address. Its media type is a public member.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(uri.into(), ResourceData::Text(text.into()))
    }

    /// Bytes at an address, which are written as base64. Their media type is a public member.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::new(uri.into(), ResourceData::Blob(base64::encode(bytes.as_ref())))
    }

    fn new(uri: String, data: ResourceData) -> Self {
        Self { uri, mime_type: None, data, meta: None, other: Map::new() }
    }

    /// The contents with this media type, such as `text/markdown`.
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The text, or one line that names the resource.
    pub(super) fn to_text(&self) -> Cow<'_, str> {
        match &self.data {
            ResourceData::Text(text) => text.into(),
            ResourceData::Blob(data) => {
                let mime_type = self.mime_type.as_deref().unwrap_or("unknown media type");
                format!("[resource: {}, {mime_type}, {} bytes]", self.uri, base64::decoded_size(data)).into()
            }
        }
    }
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceData {
    /// Text.
    Text(String),
    /// Bytes as base64.
    Blob(String),
}

/// What any block may have beside its own members. Few blocks have any, so it is boxed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Extras {
    /// For whom the block is and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else belongs to the block.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know, and those of a wrong type; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// For whom a block is and how much it matters (2026-07-28, schema `Annotations`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// For whom; empty is "not said".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// From 0, can be left out, to 1, effectively required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When the contents last changed: ISO 8601, such as `2025-01-12T15:00:58Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Annotations {
    /// The same for one more of those who may see it.
    pub fn audience(mut self, role: Role) -> Self {
        self.audience.push(role);
        self
    }

    /// The same with a priority from 0 to 1.
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// A side of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}
