//! Tools with a function of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_protocol::raw::{RawClient, RawError};
use toolwright::{BuildError, Context, Json, Server, Tool, ToolError};

use crate::calculator::{Count, Divide, Sum, Whoami};

/// Adds two numbers.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(output = Sum)]
struct Add {
    a: u64,
    b: u64,
}

async fn add(input: Add) -> Json<Sum> {
    Json(Sum { sum: input.a + input.b })
}

/// A service whose methods are handlers.
struct Total(AtomicU64);

impl Total {
    async fn count(&self, input: Count) -> u64 {
        tokio::task::yield_now().await;
        self.0.fetch_add(input.by, Ordering::Relaxed) + input.by
    }
}

#[tokio::test]
async fn functions_closures_and_methods_are_handlers() -> Result<(), RawError> {
    let total = Arc::new(Total(AtomicU64::new(0)));
    let service = Server::new(())
        .tool(add)
        .tool({
            let total = Arc::clone(&total);
            move |input: Count| {
                let total = Arc::clone(&total);
                async move { total.count(input).await }
            }
        })
        .tool(async |input: Divide| {
            input.a.checked_div(input.b).ok_or_else(|| ToolError::new("`b` must not be 0"))
        })
        .tool(async |_: Whoami, cx: Context| format!("{} {:?}", cx.revision(), cx.principal()))
        .build()
        .expect("a server");
    assert_eq!(service.info().name, "test-protocol");
    let client = RawClient::in_process(&service);
    let sum = client.call("add", json!({"a": 1, "b": 2})).await?;
    let structured = serde_json::to_value(sum.structured_content).expect("JSON");
    assert_eq!(structured, json!({"sum": 3}));
    for expected in ["2", "4"] {
        assert_eq!(client.call("count", json!({"by": 2})).await?.as_text(), expected);
    }
    assert_eq!(total.0.load(Ordering::Relaxed), 4);
    let refused = client.call("divide", json!({"a": 1, "b": 0})).await?;
    assert!(refused.is_error && refused.as_text() == "`b` must not be 0", "{refused:?}");
    assert_eq!(client.call("whoami", json!({})).await?.as_text(), "2026-07-28 None");
    let invalid = client.call("count", json!({"by": "x"})).await?;
    assert!(invalid.is_error && invalid.as_text().contains("/by"), "{invalid:?}");
    Ok(())
}

#[test]
fn two_functions_of_one_tool_are_a_build_error() {
    let twice = Server::new(()).tool(add).tool(add).build();
    assert!(matches!(twice, Err(BuildError::DuplicateTool(name)) if name == "add"));
    let beside_a_set = Server::new(async |_: Whoami| "me").tools::<Whoami>().tool(async |_: Whoami| "you");
    assert!(matches!(beside_a_set.build(), Err(BuildError::DuplicateTool(name)) if name == "whoami"));
}
