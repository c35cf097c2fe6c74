//! Caches lists that differ between callers, for as long as their sources are unchanged.
//!
//! A provider with per-caller lists is queried on every request, so that lists and calls are based on the same
//! response. What is built from the response is cached until the provider returns something else.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::auth::Access;

/// A cache of values `V`, built from the shared lists `B` and the provider lists `S` of each caller.
pub(crate) struct CallerLists<B, S, V> {
    most: usize,
    known: Mutex<HashMap<Key, Known<B, S, V>>>,
}

/// Whether the caller is unrestricted, and its owner.
type Key = (bool, Option<Box<str>>);

struct Known<B, S, V> {
    base: Arc<B>,
    listed: Vec<Arc<[S]>>,
    made: Arc<V>,
}

impl<B, S, V> CallerLists<B, S, V> {
    /// Creates a cache for at most this many callers.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, known: Mutex::default() }
    }

    /// Returns the last value of a caller.
    pub(crate) fn last(&self, access: &Access) -> Option<Arc<V>> {
        self.known().get(&key(access)).map(|known| Arc::clone(&known.made))
    }

    /// Returns the value that `build` creates from these lists, or the cached one if they are unchanged.
    pub(crate) fn get(
        &self,
        access: &Access,
        base: &Arc<B>,
        listed: Vec<Arc<[S]>>,
        build: impl FnOnce(&[Arc<[S]>]) -> Arc<V>,
    ) -> Arc<V> {
        let key = key(access);
        let is_same = |known: &&Known<B, S, V>| {
            let mut pairs = known.listed.iter().zip(&listed);
            Arc::ptr_eq(&known.base, base)
                && known.listed.len() == listed.len()
                && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
        };
        if let Some(same) = self.known().get(&key).filter(is_same) {
            return Arc::clone(&same.made);
        }
        // Built without holding the lock, since it may take long.
        let made = build(&listed);
        let mut known = self.known();
        if known.len() >= self.most
            && !known.contains_key(&key)
            && let Some(other) = known.keys().next().cloned()
        {
            known.remove(&other);
        }
        if self.most > 0 {
            known.insert(key, Known { base: Arc::clone(base), listed, made: Arc::clone(&made) });
        }
        made
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Key, Known<B, S, V>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(access: &Access) -> Key {
    (access.is_trusted(), access.owner().map(Into::into))
}

impl<B, S, V> fmt::Debug for CallerLists<B, S, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallerLists").field("callers", &self.known().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::CallerLists;
    use crate::auth::{Access, Principal};

    fn caller(name: &str) -> Access {
        Access::Granted(Arc::new(Principal::new(name)))
    }

    #[test]
    fn lists_are_rebuilt_when_their_sources_change() {
        let lists: CallerLists<u8, u8, Vec<u8>> = CallerLists::new(8);
        let (base, listed): (Arc<u8>, Arc<[u8]>) = (Arc::new(1), [2].into());
        let get = |access: &Access, base: &Arc<u8>, listed: &Arc<[u8]>| {
            lists.get(access, base, vec![Arc::clone(listed)], |listed| {
                Arc::new(listed.iter().flat_map(|list| list.iter().copied()).collect())
            })
        };
        let (ada, bob) = (caller("ada"), caller("bob"));
        assert!(lists.last(&ada).is_none());
        let first = get(&ada, &base, &listed);
        assert!(Arc::ptr_eq(&first, &get(&ada, &base, &listed)), "the cached value");
        assert!(!Arc::ptr_eq(&first, &get(&bob, &base, &listed)), "another caller");
        assert!(!Arc::ptr_eq(&first, &get(&ada, &Arc::new(1), &listed)), "another base");
        assert_eq!(*get(&ada, &base, &[3].into()), [3]);
        assert_eq!(lists.last(&ada).as_deref(), Some(&vec![3]));
        let (trusted, anonymous) =
            (get(&Access::Trusted, &base, &listed), get(&Access::Anonymous, &base, &listed));
        assert!(!Arc::ptr_eq(&trusted, &anonymous));
    }

    #[test]
    fn lists_are_cached_for_a_limited_number_of_callers() {
        for most in [0, 1, 4] {
            let lists: CallerLists<u8, u8, u8> = CallerLists::new(most);
            for number in 0..100 {
                let access = caller(&number.to_string());
                assert_eq!(*lists.get(&access, &Arc::new(1), Vec::new(), |_| Arc::new(number)), number);
            }
            assert_eq!(lists.known().len(), most);
        }
    }
}
