//! The members of each block type.

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
    /// Annotations, `_meta` and unknown members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl TextContent {
    /// Creates a text block.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), extras: None }
    }
}

/// An image or audio.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MediaContent {
    /// The base64 data. Toolwright writes the standard alphabet with padding and without a prefix; data from
    /// other servers is kept as received, see [`super::ContentBlock::repaired`].
    pub data: String,
    /// The MIME type, such as `image/png`.
    pub mime_type: String,
    /// Annotations, `_meta` and unknown members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl MediaContent {
    /// Encodes `bytes`.
    pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self { data: base64::encode(bytes.as_ref()), mime_type: mime_type.into(), extras: None }
    }

    /// Decodes the data. Accepts the URL-safe alphabet, line breaks, missing padding and a `data:` prefix as well.
    ///
    /// # Errors
    /// [`Base64Error`] if the data is not valid base64.
    pub fn bytes(&self) -> Result<Vec<u8>, Base64Error> {
        base64::decode(&self.data)
    }

    /// Returns the number of bytes without decoding the data; exact for data written by Toolwright.
    pub fn size(&self) -> usize {
        base64::decoded_size(&self.data)
    }
}

/// A link to a resource (2026-07-28, schema `ResourceLink`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceLink {
    /// The URI.
    pub uri: String,
    /// Programmatic name; displayed if there is no title.
    pub name: String,
    /// Human-readable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The size of the raw contents in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Icons for user interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Annotations, `_meta` and unknown members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl ResourceLink {
    /// Creates a link with a URI and a name.
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

    /// Formats the link on one line.
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

/// A resource embedded in a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// The resource.
    pub resource: ResourceContents,
    /// Annotations, `_meta` and unknown members.
    #[serde(flatten)]
    pub extras: Option<Box<Extras>>,
}

impl EmbeddedResource {
    /// Embeds `resource`.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, extras: None }
    }
}

/// The contents of a resource (2026-07-28, schema `TextResourceContents` and `BlobResourceContents`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// The URI.
    pub uri: String,
    /// The MIME type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The contents.
    #[serde(flatten)]
    pub data: ResourceData,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceContents {
    /// Creates text contents. The MIME type is a public field.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(uri.into(), ResourceData::Text(text.into()))
    }

    /// Creates binary contents, which are encoded as base64. The MIME type is a public field.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::new(uri.into(), ResourceData::Blob(base64::encode(bytes.as_ref())))
    }

    fn new(uri: String, data: ResourceData) -> Self {
        Self { uri, mime_type: None, data, meta: None, other: Map::new() }
    }

    /// Sets the MIME type, such as `text/markdown`.
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Returns the text, or one line that names the resource.
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

/// The data of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceData {
    /// Text.
    Text(String),
    /// Base64 data.
    Blob(String),
}

/// Members that every block may have. Few blocks do, so they are boxed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Extras {
    /// Audience and priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members and members of the wrong type, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Audience and priority of a block (2026-07-28, schema `Annotations`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// The audience; empty if unspecified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// The importance, from 0 (optional) to 1 (effectively required).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When the contents were last modified, in ISO 8601, such as `2025-01-12T15:00:58Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Annotations {
    /// Adds a role to the audience.
    pub fn audience(mut self, role: Role) -> Self {
        self.audience.push(role);
        self
    }

    /// Sets the priority, from 0 to 1.
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = Some(priority);
        self
    }
}

/// A participant of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}
