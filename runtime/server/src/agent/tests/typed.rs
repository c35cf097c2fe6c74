//! Tests of agents with a typed toolset.

use toolwright_core::tool::{Hints, InputShape, SourceLocation, Tool, ToolMetadata};
use toolwright_core::toolset::Package;

use super::*;
use crate::server::Server;

/// Looks up an order.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct GetOrder {
    /// The order's id.
    order_id: String,
    /// How many lines to show.
    lines: Option<u8>,
}

/// Handwritten, since the derive is in another crate.
impl Tool for GetOrder {
    type Arguments = Self;

    const NAME: &'static str = "get_order";
    const PACKAGE: Package = Package { name: "test", version: "0.0.0" };
    const METADATA: ToolMetadata = ToolMetadata {
        title: None,
        description: Some("Looks up an order."),
        hints: Hints { read_only: Some(true), destructive: None, idempotent: None, open_world: None },
        icons: &[],
        meta: None,
        scopes: &[],
        was: &["find_order"],
        tags: &[],
        context: None,
        task: None,
        allow_unknown: false,
        output: None,
        shape: InputShape::Object,
        fields: &[],
        source: SourceLocation { file: file!(), line: line!(), column: column!() },
    };
}

async fn get_order(input: GetOrder) -> String {
    format!("{} with {:?} lines", input.order_id, input.lines)
}

fn typed_agent() -> Agent {
    Agent::new(Arc::new(Server::new(get_order).tools::<GetOrder>().build().unwrap()))
}

#[tokio::test]
async fn every_form_reaches_the_handler() {
    let agent = typed_agent();
    let tool = agent.tools(InputForm::Query).remove(0);
    for input in [
        r#"{"type":"mcp_tool_call","tool_call":{"name":"get_order","arguments":{"order_id":"7","lines":3}}}"#,
        r#"{"type":"mcp_tool_call","tool_call":{"name":"find_order","arguments":{"order_id":"7","lines":3}}}"#,
        "get order order_id=7 lines=3",
        "find order order_id=7 lines=3",
    ] {
        assert_eq!(
            agent.ask(input, &cx()).await.outcome.unwrap().to_text(),
            "7 with Some(3) lines",
            "{input}"
        );
        assert_eq!(tool.call(input, &cx()).await.unwrap().to_text(), "7 with Some(3) lines", "{input}");
    }
}

#[tokio::test]
async fn invalid_arguments_and_unknown_tools_are_explained() {
    let cases = [
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"get_order","arguments":{}}}"#, "order_id"),
        ("get order", "order_id"),
        ("get order order_id=7 lines=many", "lines"),
        ("get order order_id=7 line=1", "line"),
        (r#"{"type":"mcp_tool_call","tool_call":{"name":"refund","arguments":{}}}"#, "refund"),
    ];
    for (text, named) in cases {
        let answer = typed_agent().ask(text, &cx()).await.outcome.unwrap();
        assert!(answer.is_error, "{text}");
        assert!(
            answer.to_text().starts_with("error: ") && answer.to_text().contains(named),
            "{}",
            answer.to_text()
        );
    }
}
