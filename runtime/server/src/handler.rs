//! Handlers, which run tools.

use std::future::Future;

use toolwright_core::result::{IntoToolResult, ToolError};
use toolwright_core::tool::Tool;

use crate::context::Context;

/// Runs the tool `T`. Implement it once per tool on the service's type.
///
/// Any function from a tool to a future of a result is a handler, too.
///
/// ```
/// use toolwright_client::Client;
/// use toolwright_core::result::ToolError;
/// use toolwright_macros::Tool;
/// use toolwright_server::{Context, Handler, Server};
///
/// /// Add two numbers.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// # #[mcp(crate = toolwright_core)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// struct Calculator;
///
/// impl Handler<Add> for Calculator {
///     type Output = i64;
///
///     async fn call(&self, input: Add, _cx: &Context) -> Result<i64, ToolError> {
///         input.a.checked_add(input.b).ok_or_else(|| ToolError::new("the sum is too large"))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::new(Calculator).tools::<Add>().build()?;
/// let result = Client::in_process(&service).call("add", serde_json::json!({"a": 1, "b": 2})).await?;
/// assert_eq!(result.as_text(), "3");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for the tool `{T}`",
    label = "no `Handler<{T}>` for `{Self}`",
    note = "write `impl Handler<{T}> for {Self} {{ type Output = …; async fn call(&self, input: {T}, cx: &Context) -> Result<Self::Output, ToolError> {{ … }} }}`"
)]
pub trait Handler<T: Tool>: Send + Sync + 'static {
    /// The output of a successful call; `Json<Data>` gives the tool an output schema.
    type Output: IntoToolResult;

    /// Runs the tool.
    fn call(&self, input: T, cx: &Context) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, T, R> Handler<T> for F
where
    F: Fn(T) -> R + Send + Sync + 'static,
    T: Tool,
    R: Future + Send,
    R::Output: IntoToolResult,
{
    type Output = R::Output;

    async fn call(&self, input: T, _cx: &Context) -> Result<Self::Output, ToolError> {
        Ok(self(input).await)
    }
}
