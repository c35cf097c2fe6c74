//! Prompts, resources and completion of a server under construction.

use std::future::Future;

use toolwright_core::prompt::{IntoPromptResult, Prompt};
use toolwright_core::resource::{IntoResourceResult, Resource, ResourceTemplate};

use super::Server;
use crate::auth::{Offer, Principal, Rule};
use crate::completion::{CompletionContext, IntoCompletion, Reference};
use crate::error::BuildError;
use crate::features::{Completer, PromptEntry, RequestHandler, ResourceEntry, TemplateEntry};

/// Prompts, resources and completion. What they are is checked by [`Server::build`].
impl<S: Send + Sync + 'static> Server<S> {
    /// Offers a prompt. Its arguments are the fields of the struct that `handler` takes, all of them texts; see
    /// [`RequestHandler`].
    pub fn prompt<P, H>(mut self, prompt: Prompt, handler: H) -> Self
    where
        H: RequestHandler<P, Output: IntoPromptResult>,
    {
        let entry = self.features.keep(PromptEntry::new(prompt, handler));
        self.features.prompts.get_or_insert_default().extend(entry);
        self
    }

    /// Offers a resource, which `handler` reads. What it takes is nothing, or `()` and a [`Context`](crate::Context).
    pub fn resource<P, H>(mut self, resource: Resource, handler: H) -> Self
    where
        H: RequestHandler<P, Input = (), Output: IntoResourceResult>,
    {
        let entry = self.features.keep(ResourceEntry::new(resource, handler));
        self.features.resources.get_or_insert_default().extend(entry);
        self
    }

    /// Offers all resources whose addresses match a template. The variables are the fields of the struct that `handler`
    /// takes, all of them texts; see [`UriTemplate`](toolwright_core::resource::UriTemplate) for what matches.
    pub fn resource_template<P, H>(mut self, template: ResourceTemplate, handler: H) -> Self
    where
        H: RequestHandler<P, Output: IntoResourceResult>,
    {
        let entry = self.features.keep(TemplateEntry::new(template, handler));
        self.features.resources.get_or_insert_default();
        self.features.templates.extend(entry);
        self
    }

    /// Suggests values for an argument of a prompt or a variable of a resource template. `complete` gets the text so far
    /// and returns what fits, best first; at most 100 values are sent, with the number of all.
    pub fn complete<F, R>(mut self, reference: Reference, argument: impl Into<String>, complete: F) -> Self
    where
        F: Fn(String, CompletionContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoCompletion> + Send,
    {
        let argument = argument.into();
        if !self.features.completers.add(reference, argument.clone(), Completer::new(complete)) {
            self.features.problem.get_or_insert(BuildError::Feature {
                what: "completion",
                name: argument,
                reason: "it was set twice for the same reference".to_owned(),
            });
        }
        self
    }

    /// Says who sees which prompts, resources and resource templates, beside what their scopes say
    /// ([`Resource::scopes`]). `decide` is told what is offered, and to whom: to a principal, or to someone who is not
    /// known. It decides over lists, reads, watching and completion alike: what it does not show is to that caller as if it
    /// were not there, and no word of its changes goes there. With several rules, all must agree.
    ///
    /// It is not asked over stdio and other transports whose caller started the program, nor where
    /// `HttpConfig::trust_callers` is set.
    ///
    /// It is a plain function, and no async one: a list asks it once for each entry, and a change once for each
    /// connection that watches. Let it look at the principal's claims, or at what the program keeps in memory. One that
    /// panics shows nothing.
    ///
    /// ```
    /// use toolwright_server::Server;
    /// use toolwright_server::auth::Offer;
    ///
    /// let server = Server::new(()).show_if(|offer, principal| match offer {
    ///     // To each customer the orders of their own.
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

    /// Says that the server has prompts though none is there yet: for
    /// [`Service::add_prompt`](crate::Service::add_prompt).
    pub fn with_prompts(mut self) -> Self {
        self.features.prompts.get_or_insert_default();
        self
    }

    /// Says that the server has resources though none is there yet: for
    /// [`Service::add_resource`](crate::Service::add_resource).
    pub fn with_resources(mut self) -> Self {
        self.features.resources.get_or_insert_default();
        self
    }
}
