//! Sampling: a server asks the client's model (2026-07-28, client/sampling).

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
    /// How many tokens the model writes at most.
    pub max_tokens: u64,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which model would be good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The context of which servers is wanted: `none`, `thisServer` or `allServers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<String>,
    /// The temperature.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub temperature: Option<f64>,
    /// Strings at which the model stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Whatever the provider of the model takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Tools that the model may use; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolDefinition>>,
    /// How it may use them; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// The answer may be a task; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRequest>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateMessageParams {
    /// A conversation, and how many tokens the model writes at most.
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
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: SamplingContent,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SamplingMessage {
    /// A message.
    pub fn new(role: Role, content: SamplingContent) -> Self {
        Self { role, content, meta: None, other: Map::new() }
    }
}

/// What the model wrote (2026-07-28, schema `CreateMessageResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who speaks: the assistant, as a rule.
    pub role: Role,
    /// What was written.
    pub content: SamplingContent,
    /// The model.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a reason of the client's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateMessageResult {
    /// A message of a model.
    pub fn new(role: Role, content: SamplingContent, model: impl Into<String>) -> Self {
        Self { role, content, model: model.into(), stop_reason: None, meta: None, other: Map::new() }
    }
}

/// The content of a message: one block, or since 2025-11-25 a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SamplingContent {
    /// One block.
    One(Box<SamplingBlock>),
    /// A list of blocks.
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// The blocks.
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

/// A block of a message (2026-07-28, schema `SamplingMessageContentBlock`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// The model uses a tool.
    ToolUse(ToolUseContent),
    /// The result of a tool that the model used.
    ToolResult(ToolResultContent),
    /// A block as results of tools have them.
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

/// The model uses a tool (2026-07-28, schema `ToolUseContent`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolUseContent {
    /// Always `tool_use`.
    #[serde(rename = "type")]
    type_: ToolUseType,
    /// What the result names.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolUseContent {
    /// A use of a tool.
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

/// The result of a tool that the model used (2026-07-28, schema `ToolResultContent`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResultContent {
    /// Always `tool_result`.
    #[serde(rename = "type")]
    type_: ToolResultType,
    /// Which use it answers.
    pub tool_use_id: String,
    /// The blocks.
    pub content: Vec<ContentBlock>,
    /// The result as data.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// Whether the tool failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ToolResultContent {
    /// A result of a tool.
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

/// Which model would be good (2026-07-28, schema `ModelPreferences`); priorities are from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Names of models, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much a low price matters.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub cost_priority: Option<f64>,
    /// How much speed matters.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub speed_priority: Option<f64>,
    /// How much ability matters.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "super::number::option")]
    pub intelligence_priority: Option<f64>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The name of a model, or a part of one (2026-07-28, schema `ModelHint`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelHint {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a model may use tools (2026-07-28, schema `ToolChoice`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolChoice {
    /// As it likes, if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The ways of [`ToolChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoiceMode {
    /// As it likes.
    Auto,
    /// It must use one.
    Required,
    /// It must not use any.
    None,
}
