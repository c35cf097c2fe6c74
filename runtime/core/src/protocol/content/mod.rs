//! Content blocks of results and messages (2026-07-28, server/tools "Tool Result").

mod parts;
mod read;
mod repair;
mod revisions;

pub mod base64;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

pub use base64::Base64Error;
pub use parts::{
    Annotations, EmbeddedResource, Extras, MediaContent, ResourceContents, ResourceData, ResourceLink, Role,
    TextContent,
};
pub(super) use read::Name;

/// A content block.
///
/// Deserialization never fails: a block without a type, of an unknown type, or whose members do not match its
/// type becomes [`ContentBlock::Unknown`] and is serialized as received.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// Audio. Peers of revision 2024-11-05 receive a text block instead.
    Audio(MediaContent),
    /// A link to a resource. Peers of revisions before 2025-06-18 receive a text block instead.
    ResourceLink(Box<ResourceLink>),
    /// An embedded resource.
    Resource(Box<EmbeddedResource>),
    /// An unknown block, as received.
    #[serde(untagged)]
    Unknown(Value),
}

/// Constructors.
impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), extras: None })
    }

    /// Creates an image from its bytes, which are encoded as base64, and its MIME type, such as `image/png`.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Image(MediaContent::new(bytes, mime_type))
    }

    /// Creates audio from its bytes, which are encoded as base64, and its MIME type, such as `audio/wav`.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Audio(MediaContent::new(bytes, mime_type))
    }

    /// Creates a link to a resource that the client may read.
    ///
    /// Title, description, MIME type and size are public fields of [`ResourceLink`], which converts into a block.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink::new(uri, name).into()
    }

    /// Embeds a text resource.
    pub fn text_resource(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::resource(uri, mime_type, ResourceData::Text(text.into()))
    }

    /// Embeds a binary resource, whose bytes are encoded as base64.
    pub fn blob_resource(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        Self::resource(uri, mime_type, ResourceData::Blob(base64::encode(bytes.as_ref())))
    }

    fn resource(uri: impl Into<String>, mime_type: impl Into<String>, data: ResourceData) -> Self {
        let resource = ResourceContents {
            uri: uri.into(),
            mime_type: Some(mime_type.into()),
            data,
            meta: None,
            other: Map::new(),
        };
        Self::Resource(Box::new(EmbeddedResource { resource, extras: None }))
    }

    /// Sets the annotations. An unknown block is not changed.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        if let Some(extras) = self.extras_mut() {
            extras.get_or_insert_default().annotations = Some(annotations);
        }
        self
    }

    /// Adds a member to `_meta`. An unknown block is not changed.
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Some(extras) = self.extras_mut() {
            extras.get_or_insert_default().meta.get_or_insert_default().insert(key.into(), value.into());
        }
        self
    }
}

/// Accessors.
impl ContentBlock {
    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// Returns the block as text for readers that support nothing else: the text of text blocks and text
    /// resources, otherwise one line with the type of the block, its size and its location.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(block) => (&block.text).into(),
            Self::Image(media) => format!("[image: {}, {} bytes]", media.mime_type, media.size()).into(),
            Self::Audio(media) => format!("[audio: {}, {} bytes]", media.mime_type, media.size()).into(),
            Self::ResourceLink(link) => link.to_line().into(),
            Self::Resource(block) => block.resource.to_text(),
            Self::Unknown(value) => {
                let size = value.to_string().len();
                match value.get("type").and_then(Value::as_str) {
                    Some(name) => format!("[unknown content of type {name:?}: {size} bytes of JSON]").into(),
                    None => format!("[unknown content without a type: {size} bytes of JSON]").into(),
                }
            }
        }
    }

    /// Returns the audience and priority, if given.
    pub fn annotations(&self) -> Option<&Annotations> {
        self.extras()?.annotations.as_ref()
    }

    /// Returns `_meta`, if the block has one.
    pub fn meta(&self) -> Option<&Map<String, Value>> {
        self.extras()?.meta.as_ref()
    }

    fn extras(&self) -> Option<&Extras> {
        match self {
            Self::Text(block) => block.extras.as_deref(),
            Self::Image(media) | Self::Audio(media) => media.extras.as_deref(),
            Self::ResourceLink(link) => link.extras.as_deref(),
            Self::Resource(block) => block.extras.as_deref(),
            Self::Unknown(_) => None,
        }
    }

    fn extras_mut(&mut self) -> Option<&mut Option<Box<Extras>>> {
        match self {
            Self::Text(block) => Some(&mut block.extras),
            Self::Image(media) | Self::Audio(media) => Some(&mut media.extras),
            Self::ResourceLink(link) => Some(&mut link.extras),
            Self::Resource(block) => Some(&mut block.extras),
            Self::Unknown(_) => None,
        }
    }
}

impl From<ResourceLink> for ContentBlock {
    fn from(link: ResourceLink) -> Self {
        Self::ResourceLink(Box::new(link))
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests;
