//! An `impl` block whose methods are the handlers of a service.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_protocol::raw::{RawClient, RawError};
use toolwright::{BuildError, Context, Handler, Json, Server, Tool, ToolError, Toolset};

use crate::calculator::{Count, Divide, Sum, Whoami};

/// Adds two numbers.
#[derive(Tool, Deserialize, JsonSchema)]
struct Add {
    a: u64,
    b: u64,
}

/// Names the revision.
#[derive(Tool, Deserialize, JsonSchema)]
struct SpokenRevision {}

/// Starts again.
#[derive(Tool, Deserialize, JsonSchema)]
struct Reset {}

/// Never compiled.
#[cfg(any())]
struct Absent {}

/// An error of the service.
struct Unknown(&'static str);

impl From<Unknown> for ToolError {
    fn from(error: Unknown) -> Self {
        Self::new(error.0)
    }
}

#[derive(Default)]
struct Calculator {
    total: AtomicU64,
}

#[toolwright::handlers(name = "calculator", instructions = "Reset it first.")]
impl Calculator {
    const FIRST: u64 = 0;

    async fn count(&self, input: Count) -> u64 {
        tokio::task::yield_now().await;
        self.total.fetch_add(input.by, Ordering::Relaxed) + input.by
    }

    fn add(&self, input: Add) -> Json<Sum> {
        Json(Sum { sum: self.total.load(Ordering::Relaxed) + input.a + input.b })
    }

    async fn divide(&self, Divide { a, b }: Divide) -> Result<u64, Unknown> {
        a.checked_div(b).ok_or(Unknown("`b` must not be 0"))
    }

    async fn revision(&self, _: SpokenRevision, cx: &Context) -> Result<String, ToolError> {
        Ok(cx.revision().to_string())
    }

    fn whoami(&self, _: Whoami, cx: Context) -> String {
        format!("{:?}", cx.principal())
    }

    fn reset(&self, _: Reset) {
        self.total.store(Self::FIRST, Ordering::Relaxed);
    }

    #[cfg(any())]
    async fn absent(&self, _: Absent) {}
}

#[tokio::test]
async fn the_methods_of_a_block_handle_their_tools() -> Result<(), RawError> {
    let service = Server::of(Calculator::default()).build().expect("a server");
    assert_eq!(service.info().name, "calculator");
    let client = RawClient::in_process(&service);
    let list = client.request("tools/list", json!({})).await?;
    let names: Vec<_> = list["tools"].as_array().expect("a list").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["add", "count", "divide", "reset", "spoken_revision", "whoami"]);
    assert_eq!(client.call("count", json!({"by": 2})).await?.as_text(), "2");
    let sum = client.call("add", json!({"a": 1, "b": 2})).await?;
    assert_eq!(serde_json::to_value(sum.structured_content).expect("JSON"), json!({"sum": 5}));
    assert_eq!(client.call("divide", json!({"a": 6, "b": 2})).await?.as_text(), "3");
    let refused = client.call("divide", json!({"a": 1, "b": 0})).await?;
    assert!(refused.is_error && refused.as_text() == "`b` must not be 0", "{refused:?}");
    assert_eq!(client.call("spoken_revision", json!({})).await?.as_text(), "2026-07-28");
    assert_eq!(client.call("whoami", json!({})).await?.as_text(), "None");
    assert_eq!(client.call("reset", json!({})).await?.as_text(), "");
    assert_eq!(client.call("count", json!({"by": 1})).await?.as_text(), "1");
    Ok(())
}

#[test]
fn a_block_gives_definitions_their_output_schemas() {
    let definitions = <<Calculator as toolwright::handler::Handlers>::Tools as Toolset>::definitions();
    let add = definitions.iter().find(|tool| tool.name == "add").expect("it is there");
    assert_eq!(add.output_schema.as_ref().expect("a schema")["required"], json!(["sum"]));
}

struct Shout<T>(T);

#[toolwright::handlers]
impl<T: Display + Send + Sync + 'static> Shout<T> {
    async fn whoami(&self, _: Whoami) -> String {
        format!("{}!", self.0)
    }
}

#[tokio::test]
async fn a_generic_service_has_handlers() -> Result<(), RawError> {
    let service = Server::of(Shout("me")).build().expect("a server");
    assert_eq!(RawClient::in_process(&service).call("whoami", json!({})).await?.as_text(), "me!");
    Ok(())
}

impl Handler<Outside> for Calculator {
    type Output = Result<(), ToolError>;

    async fn call(&self, _: Outside, _: &Context) -> Self::Output {
        Ok(())
    }
}

/// A tool with a handler outside of the block.
#[derive(Tool, Deserialize, JsonSchema)]
struct Outside {}

#[test]
fn a_block_and_single_handlers_go_together() {
    let service = Server::of(Calculator::default()).tools::<Outside>().build();
    assert!(service.is_ok());
    let twice = Server::of(Shout("me")).tools::<Whoami>().build();
    assert!(matches!(&twice, Err(BuildError::DuplicateTool(name)) if name == "whoami"), "{twice:?}");
}
