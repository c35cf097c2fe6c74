//! Tests of one tool per command.

use super::*;

#[test]
fn each_command_is_a_tool_with_docs() {
    let agent = agent();
    for form in [InputForm::Query, InputForm::Json] {
        let tools = agent.tools(form);
        let names: Vec<_> = tools.iter().map(TextTool::name).collect();
        let listed: Vec<_> = definitions().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, listed);
        assert!(tools.iter().all(|tool| tool.form() == form));
    }
    assert_eq!(agent.simple_docs(), toolwright_core::docs::simple(&definitions()));
}

#[tokio::test]
async fn each_tool_accepts_text_and_json() {
    let inputs = [
        (
            r##"{"type":"mcp_tool_call","tool_call":{"name":"get_order_details","arguments":{"order_id":"#W1"}}}"##,
            Source::Mcp,
        ),
        (r##" {"order_id": "#W1"}"##, Source::Mcp),
        ("order_id=#W1", Source::Command),
        ("Order-ID=#W1", Source::Command),
        (r##"get_order_details order_id="#W1""##, Source::Command),
        ("Get order details order_id=#W1", Source::Command),
        ("get order details #W1", Source::Command),
        ("#W1", Source::Command),
    ];
    for create in [TextTool::query, TextTool::json] {
        let tool = create(Arc::new(Echo), definition("get_order_details"));
        for (input, source) in inputs {
            let answer = tool.call(input, &cx()).await.unwrap();
            assert_eq!(answer.source, source, "{input}");
            assert_eq!(seen(&answer)["arguments"], json!({"order_id": "#W1"}), "{input}");
        }
    }
    let old_name = r#"{"type":"mcp_tool_call","tool_call":{"name":"stop_order","arguments":{}}}"#;
    let tool = TextTool::json(Arc::new(Echo), definition("cancel_pending_order"));
    assert_eq!(tool.call(old_name, &cx()).await.unwrap().source, Source::Mcp);
}

#[tokio::test]
async fn errors_give_the_reasons_for_both_forms() {
    let tool = TextTool::query(Arc::new(Echo), definition("cancel_pending_order"));
    let other = r#"{"type":"mcp_tool_call","tool_call":{"name":"slow","arguments":{}}}"#;
    let error = tool.call(other, &cx()).await.unwrap_err();
    assert_eq!(error.to_string(), "the call is for `slow`, but this tool is `cancel_pending_order`");
    for broken in ["{\"order_id\": ", r#"{"type":"mcp_tool_call","tool_call":{"name":7}}"#] {
        let error = tool.call(broken, &cx()).await.unwrap_err();
        assert!(
            matches!(&error, AgentError::Input { refused: Some(_), route: RouteError::Words { .. } }),
            "{error}"
        );
    }
    let error = tool.call("just words", &cx()).await.unwrap_err();
    assert!(
        matches!(&error, AgentError::Input { refused: None, route: RouteError::Words { .. } }),
        "{error}"
    );
}

#[tokio::test]
async fn docs_have_an_example_that_works() {
    let query = TextTool::query(Arc::new(Echo), definition("cancel_pending_order"));
    assert_eq!(
        query.docs(),
        "## cancel_pending_order

Cancels an order.

Parameters:

- `order_id` (string, required): matches `^#W[0-9]{7}$`; for example `\"#W0000001\"`
- `reason` (one of `\"no longer needed\"`, `\"by mistake\"`, required)

Example of arguments: `{\"order_id\":\"#W0000001\",\"reason\":\"no longer needed\"}`

Call it with: `cancel_pending_order order_id=\"#W0000001\" reason=\"no longer needed\"`
"
    );
    let json = TextTool::json(Arc::new(Echo), definition("cancel_pending_order"));
    for tool in [query, json] {
        let docs = tool.docs();
        assert!(docs.starts_with(&toolwright_core::docs::full(tool.definition())));
        let example = docs.rsplit_once("Call it with: `").unwrap().1.strip_suffix("`\n").unwrap();
        let answer = tool.call(example, &cx()).await.unwrap();
        assert_eq!(
            seen(&answer)["arguments"],
            json!({"order_id": "#W0000001", "reason": "no longer needed"})
        );
    }
}
