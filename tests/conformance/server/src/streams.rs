//! A tool that closes the connection on which its caller waits.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError};

use crate::Fixture;

/// Ends the stream of its call, and answers after that.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestReconnection {}

impl Handler<TestReconnection> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestReconnection, cx: &Context) -> Self::Output {
        cx.close_stream();
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok("Reconnection test completed successfully")
    }
}
