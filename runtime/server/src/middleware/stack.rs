//! The middleware stack of a server.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::error;
use toolwright_core::resource::ResourceResult;

use super::invocation::{Handler, Invocation, InvocationResult, Next, Target};
use super::{DynMiddleware, Middleware};
use crate::context::Context;
use crate::features::{FoundResource, PromptEntry, RequestResult, outcome_of, result_of};
use crate::provider::Outcome;
use crate::tool::{Started, ToolEntry};

/// The middleware of a server, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Stack(Option<Arc<[Arc<dyn DynMiddleware>]>>);

impl Stack {
    /// Adds the innermost one.
    pub(crate) fn push(&mut self, middleware: impl Middleware) {
        let added: Arc<dyn DynMiddleware> = Arc::new(middleware);
        let all = self.0.iter().flat_map(|all| all.iter().cloned()).chain([added]);
        self.0 = Some(all.collect());
    }

    /// All of it, if any has something to do.
    #[inline]
    fn active(&self) -> Option<&Arc<[Arc<dyn DynMiddleware>]>> {
        self.0.as_ref().filter(|all| all.iter().any(|middleware| middleware.is_active()))
    }

    /// Runs a tool call.
    #[inline]
    pub(crate) fn call_tool(
        &self,
        entry: &Arc<ToolEntry>,
        arguments: Option<&RawValue>,
        cx: &Context,
    ) -> Started {
        let Some(stack) = self.active() else { return entry.run.start(arguments, cx) };
        let run = {
            let entry = Arc::clone(entry);
            move |invocation: &Invocation| -> BoxFuture<'static, _> {
                match entry.run.start(invocation.arguments(), invocation.context()) {
                    Started::Ready(outcome) => Box::pin(std::future::ready(outcome.then(of_tool))),
                    Started::Running(running) => Box::pin(async move { running.await.then(of_tool) }),
                }
            }
        };
        let invocation = Invocation::new(Target::Tool(Arc::clone(entry)), arguments, cx);
        let outcome = run_through(stack, invocation, Box::new(run));
        Started::Running(Box::pin(async move { outcome.await.then(as_tool) }))
    }

    /// Runs a request for a prompt.
    pub(crate) fn get_prompt(
        &self,
        entry: Arc<PromptEntry>,
        name: &str,
        arguments: Option<&RawValue>,
        cx: &Context,
    ) -> BoxFuture<'static, RequestResult<PromptResult>> {
        let owned = arguments.map(ToOwned::to_owned);
        let Some(stack) = self.active() else { return entry.get(owned, cx.clone()) };
        let run = move |invocation: &Invocation| -> BoxFuture<'static, _> {
            let cx = invocation.context().clone();
            Box::pin(async move {
                let revision = cx.revision();
                outcome_of(entry.get(owned, cx).await, None, revision).then(of_prompt)
            })
        };
        let invocation = Invocation::new(Target::Prompt(name.to_owned()), arguments, cx);
        let outcome = run_through(stack, invocation, Box::new(run));
        Box::pin(async move { result_of(outcome.await.then(as_prompt)) })
    }

    /// Runs a resource read.
    pub(crate) fn read_resource(
        &self,
        found: FoundResource,
        uri: &str,
        cx: &Context,
    ) -> BoxFuture<'static, RequestResult<ResourceResult>> {
        let read = found.read(uri)(cx.clone());
        let Some(stack) = self.active() else { return read };
        let run = {
            let (uri, revision) = (uri.to_owned(), cx.revision());
            move |_: &Invocation| -> BoxFuture<'static, _> {
                Box::pin(async move { outcome_of(read.await, Some(&uri), revision).then(of_resource) })
            }
        };
        let invocation = Invocation::new(Target::Resource(uri.to_owned()), None, cx);
        let outcome = run_through(stack, invocation, Box::new(run));
        Box::pin(async move { result_of(outcome.await.then(as_resource)) })
    }
}

/// Runs a request through all middleware, then the handler.
fn run_through(
    stack: &Arc<[Arc<dyn DynMiddleware>]>,
    invocation: Invocation,
    handler: Handler,
) -> impl Future<Output = Outcome<InvocationResult>> + Send + 'static {
    Next { stack: Arc::clone(stack), passed: 0, handler }.run(invocation)
}

fn of_tool(result: toolwright_core::result::ToolResult) -> Outcome<InvocationResult> {
    Outcome::Result(InvocationResult::Tool(result))
}

fn of_prompt(result: PromptResult) -> Outcome<InvocationResult> {
    Outcome::Result(InvocationResult::Prompt(result))
}

fn of_resource(result: ResourceResult) -> Outcome<InvocationResult> {
    Outcome::Result(InvocationResult::Resource(result))
}

fn as_tool(result: InvocationResult) -> Outcome {
    match result {
        InvocationResult::Tool(result) => Outcome::Result(result),
        _ => wrong_kind(),
    }
}

fn as_prompt(result: InvocationResult) -> Outcome<PromptResult> {
    match result {
        InvocationResult::Prompt(result) => Outcome::Result(result),
        _ => wrong_kind(),
    }
}

fn as_resource(result: InvocationResult) -> Outcome<ResourceResult> {
    match result {
        InvocationResult::Resource(result) => Outcome::Result(result),
        _ => wrong_kind(),
    }
}

fn wrong_kind<T>() -> Outcome<T> {
    error::internal("a middleware of the server answered with the result of another kind of request").into()
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.as_ref().map_or(0, |all| all.len());
        f.debug_tuple("Stack").field(&count).finish()
    }
}
