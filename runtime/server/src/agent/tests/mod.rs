//! Tests of agents, with a provider that echoes what it was called with.

mod asking;
mod delegating;
mod reading;
mod tools;
mod typed;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_core::content::ContentBlock;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::BoxFuture;
use toolwright_core::result::ToolResult;

use super::*;
use crate::auth::Access;
use crate::context::Context;
use crate::provider::{Outcome, Provider, ToolRequest};

/// Returns the arguments as structured content; some names do something else.
struct Echo;

impl Provider for Echo {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        definitions().into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            let arguments =
                request.arguments.map_or(Value::Null, |text| serde_json::from_str(text.get()).unwrap());
            match request.name {
                "never" => std::future::pending().await,
                "panics" => panic!("on purpose"),
                "slow" => {
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    ToolResult::text("slow")
                }
                "fails" => {
                    let mut failure = ToolResult::default();
                    failure.is_error = true;
                    failure
                }
                "empty" => ToolResult::default(),
                "picture" => ToolResult::new([
                    ContentBlock::text("here:"),
                    ContentBlock::image([1, 2, 3], "image/png"),
                ]),
                name => {
                    let seen = json!({"name": name, "arguments": arguments, "context": request.context_path});
                    ToolResult::structured(&seen).unwrap()
                }
            }
        })
    }
}

fn definitions() -> Vec<ToolDefinition> {
    let order_id = json!({"type": "string", "pattern": "^#W[0-9]{7}$", "examples": ["#W0000001"]});
    let tool = |name: &str, description: &str, input_schema: Value| json!({"name": name, "description": description, "inputSchema": input_schema});
    let nothing = json!({"type": "object", "properties": {}});
    let mut ship = tool("ship", "Ships an order.", nothing.clone());
    ship["_meta"] = json!({"io.toolwright/context": "orders"});
    let mut cancel = tool(
        "cancel_pending_order",
        "Cancels an order.",
        json!({"type": "object", "properties": {"order_id": order_id, "reason": {"enum": ["no longer needed", "by mistake"]}}, "required": ["order_id", "reason"]}),
    );
    cancel["_meta"] = json!({"io.toolwright/was": ["stop_order"]});
    let tools = [
        cancel,
        tool(
            "get_order_details",
            "Looks up an order.",
            json!({"type": "object", "properties": {"order_id": order_id}, "required": ["order_id"]}),
        ),
        tool(
            "search",
            "Searches.",
            json!({
                "type": "object",
                "properties": {
                    "command": {"enum": ["search"]},
                    "text": {"type": "string"},
                    "limit": {"type": "integer"},
                    "score": {"type": "number"},
                    "exact": {"type": "boolean"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "ids": {"type": "array", "items": {"type": "integer"}},
                    "filter": {"type": "object"},
                    "either": {"type": ["integer", "string"]},
                    "maybe": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
                    "anything": true,
                },
                "required": ["command"],
                "$defs": {"Level": {"enum": [1, 2]}},
            }),
        ),
        tool("Twin", "", nothing.clone()),
        tool("twin", "", nothing.clone()),
        tool("never", "", nothing.clone()),
        tool("panics", "", nothing.clone()),
        tool("slow", "", nothing.clone()),
        tool("fails", "", nothing.clone()),
        tool("empty", "", nothing.clone()),
        tool("picture", "", nothing),
        ship,
    ];
    tools.into_iter().map(|tool| serde_json::from_value(tool).unwrap()).collect()
}

fn definition(name: &str) -> ToolDefinition {
    definitions().into_iter().find(|tool| tool.name == name).unwrap()
}

fn agent() -> Agent {
    Agent::new(Arc::new(Echo))
}

fn cx() -> Context {
    Context::detached(Duration::from_secs(5))
}

/// What the provider was called with.
fn seen(message: &AgentMessage) -> Value {
    message.structured_content.as_ref().expect("structured content").to_value()
}

/// An error and all its sources.
fn chain(error: &dyn Error) -> Vec<String> {
    let mut texts = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        texts.push(error.to_string());
        cause = error.source();
    }
    texts
}
