//! The messages that an agent receives.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use toolwright_core::content::ContentBlock;
use toolwright_core::render;
use toolwright_core::result::{StructuredContent, ToolResult};

/// The maximum number of characters of a result in [`AgentMessage::to_text`].
pub const RENDER_LIMIT: usize = render::LIMIT;

/// How a call was expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// A tool call of the protocol: the envelope, or arguments as JSON.
    Mcp,
    /// Text.
    Command,
}

/// The result of a call for agents: the protocol's result, the tool, and how the call was expressed.
///
/// Both kinds of calls produce the same members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentMessage {
    /// How the call was expressed.
    pub source: Source,
    /// The tool that ran.
    pub tool: String,
    /// Whether the call failed in a way that the model should know about.
    #[serde(default)]
    pub is_error: bool,
    /// The content blocks for the model. When deserializing, a block without a type is text, and missing text is empty.
    #[serde(default, deserialize_with = "blocks")]
    pub content: Vec<ContentBlock>,
    /// The structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<StructuredContent>,
}

impl AgentMessage {
    /// Creates the message for a result of `tool`. A failure without content gets a default message.
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

    /// Renders the message as text for a model. See [`render::text`].
    pub fn to_text(&self) -> String {
        render::parts(&self.tool, self.is_error, &self.content, self.structured_content.as_ref())
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
