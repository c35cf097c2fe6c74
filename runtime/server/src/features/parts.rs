//! Prompts, resources and completion of a server under construction.

use toolwright_core::link::ServerOf;

use super::caller_entries::CallerEntries;
use super::watching::Watching;
use super::{
    Completers, Features, PromptEntry, Provided, Registry, ResourceEntry, Resources, TemplateEntry, declared,
};
use crate::auth::Rule;
use crate::error::BuildError;
use crate::provider::DynProvider;

/// The features of a server under construction, besides tools.
#[derive(Debug, Default)]
pub(crate) struct FeatureParts {
    pub(crate) prompts: Option<Vec<PromptEntry>>,
    pub(crate) resources: Option<Vec<ResourceEntry>>,
    pub(crate) templates: Vec<TemplateEntry>,
    /// Resources that were not added with [`Server::resource`], and are not in the manifest.
    #[cfg(feature = "skills")]
    added: Vec<ResourceEntry>,
    pub(crate) completers: Completers,
    pub(crate) rule: Rule,
    /// The first error, reported when the server is built.
    pub(crate) problem: Option<BuildError>,
}

impl FeatureParts {
    /// Returns the entry if it is valid; otherwise records the error.
    pub(crate) fn keep<T>(&mut self, entry: Result<T, BuildError>) -> Option<T> {
        entry.map_err(|problem| self.problem.get_or_insert(problem)).ok()
    }

    /// Adds resources that were not added with [`Server::resource`].
    #[cfg(feature = "skills")]
    pub(crate) fn add_resources(&mut self, resources: Vec<ResourceEntry>) {
        self.resources.get_or_insert_default();
        self.added.extend(resources);
    }

    /// Validates everything. `servers` are those whose toolsets the server has.
    #[cfg_attr(not(feature = "skills"), expect(unused_mut, reason = "only skills add resources"))]
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
        let by_caller: Vec<(usize, DynProvider)> = providers
            .iter()
            .enumerate()
            .filter(|(_, provider)| provider.capabilities().lists_by_caller)
            .map(|(number, provider)| (number, provider.clone()))
            .collect();
        let offers = (self.prompts.is_some(), self.resources.is_some());
        let prompts = Registry::new(self.prompts.unwrap_or_default(), "prompt")?;
        let fixed = Registry::new(self.resources.unwrap_or_default(), "resource")?;
        let templates = Registry::new(self.templates, "resource template")?;
        let mut features = Features {
            prompts: prompts.with_own(CallerEntries::of(
                by_caller.clone(),
                DynProvider::prompts,
                PromptEntry::of_provider,
                max_caller_lists,
            )),
            resources: Resources {
                fixed: fixed.with_own(CallerEntries::of(
                    by_caller.clone(),
                    DynProvider::resources,
                    ResourceEntry::of_provider,
                    max_caller_lists,
                )),
                templates: templates.with_own(CallerEntries::of(
                    by_caller,
                    DynProvider::resource_templates,
                    TemplateEntry::of_provider,
                    max_caller_lists,
                )),
                watching: Watching::new(providers.to_vec()),
                providers: providers.to_vec(),
            },
            offers,
            completers: self.completers,
            completes_values: false,
            provided,
            rule: self.rule,
        };
        features.check_completers()?;
        features.completes_values = features.has_listed_values();
        for number in 0..features.provided.len() {
            features.refresh_prompts(number);
            features.refresh_resources(number);
        }
        Ok(features)
    }
}
