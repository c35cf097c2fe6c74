//! What a server offers beside tools: prompts, resources and completion of their arguments.
//!
//! `prompts`, `resources` and `completers` hold what is registered and the code behind it, `request_handler` the functions
//! that users write, `of_providers` what providers list, `caller_entries` what they list for each caller, `declared` what the manifest shows, and `parts` what a server
//! under construction has of all this.
//!
//! A server that starts without prompts of its own has none later, unless it was built with `with_prompts` (resources
//! alike): clients read the capabilities once. A provider may gain and lose them, since what it stands for may do so.
//! Handlers own their arguments and context and share state by capturing it, so
//! the same form works at build time and at run time. If two templates match a URI, the one with more literal text is
//! used; a resource precedes both.

mod caller_entries;
mod completers;
mod declared;
mod of_providers;
mod parts;
mod prompts;
mod registry;
mod request_handler;
mod resources;
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

/// The prompts, resources and completers of a server.
#[derive(Debug, Default)]
pub(crate) struct Features {
    prompts: Registry<PromptEntry>,
    resources: Resources,
    /// Whether the server offers prompts, and whether resources, whatever its providers have.
    offers: (bool, bool),
    pub(crate) completers: Completers,
    /// The providers, in the order of their numbers.
    pub(crate) provided: Vec<Provided>,
    /// What the program says about who sees them.
    pub(crate) rule: Rule,
}

impl Features {
    /// The prompts, if the server offers any now.
    pub(crate) fn prompts(&self) -> Option<&Registry<PromptEntry>> {
        let of_providers = || self.provided.iter().any(|provided| provided.provider.capabilities().prompts);
        (self.offers.0 || of_providers()).then_some(&self.prompts)
    }

    /// The resources, if the server offers any now.
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
