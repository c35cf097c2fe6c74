//! Providers of tools, prompts and resources that are known only at run time.
//!
//! A [`Provider`] is the dynamic boundary of a server. A typed toolset is known at compile time; what a worker, another
//! MCP server or a custom dispatcher offers is not. `request` contains the requests to a provider, `outcome` its
//! responses, and `changes` the notifications of changed lists.
//!
//! Typed toolsets bypass this trait. A service is a provider, too, so services nest.

mod changes;
mod outcome;
mod request;
mod skill;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::BoxFuture;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, error};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};

pub(crate) use changes::Change;
pub use changes::Changes;
pub use outcome::{Outcome, RawResult};
pub use request::{
    CompletionRequest, DirectoryRequest, PromptRequest, ResourceRequest, TaskAction, TaskRequest, ToolRequest,
};
pub use skill::{Directory, ProvidedSkill};

use crate::auth::Access;
use crate::completion::Completion;
use crate::context::Context;
pub use crate::input_requests::{InputRequired, InputResponses};

/// Offers tools, prompts and resources at run time, for example from a worker, another MCP server, or a custom
/// dispatcher.
///
/// Every method has a default, so implement only what the provider supports. A [`Service`](crate::Service) is a
/// provider as well, so servers nest.
///
/// ```
/// use std::sync::{Arc, PoisonError, RwLock};
///
/// use serde_json::json;
/// use toolwright_client::Client;
/// use toolwright_core::definition::ToolDefinition;
/// use toolwright_core::result::ToolResult;
/// use toolwright_server::auth::Access;
/// use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};
///
/// struct Clock;
///
/// impl Provider for Clock {
///     fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
///         [ToolDefinition::new("now", json!({"type": "object"}))].into()
///     }
///
///     fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
///         Outcome::from_future(async move { ToolResult::text(format!("{}: noon", request.name)) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::new(()).provider(Clock).build()?;
/// let result = Client::in_process(&service).call("now", json!({})).await?;
/// assert_eq!(result.as_text(), "now: noon");
/// # Ok(())
/// # }
/// ```
pub trait Provider: Send + Sync + 'static {
    /// Called once for each server that is built with this provider, with the handle to report changes. A provider
    /// whose lists never change can ignore it.
    fn attach(&self, changes: Changes) {
        drop(changes);
    }

    /// Returns the tools; names must be unique. `caller` is [`Access::Trusted`], unless the provider lists per caller
    /// ([`ProviderCapabilities::with_lists_by_caller`]). A definition that clients cannot use, such as one whose input
    /// schema does not describe an object, would make them reject the whole list; it is skipped, and the reason is
    /// logged to standard error.
    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        let _ = caller;
        Arc::default()
    }

    /// Runs a call. Arguments are passed as they were sent; the provider has to validate them.
    ///
    /// The result is validated: if the tool has an output schema, structured content must be present and match it
    /// ([`Server::check_outputs`](crate::Server::check_outputs)), and data that JSON parsers reject is not forwarded.
    /// An invalid result becomes one with `isError` that explains the problem. Reserved names are removed from `_meta`
    /// ([`toolwright_core::external::drop_reserved`]).
    ///
    /// Only called with names that [`Provider::tools`] returns, except by code that calls the provider directly.
    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let _ = cx;
        Box::pin(std::future::ready(error::unknown("tool", request.name).into()))
    }

    /// Handles a request about a task that this provider returned as [`Outcome::Created`], possibly before a restart.
    /// The server has checked that the caller is the one whose call became the task, with the scopes of its tool; the
    /// provider has to check whatever else decides about calls of the tool.
    ///
    /// Returns the task for [`TaskAction::Get`], and nothing otherwise. The result of a completed task is validated and
    /// converted as that of a call.
    ///
    /// # Errors
    /// A protocol error; [`error::INVALID_PARAMS`] if the task does not exist (any longer), which the client receives
    /// with its own id of the task.
    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        let _ = cx;
        Box::pin(std::future::ready(Err(error::unknown("task", request.id))))
    }

    /// Returns what the provider offers besides tools, and whether its lists differ between callers. Called when the
    /// server is built, and again after [`Changes::capabilities`].
    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS
    }

    /// Returns the prompts; names must be unique. A prompt whose name is taken is skipped and logged to standard error.
    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        let _ = caller;
        Arc::default()
    }

    /// Returns a prompt filled with arguments, which the provider has to validate.
    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let _ = cx;
        Box::pin(std::future::ready(error::unknown("prompt", request.name).into()))
    }

    /// Returns the resources; URIs must be unique. A resource whose URI is taken is skipped and logged to standard
    /// error.
    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        let _ = caller;
        Arc::default()
    }

    /// Returns the resource templates, in any form of RFC 6570: clients receive them unchanged.
    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        let _ = caller;
        Arc::default()
    }

    /// Reads a resource: one that it lists, or any other URI that the server does not know. With several providers, a
    /// URI is passed to each in order until one has it.
    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let error = error::unknown_resource(request.uri, cx.revision());
        Box::pin(std::future::ready(error.into()))
    }

    /// Called when the first client subscribes to the resource at `uri`, which this provider lists or may have; from
    /// now on [`Changes::resource_updated`] has an effect. Called once per URI regardless of the number of clients, and
    /// the resource need not exist. Must not block, and must not use [`Changes`].
    fn watch_resource(&self, uri: &str) {
        let _ = uri;
    }

    /// Called when no client subscribes to the resource at `uri` any longer. The same restrictions as for
    /// [`Provider::watch_resource`] apply.
    fn unwatch_resource(&self, uri: &str) {
        let _ = uri;
    }

    /// Returns the skills, whose URIs must be unique (SEP-2640); their files are resources of the provider. A skill whose
    /// URI is taken is skipped. Changes are reported as those of resources.
    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        let _ = caller;
        Arc::default()
    }

    /// Returns the entries of a directory of its skills. With several providers, a URI is passed to each in order until
    /// one has it.
    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        let _ = cx;
        Box::pin(std::future::ready(error::unknown("directory", request.uri).into()))
    }

    /// Suggests values for an argument of one of its prompts, or a variable of one of its resource templates.
    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let _ = (request, cx);
        Box::pin(std::future::ready(Completion::default().into()))
    }
}

