//! Prompts, resources and completion of a server under construction.

use toolwright_core::link::ServerOf;

use super::caller_entries::CallerEntries;
use super::watching::Watching;
use super::{
    Completers, Features, PromptEntry, Provided, Registry, ResourceEntry, Resources, TemplateEntry, declared,
};
use crate::auth::Rule;
use crate::error::BuildError;
use crate::provider::{DynProvider, ProviderCapabilities};

/// What a server is to offer beside tools.
#[derive(Debug, Default)]
pub(crate) struct FeatureParts {
    pub(crate) prompts: Option<Vec<PromptEntry>>,
    pub(crate) resources: Option<Vec<ResourceEntry>>,
    pub(crate) templates: Vec<TemplateEntry>,
    /// Resources that come from elsewhere than [`Server::resource`], and are in no manifest.
    #[cfg(feature = "skills")]
    added: Vec<ResourceEntry>,
    pub(crate) completers: Completers,
    pub(crate) rule: Rule,
    /// The first mistake, told when the server is built.
    pub(crate) problem: Option<BuildError>,
}

impl FeatureParts {
    /// The entry, if it can be served; else the server cannot be built.
    pub(crate) fn keep<T>(&mut self, entry: Result<T, BuildError>) -> Option<T> {
        entry.map_err(|problem| self.problem.get_or_insert(problem)).ok()
    }

    /// Adds resources that come from elsewhere than [`Server::resource`].
    #[cfg(feature = "skills")]
    pub(crate) fn add_resources(&mut self, resources: Vec<ResourceEntry>) {
        self.resources.get_or_insert_default();
        self.added.extend(resources);
    }

    /// Checks everything. `servers` are those whose toolsets the server has.
    pub(crate) fn build(
        mut self,
        servers: &[ServerOf],
        providers: &[DynProvider],
        max_caller_lists: usize,
    ) -> Result<Features, BuildError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        declared::check(servers, self.prompts.as_deref().unwrap_or_default())?;
        declared::check(servers, self.resources.as_deref().unwrap_or_default())?;
        declared::check(servers, &self.templates)?;
        #[cfg(feature = "skills")]
        if let Some(resources) = &mut self.resources {
            resources.extend(self.added);
        }
        let provided: Vec<Provided> = providers.iter().map(Provided::new).collect();
        if provided.iter().any(|provided| provided.capabilities.prompts) {
            self.prompts.get_or_insert_default();
        }
        let of_resources: Vec<DynProvider> = provided
            .iter()
            .filter(|provided| provided.capabilities.resources)
            .map(|provided| provided.provider.clone())
            .collect();
        if !of_resources.is_empty() {
            self.resources.get_or_insert_default();
        }
        let sources = |has: fn(&ProviderCapabilities) -> bool| {
            let is_source =
                |provided: &Provided| provided.capabilities.lists_by_caller && has(&provided.capabilities);
            let sources = provided.iter().enumerate().filter(|(_, provided)| is_source(provided));
            sources.map(|(number, provided)| (number, provided.provider.clone())).collect::<Vec<_>>()
        };
        let (of_prompts, of_fixed) = (sources(|has| has.prompts), sources(|has| has.resources));
        let features = Features {
            prompts: match self.prompts {
                None => None,
                Some(prompts) => Some(Registry::new(prompts, "prompt")?.with_own(CallerEntries::of(
                    of_prompts,
                    |provider, access| provider.0.prompts(access),
                    PromptEntry::of_provider,
                    max_caller_lists,
                ))),
            },
            resources: match self.resources {
                None => None,
                Some(resources) => Some(Resources {
                    fixed: Registry::new(resources, "resource")?.with_own(CallerEntries::of(
                        of_fixed.clone(),
                        |provider, access| provider.0.resources(access),
                        ResourceEntry::of_provider,
                        max_caller_lists,
                    )),
                    templates: Registry::new(self.templates, "resource template")?.with_own(
                        CallerEntries::of(
                            of_fixed,
                            |provider, access| provider.0.resource_templates(access),
                            TemplateEntry::of_provider,
                            max_caller_lists,
                        ),
                    ),
                    watching: Watching::new(of_resources.clone()),
                    providers: of_resources,
                }),
            },
            completers: self.completers,
            provided,
            rule: self.rule,
        };
        features.check_completers()?;
        for number in 0..features.provided.len() {
            features.refresh_prompts(number);
            features.refresh_resources(number);
        }
        Ok(features)
    }
}
