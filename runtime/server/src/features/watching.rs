//! Informs providers of the resources that any peer subscribes to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::provider::DynProvider;
use crate::subscriptions::Watch;

/// Counts the subscribers of each resource, for the providers that may have it.
#[derive(Debug, Default)]
pub(super) struct Watching {
    providers: Vec<DynProvider>,
    counts: Mutex<HashMap<Arc<str>, usize>>,
}

/// One peer's subscription to one resource.
struct Watcher {
    watching: Arc<Watching>,
    uri: Arc<str>,
}

impl Watching {
    pub(super) fn new(providers: Vec<DynProvider>) -> Arc<Self> {
        Arc::new(Self { providers, counts: Mutex::default() })
    }

    /// Informs a provider that has just gained resources of the existing subscriptions.
    pub(super) fn tell_all(&self, provider: &DynProvider) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for uri in counts.keys() {
            provider.0.watch_resource(uri);
        }
    }

    /// Starts a subscription; `None` if there are no providers.
    pub(super) fn watch(self: &Arc<Self>, uri: &str) -> Option<Watch> {
        if self.providers.is_empty() {
            return None;
        }
        // Providers are informed with the lock held, so that they see changes in order.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let uri: Arc<str> = uri.into();
        let count = counts.entry(Arc::clone(&uri)).or_default();
        *count += 1;
        if *count == 1 {
            for provider in having_resources(&self.providers) {
                provider.0.watch_resource(&uri);
            }
        }
        drop(counts);
        Some(Box::new(Watcher { watching: Arc::clone(self), uri }))
    }
}

/// Selects the providers that have to be informed.
fn having_resources(providers: &[DynProvider]) -> impl Iterator<Item = &DynProvider> {
    providers.iter().filter(|provider| provider.capabilities().resources)
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let Watching { providers, counts } = &*self.watching;
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = counts.entry(Arc::clone(&self.uri)) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
                for provider in having_resources(providers) {
                    provider.0.unwatch_resource(&self.uri);
                }
            }
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watcher").field(&self.uri).finish()
    }
}
