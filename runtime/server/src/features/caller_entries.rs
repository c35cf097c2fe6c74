//! Prompts, resources and templates that providers list per caller.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::auth::Access;
use crate::caller_lists::CallerLists;
use crate::pagination::{List, Listed};
use crate::provider::DynProvider;

/// Per-caller entries of providers.
pub(crate) struct CallerEntries<T: Listed> {
    /// The providers, with their indices.
    sources: Vec<(usize, DynProvider)>,
    list: fn(&DynProvider, &Access) -> Arc<[T::Wire]>,
    entry: fn(usize, &DynProvider, T::Wire) -> T,
    kept: CallerLists<List<T>, T::Wire, List<T>>,
}

impl<T: Listed> CallerEntries<T> {
    /// Builds entries from what these providers list; `None` if there are no providers. Cached for a limited number
    /// of callers.
    pub(super) fn of(
        sources: Vec<(usize, DynProvider)>,
        list: fn(&DynProvider, &Access) -> Arc<[T::Wire]>,
        entry: fn(usize, &DynProvider, T::Wire) -> T,
        most: usize,
    ) -> Option<Self> {
        (!sources.is_empty()).then(|| Self { sources, list, entry, kept: CallerLists::new(most) })
    }

    /// The list of a caller: the shared entries, plus those of the caller's providers whose keys are not taken.
    pub(super) fn list(&self, shared: &Arc<List<T>>, access: &Access) -> Arc<List<T>> {
        let listed = self.sources.iter().map(|(_, provider)| (self.list)(provider, access)).collect();
        self.kept.get(access, shared, listed, |listed| {
            let mut entries = shared.entries().to_vec();
            let mut taken: HashSet<String> = entries.iter().map(|entry| entry.key().to_owned()).collect();
            for ((number, provider), shown) in self.sources.iter().zip(listed) {
                let own = shown.iter().map(|shown| (self.entry)(*number, provider, shown.clone()));
                entries.extend(own.filter(|entry| taken.insert(entry.key().to_owned())).map(Arc::new));
            }
            // All keys are unique.
            List::new(entries).map_or_else(|_| Arc::clone(shared), |list| Arc::new(list.of_caller()))
        })
    }
}

impl<T: Listed> fmt::Debug for CallerEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerEntries").field("sources", &self.sources).finish_non_exhaustive()
    }
}
