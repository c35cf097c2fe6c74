//! Lists that clients see: sorted, on pages, in the form of each revision.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use toolwright_core::revision::Revision;

use crate::auth::Access;
use crate::hex::hex;
use crate::page_cache::{PageBounds, PageCache};

/// Something that a list shows.
pub(crate) trait Listed {
    /// The member of the result that holds the list.
    const MEMBER: &'static str;

    /// What one entry looks like on the wire.
    type Shown: Serialize + Clone;

    /// What the list is sorted by; no two entries have the same.
    fn key(&self) -> &str;

    /// The entry with the members that the revision has.
    fn shown(&self, revision: Revision) -> Cow<'_, Self::Shown>;

    /// Whether clients of the revision can use the entry.
    fn is_in(&self, _revision: Revision) -> bool {
        true
    }

    /// Whether the entry is shown in the application context at `path`.
    fn is_visible_in(&self, _path: &str) -> bool {
        true
    }

    /// What a caller needs to see the entry.
    fn scopes(&self) -> &[String] {
        &[]
    }
}

/// To whom a list is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// The application context that the caller works in.
    pub(crate) context_path: Option<&'a str>,
    /// What the caller may use.
    pub(crate) access: &'a Access,
}

impl View<'_> {
    fn shows(&self, entry: &impl Listed) -> bool {
        self.context_path.is_none_or(|path| entry.is_visible_in(path)) && self.access.covers(entry.scopes())
    }
}

/// What a list result says beside its entries.
#[derive(Debug)]
pub(crate) struct ListSettings<'a> {
    pub(crate) page_size: usize,
    pub(crate) ttl_ms: u64,
    /// How much is kept of each list.
    pub(crate) kept: PageBounds,
    pub(crate) server_meta: &'a RawValue,
}

/// The entries at one moment. A change makes a new list.
#[derive(Debug)]
pub(crate) struct List<T> {
    /// Sorted by key.
    entries: Vec<Arc<T>>,
    /// What entries need, each need once; with any, not all callers see the same.
    needs: Vec<Box<[String]>>,
    /// Results as JSON text.
    pages: PageCache,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), needs: Vec::new(), pages: PageCache::default() }
    }
}

impl<T: Listed> List<T> {
    /// The list of these entries.
    ///
    /// # Errors
    /// The key that two entries have.
    pub(crate) fn new(mut entries: Vec<Arc<T>>) -> Result<Self, String> {
        entries.sort_by(|a, b| a.key().cmp(b.key()));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            return Err(pair[0].key().to_owned());
        }
        let mut needs: Vec<Box<[String]>> = entries.iter().map(|entry| entry.scopes().into()).collect();
        needs.retain(|need| !need.is_empty());
        needs.sort_unstable();
        needs.dedup();
        Ok(Self { entries, needs, pages: PageCache::default() })
    }

    /// All entries, in the order of the list.
    pub(crate) fn entries(&self) -> &[Arc<T>] {
        &self.entries
    }

    /// How many pages are kept, and how many bytes of them.
    #[cfg(test)]
    pub(crate) fn cached(&self) -> (usize, usize) {
        self.pages.size()
    }

    /// The entry with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        let position = self.entries.binary_search_by(|entry| entry.key().cmp(key)).ok()?;
        self.entries.get(position)
    }

    /// One page as the JSON text of the result; none if the cursor is not one of ours.
    ///
    /// A cursor names the last entry of the page before, so it stays good while entries come and go.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        view: View<'_>,
        revision: Revision,
        settings: &ListSettings<'_>,
    ) -> Option<Arc<[u8]>> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = cursor_key(cursor)?;
                self.entries.partition_point(|entry| entry.key() <= last.as_str())
            }
        };
        if view.context_path.is_some() {
            return Some(self.write_page(start, view, revision, settings));
        }
        let key = (revision, start, self.covered(view.access));
        if let Some(page) = self.pages.get(&key) {
            return Some(page);
        }
        let page = self.write_page(start, view, revision, settings);
        self.pages.keep(key, &page, settings.kept);
        Some(page)
    }

    /// Which needs a caller covers; none where all callers see the same.
    fn covered(&self, access: &Access) -> Option<Arc<[bool]>> {
        self.depends_on(access).then(|| self.needs.iter().map(|need| access.covers(need)).collect())
    }

    /// Whether other callers may see another list.
    fn depends_on(&self, access: &Access) -> bool {
        !self.needs.is_empty() && !access.is_trusted()
    }

    fn write_page(
        &self,
        start: usize,
        view: View<'_>,
        revision: Revision,
        settings: &ListSettings<'_>,
    ) -> Arc<[u8]> {
        let shown = self.entries[start..].iter().filter(|entry| entry.is_in(revision));
        let mut shown = shown.filter(|entry| view.shows(&***entry)).peekable();
        let page: Vec<&Arc<T>> = shown.by_ref().take(settings.page_size).collect();
        let next_cursor = page.last().filter(|_| shown.peek().is_some()).map(|last| cursor_after(last.key()));
        let cache_scope = if self.depends_on(view.access) { "private" } else { "public" };
        let list = ListResult { page: Page { entries: &page, revision }, next_cursor, cache_scope, settings };
        serde_json::to_vec(&list).unwrap_or_default().into()
    }
}

struct ListResult<'a, T> {
    page: Page<'a, T>,
    next_cursor: Option<String>,
    /// 2026-07-28, server/utilities/caching "Choosing a Cache Scope".
    cache_scope: &'static str,
    settings: &'a ListSettings<'a>,
}

impl<T: Listed> Serialize for ListResult<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_modern = self.page.revision.is_modern();
        let mut result = serializer.serialize_map(None)?;
        if is_modern {
            result.serialize_entry("resultType", "complete")?;
        }
        result.serialize_entry(T::MEMBER, &self.page)?;
        if let Some(cursor) = &self.next_cursor {
            result.serialize_entry("nextCursor", cursor)?;
        }
        if is_modern {
            result.serialize_entry("ttlMs", &self.settings.ttl_ms)?;
            result.serialize_entry("cacheScope", self.cache_scope)?;
            result.serialize_entry("_meta", self.settings.server_meta)?;
        }
        result.end()
    }
}

/// Entries in the form of one revision; written one by one, so that not all are copied at once.
struct Page<'a, T> {
    entries: &'a [&'a Arc<T>],
    revision: Revision,
}

impl<T: Listed> Serialize for Page<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.entries.iter().map(|entry| entry.shown(self.revision)))
    }
}

/// An opaque cursor for "after this key": hexadecimal, so that nobody is tempted to write one by hand.
fn cursor_after(key: &str) -> String {
    hex(key.bytes())
}

fn cursor_key(cursor: &str) -> Option<String> {
    if cursor.is_empty()
        || !cursor.len().is_multiple_of(2)
        || !cursor.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        (0..cursor.len()).step_by(2).map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok()).collect();
    String::from_utf8(bytes?).ok()
}

#[cfg(test)]
mod tests {
    use super::{cursor_after, cursor_key};

    #[test]
    fn cursors_lead_back_to_their_key_and_nonsense_does_not() {
        assert_eq!(cursor_key(&cursor_after("get_order")).as_deref(), Some("get_order"));
        for nonsense in ["", "x", "zz", "+1", "ö1", "ff"] {
            assert_eq!(cursor_key(nonsense), None, "{nonsense}");
        }
    }
}
