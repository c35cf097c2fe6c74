//! Results for models: text, images, audio and other data, within limits.

use toolwright_core::content::{
    Annotations, Base64Error, ContentBlock, MediaContent, ResourceContents, ResourceData, base64,
};
use toolwright_core::result::ToolResult;

/// How much of a result a model gets. A note replaces what is omitted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentLimits {
    /// Maximum tokens of text, as counted by [`estimate_tokens`]; 25,000 by default.
    pub tokens: usize,
    /// Maximum size of an image, a recording or other data, in bytes; 5 MiB by default.
    pub media_bytes: usize,
    /// Maximum total size of them, in bytes; 20 MiB by default.
    pub total_media_bytes: usize,
    /// The URI of the full result, if it is stored. It is part of each note about omitted content.
    pub full_result_uri: Option<String>,
}

impl Default for ContentLimits {
    fn default() -> Self {
        Self { tokens: 25_000, media_bytes: 5 << 20, total_media_bytes: 20 << 20, full_result_uri: None }
    }
}

/// A part of a result for a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ModelPart {
    /// Text, or a note in brackets that replaces what the model cannot read.
    Text {
        /// The text.
        text: String,
        /// The audience and the priority.
        annotations: Option<Annotations>,
    },
    /// An image.
    Image(Media),
    /// Audio.
    Audio(Media),
    /// A resource: its URI, and its contents if they were included. Nothing is fetched.
    Binary(Binary),
}

/// An image or audio.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Media {
    /// The media type according to the first bytes, otherwise the one from the server.
    pub mime_type: String,
    /// The data in base64, with the standard alphabet and padding.
    pub data: String,
    /// The audience and the priority.
    pub annotations: Option<Annotations>,
}

impl Media {
    /// Decodes the data.
    ///
    /// # Errors
    /// [`Base64Error`] if [`Media::data`] was modified; the data of a result is validated.
    pub fn bytes(&self) -> Result<Vec<u8>, Base64Error> {
        base64::decode(&self.data)
    }
}

/// A resource.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Binary {
    /// The URI.
    pub uri: String,
    /// The media type, if known.
    pub mime_type: Option<String>,
    /// The contents.
    pub data: BinaryData,
    /// The audience and the priority.
    pub annotations: Option<Annotations>,
    /// A description in one line, for models that only accept text.
    line: String,
}

/// The contents of a resource.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BinaryData {
    /// Only the URI was sent.
    Linked,
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A result for a model.
///
/// ```
/// use toolwright_client::model_content::{ContentLimits, ModelContent, ModelPart};
/// use toolwright_core::result::ToolResult;
///
/// let result: ToolResult = serde_json::from_str(r#"{"content": [
///     {"type": "text", "text": "a cat"},
///     {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
///     {"type": "hologram", "beam": 7}
/// ]}"#)?;
/// let content = ModelContent::from_result(&result, &ContentLimits::default());
/// assert!(matches!(content.parts[1], ModelPart::Image(_)));
/// assert_eq!(
///     content.to_text(),
///     "a cat\n\n[image: image/png, 8 bytes]\n\n[unknown content of type \"hologram\": 28 bytes of JSON]"
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelContent {
    /// The parts in the order of the result; never empty.
    pub parts: Vec<ModelPart>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Whether something is omitted, so that the full result is worth storing.
    pub is_truncated: bool,
}

impl ModelContent {
    /// Converts a result, within `limits`.
    ///
    /// - An empty result becomes a note, since providers reject empty text.
    /// - A block of an unknown type and an invalid image become a note, so that the call does not fail.
    /// - Text is truncated between two blocks; if the first block is too long, its first lines are kept. Structured
    ///   content without a text block is included completely or not at all, since a part of it would be invalid.
    pub fn from_result(result: &ToolResult, limits: &ContentLimits) -> Self {
        let mut writer =
            Writer { limits, parts: Vec::new(), tokens: 0, media: 0, omitted: None, has_gap: false };
        if result.content.is_empty() {
            writer.add_structured_content(result);
        }
        for block in &result.content {
            writer.add_block(block);
        }
        let is_truncated = writer.finish();
        Self { parts: writer.parts, is_error: result.is_error, is_truncated }
    }

