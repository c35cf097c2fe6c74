//! Providers: tools, prompts and resources that are known at run time only.
//!
//! A [`Provider`] is the dynamic boundary of a server. A typed toolset is known when the program is compiled; what a
//! worker, another MCP server or a dispatcher of your own offers is not. `request` holds what a provider is asked,
//! `outcome` what it may answer, `changes` how it says that its lists have changed.
//!
//! Typed toolsets do not go through it. A service is a provider too, so services nest.

mod changes;
mod outcome;
mod request;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::error;
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};

pub(crate) use changes::Change;
pub use changes::Changes;
pub use outcome::{Outcome, RawResult};
pub use request::{CompletionRequest, PromptRequest, ResourceRequest, ToolRequest};

use crate::auth::Access;
use crate::completion::Completion;
use crate::context::Context;
use crate::future::BoxFuture;
pub use crate::input_requests::{InputRequired, InputResponses};

/// Offers tools, prompts and resources at run time: a worker, another MCP server, or a dispatcher of your own.
///
/// Every method has a default, so a provider implements what it has. A [`Service`](crate::Service) is a provider as well,
/// so servers nest.
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
    /// Called once for each server that is built with this provider, with the handle that says that something has
    /// changed. A provider whose lists never change needs none.
    fn attach(&self, changes: Changes) {
        drop(changes);
    }

    /// The tools; names are unique. `caller` is [`Access::Trusted`], unless the provider has lists for each caller
    /// ([`ProviderCapabilities::with_lists_by_caller`]): then it is whoever asks. A definition that clients could not use, such as one whose input schema does not
    /// describe an object, would make them drop the whole list: it is left out, and standard error says which and why.
    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        let _ = caller;
        Arc::default()
    }

    /// Runs one call. Arguments come as they were sent: checking them is the provider's own matter.
    ///
    /// The result is checked: where the tool has an output schema, the structured content must be there and fit
    /// ([`Server::check_outputs`](crate::Server::check_outputs)), and what parsers would refuse is not passed on. Anything
    /// else becomes a result with `isError` that says what is wrong. Reserved names are dropped from `_meta`
    /// ([`toolwright_core::external::drop_reserved`]).
    ///
    /// A name that [`Provider::tools`] does not have is never asked for, except by those who call the provider directly.
    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let _ = cx;
        Box::pin(std::future::ready(error::unknown("tool", request.name).into()))
    }

    /// What it has beside tools, and whether its lists are the same for all callers. It is called when the server is built,
    /// and again after [`Changes::capabilities`].
    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS
    }

    /// The prompts; names are unique. One whose name is taken is left out, and standard error says so.
    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        let _ = caller;
        Arc::default()
    }

    /// Fills in a prompt. Checking arguments is the provider's own matter.
    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let _ = cx;
        Box::pin(std::future::ready(error::unknown("prompt", request.name).into()))
    }

    /// The resources; addresses are unique. One whose address is taken is left out, and standard error says so.
    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        let _ = caller;
        Arc::default()
    }

    /// The resource templates, of any form that RFC 6570 has: clients get them as they are.
    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        let _ = caller;
        Arc::default()
    }

    /// Reads a resource: one that it lists, or any other address that nothing else of the server stands at. Where there
    /// are several providers, an address is offered to one after the other until one has it.
    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let error = error::unknown_resource(request.uri, cx.revision());
        Box::pin(std::future::ready(error.into()))
    }

    /// Called when the first client watches the resource at `uri`, which this provider lists or may have: from now on
    /// [`Changes::resource_updated`] reaches someone. An address is watched once, however many clients do so, and nothing
    /// may stand at it. This must not block, and [`Changes`] must not be used within it.
    fn watch_resource(&self, uri: &str) {
        let _ = uri;
    }

    /// Called when no client watches the resource at `uri` any more. The same holds as for
    /// [`Provider::watch_resource`].
    fn unwatch_resource(&self, uri: &str) {
        let _ = uri;
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

/// What a provider has beside tools. A server declares it to its clients, and asks the provider for nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability, whatever the others are")]
pub struct ProviderCapabilities {
    /// Prompts.
    pub prompts: bool,
    /// Resources and resource templates.
    pub resources: bool,
    /// Completion of arguments of its prompts and of variables of its resource templates.
    pub completions: bool,
    /// Whether each caller has lists of its own. This one does not change: what holds when the server is built holds.
    pub lists_by_caller: bool,
}

impl ProviderCapabilities {
    /// Nothing but tools.
    pub const TOOLS: Self =
        Self { prompts: false, resources: false, completions: false, lists_by_caller: false };

    /// With prompts.
    pub const fn with_prompts(self) -> Self {
        Self { prompts: true, ..self }
    }

    /// With resources and resource templates.
    pub const fn with_resources(self) -> Self {
        Self { resources: true, ..self }
    }

    /// With completion.
    pub const fn with_completions(self) -> Self {
        Self { completions: true, ..self }
    }

    /// With lists for each caller. The provider is asked with every request what its caller has, so the answer that lists a
    /// tool is the one that admits its call; what it does not list does not exist for that caller. As long as it returns the
    /// same `Arc`, what was made of it is used again. Its lists and reads are marked as private
    /// (2026-07-28, server/utilities/caching "Choosing a Cache Scope").
    pub const fn with_lists_by_caller(self) -> Self {
        Self { lists_by_caller: true, ..self }
    }
}

/// A provider, with what it can do now.
#[derive(Clone)]
pub(crate) struct DynProvider(pub(crate) Arc<dyn Provider>, Arc<RwLock<ProviderCapabilities>>);

impl DynProvider {
    pub(crate) fn new(provider: Arc<dyn Provider>) -> Self {
        Self(provider, Arc::default())
    }

    /// Asks what it can do, when the server is built.
    pub(crate) fn read_capabilities(&self) {
        *self.1.write().unwrap_or_else(PoisonError::into_inner) = self.0.capabilities();
    }

    pub(crate) fn capabilities(&self) -> ProviderCapabilities {
        *self.1.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks again what it can do. Returns what it could do, and what it can do now.
    pub(crate) fn refresh_capabilities(&self) -> (ProviderCapabilities, ProviderCapabilities) {
        // Asked with the lock held, so that of two readings at once the later one holds.
        let mut current = self.1.write().unwrap_or_else(PoisonError::into_inner);
        let older = *current;
        *current = ProviderCapabilities { lists_by_caller: older.lists_by_caller, ..self.0.capabilities() };
        (older, *current)
    }

    /// Its prompts; none where it has no such capability. The same holds for the other lists.
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
