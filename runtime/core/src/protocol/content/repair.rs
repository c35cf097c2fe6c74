//! Repairs blocks of other servers so that model providers accept them.

use std::borrow::Cow;

use serde_json::Value;

use super::parts::{Extras, MediaContent};
use super::{ContentBlock, base64};

impl ContentBlock {
    /// Returns the block in a form that model providers accept.
    ///
    /// Providers reject the whole conversation because of one invalid image. Images and audio from other
    /// servers are returned with standard base64, without a `data:` prefix, and with the MIME type that the
    /// first bytes show, or else the declared one in lower case. If the data is empty or not base64, or no MIME
    /// type is known, a text block that says so replaces the block. Blocks of other types are returned
    /// unchanged.
    pub fn repaired(&self) -> Cow<'_, Self> {
        let (kind, data, mime_type, extras) = match self {
            Self::Image(media) => {
                ("image", media.data.as_str(), media.mime_type.as_str(), media.extras.clone())
            }
            Self::Audio(media) => {
                ("audio", media.data.as_str(), media.mime_type.as_str(), media.extras.clone())
            }
            // A block without a MIME type is not deserialized as an image or audio.
            Self::Unknown(value) => {
                let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
                match text("type") {
                    kind @ ("image" | "audio") => (kind, text("data"), text("mimeType"), None),
                    _ => return Cow::Borrowed(self),
                }
            }
            Self::Text(_) | Self::ResourceLink(_) | Self::Resource(_) => return Cow::Borrowed(self),
        };
        let block = match repair(data, mime_type, extras) {
            Ok(media) if kind == "image" => Self::Image(media),
            Ok(media) => Self::Audio(media),
            Err(reason) => Self::text(format!("[{kind} omitted: {reason}]")),
        };
        if block == *self { Cow::Borrowed(self) } else { Cow::Owned(block) }
    }
}

fn repair(data: &str, mime_type: &str, extras: Option<Box<Extras>>) -> Result<MediaContent, String> {
    let bytes = base64::decode(data).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("the data is empty".to_owned());
    }
    let said =
        [Some(mime_type), base64::split_prefix(data).0].into_iter().flatten().find(|said| !said.is_empty());
    let mime_type = match (sniff(&bytes), said) {
        (Some(seen), _) => seen.to_owned(),
        (None, Some(said)) => said.to_ascii_lowercase(),
        (None, None) => return Err("the MIME type is unknown".to_owned()),
    };
    Ok(MediaContent { extras, ..MediaContent::new(bytes, mime_type) })
}

/// Detects the MIME type from the first bytes, for the formats that providers accept.
fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        _ => None,
    }
}