    /// Returns all parts as text, separated by blank lines. Media become a line with their type and size.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(ModelPart::to_text).collect();
        parts.join("\n\n")
    }
}

impl ModelPart {
    /// Returns the part as text. Media become a line with their type and size, never base64.
    pub fn to_text(&self) -> String {
        let media = |kind: &str, media: &Media| {
            let size = media.bytes().map(|bytes| bytes.len()).unwrap_or_default();
            format!("[{kind}: {}, {size} bytes]", media.mime_type)
        };
        match self {
            Self::Text { text, .. } | Self::Binary(Binary { data: BinaryData::Text(text), .. }) => {
                text.clone()
            }
            Self::Image(image) => media("image", image),
            Self::Audio(audio) => media("audio", audio),
            Self::Binary(binary) => binary.line.clone(),
        }
    }
}

/// Estimates the tokens of a text: one per four ASCII characters, and one per other character.
pub fn estimate_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|character| !character.is_ascii()).count();
    ascii.div_ceil(4) + others
}

struct Writer<'a> {
    limits: &'a ContentLimits,
    parts: Vec<ModelPart>,
    tokens: usize,
    media: usize,
    /// The blocks and tokens of text that were omitted after the limit was reached.
    omitted: Option<(usize, usize)>,
    /// Whether a note replaces something that was too large.
    has_gap: bool,
}

impl Writer<'_> {
    fn add_structured_content(&mut self, result: &ToolResult) {
        let text = result.as_text();
        if result.structured_content.is_none() || text.is_empty() {
            let line = if result.is_error {
                "[the tool failed and gave no reason]"
            } else {
                "[the tool returned nothing]"
            };
            return self.add_note(line.to_owned());
        }
        let tokens = estimate_tokens(&text);
        if tokens > self.limits.tokens {
            self.omitted = Some((1, tokens));
        } else {
            self.tokens = tokens;
            self.add_note(text);
        }
    }

    fn add_block(&mut self, block: &ContentBlock) {
        let block = block.repaired();
        let annotations = block.annotations().cloned();
        match block.as_ref() {
            ContentBlock::Text(text) => {
                if let Some(text) = self.fit(&text.text) {
                    self.parts.push(ModelPart::Text { text, annotations });
                }
            }
            ContentBlock::Image(media) => {
                if self.has_room(media.size(), "image", &media.mime_type) {
                    self.parts.push(ModelPart::Image(to_media(media, annotations)));
                }
            }
            ContentBlock::Audio(media) => {
                if self.has_room(media.size(), "audio", &media.mime_type) {
                    self.parts.push(ModelPart::Audio(to_media(media, annotations)));
                }
            }
            ContentBlock::ResourceLink(link) => {
                let description = block.to_text().into_owned();
                self.add_binary(
                    link.uri.clone(),
                    link.mime_type.clone(),
                    BinaryData::Linked,
                    annotations,
                    description,
                );
            }
            ContentBlock::Resource(embedded) => {
                self.add_resource(&embedded.resource, annotations, &block.to_text());
            }
            _ => {
                let line = block.to_text().into_owned();
                if let Some(text) = self.fit(&line) {
                    self.add_note(text);
                }
            }
        }
    }

    fn add_resource(&mut self, resource: &ResourceContents, annotations: Option<Annotations>, line: &str) {
        let data = match &resource.data {
            ResourceData::Text(text) => match self.fit(text) {
                Some(text) => BinaryData::Text(text),
                None => return,
            },
            ResourceData::Blob(blob) => {
                let mime_type = resource.mime_type.as_deref().unwrap_or("unknown media type");
                match base64::decode(blob) {
                    Err(error) => {
                        return self.add_note(format!("[resource {} omitted: {error}]", resource.uri));
                    }
                    Ok(bytes) if self.has_room(bytes.len(), "resource", mime_type) => {
                        BinaryData::Bytes(bytes)
                    }
                    Ok(_) => return,
                }
            }
        };
        self.add_binary(resource.uri.clone(), resource.mime_type.clone(), data, annotations, line.to_owned());
    }

    fn add_binary(
        &mut self,
        uri: String,
        mime_type: Option<String>,
        data: BinaryData,
        annotations: Option<Annotations>,
        line: String,
    ) {
        if !matches!(data, BinaryData::Text(_)) && self.fit(&line).is_none() {
            return;
        }
        self.parts.push(ModelPart::Binary(Binary { uri, mime_type, data, annotations, line }));
    }

    /// Returns the text, its beginning, or nothing after something was omitted.
    fn fit(&mut self, text: &str) -> Option<String> {
        let tokens = estimate_tokens(text);
        if self.omitted.is_none() && self.tokens + tokens <= self.limits.tokens {
            self.tokens += tokens;
            return Some(text.to_owned());
        }
        let is_first = self.omitted.is_none() && self.tokens == 0;
        let (blocks, before) = self.omitted.unwrap_or_default();
        let kept = if is_first { truncate(text, self.limits.tokens) } else { "" };
        self.tokens += estimate_tokens(kept);
        self.omitted = Some((blocks + 1, before + tokens - estimate_tokens(kept).min(tokens)));
        (!kept.is_empty()).then(|| kept.to_owned())
    }

    /// Returns whether the bytes fit; otherwise adds a note.
    fn has_room(&mut self, size: usize, kind: &str, mime_type: &str) -> bool {
        let limit = self.limits.media_bytes.min(self.limits.total_media_bytes.saturating_sub(self.media));
        if size <= limit {
            self.media += size;
            return true;
        }
        self.has_gap = true;
        let full_result_hint = self.full_result_hint();
        self.add_note(format!(
            "[{kind} omitted: {mime_type}, {size} bytes, which is more than {limit}{full_result_hint}]"
        ));
        false
    }

    fn add_note(&mut self, text: String) {
        self.parts.push(ModelPart::Text { text, annotations: None });
    }

    fn full_result_hint(&self) -> String {
        self.limits
            .full_result_uri
            .as_ref()
            .map(|uri| format!("; the full result is at {uri}"))
            .unwrap_or_default()
    }

    /// Adds the note about omitted blocks, and returns whether anything was omitted.
    fn finish(&mut self) -> bool {
        if let Some((blocks, tokens)) = self.omitted {
            let blocks = if blocks == 1 { "1 block".to_owned() } else { format!("{blocks} blocks") };
            let full_result_hint = self.full_result_hint();
            self.add_note(format!("[truncated: {blocks} with about {tokens} more tokens{full_result_hint}]"));
        }
        self.omitted.is_some() || self.has_gap
    }
}

