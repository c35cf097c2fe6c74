//! Prompts and resources of providers, in the lists beside those of the server itself.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Features, FoundResource, PromptEntry, Registry, ResourceEntry, Resources, TemplateEntry};
use crate::auth::Access;
use crate::completion::Reference;
use crate::log;
use crate::pagination::{List, Listed, View};
use crate::provider::{DynProvider, ProviderCapabilities};
use crate::refresh_order::{Refresh, RefreshOrder};

/// A provider, with the order of the readings of its lists.
#[derive(Debug)]
pub(crate) struct Provided {
    pub(crate) provider: DynProvider,
    pub(crate) capabilities: ProviderCapabilities,
    prompts: RefreshOrder,
    resources: RefreshOrder,
    templates: RefreshOrder,
}

impl Provided {
    pub(super) fn new(provider: &DynProvider) -> Self {
        Self {
            capabilities: provider.0.capabilities(),
            provider: provider.clone(),
            prompts: RefreshOrder::default(),
            resources: RefreshOrder::default(),
            templates: RefreshOrder::default(),
        }
    }
}

impl Features {
    /// Lists the prompts of the provider with this number again.
    pub(crate) fn refresh_prompts(&self, number: usize) {
        let (Some(prompts), Some(source)) = (&self.prompts, self.provided.get(number)) else { return };
        if !source.capabilities.prompts || source.capabilities.lists_by_caller {
            return;
        }
        let (provider, refresh) = (&source.provider, source.prompts.begin());
        let listed = provider.0.prompts(&Access::Trusted);
        let entries = listed.iter().map(|prompt| PromptEntry::of_provider(number, provider, prompt.clone()));
        let is_old = |entry: &PromptEntry| entry.provider == Some(number);
        prompts.take_up((&source.prompts, refresh), is_old, entries, "prompt");
    }

    /// Lists the resources and resource templates of the provider with this number again.
    pub(crate) fn refresh_resources(&self, number: usize) {
        let (Some(resources), Some(source)) = (&self.resources, self.provided.get(number)) else { return };
        if !source.capabilities.resources || source.capabilities.lists_by_caller {
            return;
        }
        let Resources { fixed, templates, .. } = resources;
        let (provider, refresh) = (&source.provider, source.resources.begin());
        let listed = provider.0.resources(&Access::Trusted);
        let entries = listed.iter().map(|shown| ResourceEntry::of_provider(number, provider, shown.clone()));
        let is_old = |entry: &ResourceEntry| entry.provider == Some(number);
        fixed.take_up((&source.resources, refresh), is_old, entries, "resource");

        let refresh = source.templates.begin();
        let listed = provider.0.resource_templates(&Access::Trusted);
        let entries = listed.iter().map(|shown| TemplateEntry::of_provider(number, provider, shown.clone()));
        let is_old = |entry: &TemplateEntry| entry.provider == Some(number);
        templates.take_up((&source.templates, refresh), is_old, entries, "resource template");
    }

    /// Whether the provider of this number has lists for each caller.
    pub(crate) fn is_by_caller(&self, number: usize) -> bool {
        self.provided.get(number).is_some_and(|provided| provided.capabilities.lists_by_caller)
    }

    /// Whether what a caller sees is decided caller by caller, beside what scopes say.
    pub(crate) fn lists_by_caller(&self) -> bool {
        self.rule.is_some() || (0..self.provided.len()).any(|number| self.is_by_caller(number))
    }

    /// Whether a resource comes from a provider that decides who has it, or may come from one.
    pub(crate) fn is_read_by_caller(&self, found: &FoundResource) -> bool {
        match (found.provider(), found) {
            (Some(number), _) => self.is_by_caller(number),
            (None, FoundResource::Elsewhere(_)) => {
                (0..self.provided.len()).any(|number| self.is_by_caller(number))
            }
            (None, _) => false,
        }
    }

    /// Whether arguments of anything are completed.
    pub(crate) fn completes(&self) -> bool {
        !self.completers.is_empty() || self.provided.iter().any(|provided| provided.capabilities.completions)
    }

    /// The provider that completes arguments of what is referred to, if the caller sees that.
    pub(super) fn completing_provider(&self, reference: &Reference, view: View<'_>) -> Option<&DynProvider> {
        let number = match reference {
            Reference::Prompt { name } => {
                let entry = self.prompts.as_ref()?.list_for(view.access).get(name).cloned()?;
                entry.provider.filter(|_| view.sees(&*entry))
            }
            Reference::Resource { uri } => {
                let entry = self.resources.as_ref()?.templates.list_for(view.access).get(uri).cloned()?;
                entry.provider.filter(|_| view.sees(&*entry))
            }
        };
        let provided = self.provided.get(number?)?;
        provided.capabilities.completions.then_some(&provided.provider)
    }
}

impl<T: Listed> Registry<T> {
    /// Puts what a provider lists now in place of what it listed before, unless a later reading is there already. An entry
    /// whose key is taken is left out: one provider must not freeze the lists of the others.
    fn take_up(
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
                    "the {what} {:?} of a provider is left out: its name or address is taken",
                    crate::error::shortened(entry.key())
                ));
            }
        }
        // No key appears twice.
        if let Ok(list) = List::new(kept) {
            *current = Arc::new(list);
        }
    }
}
