//! What a server offers beside tools: prompts, resources and completion of their arguments.
//!
//! `entries` holds what is registered and the code behind it, `handler` the functions that users write, `completion`
//! suggestions, `declared` what the manifest shows; `builder` and `runtime` are what [`Server`](crate::Server) and [`Service`](crate::Service) have for
//! them.

mod builder;
mod completion;
mod declared;
mod entries;
mod handler;
mod runtime;

use std::sync::{Arc, PoisonError, RwLock};

use toolwright_core::resource::ResourceResult;

use crate::error::BuildError;
use crate::executor::BoxFuture;
use crate::list::{List, Listed};

pub(crate) use builder::FeatureParts;
pub(crate) use completion::{CompleteParams, Completers};
pub use completion::{Completion, CompletionContext, IntoCompletion, Reference};
pub(crate) use entries::{PromptEntry, RequestResult, ResourceEntry, TemplateEntry};
pub use handler::RequestHandler;

/// The prompts, resources and completers of a server.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// Absent where the server offers no prompts.
    pub(crate) prompts: Option<Registry<PromptEntry>>,
    /// Absent where the server offers no resources.
    pub(crate) resources: Option<Resources>,
    pub(crate) completers: Completers,
}

/// Resources and templates of them.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) fixed: Registry<ResourceEntry>,
    pub(crate) templates: Registry<TemplateEntry>,
}

/// Code that reads one resource.
pub(crate) type Read = Box<dyn FnOnce(crate::Context) -> BoxFuture<'static, RequestResult<ResourceResult>>>;

impl Resources {
    /// What reads the resource at `uri`: the one with that address, else the template with the most fixed text that
    /// matches it.
    pub(crate) fn find(&self, uri: &str) -> Option<Read> {
        if let Some(entry) = self.fixed.list().get(uri).cloned() {
            return Some(Box::new(move |cx| entry.read(cx)));
        }
        let templates = self.templates.list();
        let matching =
            templates.entries().iter().filter_map(|entry| Some((entry, entry.template.matches(uri)?)));
        // The list is sorted, so of two with as much the same one is taken each time.
        let (entry, values) = matching.max_by_key(|(entry, _)| entry.template.fixed_len())?;
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let (entry, uri) = (Arc::clone(entry), uri.to_owned());
        Some(Box::new(move |cx| entry.read(uri, values, cx)))
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

    fn add(&self, entry: T, what: &'static str) -> Result<(), BuildError> {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut entries = current.entries().to_vec();
        entries.push(Arc::new(entry));
        *current = Arc::new(List::new(entries).map_err(|key| duplicate(what, key))?);
        Ok(())
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

    /// Takes an entry out; false if there is none with this key.
    fn remove(&self, key: &str) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut entries = current.entries().to_vec();
        entries.retain(|entry| entry.key() != key);
        let is_there = entries.len() < current.entries().len();
        if is_there && let Ok(list) = List::new(entries) {
            *current = Arc::new(list);
        }
        is_there
    }
}

fn duplicate(what: &'static str, name: String) -> BuildError {
    BuildError::Feature { what, name, reason: "another one has the same name or address".to_owned() }
}
