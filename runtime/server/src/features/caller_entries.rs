//! Prompts, resources and templates that providers have for each caller.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::auth::Access;
use crate::caller_lists::CallerLists;
use crate::pagination::{List, Listed};
use crate::provider::DynProvider;

/// What providers have for each caller.
pub(crate) struct CallerEntries<T: Listed> {
    /// The providers, with their numbers.
    sources: Vec<(usize, DynProvider)>,
    list: fn(&DynProvider, &Access) -> Arc<[T::Shown]>,
    entry: fn(usize, &DynProvider, T::Shown) -> T,
    kept: CallerLists<List<T>, T::Shown, List<T>>,
}

impl<T: Listed> CallerEntries<T> {
    /// What these providers list, made into entries; none if there are no providers. For so many callers it is kept.
    pub(super) fn of(
        sources: Vec<(usize, DynProvider)>,
        list: fn(&DynProvider, &Access) -> Arc<[T::Shown]>,
        entry: fn(usize, &DynProvider, T::Shown) -> T,
        most: usize,
    ) -> Option<Self> {
        (!sources.is_empty()).then(|| Self { sources, list, entry, kept: CallerLists::new(most) })
    }

    /// The list of a caller: what all have, and what its providers add that has no key of those.
    pub(super) fn list(&self, shared: &Arc<List<T>>, access: &Access) -> Arc<List<T>> {
        let listed = self.sources.iter().map(|(_, provider)| (self.list)(provider, access)).collect();
        self.kept.get(access, shared, listed, |listed| {
            let mut entries = shared.entries().to_vec();
            let mut taken: HashSet<String> = entries.iter().map(|entry| entry.key().to_owned()).collect();
            for ((number, provider), shown) in self.sources.iter().zip(listed) {
                let own = shown.iter().map(|shown| (self.entry)(*number, provider, shown.clone()));
                entries.extend(own.filter(|entry| taken.insert(entry.key().to_owned())).map(Arc::new));
            }
            // No key appears twice.
            List::new(entries).map_or_else(|_| Arc::clone(shared), |list| Arc::new(list.of_caller()))
        })
    }
}

impl<T: Listed> fmt::Debug for CallerEntries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerEntries").field("sources", &self.sources).finish_non_exhaustive()
    }
}
