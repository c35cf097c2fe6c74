//! The messages that an agent receives from tools.

use std::fmt::Display;

use serde_json::Value;
use toolwright_core::render;
use toolwright_core::result::ToolResult;

use crate::model_api::ModelApi;

/// The outcome of a call: a string for the model, and the result for programs. Failures of all kinds are messages, too.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolMessage {
    /// The tool, by its name for the model.
    pub tool: String,
    /// The text for the model, limited to about [`render::LIMIT`] characters. Failures start with `error: `.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The result; `None` if the tool did not return one.
    pub result: Option<ToolResult>,
}

impl ToolMessage {
    pub(super) fn of_result(tool: &str, result: ToolResult) -> Self {
        Self {
            tool: tool.to_owned(),
            text: render::text(tool, &result),
            is_error: result.is_error,
            result: Some(result),
        }
    }

    pub(super) fn failed(tool: &str, problem: impl Display) -> Self {
        Self {
            tool: tool.to_owned(),
            text: render::text(tool, &ToolResult::error(problem.to_string())),
            is_error: true,
            result: None,
        }
    }

    /// Formats the message for a model provider's API; see [`ModelApi::tool_result`].
    pub fn for_model_api(&self, api: ModelApi, call_id: &str) -> Value {
        api.tool_result(call_id, &self.tool, &self.text, self.is_error)
    }
}
