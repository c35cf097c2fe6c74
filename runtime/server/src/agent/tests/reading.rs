//! Tests of parsing envelopes and plain text.

use super::*;

#[test]
fn envelopes_are_parsed_strictly() {
    let good = [
        (
            r#"{"type":"mcp_tool_call","tool_call":{"name":"a","arguments":{"x": [1]}}}"#,
            Some(r#"{"x": [1]}"#),
        ),
        (r#"{"tool_call":{"arguments":{},"name":"a"},"type":"mcp_tool_call"}"#, Some("{}")),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a","arguments":null}}"#, None),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a"}}"#, None),
    ];
    for (text, arguments) in good {
        let call = ToolCall::from_envelope(text).unwrap();
        assert_eq!(call.name, "a");
        assert_eq!(call.arguments.as_ref().map(|arguments| arguments.get()), arguments, "{text}");
        let again = ToolCall::from_envelope(&call.to_envelope().unwrap()).unwrap();
        assert_eq!(again.arguments.as_ref().map(|arguments| arguments.get()), arguments);
    }
    let bad = [
        ("", "EOF while parsing"),
        ("{", "EOF while parsing"),
        ("[]", "invalid"),
        (r#"{"type":"mcp_tool_call"}"#, "missing field `tool_call`"),
        (r#"{"tool_call":{"name":"a"}}"#, "missing field `type`"),
        (r#"{"type":"tool_call","tool_call":{"name":"a"}}"#, "unknown variant `tool_call`"),
        (r#"{"type":"mcp_tool_call","tool_call":{"arguments":{}}}"#, "missing field `name`"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":1}}"#, "invalid type: integer"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":""}}"#, "has no tool name"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a","arguments":[1]}}"#, "not a JSON object"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a","arguments":"{}"}}"#, "not a JSON object"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a","args":{}}}"#, "unknown field `args`"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a"},"id":1}"#, "unknown field `id`"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a","name":"b"}}"#, "duplicate field `name`"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"a"}} and more"#, "trailing characters"),
    ];
    for (text, reason) in bad {
        let error = ToolCall::from_envelope(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

async fn route(text: &str) -> Result<(String, Value), RouteError> {
    let call = CommandRouter.route(text, &definitions()).await?;
    Ok((call.name, serde_json::from_str(call.arguments.unwrap().get()).unwrap()))
}

#[tokio::test]
async fn a_command_is_a_name_and_its_arguments() {
    let cases = [
        ("get_order_details order_id=#W1", "get_order_details", json!({"order_id": "#W1"})),
        ("get order details order_id=#W1", "get_order_details", json!({"order_id": "#W1"})),
        ("  Get-Order_details\torder-id=#W1\n", "get_order_details", json!({"order_id": "#W1"})),
        ("stop order order_id=#W1", "cancel_pending_order", json!({"order_id": "#W1"})),
        ("empty", "empty", json!({})),
        ("Twin", "Twin", json!({})),
        ("twin", "twin", json!({})),
        (
            r##"cancel pending order order_id="#W1" reason="no longer needed""##,
            "cancel_pending_order",
            json!({"order_id": "#W1", "reason": "no longer needed"}),
        ),
        ("get order details order_id=", "get_order_details", json!({"order_id": ""})),
        ("get order details order_id=a=b", "get_order_details", json!({"order_id": "a=b"})),
    ];
    for (text, name, arguments) in cases {
        assert_eq!(route(text).await.unwrap(), (name.to_owned(), arguments), "{text}");
    }
}

#[tokio::test]
async fn values_are_converted_to_the_type_in_the_schema() {
    let cases = [
        (r"text=5", json!({"text": "5"})),
        (r"text=null", json!({"text": "null"})),
        (r#"text="it's \"quoted\" \\ and \n""#, json!({"text": "it's \"quoted\" \\ and \\n"})),
        (r#"text='say "hi"'"#, json!({"text": "say \"hi\""})),
        (r"limit=5", json!({"limit": 5})),
        (r#"limit="5""#, json!({"limit": 5})),
        (r"limit=5.0", json!({"limit": 5.0})),
        (r"limit=5.5", json!({"limit": "5.5"})),
        (r"limit=five", json!({"limit": "five"})),
        (r"score=5 exact=true", json!({"score": 5, "exact": true})),
        (r"score=-1.5e3", json!({"score": -1500.0})),
        (r"exact=1", json!({"exact": "1"})),
        (r"tags=a", json!({"tags": ["a"]})),
        (r"tags=a tags=b tags='c d'", json!({"tags": ["a", "b", "c d"]})),
        (r#"tags=["a", "b c"] limit=1"#, json!({"tags": ["a", "b c"], "limit": 1})),
        (r"ids=1 ids=[2,3]", json!({"ids": [1, 2, 3]})),
        (r#"filter={"a": {"b": "x y"}} text=z"#, json!({"filter": {"a": {"b": "x y"}}, "text": "z"})),
        (r"filter={broken", json!({"filter": "{broken"})),
        (r"either=5", json!({"either": 5})),
        (r#"either="5""#, json!({"either": "5"})),
        (r"either=five", json!({"either": "five"})),
        (r"maybe=2", json!({"maybe": 2})),
        (r"maybe=null", json!({"maybe": null})),
        (r"anything=[1]", json!({"anything": [1]})),
        (r"unknown=1", json!({"unknown": 1})),
    ];
    for (text, mut arguments) in cases {
        // A required parameter with only one possible value is filled in.
        arguments["command"] = "search".into();
        assert_eq!(route(&format!("search {text}")).await.unwrap().1, arguments, "{text}");
    }
}

#[tokio::test]
async fn errors_say_what_to_write() {
    let cases = [
        ("", "the message is empty; write a command and its arguments as `key=value`"),
        ("order_id=1", "the message is empty; write a command and its arguments as `key=value`"),
        (
            "get_order_detials",
            r#"unknown command "get_order_detials"; did you mean get_order_details, cancel_pending_order?"#,
        ),
        ("order", r#"unknown command "order"; did you mean cancel_pending_order, get_order_details?"#),
        ("what's the weather", r#"unknown command "what's the weather""#),
        ("TWIN", r#""TWIN" is ambiguous between Twin, twin; write the exact name"#),
        (
            "get order details please now",
            "2 word(s) after `get_order_details` are not arguments; write `key=value`, with quotes around a value of several words; it has order_id",
        ),
        (
            "empty x",
            "1 word(s) after `empty` are not arguments; write `key=value`, with quotes around a value of several words; it has none",
        ),
        (
            "search text=New York",
            "1 word(s) after `search` are not arguments; write `key=value`, with quotes around a value of several words; it has command, text, limit, score, exact, tags, ids, filter, either, maybe, anything",
        ),
        ("search text=\"open", "the quote after `text=` is not terminated"),
        ("search limit=1 limit=2", "`limit` is given twice; give it once"),
    ];
    for (text, error) in cases {
        assert_eq!(route(text).await.unwrap_err().to_string(), error, "{text}");
    }
    // Text of any length is rejected quickly, with an error of bounded length.
    let long = "word ".repeat(200_000);
    let error = route(&long).await.unwrap_err().to_string();
    assert!(error.len() < 300, "{} bytes", error.len());
}
