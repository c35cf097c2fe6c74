//! Tools and answers in the forms of model providers.

use serde_json::json;

use super::*;

#[test]
fn tools_are_shown_in_the_form_of_each_provider() {
    let (toolbox, _) = toolbox([mcp("add", "u")]);
    let form = |provider: Provider| {
        let mut losses = Losses::default();
        let form = toolbox.for_provider(provider, &mut losses);
        assert!(losses.into_list().is_empty(), "{provider}");
        form
    };
    let property = json!({"type": "integer", "description": "One."});
    assert_eq!(
        form(Provider::OpenAi),
        json!([{"type": "function", "name": "add", "strict": false,
            "parameters": {"type": "object", "properties": {"a": property}}}])
    );
    assert_eq!(
        form(Provider::OpenAiStrict),
        json!([{"type": "function", "name": "add", "strict": true, "parameters": {
            "type": "object", "properties": {"a": {"type": ["integer", "null"], "description": "One."}},
            "required": ["a"], "additionalProperties": false}}])
    );
    assert_eq!(
        form(Provider::Anthropic),
        json!([{"name": "add", "input_schema": {"type": "object", "properties": {"a": property}}}])
    );
    assert_eq!(
        form(Provider::Gemini)["functionDeclarations"][0]["parameters"]["properties"]["a"]["type"],
        "INTEGER"
    );
    for provider in Provider::ALL {
        assert_eq!(Provider::from_name(provider.as_str()), Some(provider));
    }
}

#[tokio::test]
async fn answers_are_written_in_the_form_of_each_provider() {
    let (toolbox, _) = toolbox([mcp("add", "repeat:"), mcp("wrong", "fail:")]);
    let (good, bad) = (toolbox.call("add", "").await, toolbox.call("wrong", "").await);
    for provider in Provider::ALL {
        assert_eq!(good.for_provider(provider, "c1"), provider.answer("c1", "add", "add {}", false));
        let text = "error: unknown tool (-32602)";
        assert_eq!(bad.for_provider(provider, "c2"), provider.answer("c2", "wrong", text, true));
    }
}
