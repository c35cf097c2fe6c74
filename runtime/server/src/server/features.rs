//! Prompts, resources and completion of a server under construction.

use std::future::Future;
use std::sync::Arc;

use toolwright_core::arguments::StringArguments;
use toolwright_core::prompt::{IntoPromptResult, Prompt, TypedPrompt};
use toolwright_core::resource::{IntoResourceResult, Resource, ResourceTemplate, TypedResource};

use super::Server;
use crate::auth::{Offer, Principal, Rule};
use crate::completion::{Completes, CompletionContext, IntoCompletion, Reference};
use crate::features::{
    Completer, PromptEntry, PromptHandler, RequestHandler, ResourceEntry, ResourceHandler, TemplateEntry,
};

/// Prompts, resources and completion, which [`Server::build`] validates.
impl<S: Send + Sync + 'static> Server<S> {
    /// Adds the prompt `P`, a struct that derives `Prompt`, which the state handles; see [`PromptHandler`].
    pub fn prompts<P: TypedPrompt + Completes>(mut self) -> Self
    where
        S: PromptHandler<P>,
    {
        let state = Arc::clone(&self.state);
        self.features.add_prompt::<P, _>(move |input, cx| {
            let state = Arc::clone(&state);
            async move { state.get(input, &cx).await.into_prompt_result() }
        });
        self
    }

    /// Adds the prompt whose derived struct `handler` takes: an async function or closure of that struct, or of it and a
    /// [`Context`](crate::Context). The struct has the definition, and completions if it has any:
    ///
    /// ```
    /// use toolwright_macros::Prompt;
    /// use toolwright_server::Server;
    ///
    /// /// Asks for a haiku.
    /// #[derive(Prompt, serde::Deserialize, schemars::JsonSchema)]
    /// # #[mcp(crate = toolwright_server)]
    /// struct Haiku {
    ///     about: String,
    /// }
    ///
    /// let service = Server::new(()).prompt_fn(async |input: Haiku| format!("A haiku about {}.", input.about)).build()?;
    /// # let _ = service;
    /// # Ok::<(), toolwright_server::BuildError>(())
    /// ```
    pub fn prompt_fn<P, H>(mut self, handler: H) -> Self
    where
        H: RequestHandler<P, Input: TypedPrompt + Completes, Output: IntoPromptResult>,
    {
        let handler = Arc::new(handler);
        self.features.add_prompt::<H::Input, _>(move |input, cx| {
            let handler = Arc::clone(&handler);
            async move { handler.answer(input, cx).await.into_prompt_result() }
        });
        self
    }

    /// Adds the resource `R`, a struct that derives `Resource`, which the state handles; see [`ResourceHandler`].
    pub fn resources<R: TypedResource + Completes>(mut self) -> Self
    where
        S: ResourceHandler<R>,
    {
        let state = Arc::clone(&self.state);
        self.features.add_resource::<R, _>(move |input, cx| {
            let state = Arc::clone(&state);
            async move { state.read(input, &cx).await }
        });
        self
    }

    /// Adds the resource whose derived struct `handler` takes: an async function or closure of that struct, or of it and a
    /// [`Context`](crate::Context).
    ///
    /// ```
    /// use toolwright_macros::Resource;
    /// use toolwright_server::Server;
    ///
    /// /// The terms of service.
    /// #[derive(Resource)]
    /// #[mcp(uri = "shop://terms")]
    /// # #[mcp(crate = toolwright_server)]
    /// struct Terms;
    ///
    /// let service = Server::new(()).resource_fn(async |_: Terms| "No returns.").build()?;
    /// # let _ = service;
    /// # Ok::<(), toolwright_server::BuildError>(())
    /// ```
    pub fn resource_fn<P, H>(mut self, handler: H) -> Self
    where
        H: RequestHandler<P, Input: TypedResource + Completes, Output: IntoResourceResult>,
    {
        let handler = Arc::new(handler);
        self.features.add_resource::<H::Input, _>(move |input, cx| {
            let handler = Arc::clone(&handler);
            async move { handler.answer(input, cx).await }
        });
        self
    }

    /// Adds a prompt. Its arguments are the fields of the struct that `handler` accepts; see [`RequestHandler`].
    pub fn prompt<P, H>(mut self, prompt: Prompt, handler: H) -> Self
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoPromptResult>,
    {
        let entry = self.features.keep(PromptEntry::new(prompt, handler));
        self.features.prompts.get_or_insert_default().extend(entry);
        self
    }

    /// Adds a resource, which `handler` reads. The handler has no parameters, or `()` and a
    /// [`Context`](crate::Context).
    pub fn resource<P, H>(mut self, resource: Resource, handler: H) -> Self
    where
        H: RequestHandler<P, Input = (), Output: IntoResourceResult>,
    {
        let entry = self.features.keep(ResourceEntry::new(resource, handler));
        self.features.resources.get_or_insert_default().extend(entry);
        self
    }

    /// Adds all resources whose URIs match a template. Its variables are the fields of the struct that `handler`
    /// accepts; see [`UriTemplate`](toolwright_core::resource::UriTemplate) for the matching rules.
    pub fn resource_template<P, H>(mut self, template: ResourceTemplate, handler: H) -> Self
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoResourceResult>,
    {
        let entry = self.features.keep(TemplateEntry::new(template, handler));
        self.features.resources.get_or_insert_default();
        self.features.templates.extend(entry);
        self
    }

    /// Adds completion for a prompt argument or a resource template variable. `complete` receives the text so far and
    /// returns suggestions, best first; at most 100 are sent, along with their total number.
    pub fn complete<F, R>(mut self, reference: Reference, argument: impl Into<String>, complete: F) -> Self
    where
        F: Fn(String, CompletionContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoCompletion> + Send,
    {
        self.features.complete(reference, argument.into(), Completer::new(complete));
        self
    }

    /// Sets a rule for which callers see which prompts, resources and resource templates, in addition to their scopes
    /// ([`Resource::scopes`]). `decide` receives the item and the principal, or `None` if the caller is unknown. It
    /// applies to lists, reads, subscriptions and completion: a hidden item behaves as if it did not exist, and its
    /// changes are not notified. If there are several rules, all have to allow the item.
    ///
    /// The rule does not apply to stdio and other transports whose caller started the program, or if
    /// `HttpConfig::trust_callers` is set.
    ///
    /// The rule is a plain function rather than an async one: a list calls it for each entry, and a change for each
    /// subscribed connection. Base it on the principal's claims, or on data in memory. If it panics, the item is
    /// hidden.
    ///
    /// ```
    /// use toolwright_server::Server;
    /// use toolwright_server::auth::Offer;
    ///
    /// let server = Server::new(()).show_if(|offer, principal| match offer {
    ///     // Customers see only their own orders.
    ///     Offer::Resource(uri) if uri.starts_with("shop://orders/") => {
    ///         principal.is_some_and(|principal| uri.starts_with(&format!("shop://orders/{}/", principal.subject())))
    ///     }
    ///     _ => true,
    /// });
    /// # drop(server);
    /// ```
    pub fn show_if(
        mut self,
        decide: impl Fn(Offer<'_>, Option<&Principal>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.features.rule = self.features.rule.and(Rule::new(decide));
        self
    }

    /// Declares prompts even if there are none yet, for [`Service::add_prompt`](crate::Service::add_prompt).
    pub fn with_prompts(mut self) -> Self {
        self.features.prompts.get_or_insert_default();
        self
    }

    /// Declares resources even if there are none yet, for [`Service::add_resource`](crate::Service::add_resource).
    pub fn with_resources(mut self) -> Self {
        self.features.resources.get_or_insert_default();
        self
    }
}
