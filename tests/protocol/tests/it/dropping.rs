//! Values of handlers that panic when they are dropped: the call is still answered.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Client, Context, Handler, Limits, Provider, Server, Service, Tool, ToolError, ToolResult,
    client::ErrorKind,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

/// Waits forever, with a value that panics when it is dropped.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Wait {
    /// How often it waits before that.
    #[serde(default)]
    moments: u32,
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a value panics when it is dropped");
    }
}

/// The payload of a handler's panic.
struct Thrown;

impl Drop for Thrown {
    fn drop(&mut self) {
        std::panic::panic_any(Bomb);
    }
}

/// Panics with a value that panics when it is dropped.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Throw {
    /// Whether to wait a moment first.
    later: bool,
}

struct Room;

impl Handler<Wait> for Room {
    type Output = Result<(), ToolError>;

    async fn call(&self, input: Wait, _cx: &Context) -> Self::Output {
        let _bomb = Bomb;
        for _ in 0..input.moments {
            tokio::task::yield_now().await;
        }
        std::future::pending().await
    }
}

impl Handler<Throw> for Room {
    type Output = Result<(), ToolError>;

    async fn call(&self, input: Throw, _cx: &Context) -> Self::Output {
        if input.later {
            tokio::task::yield_now().await;
        }
        std::panic::panic_any(Thrown)
    }
}

impl Provider for Room {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        [ToolDefinition::new("other", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let bomb = Bomb;
        Outcome::from_future(async move {
            let _bomb = bomb;
            std::future::pending::<ToolResult>().await
        })
    }
}

fn service() -> Service {
    let limits = Limits { call_timeout: Duration::from_millis(20), ..Limits::default() };
    let server = Server::new(Room).tools::<Wait>().tools::<Throw>().provider(Room);
    server.limits(limits).build().expect("right")
}

#[tokio::test]
async fn a_call_that_runs_out_of_time_is_answered() {
    let service = service();
    let client = Client::in_process(&service);
    for (tool, arguments) in [("wait", json!({})), ("wait", json!({"moments": 3})), ("other", json!({}))] {
        let answer = tokio::time::timeout(Duration::from_secs(10), client.call(tool, arguments)).await;
        let result = answer.expect("an answer").expect("a result");
        assert!(result.is_error && result.as_text().contains("did not finish within"), "{result:?}");
    }
}

#[tokio::test]
async fn a_panic_with_a_value_that_panics_is_answered() {
    let service = service();
    let client = Client::in_process(&service);
    for later in [false, true] {
        let answer =
            tokio::time::timeout(Duration::from_secs(10), client.call("throw", json!({"later": later})))
                .await;
        let error = answer.expect("an answer").expect_err("it panics");
        assert_eq!((error.kind(), error.rpc().map(|rpc| rpc.code)), (ErrorKind::Protocol, Some(-32603)));
    }
}
