//! Tools and results in the formats of model providers.
//!
//! A conversion reports what a format cannot express. A [`Loss`] affects which calls are accepted, or what a model
//! reads. Members that only clients use (titles, hints, icons, `_meta`, the output schema) have no place in these
//! formats and are not reported.
//!
//! ```
//! use serde_json::json;
//! use toolwright_agent::model_api::{Losses, ModelApi};
//! use toolwright_core::definition::ToolDefinition;
//!
//! let tools = [ToolDefinition::new("list.orders", json!({"type": "object", "properties": {}}))];
//! let mut losses = Losses::default();
//! let form = ModelApi::Anthropic.tools(&tools, &mut losses);
//! assert_eq!(form[0]["input_schema"], json!({"type": "object", "properties": {}}));
//! assert!(losses.into_list()[0].to_string().starts_with("list.orders /name: the name becomes `list-orders-"));
//! ```

mod loss;

mod bounds;
mod merge;

mod anthropic;
mod gemini;
mod openai;

mod tool_result;

use std::fmt;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;

pub use loss::{InTool, Loss, Losses};

/// A tool format of a model provider's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelApi {
    /// Function tools of OpenAI's Responses API.
    OpenAi,
    /// Function tools of OpenAI's Responses API in strict mode.
    OpenAiStrict,
    /// Tools of Anthropic's Messages API.
    Anthropic,
    /// Function declarations of the Gemini API.
    Gemini,
}

impl ModelApi {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::OpenAiStrict, Self::Anthropic, Self::Gemini];

    /// Returns the format's name: `openai`, `openai-strict`, `anthropic` or `gemini`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.as_str() == name)
    }

    /// Converts tools to the format: an array for the member `tools`, or for Gemini an object that belongs in one.
    /// Names are changed to fit ([`public_name`](toolwright_core::names::public_name)); what the format cannot express
    /// is added to `losses`.
    pub fn tools<'a>(
        self,
        tools: impl IntoIterator<Item = &'a ToolDefinition>,
        losses: &mut Losses,
    ) -> Value {
        let convert = match self {
            Self::OpenAi => openai::tool,
            Self::OpenAiStrict => openai::strict_tool,
            Self::Anthropic => anthropic::tool,
            Self::Gemini => gemini::tool,
        };
        let list: Vec<Value> = tools.into_iter().map(|tool| convert(tool, losses)).collect();
        match self {
            Self::OpenAi | Self::OpenAiStrict | Self::Anthropic => list.into(),
            Self::Gemini => json!({ "functionDeclarations": list }),
        }
    }
}

impl fmt::Display for ModelApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
