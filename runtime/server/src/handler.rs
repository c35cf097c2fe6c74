//! Handlers: the code behind one tool.

use std::future::Future;

use toolwright_core::result::{IntoToolResult, ToolError};
use toolwright_core::tool::Tool;

use crate::context::Context;

/// The code behind the tool `T`: implemented once per tool on the service's own type.
///
/// Any function from a tool to a future of a result is a handler too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for the tool `{T}`",
    label = "no `Handler<{T}>` for `{Self}`",
    note = "write `impl Handler<{T}> for {Self} {{ type Output = …; async fn call(&self, input: {T}, cx: &Context) -> Result<Self::Output, ToolError> {{ … }} }}`"
)]
pub trait Handler<T: Tool>: Send + Sync + 'static {
    /// What a successful call returns; `Json<Data>` gives the tool an output schema.
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
