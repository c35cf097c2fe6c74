//! A bounded cache of list pages as JSON, shared by all callers who see the same entries.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright_core::revision::Revision;

/// The revision, the first entry, and, if it affects the page, which scope requirements the caller meets.
pub(crate) type PageKey = (Revision, usize, Option<Arc<[bool]>>);

/// The limits of one list's cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageBounds {
    pub(crate) pages: usize,
    pub(crate) bytes: usize,
}

/// The most recently added pages of one list. A caller chooses where a page starts, so there may be as many pages
/// as entries, each nearly as long as the list.
#[derive(Debug, Default)]
pub(crate) struct PageCache(Mutex<KeptPages>);

#[derive(Debug, Default)]
struct KeptPages {
    pages: HashMap<PageKey, Arc<[u8]>>,
    /// The keys of the pages, oldest first.
    order: VecDeque<PageKey>,
    bytes: usize,
}

impl PageCache {
    /// Returns the cached page with this key.
    pub(crate) fn get(&self, key: &PageKey) -> Option<Arc<[u8]>> {
        self.lock().pages.get(key).cloned()
    }

    /// Caches a page, and evicts the oldest ones to make room. A page that is too large is not cached.
    pub(crate) fn insert(&self, key: PageKey, page: &Arc<[u8]>, bounds: PageBounds) {
        let size = size(&key, page);
        if size > bounds.bytes || bounds.pages == 0 {
            return;
        }
        let mut kept = self.lock();
        if kept.pages.contains_key(&key) {
            return;
        }
        while kept.pages.len() >= bounds.pages || kept.bytes + size > bounds.bytes {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some(page) = kept.pages.remove(&oldest) {
                kept.bytes -= self::size(&oldest, &page);
            }
        }
        kept.bytes += size;
        kept.order.push_back(key.clone());
        kept.pages.insert(key, Arc::clone(page));
    }

    /// The number and total size of cached pages.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (usize, usize) {
        let kept = self.lock();
        (kept.pages.len(), kept.bytes)
    }

    fn lock(&self) -> MutexGuard<'_, KeptPages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The size of a page, including its key in both collections.
fn size((_, _, covered): &PageKey, page: &[u8]) -> usize {
    const BASE: usize = 128;
    BASE + covered.as_ref().map_or(0, |covered| covered.len()) + page.len()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolwright_core::revision::Revision;

    use serde_json::{Value, json};
    use toolwright_client::Client;
    use toolwright_core::resource::Resource;

    use super::{PageBounds, PageCache, PageKey};
    use crate::{Limits, Server};

    fn key(start: usize) -> PageKey {
        (Revision::NEWEST, start, None)
    }

    fn page(length: usize) -> Arc<[u8]> {
        vec![b' '; length].into()
    }

    /// Returns which of the pages 0 to 9 are cached.
    fn cached(cache: &PageCache) -> Vec<usize> {
        (0..10).filter(|start| cache.get(&key(*start)).is_some()).collect()
    }

    #[test]
    fn the_oldest_pages_are_evicted_first() {
        let cache = PageCache::default();
        let bounds = PageBounds { pages: 3, bytes: usize::MAX };
        for start in 0..8 {
            cache.insert(key(start), &page(10), bounds);
            cache.insert(key(start), &page(10), bounds);
        }
        assert_eq!(cached(&cache), [5, 6, 7]);
        assert_eq!(cache.lock().order.len(), 3);
    }

    #[test]
    fn pages_are_evicted_until_a_new_one_fits() {
        let cache = PageCache::default();
        let bounds = PageBounds { pages: 10, bytes: 1_500 };
        for (start, length, expected) in [
            (0, 300, &[0][..]),
            (1, 300, &[0, 1]),
            (2, 300, &[0, 1, 2]),
            (3, 300, &[1, 2, 3]),
            (4, 1_000, &[4]),
            (5, 1_400, &[4]),
            (6, 200, &[4, 6]),
        ] {
            cache.insert(key(start), &page(length), bounds);
            assert_eq!(cached(&cache), expected, "{start}");
            assert!(cache.lock().bytes <= bounds.bytes);
        }
    }

    #[test]
    fn pages_differ_by_caller_and_revision() {
        let cache = PageCache::default();
        let bounds = PageBounds { pages: 10, bytes: 10_000 };
        let of = |covered: &[bool]| (Revision::NEWEST, 0, Some(covered.into()));
        cache.insert(of(&[true, false]), &page(1), bounds);
        cache.insert(key(0), &page(2), bounds);
        assert!(cache.get(&of(&[true, false])).is_some_and(|page| page.len() == 1));
        assert!(cache.get(&key(0)).is_some_and(|page| page.len() == 2));
        assert!(cache.get(&of(&[false, false])).is_none());
        assert!(cache.get(&(Revision::V2025_11_25, 0, None)).is_none());
    }

    /// Walks through all pages of a list in all revisions; the cache stays within its limits.
    #[tokio::test]
    async fn the_page_cache_stays_within_its_limits() {
        for (limits, most) in [
            (Limits { max_cached_pages: 3, ..Limits::default() }, (3, usize::MAX)),
            (Limits { max_cached_page_bytes: 1_000, ..Limits::default() }, (usize::MAX, 1_000)),
            (Limits { max_cached_pages: 0, ..Limits::default() }, (0, 0)),
        ] {
            let mut server = Server::new(()).limits(Limits { list_page_size: 1, ..limits });
            for number in 0..20 {
                let resource =
                    Resource::new(format!("shop://{number:02}"), "item").description("x".repeat(100));
                server = server.resource(resource, async || "text");
            }
            let service = server.build().expect("a service");
            let resources = service.shared().features().resources().expect("resources");
            for revision in Revision::ALL {
                let client = Client::builder().revision(revision).in_process(&service);
                let (mut params, mut pages) = (json!({}), 0);
                loop {
                    let page = client.request("resources/list", params).await.expect("a page");
                    let page: Value = serde_json::from_str(page.get()).expect("JSON");
                    assert_eq!(page["resources"][0]["uri"], format!("shop://{pages:02}"), "{revision}");
                    let (count, bytes) = resources.fixed.list().cached();
                    assert!(count <= most.0 && bytes <= most.1, "{count} pages of {bytes} bytes");
                    pages += 1;
                    if page["nextCursor"].is_null() {
                        break;
                    }
                    params = json!({"cursor": page["nextCursor"]});
                }
                assert_eq!(pages, 20);
            }
        }
    }
}
