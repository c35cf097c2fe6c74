//! Tools that send messages during a call, read a header, or fail.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, protocol::LogLevel};

use crate::Fixture;

/// The pause that the suite requires between messages of one call.
const PAUSE: Duration = Duration::from_millis(50);

/// Logs three messages.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestToolWithLogging {}

/// Logs one message, which callers get that ask for messages.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestLoggingTool {}

/// Reports progress three times.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestToolWithProgress {}

/// Fails.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestErrorHandling {}

/// Repeats a value that a header has as well.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestCustomHeader {
    /// What to repeat.
    #[mcp(header = "Value")]
    value: String,
}

impl Handler<TestToolWithLogging> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestToolWithLogging, cx: &Context) -> Self::Output {
        cx.log(LogLevel::Info, None, "Tool execution started").await;
        tokio::time::sleep(PAUSE).await;
        cx.log(LogLevel::Info, None, "Tool processing data").await;
        tokio::time::sleep(PAUSE).await;
        cx.log(LogLevel::Info, None, "Tool execution completed").await;
        Ok("Tool with logging executed successfully")
    }
}

impl Handler<TestLoggingTool> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestLoggingTool, cx: &Context) -> Self::Output {
        cx.log(LogLevel::Info, None, "The tool was called").await;
        Ok("logged")
    }
}

impl Handler<TestToolWithProgress> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestToolWithProgress, cx: &Context) -> Self::Output {
        for percent in [0.0, 50.0, 100.0] {
            cx.progress(percent, Some(100.0), None).await;
            tokio::time::sleep(PAUSE).await;
        }
        Ok("Tool with progress executed successfully")
    }
}

impl Handler<TestErrorHandling> for Fixture {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: TestErrorHandling, _cx: &Context) -> Self::Output {
        Err(ToolError::new("This tool intentionally returns an error for testing"))
    }
}

impl Handler<TestCustomHeader> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: TestCustomHeader, _cx: &Context) -> Self::Output {
        Ok(input.value)
    }
}
