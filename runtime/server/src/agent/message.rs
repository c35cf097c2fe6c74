//! What an agent gets back.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use toolwright_core::content::ContentBlock;
use toolwright_core::render;
use toolwright_core::result::{StructuredContent, ToolResult};

/// How many characters of a result [`AgentMessage::to_text`] shows.
pub const RENDER_LIMIT: usize = render::LIMIT;

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

    /// The message as text for a model. See [`render::text`].
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
