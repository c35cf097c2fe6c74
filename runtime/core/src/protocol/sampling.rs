//! Sampling: the server requests a message from the client's model (2026-07-28, client/sampling).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{ContentBlock, RequestMeta, Role, TaskRequest, ToolDefinition};

/// The parameters of `sampling/createMessage` (2026-07-28, schema `CreateMessageRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation.
    pub messages: Vec<SamplingMessage>,
    /// The maximum number of tokens to generate.
    pub max_tokens: u64,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Model preferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The servers whose context to include: `none`, `thisServer` or `allServers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<String>,
    /// The temperature.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub temperature: Option<f64>,
    /// Stop sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Provider-specific metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Tools that the model may call; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolDefinition>>,
    /// How the model may call tools; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Allows the client to respond with a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateMessageParams {
    /// Creates parameters from a conversation and a token limit.
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            max_tokens,
            system_prompt: None,
            model_preferences: None,
            include_context: None,
            temperature: None,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
            other: Map::new(),
        }
    }
}

/// A message of the conversation (2026-07-28, schema `SamplingMessage`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingMessage {
    /// The role of the author.
    pub role: Role,
    /// The content.
    pub content: SamplingContent,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SamplingMessage {
    /// Creates a message.
    pub fn new(role: Role, content: SamplingContent) -> Self {
        Self { role, content, meta: None, other: Map::new() }
    }
}

/// The result of sampling (2026-07-28, schema `CreateMessageResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// The role, usually the assistant.
    pub role: Role,
    /// The generated content.
    pub content: SamplingContent,
    /// The model.
    pub model: String,
    /// The stop reason: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a client-specific one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateMessageResult {
    /// Creates a result.
    pub fn new(role: Role, content: SamplingContent, model: impl Into<String>) -> Self {
        Self { role, content, model: model.into(), stop_reason: None, meta: None, other: Map::new() }
    }
}

/// The content of a message: one block, or, since 2025-11-25, a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SamplingContent {
    /// One block.
    One(Box<SamplingBlock>),
    /// A list of blocks.
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// Returns the blocks.
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<T: Into<ContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::One(Box::new(SamplingBlock::Content(block.into())))
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |block| SamplingBlock::deserialize(block).map_err(D::Error::custom);
        match Value::deserialize(deserializer)? {
            Value::Array(blocks) => blocks.into_iter().map(read).collect::<Result<_, _>>().map(Self::Many),
            block @ Value::Object(_) => Ok(Self::One(Box::new(read(block)?))),
            _ => Err(D::Error::custom("`content` must be a block or a list of blocks")),
        }
    }
}

/// A content block of a message (2026-07-28, schema `SamplingMessageContentBlock`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// A tool call by the model.
    ToolUse(ToolUseContent),
    /// The result of a tool call.
    ToolResult(ToolResultContent),
    /// A content block that tool results have as well.
    Content(ContentBlock),
}

impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.get("type").and_then(Value::as_str) {
            Some("tool_use") => ToolUseContent::deserialize(value).map(Self::ToolUse),
            Some("tool_result") => ToolResultContent::deserialize(value).map(Self::ToolResult),
            _ => Ok(Self::Content(value.into())),
        }
        .map_err(D::Error::custom)
    }
}

/// A tool call by the model (2026-07-28, schema `ToolUseContent`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolUseContent {
    /// Always `tool_use`.
    #[serde(rename = "type")]
    type_: ToolUseType,
    /// The id, which the result refers to.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolUseContent {
    /// Creates a tool call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Map<String, Value>) -> Self {
        Self {
            type_: ToolUseType::ToolUse,
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
            other: Map::new(),
        }
    }
}

/// The result of a tool call (2026-07-28, schema `ToolResultContent`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// Always `tool_result`.
    #[serde(rename = "type")]
    type_: ToolResultType,
    /// The id of the tool call.
    pub tool_use_id: String,
    /// The content blocks.
    pub content: Vec<ContentBlock>,
    /// The structured content.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolResultContent {
    /// Creates a successful result.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            type_: ToolResultType::ToolResult,
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            other: Map::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolUseType {
    ToolUse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolResultType {
    ToolResult,
}

/// Model preferences (2026-07-28, schema `ModelPreferences`); priorities range from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Model names, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// The priority of low cost.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub cost_priority: Option<f64>,
    /// The priority of speed.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub speed_priority: Option<f64>,
    /// The priority of capability.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub intelligence_priority: Option<f64>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A model name or a part of one (2026-07-28, schema `ModelHint`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelHint {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a model may call tools (2026-07-28, schema `ToolChoice`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolChoice {
    /// The mode; automatic by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The modes of [`ToolChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// The model must call a tool.
    Required,
    /// The model must not call a tool.
    None,
}
