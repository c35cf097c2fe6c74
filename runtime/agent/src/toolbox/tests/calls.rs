//! Tests of calls of all kinds, and of the messages about failures.

use serde_json::json;
use toolwright_core::definition::ToolDefinition;

use super::*;
use crate::value::{CommandTool, HttpMethod, HttpTool, ToolCollection, WorkflowTool};

/// Reports what it was asked to run.
struct Says(&'static str);

impl Runner for Says {
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let text = format!("{} ran {} {}", self.0, tool.name().unwrap_or_default(), Value::from(arguments));
        Box::pin(async move { Ok(ToolResult::text(text)) })
    }
}

fn command(name: &str) -> ToolValue {
    CommandTool::from_definition(None, &ToolDefinition::new(name, json!({"type": "object"}))).into()
}

#[tokio::test]
async fn each_kind_reaches_its_runner() {
    let values = [
        command("c"),
        WorkflowTool::new("w", "").into(),
        HttpTool::new("h", HttpMethod::Get, "https://example.com").into(),
        mcp("m", "repeat:"),
    ];
    let toolbox = Toolbox::builder(values)
        .commands(Arc::new(Says("program")))
        .workflows(Arc::new(Says("engine")))
        .http(Arc::new(Says("client")))
        .mcp(Arc::new(Servers::default()))
        .build();
    for (name, expected) in [
        ("c", "program ran c {\"a\":1}"),
        ("w", "engine ran w {\"a\":1}"),
        ("h", "client ran h {\"a\":1}"),
        ("m", "m {\"a\":1}"),
    ] {
        let message = toolbox.call(name, json!({"a": 1})).await;
        assert_eq!((message.text.as_str(), message.is_error, message.tool.as_str()), (expected, false, name));
        assert_eq!(message.result.unwrap().as_text(), expected);
    }
}

#[tokio::test]
async fn failures_of_all_kinds_are_messages() {
    let lines = r#"{"tool_type":"GRPC","name":"stream"}"#;
    let mut values: Vec<ToolValue> = ToolCollection::from_jsonl(lines).values().cloned().collect();
    values.extend([
        mcp("dead", "refuse://user:secret@host/sse?key=secret"),
        mcp("wrong", "fail:"),
        command("c"),
    ]);
    let (toolbox, _) = toolbox(values);
    for (name, expected) in [
        ("stream", "error: the tool `stream` has the unsupported type GRPC"),
        ("dead", "error: cannot connect to host/sse: refused"),
        ("wrong", "error: unknown tool (-32602)"),
        ("c", "error: no runner is configured for COMMAND tools"),
        ("other", "error: unknown tool `other`; available: dead, wrong, c"),
    ] {
        let message = toolbox.call(name, json!({})).await;
        assert_eq!((message.text.as_str(), message.is_error, message.result), (expected, true, None));
    }
    let nothing = Toolbox::builder([mcp("a", "u")]).build();
    assert_eq!(nothing.call("a", json!({})).await.text, "error: no runner is configured for MCP tools");
    assert!(Toolbox::builder([]).build().call("a", json!({})).await.text.ends_with("no tools are available"));
}

/// Models send an object or its JSON string, and anything empty for no arguments.
#[tokio::test]
async fn arguments_may_be_an_object_or_a_json_string() {
    let (toolbox, servers) = toolbox([mcp("m", "repeat:")]);
    for (arguments, expected) in [
        (json!({"a": 0}), r#"m {"a":0}"#),
        (json!(r#" {"a": ""} "#), r#"m {"a":""}"#),
        (json!(""), "m {}"),
        (json!(null), "m {}"),
        (json!("null"), "m {}"),
    ] {
        assert_eq!(toolbox.call("m", arguments).await.text, expected);
    }
    let before = servers.calls();
    for arguments in [json!([]), json!(7), json!("[1]"), json!("{"), json!("\"{}\"")] {
        let message = toolbox.call("m", arguments).await;
        assert!(message.is_error && message.text.starts_with("error: the arguments are not"), "{message:?}");
    }
    assert_eq!(servers.calls(), before, "invalid arguments reach no tool");
}

#[test]
fn a_tool_has_the_definition_of_its_value() {
    let (toolbox, _) = toolbox([mcp("m", "u")]);
    let tool = &toolbox.tools()[0];
    assert_eq!((tool.name(), tool.description()), ("m", ""));
    assert_eq!(tool.args_schema()["type"], "object");
    assert_eq!(tool.args_schema()["properties"]["a"]["type"], "integer");
    assert_eq!(tool.value().tool_type(), "MCP");
}
