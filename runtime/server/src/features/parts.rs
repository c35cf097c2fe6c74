//! Prompts, resources and completion of a server under construction.

use toolwright_core::link::ServerOf;

use super::watching::Watching;
use super::{
    Completers, Features, PromptEntry, Provided, Registry, ResourceEntry, Resources, TemplateEntry, declared,
};
use crate::auth::Rule;
use crate::error::BuildError;
use crate::provider::DynProvider;

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
        let features = Features {
            prompts: self.prompts.map(|prompts| Registry::new(prompts, "prompt")).transpose()?,
            resources: match self.resources {
                None => None,
                Some(resources) => Some(Resources {
                    fixed: Registry::new(resources, "resource")?,
                    templates: Registry::new(self.templates, "resource template")?,
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
