//! Blocks of other servers, made fit for a model's provider.

use std::borrow::Cow;

use serde_json::Value;

use super::parts::{Extras, MediaContent};
use super::{ContentBlock, base64};

impl ContentBlock {
    /// The block as a model's provider takes it.
    ///
    /// Providers refuse the complete conversation for one bad picture. A picture or recording of another server
    /// comes out with standard base64, without a `data:` prefix, and with the media type that its first bytes show,
    /// else the one that it was given, in lower case. Where the data is empty, is not base64, or has no media type at all,
    /// it is replaced by a text that says so. Blocks of other types are returned unchanged.
    pub fn repaired(&self) -> Cow<'_, Self> {
        let (kind, data, mime_type, extras) = match self {
            Self::Image(media) => {
                ("image", media.data.as_str(), media.mime_type.as_str(), media.extras.clone())
            }
            Self::Audio(media) => {
                ("audio", media.data.as_str(), media.mime_type.as_str(), media.extras.clone())
            }
            // A block without a media type could not be read as a picture or a recording.
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
            Err(reason) => Self::text(format!("[{kind} left out: {reason}]")),
        };
        if block == *self { Cow::Borrowed(self) } else { Cow::Owned(block) }
    }
}

fn repair(data: &str, mime_type: &str, extras: Option<Box<Extras>>) -> Result<MediaContent, String> {
    let bytes = base64::decode(data).map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("its data is empty".to_owned());
    }
    let said =
        [Some(mime_type), base64::split_prefix(data).0].into_iter().flatten().find(|said| !said.is_empty());
    let mime_type = match (sniff(&bytes), said) {
        (Some(seen), _) => seen.to_owned(),
        (None, Some(said)) => said.to_ascii_lowercase(),
        (None, None) => return Err("its media type is not known".to_owned()),
    };
    Ok(MediaContent { extras, ..MediaContent::new(bytes, mime_type) })
}

/// The media type that the first bytes show, for the formats that providers take.
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
