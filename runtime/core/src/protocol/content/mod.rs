//! Content blocks: what a result is made of (2026-07-28, server/tools "Tool Result").

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

/// One block of a result.
///
/// Reading never fails: a block of a type that Toolwright does not know, one without a type, and one whose members
/// do not fit its type become [`ContentBlock::Unknown`] and are written again as they came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(MediaContent),
    /// A recording. Peers of 2024-11-05 get a text in its place.
    Audio(MediaContent),
    /// The address of a resource. Peers before 2025-06-18 get a text in its place.
    ResourceLink(Box<ResourceLink>),
    /// A resource with its contents.
    Resource(Box<EmbeddedResource>),
    /// Anything else, as it came.
    #[serde(untagged)]
    Unknown(Value),
}

/// Constructors.
impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), extras: None })
    }

    /// A picture: its bytes, which are written as base64, and its media type, such as `image/png`.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Image(MediaContent::new(bytes, mime_type))
    }

    /// A recording: its bytes, which are written as base64, and its media type, such as `audio/wav`.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::Audio(MediaContent::new(bytes, mime_type))
    }

    /// The address of a resource that the client may read, and its name.
    ///
    /// Title, description, media type and size are public members of [`ResourceLink`], which turns into a block.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceLink::new(uri, name).into()
    }

    /// A resource that is text, with its contents.
    pub fn text_resource(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::resource(uri, mime_type, ResourceData::Text(text.into()))
    }

    /// A resource that is not text, with its contents: the bytes are written as base64.
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

    /// The block with these annotations. An unknown block stays as it is.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        if let Some(extras) = self.extras_mut() {
            extras.get_or_insert_default().annotations = Some(annotations);
        }
        self
    }

    /// The block with one more member of its `_meta`. An unknown block stays as it is.
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Some(extras) = self.extras_mut() {
            extras.get_or_insert_default().meta.get_or_insert_default().insert(key.into(), value.into());
        }
        self
    }
}

/// What is in a block.
impl ContentBlock {
    /// The text, if it is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// The block in words, for readers of text only: the text of text blocks and of text resources, else one line
    /// that names the type of the block, its size, and where its contents are.
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

    /// For whom the block is and how much it matters, if that is said.
    pub fn annotations(&self) -> Option<&Annotations> {
        self.extras()?.annotations.as_ref()
    }

    /// The block's `_meta`, if it has one.
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
