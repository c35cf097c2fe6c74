//! A provider that forwards what others wrote, unchanged.

use std::process::Stdio;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::process::Command;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Provider, ToolResult,
    definition::ToolDefinition,
    protocol::LogLevel,
    provider::{Outcome, ToolRequest},
};

/// Answers with the text that it is given, read as a result or as the data of a log message.
#[derive(Debug)]
pub(crate) struct Relay;

/// Definitions that clients could not use.
pub(crate) fn broken() -> Vec<ToolDefinition> {
    let object = json!({"type": "object"});
    let openapi = json!({"$schema": "https://spec.openapis.org/oas/3.1/dialect/base", "type": "object"});
    let deep = (0..110).fold(json!({}), |below, _| json!({"not": below}));
    let tool = |name: &str, schema: &Value| ToolDefinition::new(name, schema.clone());
    vec![
        tool("", &object),
        tool("relay twice", &object),
        tool("relay\n{\"jsonrpc\":\"2.0\"}", &object),
        tool("relay_true", &json!(true)),
        tool("relay_array", &json!({"type": "array"})),
        tool("relay_openapi", &openapi),
        tool("relay_nowhere", &json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/None"}}})),
        tool("relay_deep", &json!({"type": "object", "properties": {"a": deep}})),
        tool("relay_false", &object).output_schema(json!(false)),
    ]
}

/// The standard input of a program that is started here.
async fn read_by_a_child(program: &str) -> String {
    let child = Command::new(program).stdout(Stdio::piped()).spawn().expect("a program");
    let output = child.wait_with_output().await.expect("it ends");
    String::from_utf8(output.stdout).expect("text")
}

impl Provider for Relay {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let schema =
            json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let good = [
            ToolDefinition::new("relay", schema.clone()),
            ToolDefinition::new("relay_checked", schema.clone()).output_schema(output),
            ToolDefinition::new("relay_child", schema.clone()),
            ToolDefinition::new("relay_log", schema.clone()),
            ToolDefinition::new("relay_progress", schema),
        ];
        good.into_iter().chain(broken()).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        #[derive(Deserialize)]
        struct Arguments {
            text: String,
        }
        Outcome::from_future(async move {
            let arguments = request.arguments.map_or("{}", RawValue::get);
            let Arguments { text } = serde_json::from_str(arguments).expect("the arguments of a test");
            match request.name {
                "relay_log" => {
                    cx.log(LogLevel::Error, None, RawValue::from_string(text).expect("JSON")).await;
                    ToolResult::text("logged")
                }
                "relay_progress" => {
                    let values: Vec<Option<f64>> = serde_json::from_str(&text).expect("numbers");
                    for value in values {
                        cx.progress(value.unwrap_or(f64::NAN), Some(f64::INFINITY), None).await;
                    }
                    ToolResult::text("reported")
                }
                "relay_child" => ToolResult::text(read_by_a_child(&text).await),
                _ => serde_json::from_str(&text).unwrap_or_else(|error| ToolResult::error(error.to_string())),
            }
        })
    }
}
