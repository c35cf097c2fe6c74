//! The peer of comparative measurements: `bench-toolwright stdio [N]` and `bench-toolwright http PORT [N]` serve `add`,
//! `echo` and N generated tools. With the feature `worker`, `bench-toolwright worker URL` executes the calls of the pool `default` in the
//! Redis at the URL, and `bench-toolwright calls URL SECONDS FLIGHT` makes such calls without a gateway, FLIGHT at a time, and prints
//! how long they took.

#[cfg(feature = "worker")]
mod calls;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Http, Json, Provider, Server, Stdio, Tool, ToolError, ToolResult, Toolset,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
    result::IntoToolResult,
};

const USAGE: &str =
    "usage: bench-toolwright stdio [N] | http PORT [N] | worker URL | calls URL SECONDS FLIGHT";

/// The state of the handlers: none.
struct Bench;

/// Add two integers
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output = Sum)]
struct Add {
    a: i64,
    b: i64,
}

/// The sum.
#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Echo the text
#[derive(Tool, Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

/// The two tools that are measured.
#[derive(Toolset)]
#[mcp(name = "bench")]
enum BenchTools {
    Add(Add),
    Echo(Echo),
}

/// The sum as data, with the bare number as text.
struct Added(Sum);

impl IntoToolResult for Added {
    fn output_schema() -> Option<serde_json::Value> {
        <Json<Sum> as IntoToolResult>::output_schema()
    }

    fn into_tool_result(self) -> ToolResult {
        let text = self.0.sum.to_string();
        let mut result = Json(self.0).into_tool_result();
        result.content = vec![toolwright::content::ContentBlock::text(text)];
        result
    }
}

impl Handler<Add> for Bench {
    type Output = Result<Added, ToolError>;

    async fn call(&self, Add { a, b }: Add, _cx: &Context) -> Self::Output {
        Ok(Added(Sum { sum: a + b }))
    }
}

impl Handler<Echo> for Bench {
    type Output = Result<String, ToolError>;

    async fn call(&self, Echo { text }: Echo, _cx: &Context) -> Self::Output {
        Ok(text)
    }
}

/// Tools that are only listed.
struct Generated(Arc<[ToolDefinition]>);

impl Generated {
    fn new(count: usize) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "limit": {"type": "integer", "description": "At most this many"},
                "exact": {"type": "boolean", "description": "Match exactly"}
            },
            "required": ["query"]
        });
        let tool = |i| {
            let mut tool = ToolDefinition::new(format!("tool_{i:04}"), schema.clone());
            tool.description = Some(format!("Generated tool number {i}"));
            tool
        };
        Self((0..count).map(tool).collect())
    }
}

impl Provider for Generated {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        Arc::clone(&self.0)
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async { ToolResult::text("ok") })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = |at: usize| arguments.get(at).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    let server = |extra| Server::new(Bench).tools::<BenchTools>().provider(Generated::new(extra));
    match arguments.first().map(String::as_str) {
        Some("stdio") => server(count(1)).serve(Stdio).await?,
        Some("http") => {
            let port: u16 = arguments.get(1).ok_or("http needs a port")?.parse()?;
            server(count(2)).serve(Http::bind(("127.0.0.1", port))?).await?;
        }
        #[cfg(feature = "worker")]
        Some("worker") => {
            let bus =
                toolwright::gateway::redis::RedisBus::connect(arguments.get(1).ok_or("worker needs a URL")?)
                    .await?;
            let worker = toolwright::gateway::Worker::new(Arc::new(bus), "default", server(0).build()?);
            worker.concurrency(64).run().await;
        }
        #[cfg(feature = "worker")]
        Some("calls") => {
            let seconds = std::time::Duration::from_secs(count(2).try_into()?);
            println!(
                "{}",
                calls::make(arguments.get(1).ok_or("calls needs a URL")?, seconds, count(3)).await?
            );
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
