//! Prompts and resources of providers, listed together with the server's own.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Features, FoundResource, PromptEntry, Registry, ResourceEntry, Resources, TemplateEntry};
use crate::auth::Access;
use crate::completion::Reference;
use crate::log;
use crate::pagination::{List, Listed, View};
use crate::provider::{DynProvider, ProviderCapabilities};
use crate::refresh_order::{Refresh, RefreshOrder};

/// A provider, with the order of refreshes of its lists.
#[derive(Debug)]
pub(crate) struct Provided {
    pub(crate) provider: DynProvider,
    prompts: RefreshOrder,
    resources: RefreshOrder,
    templates: RefreshOrder,
}

impl Provided {
    pub(super) fn new(provider: &DynProvider) -> Self {
        provider.read_capabilities();
        Self {
            provider: provider.clone(),
            prompts: RefreshOrder::default(),
            resources: RefreshOrder::default(),
            templates: RefreshOrder::default(),
        }
    }
}

impl Features {
    /// Refreshes the prompts of the provider with this index.
    pub(crate) fn refresh_prompts(&self, number: usize) {
        let Some(source) = self.provided.get(number) else { return };
        if self.is_by_caller(number) {
            return;
        }
        let (provider, refresh) = (&source.provider, source.prompts.begin());
        let listed = provider.prompts(&Access::Trusted);
        let entries = listed.iter().map(|prompt| PromptEntry::of_provider(number, provider, prompt.clone()));
        let is_old = |entry: &PromptEntry| entry.provider == Some(number);
        self.prompts.replace_provided((&source.prompts, refresh), is_old, entries, "prompt");
    }

    /// Refreshes the resources and resource templates of the provider with this index.
    pub(crate) fn refresh_resources(&self, number: usize) {
        let Some(source) = self.provided.get(number) else { return };
        if self.is_by_caller(number) {
            return;
        }
        let Resources { fixed, templates, .. } = &self.resources;
        let (provider, refresh) = (&source.provider, source.resources.begin());
        let listed = provider.resources(&Access::Trusted);
        let entries = listed.iter().map(|shown| ResourceEntry::of_provider(number, provider, shown.clone()));
        let is_old = |entry: &ResourceEntry| entry.provider == Some(number);
        fixed.replace_provided((&source.resources, refresh), is_old, entries, "resource");

        let refresh = source.templates.begin();
        let listed = provider.resource_templates(&Access::Trusted);
        let entries = listed.iter().map(|shown| TemplateEntry::of_provider(number, provider, shown.clone()));
        let is_old = |entry: &TemplateEntry| entry.provider == Some(number);
        templates.replace_provided((&source.templates, refresh), is_old, entries, "resource template");
    }

    /// Refreshes the capabilities of the provider with this index. Returns the old and the new ones.
    pub(crate) fn refresh_capabilities(
        &self,
        number: usize,
    ) -> Option<(ProviderCapabilities, ProviderCapabilities)> {
        let provider = &self.provided.get(number)?.provider;
        let (older, newer) = provider.refresh_capabilities();
        self.refresh_prompts(number);
        self.refresh_resources(number);
        if newer.resources && !older.resources {
            self.resources.watching.tell_all(provider);
        }
        Some((older, newer))
    }

    /// Whether the provider with this index lists per caller.
    pub(crate) fn is_by_caller(&self, number: usize) -> bool {
        self.provided.get(number).is_some_and(|provided| provided.provider.capabilities().lists_by_caller)
    }

    /// The provider with this index, if it has tasks that exist elsewhere.
    #[cfg(feature = "tasks")]
    pub(crate) fn provider_of_tasks(&self, number: usize) -> Option<&DynProvider> {
        let provider = &self.provided.get(number)?.provider;
        provider.capabilities().tasks.then_some(provider)
    }

    /// The providers with skills.
    pub(crate) fn providers_of_skills(&self) -> impl Iterator<Item = &DynProvider> {
        let providers = self.provided.iter().map(|provided| &provided.provider);
        providers.filter(|provider| provider.capabilities().skills)
    }

    /// Whether any provider has tasks that exist elsewhere.
    pub(crate) fn has_tasks_elsewhere(&self) -> bool {
        self.provided.iter().any(|provided| provided.provider.capabilities().tasks)
    }

    /// Whether visibility depends on the caller in ways that scopes do not express.
    pub(crate) fn lists_by_caller(&self) -> bool {
        self.rule.is_some() || (0..self.provided.len()).any(|number| self.is_by_caller(number))
    }

    /// Whether a resource comes from a provider that lists per caller, or may come from one.
    pub(crate) fn is_read_by_caller(&self, found: &FoundResource) -> bool {
        match (found.provider(), found) {
            (Some(number), _) => self.is_by_caller(number),
            (None, FoundResource::Elsewhere(_)) => {
                (0..self.provided.len()).any(|number| self.is_by_caller(number))
            }
            (None, _) => false,
        }
    }

    /// Whether any arguments are completed.
    pub(crate) fn completes(&self) -> bool {
        !self.completers.is_empty()
            || self.completes_values
            || self.provided.iter().any(|provided| provided.provider.capabilities().completions)
    }

    /// The provider that completes arguments of the reference, if the caller may see it.
    pub(super) fn completing_provider(&self, reference: &Reference, view: View<'_>) -> Option<&DynProvider> {
        let number = match reference {
            Reference::Prompt { name } => {
                let entry = self.prompts()?.list_for(view.access).get(name).cloned()?;
                entry.provider.filter(|_| view.sees(&*entry))
            }
            Reference::Resource { uri } => {
                let entry = self.resources()?.templates.list_for(view.access).get(uri).cloned()?;
                entry.provider.filter(|_| view.sees(&*entry))
            }
        };
        let provided = self.provided.get(number?)?;
        provided.provider.capabilities().completions.then_some(&provided.provider)
    }
}

impl<T: Listed> Registry<T> {
    /// Replaces the previous list of a provider, unless a later refresh has completed. An entry whose key is taken is
    /// skipped: one provider must not freeze the lists of the others.
    fn replace_provided(
        &self,
        (order, refresh): (&RefreshOrder, Refresh),
        is_old: impl Fn(&T) -> bool,
        entries: impl Iterator<Item = T>,
        what: &'static str,
    ) {
        let mut current = self.write();
        if !order.is_newest(refresh) {
            return;
        }
        let mut kept: Vec<Arc<T>> =
            current.entries().iter().filter(|entry| !is_old(entry)).cloned().collect();
        let mut taken: HashSet<String> = kept.iter().map(|entry| entry.key().to_owned()).collect();
        for entry in entries {
            if taken.insert(entry.key().to_owned()) {
                kept.push(Arc::new(entry));
            } else {
                log::warn(format_args!(
                    "skipping the {what} {:?} of a provider: its name or URI is taken",
                    crate::error::shorten(entry.key())
                ));
            }
        }
        // All keys are unique.
        if let Ok(list) = List::new(kept) {
            *current = Arc::new(list);
        }
    }
}
