//! What a server of one type offers.

use toolwright_core::toolset::Toolset;

use super::Server;

/// A type with the handlers of all its tools, prompts and resources, for [`Server::of`]: what `#[toolwright::handlers]`
/// implements.
///
/// ```
/// use toolwright_client::Client;
/// use toolwright_core::result::ToolError;
/// use toolwright_macros::Tool;
/// use toolwright_server::{Context, Handler, Handlers, Server};
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
///         Ok(input.a + input.b)
///     }
/// }
///
/// impl Handlers for Calculator {
///     type Tools = Add;
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::of(Calculator).build()?;
/// let result = Client::in_process(&service).call("add", serde_json::json!({"a": 1, "b": 2})).await?;
/// assert_eq!(result.as_text(), "3");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which tools it handles",
    label = "no `#[handlers]` block",
    note = "put `#[toolwright::handlers]` on the `impl` block with its handlers, or list the tools: `Server::new(…).tools::<…>()`"
)]
pub trait Handlers: Sized + 'static {
    /// The tools that it handles.
    type Tools: Toolset;

    /// Adds the prompts and resources that it handles; none by default.
    fn features(server: Server<Self>) -> Server<Self> {
        server
    }
}
