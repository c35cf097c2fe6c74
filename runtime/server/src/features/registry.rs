//! Prompts, resources and templates that change while the server runs.

use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

use super::caller_entries::CallerEntries;
use crate::auth::Access;
use crate::error::BuildError;
use crate::pagination::{List, Listed};

/// A list of entries that changes while the server runs.
#[derive(Debug)]
pub(crate) struct Registry<T: Listed> {
    /// The entries for all callers.
    shared: RwLock<Arc<List<T>>>,
    /// Additional entries per caller.
    own: Option<CallerEntries<T>>,
}

impl<T: Listed> Default for Registry<T> {
    fn default() -> Self {
        Self { shared: RwLock::default(), own: None }
    }
}

impl<T: Listed> Registry<T> {
    /// Creates a registry of these entries. `what` is their kind, for errors.
    pub(super) fn new(entries: Vec<T>, what: &'static str) -> Result<Self, BuildError> {
        let entries = entries.into_iter().map(Arc::new).collect();
        let list = List::new(entries).map_err(|key| duplicate(what, key))?;
        Ok(Self { shared: RwLock::new(Arc::new(list)), own: None })
    }

    /// Adds the per-caller entries of providers.
    pub(super) fn with_own(self, own: Option<CallerEntries<T>>) -> Self {
        Self { own, ..self }
    }

    /// The current entries for all callers.
    pub(crate) fn list(&self) -> Arc<List<T>> {
        Arc::clone(&self.shared.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The current entries for a caller.
    pub(crate) fn list_for(&self, access: &Access) -> Arc<List<T>> {
        let shared = self.list();
        match &self.own {
            Some(own) => own.list(&shared, access),
            None => shared,
        }
    }

    /// Locks the list for replacement.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Arc<List<T>>> {
        self.shared.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scopes of the entries.
    #[cfg(feature = "auth")]
    pub(super) fn scopes(&self) -> Vec<String> {
        self.list().entries().iter().flat_map(|entry| entry.scopes().to_vec()).collect()
    }

    pub(crate) fn add(&self, entry: T, what: &'static str) -> Result<Arc<T>, BuildError> {
        let mut current = self.write();
        let mut entries = current.entries().to_vec();
        let entry = Arc::new(entry);
        entries.push(Arc::clone(&entry));
        *current = Arc::new(List::new(entries).map_err(|key| duplicate(what, key))?);
        Ok(entry)
    }

    /// Replaces the entries for which `is_old` returns true with `entries`.
    #[cfg(feature = "skills")]
    pub(crate) fn replace(
        &self,
        is_old: impl Fn(&str) -> bool,
        entries: Vec<T>,
        what: &'static str,
    ) -> Result<(), BuildError> {
        let mut current = self.write();
        let kept = current.entries().iter().filter(|entry| !is_old(entry.key())).cloned();
        let entries = kept.chain(entries.into_iter().map(Arc::new)).collect();
        *current = Arc::new(List::new(entries).map_err(|key| duplicate(what, key))?);
        Ok(())
    }

    /// Removes an entry; `None` if no entry has this key.
    pub(crate) fn remove(&self, key: &str) -> Option<Arc<T>> {
        let mut current = self.write();
        let removed = Arc::clone(current.get(key)?);
        let mut entries = current.entries().to_vec();
        entries.retain(|entry| entry.key() != key);
        *current = Arc::new(List::new(entries).ok()?);
        Some(removed)
    }
}

fn duplicate(what: &'static str, name: String) -> BuildError {
    BuildError::Feature { what, name, reason: "another one has the same name or URI".to_owned() }
}
