//! Calls tools without a connection, for example from a worker.

use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::result::ToolResult;
use toolwright_core::revision::Revision;

use crate::connection::{Ended, finish, panic_error};
use crate::context::Context;
use crate::error;
use crate::json_rpc::Form;
use crate::panics::{Panicked, UserFuture, catch};
use crate::provider::Outcome;
use crate::reply::Reply;
use crate::service::Service;
use crate::tool::Started;

impl Service {
    /// Runs a tool call as a connection does, and returns the `CallToolResult` of revision 2026-07-28: arguments are
    /// checked, the call ends at the deadline or cancellation of `cx`, and a panic ends only the call. Arguments are a
    /// JSON object; `None` means an empty one. Per-caller limits do not apply, since there is no caller.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use toolwright_server::{Context, Server};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let service = Server::new(()).build()?;
    /// let cx = Context::detached(Duration::from_secs(60));
    /// let error = service.run_tool("now", None, &cx).await.expect_err("there is no such tool");
    /// assert_eq!(error.code, -32602);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The protocol error that a connection would respond with: the tool is unknown, failed unexpectedly, was
    /// cancelled, or requires input, which cannot be provided.
    pub async fn run_tool(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        cx: &Context,
    ) -> Result<Box<RawValue>, ErrorObject> {
        let Some(entry) = self.shared().tool(name, cx.access()) else {
            return Err(error::unknown("tool", name));
        };
        let running: BoxFuture<'static, Outcome> =
            match catch(|| self.shared().middleware().call_tool(&entry, arguments, cx)) {
                Ok(Started::Ready(outcome)) => Box::pin(std::future::ready(outcome)),
                Ok(Started::Running(running)) => running,
                Err(Panicked) => return Err(panic_error("the tool")),
            };
        let ended = finish(UserFuture::new(Box::pin(to_end(running))), cx).await;
        cx.end();
        cx.report(name);
        let outcome = match ended {
            Ended::Done(outcome) => outcome,
            Ended::TimedOut => ToolResult::error(format!(
                "`{name}` did not finish before its deadline and was stopped; ask for less at a time, or try again later"
            ))
            .into(),
            Ended::Cancelled => return Err(error::internal("the call was cancelled")),
            Ended::Panicked => return Err(panic_error("the tool")),
        };
        let reply = match outcome {
            Outcome::Result(result) => Reply::Tool(entry, result),
            Outcome::Raw(raw) => Reply::Raw(raw, None),
            Outcome::Error(error) => error.into(),
            Outcome::InputRequired(_) | Outcome::Task(_) | Outcome::Created(_) => {
                error::internal("the tool requires input, but there is no client to ask").into()
            }
        };
        let server_meta = self.shared().server_meta();
        reply.into_result(&Form { revision: Revision::NEWEST, server_meta })
    }
}

/// Waits for a call to complete, even if it continues as a task elsewhere.
async fn to_end(running: BoxFuture<'static, Outcome>) -> Outcome {
    match running.await {
        Outcome::Task(later) => later.await,
        outcome => outcome,
    }
}
