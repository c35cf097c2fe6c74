//! Tool results in the formats that model APIs expect in the next request. [`parts`](crate::parts) reads them back.

use serde_json::{Value, json};

use super::ModelApi;

impl ModelApi {
    /// Formats the result of a call for the next request: an `input` item for OpenAI, a block of a user message for
    /// Anthropic, a part of one for Gemini, which identifies calls by the tool's name.
    ///
    /// OpenAI's format cannot mark failures: `text` must state them.
    pub fn tool_result(self, call_id: &str, tool: &str, text: &str, is_error: bool) -> Value {
        match self {
            Self::OpenAi | Self::OpenAiStrict => {
                json!({"type": "function_call_output", "call_id": call_id, "output": text})
            }
            Self::Anthropic => {
                let mut block = json!({"type": "tool_result", "tool_use_id": call_id, "content": text});
                if is_error {
                    block["is_error"] = true.into();
                }
                block
            }
            Self::Gemini => {
                let outcome = if is_error { "error" } else { "result" };
                json!({"functionResponse": {"id": call_id, "name": tool, "response": {outcome: text}}})
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts;

    #[test]
    fn results_have_the_format_of_each_provider() {
        let answer = |api: ModelApi, is_error| api.tool_result("c1", "add", "3", is_error);
        for api in [ModelApi::OpenAi, ModelApi::OpenAiStrict] {
            for is_error in [false, true] {
                let expected = json!({"type": "function_call_output", "call_id": "c1", "output": "3"});
                assert_eq!(answer(api, is_error), expected);
            }
        }
        let block = json!({"type": "tool_result", "tool_use_id": "c1", "content": "3"});
        assert_eq!(answer(ModelApi::Anthropic, false), block);
        let failed = json!({"type": "tool_result", "tool_use_id": "c1", "content": "3", "is_error": true});
        assert_eq!(answer(ModelApi::Anthropic, true), failed);
        for (is_error, outcome) in [(false, "result"), (true, "error")] {
            let part = json!({"functionResponse": {"id": "c1", "name": "add", "response": {outcome: "3"}}});
            assert_eq!(answer(ModelApi::Gemini, is_error), part);
        }
    }

    #[test]
    fn results_can_be_read_back_as_parts() {
        for api in [ModelApi::OpenAi, ModelApi::Anthropic] {
            let part = parts::normalize(&api.tool_result("c1", "add", "", false)).unwrap();
            assert_eq!((part.call_id.as_deref(), part.result), (Some("c1"), Some(json!(""))), "{api}");
        }
    }
}
