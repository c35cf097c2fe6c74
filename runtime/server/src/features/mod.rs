//! What a server offers beside tools: prompts, resources and completion of their arguments.
//!
//! `entries` holds what is registered and the code behind it, `handler` the functions that users write, `completion`
//! suggestions, `declared` what the manifest shows; `builder` and `runtime` are what [`Server`](crate::Server) and [`Service`](crate::Service) have for
//! them.
//!
//! A server that starts without prompts has none later, unless it was built with `with_prompts` (resources alike):
//! clients read the capabilities once. Handlers own their arguments and context and share state by capturing it, so
//! the same form works at build time and at run time. If two templates match a URI, the one with more literal text is
//! used; a resource precedes both.

mod builder;
mod completion;
mod declared;
mod entries;
mod handler;
mod provided;
mod runtime;

use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use toolwright_core::resource::{ResourceResult, UriTemplate};

use crate::auth::{Offer, Rule};
use crate::error::BuildError;
use crate::future::BoxFuture;
use crate::list::{List, Listed, View};
use crate::provider::DynProvider;

pub(crate) use builder::FeatureParts;
pub(crate) use completion::{CompleteParams, Completers};
pub use completion::{Completion, CompletionContext, IntoCompletion, Reference};
pub(crate) use entries::{Failure, PromptEntry, RequestResult, ResourceEntry, TemplateEntry};
pub use handler::RequestHandler;
pub(crate) use provided::Provided;

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

/// Resources and templates of them.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) fixed: Registry<ResourceEntry>,
    pub(crate) templates: Registry<TemplateEntry>,
    /// Those who may have what stands in no list.
    pub(crate) providers: Vec<DynProvider>,
}

/// A resource that someone asks for.
pub(crate) enum Found {
    /// It is registered with this address.
    Fixed(Arc<ResourceEntry>),
    /// A template stands for it, whose variables have these values.
    Template(Arc<TemplateEntry>, Map<String, Value>),
    /// Nothing here stands for it; a provider may know it.
    Elsewhere(Vec<DynProvider>),
}

/// Code that reads one resource.
pub(crate) type Read = Box<dyn FnOnce(crate::Context) -> BoxFuture<'static, RequestResult<ResourceResult>>>;

impl Resources {
    /// What stands at `uri`: the resource with that address, else the template with the most fixed text that matches it.
    fn find(&self, uri: &str) -> Option<Found> {
        if let Some(entry) = self.fixed.list().get(uri) {
            return Some(Found::Fixed(Arc::clone(entry)));
        }
        let templates = self.templates.list();
        let matching = templates
            .entries()
            .iter()
            .filter_map(|entry| Some((entry, entry.template.as_ref()?.matches(uri)?)));
        // The list is sorted, so of two with as much the same one is taken each time.
        let fixed_len = |entry: &TemplateEntry| entry.template.as_ref().map(UriTemplate::fixed_len);
        let Some((entry, values)) = matching.max_by_key(|(entry, _)| fixed_len(entry)) else {
            return (!self.providers.is_empty()).then(|| Found::Elsewhere(self.providers.clone()));
        };
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        Some(Found::Template(Arc::clone(entry), values))
    }

    /// The same, where the caller sees it. What is kept from the caller does not let something else take its place: who
    /// wrote the other template did not have this address in mind.
    pub(crate) fn find_in(&self, uri: &str, view: View<'_>) -> Option<Found> {
        self.find(uri).filter(|found| found.is_seen(uri, view))
    }

    /// Whether the caller may be notified of what happens at `uri`, where something may stand or come later.
    pub(crate) fn may_watch(&self, uri: &str, view: View<'_>) -> bool {
        match self.find(uri) {
            Some(found) => found.is_seen(uri, view),
            None => view.admits(Offer::Resource(uri)),
        }
    }
}

impl Found {
    fn is_seen(&self, uri: &str, view: View<'_>) -> bool {
        match self {
            Self::Fixed(entry) => view.sees(&**entry),
            Self::Template(entry, _) => view.sees(&**entry) && view.admits(Offer::Resource(uri)),
            Self::Elsewhere(_) => view.admits(Offer::Resource(uri)),
        }
    }

    /// What a caller needs to read it.
    pub(crate) fn scopes(&self) -> &[String] {
        match self {
            Self::Fixed(entry) => entry.scopes(),
            Self::Template(entry, _) => entry.scopes(),
            Self::Elsewhere(_) => &[],
        }
    }

    /// What reads it.
    pub(crate) fn read(self, uri: &str) -> Read {
        match self {
            Self::Fixed(entry) => Box::new(move |cx| entry.read(cx)),
            Self::Template(entry, values) => {
                let uri = uri.to_owned();
                Box::new(move |cx| entry.read(uri, values, cx))
            }
            Self::Elsewhere(providers) => {
                let uri = uri.to_owned();
                Box::new(move |cx| entries::read_by(providers, uri, cx))
            }
        }
    }
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

/// Entries that come and go while the server runs.
#[derive(Debug)]
pub(crate) struct Registry<T>(RwLock<Arc<List<T>>>);

impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T: Listed> Registry<T> {
    /// A registry of these entries. `what` is what they are, for errors.
    fn new(entries: Vec<T>, what: &'static str) -> Result<Self, BuildError> {
        let entries = entries.into_iter().map(Arc::new).collect();
        let list = List::new(entries).map_err(|key| duplicate(what, key))?;
        Ok(Self(RwLock::new(Arc::new(list))))
    }

    /// The entries now.
    pub(crate) fn list(&self) -> Arc<List<T>> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The scopes of the entries.
    #[cfg(feature = "auth")]
    fn scopes(&self) -> Vec<String> {
        self.list().entries().iter().flat_map(|entry| entry.scopes().to_vec()).collect()
    }

    fn add(&self, entry: T, what: &'static str) -> Result<Arc<T>, BuildError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut entries = current.entries().to_vec();
        let entry = Arc::new(entry);
        entries.push(Arc::clone(&entry));
        *current = Arc::new(List::new(entries).map_err(|key| duplicate(what, key))?);
        Ok(entry)
    }

    /// Puts `entries` in place of those for which `is_old` holds.
    #[cfg(feature = "skills")]
    pub(crate) fn replace(
        &self,
        is_old: impl Fn(&str) -> bool,
        entries: Vec<T>,
        what: &'static str,
    ) -> Result<(), BuildError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let kept = current.entries().iter().filter(|entry| !is_old(entry.key())).cloned();
        let entries = kept.chain(entries.into_iter().map(Arc::new)).collect();
        *current = Arc::new(List::new(entries).map_err(|key| duplicate(what, key))?);
        Ok(())
    }

    /// Takes an entry out; none if there is none with this key.
    fn remove(&self, key: &str) -> Option<Arc<T>> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let removed = Arc::clone(current.get(key)?);
        let mut entries = current.entries().to_vec();
        entries.retain(|entry| entry.key() != key);
        *current = Arc::new(List::new(entries).ok()?);
        Some(removed)
    }
}

fn duplicate(what: &'static str, name: String) -> BuildError {
    BuildError::Feature { what, name, reason: "another one has the same name or address".to_owned() }
}
