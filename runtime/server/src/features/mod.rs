//! The features of a server besides tools: prompts, resources, and completion of their arguments.
//!
//! `prompts`, `resources` and `completers` contain the registered items and their code, `request_handler` the functions
//! that users write, `typed` the handlers of derived prompts and resources, `of_providers` the shared lists of providers, `caller_entries` their per-caller lists, `declared`
//! the check against the manifest, and `parts` the features of a server under construction.
//!
//! A server that starts without prompts of its own cannot get any later, unless it was built with `with_prompts` (the
//! same applies to resources): clients read the capabilities once. A provider may gain and lose them, since the server
//! behind it may. Handlers own their arguments and context, and share state by capturing it, so the same form works at
//! build time and at run time. If two templates match a URI, the one with more literal text wins; a resource precedes
//! both.

mod caller_entries;
mod completers;
mod declared;
mod of_providers;
mod parts;
mod prompts;
mod registry;
mod request_handler;
mod resources;
mod typed;
mod watching;

use crate::auth::Rule;

pub(crate) use completers::{CompleteParams, Completer, Completers};
pub(crate) use of_providers::Provided;
pub(crate) use parts::FeatureParts;
pub(crate) use prompts::PromptEntry;
pub(crate) use registry::Registry;
pub use request_handler::RequestHandler;
pub(crate) use request_handler::{Failure, RequestResult, outcome_of, result_of};
pub(crate) use resources::{FoundResource, ResourceEntry, Resources, TemplateEntry};
pub use typed::{PromptHandler, ResourceHandler};

/// The prompts, resources and completers of a server.
#[derive(Debug, Default)]
pub(crate) struct Features {
    prompts: Registry<PromptEntry>,
    resources: Resources,
    /// Whether the server offers prompts and resources, regardless of its providers.
    offers: (bool, bool),
    pub(crate) completers: Completers,
    /// Whether the server was built with arguments that have only certain values, which are completed.
    completes_values: bool,
    /// The providers, by index.
    pub(crate) provided: Vec<Provided>,
    /// The program's visibility rule.
    pub(crate) rule: Rule,
}

impl Features {
    /// The prompts, if the server currently offers any.
    pub(crate) fn prompts(&self) -> Option<&Registry<PromptEntry>> {
        let of_providers = || self.provided.iter().any(|provided| provided.provider.capabilities().prompts);
        (self.offers.0 || of_providers()).then_some(&self.prompts)
    }

    /// The resources, if the server currently offers any.
    pub(crate) fn resources(&self) -> Option<&Resources> {
        let of_providers = || self.provided.iter().any(|provided| provided.provider.capabilities().resources);
        (self.offers.1 || of_providers()).then_some(&self.resources)
    }

    /// The scopes of all prompts, resources and templates.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> Vec<String> {
        let mut scopes = Vec::new();
        scopes.extend(self.prompts.scopes());
        scopes.extend(self.resources.fixed.scopes());
        scopes.extend(self.resources.templates.scopes());
        scopes
    }
}
