//! Handlers, which run tools.

use std::future::Future;
use std::marker::PhantomData;

use toolwright_core::result::IntoToolResult;
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
///     type Output = Result<i64, ToolError>;
///
///     async fn call(&self, input: Add, _cx: &Context) -> Self::Output {
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
    note = "write `impl Handler<{T}> for {Self} {{ type Output = Result<…, ToolError>; async fn call(&self, input: {T}, cx: &Context) -> Self::Output {{ … }} }}`"
)]
pub trait Handler<T: Tool>: Send + Sync + 'static {
    /// What a call returns: text, a number, [`Json`](toolwright_core::result::Json) data, which gives the tool an output
    /// schema, or any other [`IntoToolResult`]; or a `Result` of one of these, with [`ToolError`](toolwright_core::result::ToolError) or any error that converts
    /// into it.
    type Output: IntoToolResult;

    /// Runs the tool.
    fn call(&self, input: T, cx: &Context) -> impl Future<Output = Self::Output> + Send;
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

    fn call(&self, input: T, _cx: &Context) -> impl Future<Output = R::Output> + Send {
        self(input)
    }
}

/// The code behind one tool as a function, for [`Server::tool`](crate::Server::tool): an async function or closure of a
/// tool, or of a tool and the [`Context`].
///
/// `Parameters` tells the two apart; the compiler finds it. A closure shares state by capturing an `Arc` and cloning it
/// for each call, since the future may outlive the call of the closure:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use toolwright_macros::Tool;
/// use toolwright_server::{Context, Server};
///
/// /// Count up.
/// #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
/// # #[mcp(crate = toolwright_core)]
/// struct Count {
///     by: u64,
/// }
///
/// let total = Arc::new(AtomicU64::new(0));
/// let service = Server::new(())
///     .tool(move |input: Count, cx: Context| {
///         let total = Arc::clone(&total);
///         async move {
///             cx.progress(1.0, Some(1.0), Some("counting"));
///             total.fetch_add(input.by, Ordering::Relaxed) + input.by
///         }
///     })
///     .build()?;
/// # let _ = service;
/// # Ok::<(), toolwright_server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that a tool can have as its handler",
    label = "not a handler of a tool",
    note = "write an async function or closure of a type that derives `toolwright::Tool`, or of that type and a `Context`; it returns text, `Json<T>`, another result of a tool, or a `Result` of one; its future must be `Send`",
    note = "a closure that captures state clones it for each call: `move |input: T| {{ let state = state.clone(); async move {{ … }} }}`"
)]
pub trait ToolHandler<Parameters>: Send + Sync + 'static {
    /// The tool.
    type Tool: Tool;
    /// What a call returns.
    type Output: IntoToolResult;

    /// Runs the tool.
    fn call(&self, input: Self::Tool, cx: &Context) -> impl Future<Output = Self::Output> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, T, R> ToolHandler<(T,)> for F
where
    F: Fn(T) -> R + Send + Sync + 'static,
    T: Tool,
    R: Future + Send,
    R::Output: IntoToolResult,
{
    type Tool = T;
    type Output = R::Output;

    fn call(&self, input: T, _cx: &Context) -> impl Future<Output = R::Output> + Send {
        self(input)
    }
}

#[diagnostic::do_not_recommend]
impl<F, T, R> ToolHandler<(T, Context)> for F
where
    F: Fn(T, Context) -> R + Send + Sync + 'static,
    T: Tool,
    R: Future + Send,
    R::Output: IntoToolResult,
{
    type Tool = T;
    type Output = R::Output;

    fn call(&self, input: T, cx: &Context) -> impl Future<Output = R::Output> + Send {
        self(input, cx.clone())
    }
}

/// A function as the state of its own tool.
pub(crate) struct ToolFunction<H, P>(pub(crate) H, pub(crate) PhantomData<fn(P)>);

impl<P: 'static, H: ToolHandler<P>> Handler<H::Tool> for ToolFunction<H, P> {
    type Output = H::Output;

    fn call(&self, input: H::Tool, cx: &Context) -> impl Future<Output = H::Output> + Send {
        self.0.call(input, cx)
    }
}
