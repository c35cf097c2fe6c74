//! A request as seen by middleware.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::BoxFuture;
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::{error, method};
use toolwright_core::resource::ResourceResult;
use toolwright_core::result::ToolResult;

use super::DynMiddleware;
use super::ending::{Ending, Observer};
use crate::context::Context;
use crate::provider::Outcome;
use crate::tool::ToolEntry;

/// A tool call, a request for a prompt, or a resource read. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Invocation(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    target: Target,
    arguments: Option<Box<RawValue>>,
    cx: Context,
}

/// What is called.
#[derive(Debug)]
pub(super) enum Target {
    Tool(Arc<ToolEntry>),
    Prompt(String),
    Resource(String),
}

impl Invocation {
    pub(super) fn new(target: Target, arguments: Option<&RawValue>, cx: &Context) -> Self {
        let arguments = arguments.map(ToOwned::to_owned);
        Self(Arc::new(Parts { target, arguments, cx: cx.clone() }))
    }

    /// Returns the method: `tools/call`, `prompts/get` or `resources/read`.
    pub fn method(&self) -> &'static str {
        match &self.0.target {
            Target::Tool(_) => method::TOOLS_CALL,
            Target::Prompt(_) => method::PROMPTS_GET,
            Target::Resource(_) => method::RESOURCES_READ,
        }
    }

    /// Returns the name of the tool (its current one, if the caller used a former name) or prompt, or the URI of
    /// the resource.
    pub fn name(&self) -> &str {
        match &self.0.target {
            Target::Tool(entry) => &entry.definition.name,
            Target::Prompt(name) | Target::Resource(name) => name,
        }
    }

    /// Returns the definition of the tool, with its annotations and `_meta`; `None` for prompts and resources.
    pub fn tool(&self) -> Option<&ToolDefinition> {
        match &self.0.target {
            Target::Tool(entry) => Some(&entry.definition),
            Target::Prompt(_) | Target::Resource(_) => None,
        }
    }

    /// Returns the arguments as received: a JSON object that is not validated yet; `None` if there are none.
    /// They may contain secrets.
    pub fn arguments(&self) -> Option<&RawValue> {
        self.0.arguments.as_deref()
    }

    /// Returns the context of the request: its principal, `_meta`, revision and deadline.
    pub fn context(&self) -> &Context {
        &self.0.cx
    }

    /// Rejects the request with a message, without running it. A tool call returns a result with `isError`,
    /// which the model reads: say what to do next. A prompt or a resource returns an internal error (-32603).
    pub fn refuse(&self, message: impl Into<String>) -> Outcome<InvocationResult> {
        let message = message.into();
        match self.0.target {
            Target::Tool(_) => Outcome::Result(InvocationResult::Tool(ToolResult::error(message))),
            Target::Prompt(_) | Target::Resource(_) => error::internal(&message).into(),
        }
    }
}

/// The result of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum InvocationResult {
    /// Of a tool call.
    Tool(ToolResult),
    /// Of a request for a prompt.
    Prompt(PromptResult),
    /// Of a resource read.
    Resource(ResourceResult),
}

/// The rest of the middleware stack, then the handler. It runs at most once.
pub struct Next {
    pub(super) stack: Arc<[Arc<dyn DynMiddleware>]>,
    /// The number of middleware that already ran.
    pub(super) passed: usize,
    pub(super) handler: Handler,
}

pub(super) type Handler =
    Box<dyn FnOnce(&Invocation) -> BoxFuture<'static, Outcome<InvocationResult>> + Send>;

impl Next {
    /// Runs the request.
    pub async fn run(mut self, invocation: Invocation) -> Outcome<InvocationResult> {
        match self.stack.get(self.passed).map(Arc::clone) {
            Some(middleware) => {
                self.passed += 1;
                middleware.handle(invocation, self).await
            }
            None => (self.handler)(&invocation).await,
        }
    }

    /// Runs the request, and calls `report` once with the ending and the duration, also if the request is
    /// cancelled, reaches its deadline, panics, or is dropped to run again with input from the client.
    ///
    /// ```
    /// use toolwright_server::middleware::{Invocation, Next};
    ///
    /// # let server = toolwright_server::Server::new(());
    /// let server = server.middleware(|invocation: Invocation, next: Next| {
    ///     next.observe(invocation, |invocation, ending, elapsed| {
    ///         eprintln!("{} {} {ending} {elapsed:?}", invocation.method(), invocation.name());
    ///     })
    /// });
    /// # let _ = server.build()?;
    /// # Ok::<(), toolwright_server::BuildError>(())
    /// ```
    pub async fn observe(
        self,
        invocation: Invocation,
        report: impl FnOnce(&Invocation, Ending, Duration) + Send,
    ) -> Outcome<InvocationResult> {
        let observer = Observer::new(invocation.clone(), Instant::now(), report);
        let outcome = self.run(invocation).await;
        observer.end(Ending::of(&outcome));
        outcome
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("passed", &self.passed).finish_non_exhaustive()
    }
}
