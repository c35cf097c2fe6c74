//! What a server offers beside tools: prompts, resources and completion of their arguments.
//!
//! `prompts`, `resources` and `completers` hold what is registered and the code behind it, `request_handler` the functions
//! that users write, `of_providers` what providers list, `caller_entries` what they list for each caller, `declared` what the manifest shows, and `parts` what a server
//! under construction has of all this.
//!
//! A server that starts without prompts has none later, unless it was built with `with_prompts` (resources alike):
//! clients read the capabilities once. Handlers own their arguments and context and share state by capturing it, so
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
pub(crate) use request_handler::{Failure, RequestResult, outcome_of};
pub(crate) use resources::{FoundResource, ResourceEntry, Resources, TemplateEntry};

/// The prompts, resources and completers of a server.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// Absent where the server offers no prompts.
    pub(crate) prompts: Option<Registry<PromptEntry>>,
    /// Absent where the server offers no resources.
    pub(crate) resources: Option<Resources>,
    pub(crate) completers: Completers,
    /// The providers, in the order of their numbers.
    pub(crate) provided: Vec<Provided>,
    /// What the program says about who sees them.
    pub(crate) rule: Rule,
}

impl Features {
    /// The scopes of all prompts, resources and templates.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> Vec<String> {
        let mut scopes = Vec::new();
        if let Some(prompts) = &self.prompts {
            scopes.extend(prompts.scopes());
        }
        if let Some(resources) = &self.resources {
            scopes.extend(resources.fixed.scopes());
            scopes.extend(resources.templates.scopes());
        }
        scopes
    }
}
