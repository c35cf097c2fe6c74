//! What an agent gets back.

use std::fmt::Display;

use serde_json::Value;
use toolwright_core::render;
use toolwright_core::result::ToolResult;

use crate::model_api::ModelApi;

/// The answer to a call: a text for the model, and the result for programs. Failures of all kinds are answers as well.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolMessage {
    /// The tool, by the name that the model knows.
    pub tool: String,
    /// The text for the model, of at most about [`render::LIMIT`] characters. Failures start with `error: `.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The result; none where the tool did not answer.
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

    /// The message as the API of a model provider takes it; see [`ModelApi::answer`].
    pub fn for_model_api(&self, api: ModelApi, call_id: &str) -> Value {
        api.answer(call_id, &self.tool, &self.text, self.is_error)
    }
}