fn to_media(media: &MediaContent, annotations: Option<Annotations>) -> Media {
    Media { mime_type: media.mime_type.clone(), data: media.data.clone(), annotations }
}

/// Returns the first lines of a text that fit into the limit, or the beginning of its first line.
fn truncate(text: &str, tokens: usize) -> &str {
    let (mut ascii, mut others) = (0_usize, 0_usize);
    let mut end = text.len();
    for (at, character) in text.char_indices() {
        if character.is_ascii() {
            ascii += 1;
        } else {
            others += 1;
        }
        if ascii.div_ceil(4) + others > tokens {
            end = at;
            break;
        }
    }
    let fits = &text[..end];
    fits.rfind('\n').map_or(fits, |line| &fits[..line])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn content(result: Value, limits: &ContentLimits) -> ModelContent {
        ModelContent::from_result(&serde_json::from_value(result).unwrap(), limits)
    }

    fn text_of(result: Value, limits: &ContentLimits) -> (String, bool) {
        let content = content(result, limits);
        (content.to_text(), content.is_truncated)
    }

    #[test]
    fn each_block_becomes_a_part_of_its_kind() {
        let found = content(
            json!({"content": [
                {"type": "text", "text": "hello", "annotations": {"priority": 1.0}},
                {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/jpeg"},
                {"type": "audio", "data": "UklGRgAAAABXQVZF", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "file:///a", "name": "a"},
                {"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}},
                {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAEC", "mimeType": "x/y"}},
            ]}),
            &ContentLimits::default(),
        );
        let kinds: Vec<_> = found
            .parts
            .iter()
            .map(|part| match part {
                ModelPart::Text { text, annotations } => format!("text {text} {}", annotations.is_some()),
                ModelPart::Image(media) => format!("image {}", media.mime_type),
                ModelPart::Audio(media) => format!("audio {}", media.bytes().unwrap().len()),
                ModelPart::Binary(binary) => format!("binary {} {:?}", binary.uri, binary.data),
            })
            .collect();
        assert_eq!(
            kinds,
            [
                "text hello true",
                "image image/png",
                "audio 12",
                "binary file:///a Linked",
                "binary file:///b Text(\"inside\")",
                "binary file:///c Bytes([0, 1, 2])",
            ]
        );
        assert!(!found.is_truncated && !found.to_text().contains("iVBOR"), "{}", found.to_text());
    }

    #[test]
    fn an_empty_result_says_that_it_is_empty() {
        let limits = ContentLimits::default();
        for (result, text) in [
            (json!({"content": []}), "[the tool returned nothing]"),
            (json!({"content": [], "isError": true}), "[the tool failed and gave no reason]"),
            (json!({"content": [], "structuredContent": {"n": 7}}), "{\"n\":7}"),
        ] {
            assert_eq!(text_of(result.clone(), &limits), (text.to_owned(), false), "{result}");
        }
    }

    #[test]
    fn invalid_content_becomes_a_note() {
        let result = json!({"content": [
            {"type": "image", "data": "not base64!", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": "!"}},
            {"type": "hologram", "beam": 7},
        ]});
        let (text, _) = text_of(result, &ContentLimits::default());
        let lines: Vec<_> = text.split("\n\n").collect();
        assert!(lines[0].starts_with("[image omitted: "), "{text}");
        assert!(lines[1].starts_with("[resource file:///c omitted: "), "{text}");
        assert!(lines[2].starts_with("[unknown content of type \"hologram\""), "{text}");
    }

    #[test]
    fn text_is_truncated_between_blocks_with_a_note() {
        let limits = ContentLimits {
            tokens: 10,
            full_result_uri: Some("result://1".to_owned()),
            ..ContentLimits::default()
        };
        let block = |length: usize| json!({"type": "text", "text": "x".repeat(length)});
        let (text, is_truncated) = text_of(json!({"content": [block(20), block(20)]}), &limits);
        assert_eq!((text.len(), is_truncated), (42, false), "exactly the limit");
        let (text, is_truncated) = text_of(json!({"content": [block(20), block(24), block(4)]}), &limits);
        let marker = "[truncated: 2 blocks with about 7 more tokens; the full result is at result://1]";
        assert_eq!((text, is_truncated), (format!("{}\n\n{marker}", "x".repeat(20)), true));
        let long = json!({"content": [{"type": "text", "text": "one line\nanother line\nand much more than fits into ten tokens"}]});
        let (text, _) = text_of(long, &limits);
        assert!(text.starts_with("one line\nanother line\n\n[truncated: 1 block with about "), "{text}");
        let structured = json!({"content": [], "structuredContent": {"long": "x".repeat(100)}});
        let (text, is_truncated) = text_of(structured, &limits);
        assert!(
            is_truncated && text.starts_with("[truncated: 1 block"),
            "half of it would be something else: {text}"
        );
    }

    #[test]
    fn media_is_bounded_individually_and_in_total() {
        let limits = ContentLimits { media_bytes: 8, total_media_bytes: 12, ..ContentLimits::default() };
        let image = |bytes: usize| {
            let data = base64::encode(&vec![1; bytes]);
            json!({"type": "image", "data": data, "mimeType": "image/x"})
        };
        let found = content(json!({"content": [image(9), image(8), image(8), image(4)]}), &limits);
        let kept: Vec<_> = found.parts.iter().map(|part| matches!(part, ModelPart::Image(_))).collect();
        assert_eq!(kept, [false, true, false, true]);
        assert!(
            found.is_truncated && found.to_text().contains("9 bytes, which is more than 8"),
            "{}",
            found.to_text()
        );
    }

    #[test]
    fn tokens_are_estimated_for_any_script() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本", 2), ("é", 1)] {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
        assert_eq!(truncate("日本語", 2), "日本");
    }
}