/// What a provider offers besides tools. The server declares it to its clients, and does not call the methods for
/// anything else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent capability")]
pub struct ProviderCapabilities {
    /// Prompts.
    pub prompts: bool,
    /// Resources and resource templates.
    pub resources: bool,
    /// Completion of arguments of its prompts and of variables of its resource templates.
    pub completions: bool,
    /// Whether lists differ between callers. Read once, when the server is built.
    pub lists_by_caller: bool,
    /// Tasks that exist elsewhere ([`Outcome::Created`]).
    pub tasks: bool,
    /// Skills.
    pub skills: bool,
}

impl ProviderCapabilities {
    /// Only tools.
    pub const TOOLS: Self = Self {
        prompts: false,
        resources: false,
        completions: false,
        lists_by_caller: false,
        tasks: false,
        skills: false,
    };

    /// Adds prompts.
    pub const fn with_prompts(self) -> Self {
        Self { prompts: true, ..self }
    }

    /// Adds resources and resource templates.
    pub const fn with_resources(self) -> Self {
        Self { resources: true, ..self }
    }

    /// Adds completion.
    pub const fn with_completions(self) -> Self {
        Self { completions: true, ..self }
    }

    /// Declares that calls may return tasks that exist elsewhere, which requires the feature `tasks`. The server then
    /// declares the extension, and makes no tasks of its own from calls of this provider's tools.
    pub const fn with_tasks(self) -> Self {
        Self { tasks: true, ..self }
    }

    /// Adds skills, which requires the feature `skills`.
    pub const fn with_skills(self) -> Self {
        Self { skills: true, ..self }
    }

    /// Declares that lists differ between callers. The provider's lists are then read on every request, so that the
    /// list that shows a tool also admits its call; a tool that is not listed does not exist for that caller. While it
    /// returns the same `Arc`, derived data is reused. Its lists and reads are marked as private (2026-07-28,
    /// server/utilities/caching "Choosing a Cache Scope").
    pub const fn with_lists_by_caller(self) -> Self {
        Self { lists_by_caller: true, ..self }
    }
}

/// A provider with its current capabilities.
#[derive(Clone)]
pub(crate) struct DynProvider(pub(crate) Arc<dyn Provider>, Arc<RwLock<ProviderCapabilities>>);

impl DynProvider {
    pub(crate) fn new(provider: Arc<dyn Provider>) -> Self {
        Self(provider, Arc::default())
    }

    /// Reads the capabilities, when the server is built.
    pub(crate) fn read_capabilities(&self) {
        *self.1.write().unwrap_or_else(PoisonError::into_inner) = self.0.capabilities();
    }

    pub(crate) fn capabilities(&self) -> ProviderCapabilities {
        *self.1.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the capabilities again. Returns the old and the new ones.
    pub(crate) fn refresh_capabilities(&self) -> (ProviderCapabilities, ProviderCapabilities) {
        // Read with the lock held, so that of two concurrent reads the later one wins.
        let mut current = self.1.write().unwrap_or_else(PoisonError::into_inner);
        let older = *current;
        *current = ProviderCapabilities { lists_by_caller: older.lists_by_caller, ..self.0.capabilities() };
        (older, *current)
    }

    /// Returns its prompts; empty without that capability. The same applies to the other lists.
    pub(crate) fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        if self.capabilities().prompts { self.0.prompts(caller) } else { Arc::default() }
    }

    pub(crate) fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        if self.capabilities().resources { self.0.resources(caller) } else { Arc::default() }
    }

    pub(crate) fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        if self.capabilities().resources { self.0.resource_templates(caller) } else { Arc::default() }
    }
}

impl fmt::Debug for DynProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Provider")
    }
}
