//! What an agent gets back.

use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use toolwright_core::content::ContentBlock;
use toolwright_core::result::{StructuredContent, ToolResult};

/// How many characters of a result [`AgentMessage::to_text`] shows: 25,000 tokens at four characters each, which is
/// what common agents take.
pub const RENDER_LIMIT: usize = 100_000;

/// Which way a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// As a tool call of the protocol: the envelope, or arguments as JSON.
    Mcp,
    /// As text.
    Command,
}

/// The result of a call in the form for agents: the protocol's result, the tool, and which way the call came.
///
/// Both ways give the same members, so that an agent reads both alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentMessage {
    /// Which way the call came.
    pub source: Source,
    /// The tool that ran.
    pub tool: String,
    /// Whether the call failed in a way that the model should hear about.
    #[serde(default)]
    pub is_error: bool,
    /// The blocks for the model. A block without a type is text when it is read, and its text is empty if there is none.
    #[serde(default, deserialize_with = "blocks")]
    pub content: Vec<ContentBlock>,
    /// The result as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<StructuredContent>,
}

impl AgentMessage {
    /// The message for the result of `tool`. A failure without any content gets a text that says so.
    pub fn new(source: Source, tool: impl Into<String>, result: ToolResult) -> Self {
        let mut content = result.content;
        if result.is_error && content.is_empty() && result.structured_content.is_none() {
            content.push(ContentBlock::text("the tool failed and gave no reason"));
        }
        Self {
            source,
            tool: tool.into(),
            is_error: result.is_error,
            content,
            structured_content: result.structured_content,
        }
    }

    /// The message as text for a model.
    ///
    /// Failures start with `error: `. Blocks that are not text become one line that names them; without blocks the
    /// structured content shows, and a result with nothing at all says that. Blocks beyond [`RENDER_LIMIT`]
    /// characters are left out, a first one that is longer is cut, and the text says so.
    pub fn to_text(&self) -> String {
        let mut text = if self.is_error { "error: ".to_owned() } else { String::new() };
        let result = |content| ToolResult {
            content,
            structured_content: self.structured_content.clone(),
            ..ToolResult::default()
        };
        if self.content.is_empty() {
            let structured = result(Vec::new()).as_text();
            if structured.is_empty() {
                let _ = write!(text, "({} returned nothing)", self.tool);
            } else {
                push_cut(&mut text, &structured);
            }
            return text;
        }
        let mut left = RENDER_LIMIT;
        for (index, block) in self.content.iter().enumerate() {
            let shown = block.to_text();
            let length = shown.chars().count();
            if index > 0 && length > left {
                let _ = write!(text, "\n\n[{} more blocks left out: too long]", self.content.len() - index);
                break;
            }
            if index > 0 {
                text.push_str("\n\n");
            }
            push_cut(&mut text, &shown);
            left = left.saturating_sub(length);
        }
        text
    }
}

/// Adds `more`, up to the limit.
fn push_cut(text: &mut String, more: &str) {
    match more.char_indices().nth(RENDER_LIMIT) {
        None => text.push_str(more),
        Some((end, _)) => {
            let _ = write!(text, "{}\n[cut: {} more characters]", &more[..end], more[end..].chars().count());
        }
    }
}

/// Content as agents write it: `{}` and `{"text": "…"}` are text blocks.
fn blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    let blocks: Vec<Map<String, Value>> = Vec::deserialize(deserializer)?;
    Ok(blocks
        .into_iter()
        .map(|mut block| {
            let kind = block.entry("type").or_insert_with(|| "text".into());
            if kind == "text" && block.get("text").is_none_or(Value::is_null) {
                block.insert("text".to_owned(), "".into());
            }
            ContentBlock::from(Value::Object(block))
        })
        .collect())
}
