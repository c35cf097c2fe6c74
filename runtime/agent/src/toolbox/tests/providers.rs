//! Tests of tools and results in the formats of model providers.

use serde_json::json;

use super::*;

#[test]
fn tools_have_the_format_of_each_provider() {
    let (toolbox, _) = toolbox([mcp("add", "u")]);
    let form = |api: ModelApi| {
        let mut losses = Losses::default();
        let form = toolbox.for_model_api(api, &mut losses);
        assert!(losses.into_list().is_empty(), "{api}");
        form
    };
    let property = json!({"type": "integer", "description": "One."});
    assert_eq!(
        form(ModelApi::OpenAi),
        json!([{"type": "function", "name": "add", "strict": false,
            "parameters": {"type": "object", "properties": {"a": property}}}])
    );
    assert_eq!(
        form(ModelApi::OpenAiStrict),
        json!([{"type": "function", "name": "add", "strict": true, "parameters": {
            "type": "object", "properties": {"a": {"type": ["integer", "null"], "description": "One."}},
            "required": ["a"], "additionalProperties": false}}])
    );
    assert_eq!(
        form(ModelApi::Anthropic),
        json!([{"name": "add", "input_schema": {"type": "object", "properties": {"a": property}}}])
    );
    assert_eq!(
        form(ModelApi::Gemini)["functionDeclarations"][0]["parameters"]["properties"]["a"]["type"],
        "INTEGER"
    );
    for api in ModelApi::ALL {
        assert_eq!(ModelApi::from_name(api.as_str()), Some(api));
    }
}

#[tokio::test]
async fn messages_have_the_format_of_each_provider() {
    let (toolbox, _) = toolbox([mcp("add", "repeat:"), mcp("wrong", "fail:")]);
    let (good, bad) = (toolbox.call("add", "").await, toolbox.call("wrong", "").await);
    for api in ModelApi::ALL {
        assert_eq!(good.for_model_api(api, "c1"), api.tool_result("c1", "add", "add {}", false));
        let text = "error: unknown tool (-32602)";
        assert_eq!(bad.for_model_api(api, "c2"), api.tool_result("c2", "wrong", text, true));
    }
}
