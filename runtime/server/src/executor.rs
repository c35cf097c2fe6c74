//! The dynamic boundary: whatever can run a tool by name.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;

use crate::context::Context;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What runs tools by name: a typed toolset, a worker elsewhere, another MCP server, or your own.
///
/// A [`Service`](crate::Service) is one as well, so executors nest.
pub trait Executor: Send + Sync + 'static {
    /// The tools it runs now; names are unique. A definition that clients could not use, such as one whose input schema is
    /// not an object's, would make them drop the whole list: it is left out, and standard error says which and why.
    fn tools(&self) -> Arc<[ToolDefinition]>;

    /// Runs one call. Arguments come as they were sent: checking them is the executor's own matter.
    ///
    /// The result is checked: where the tool has an output schema, the structured content must be there and fit
    /// ([`Server::check_outputs`](crate::Server::check_outputs)), and what parsers would refuse is not passed on. Anything
    /// else becomes a result with `isError` that says what is wrong. Reserved names are dropped from `_meta`
    /// ([`toolwright_core::external::drop_reserved`]).
    ///
    /// An action with a name that [`Executor::tools`] does not have becomes a result with `isError`.
    fn execute<'a>(&'a self, action: Action<'a>, cx: &'a Context) -> BoxFuture<'a, ToolResult>;
}

/// One call on its way to an executor.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments as they were sent: the text of a JSON object, `null` or nothing.
    pub arguments: Option<&'a RawValue>,
    /// The application context that the caller works in, such as `orders/42`.
    pub context_path: Option<&'a str>,
}

impl<'a> Action<'a> {
    /// A call of `name` in the root context.
    pub fn new(name: &'a str, arguments: Option<&'a RawValue>) -> Self {
        Self { name, arguments, context_path: None }
    }
}

/// An executor, with a name for `Debug`.
pub(crate) struct DynExecutor(pub(crate) Arc<dyn Executor>);

impl std::fmt::Debug for DynExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Executor")
    }
}
