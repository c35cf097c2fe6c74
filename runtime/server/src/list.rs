//! Lists that clients see: sorted, on pages, in the form of each revision.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use toolwright_core::revision::Revision;

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
}

/// What a list result says beside its entries.
#[derive(Debug)]
pub(crate) struct ListSettings<'a> {
    pub(crate) page_size: usize,
    pub(crate) ttl_ms: u64,
    pub(crate) server_meta: &'a RawValue,
}

/// The entries at one moment. A change makes a new list.
#[derive(Debug)]
pub(crate) struct List<T> {
    /// Sorted by key.
    entries: Vec<Arc<T>>,
    /// Results as JSON text, by revision and first entry.
    pages: Mutex<Pages>,
}

type Pages = HashMap<(Revision, usize), Arc<[u8]>>;

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), pages: Mutex::default() }
    }
}

impl<T: Listed> List<T> {
    /// The list of these entries.
    ///
    /// # Errors
    /// The key that two entries have.
    pub(crate) fn new(mut entries: Vec<Arc<T>>) -> Result<Self, String> {
        entries.sort_by(|a, b| a.key().cmp(b.key()));
        match entries.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            Some(pair) => Err(pair[0].key().to_owned()),
            None => Ok(Self { entries, pages: Mutex::default() }),
        }
    }

    /// All entries, in the order of the list.
    pub(crate) fn entries(&self) -> &[Arc<T>] {
        &self.entries
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
        context_path: Option<&str>,
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
        if context_path.is_some() {
            return Some(self.write_page(start, context_path, revision, settings));
        }
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages.get(&(revision, start)) {
            return Some(Arc::clone(page));
        }
        let page = self.write_page(start, None, revision, settings);
        pages.insert((revision, start), Arc::clone(&page));
        Some(page)
    }

    fn write_page(
        &self,
        start: usize,
        context_path: Option<&str>,
        revision: Revision,
        settings: &ListSettings<'_>,
    ) -> Arc<[u8]> {
        let mut shown = self.entries[start..]
            .iter()
            .filter(|entry| entry.is_in(revision))
            .filter(|entry| context_path.is_none_or(|path| entry.is_visible_in(path)))
            .peekable();
        let page: Vec<&Arc<T>> = shown.by_ref().take(settings.page_size).collect();
        let next_cursor = page.last().filter(|_| shown.peek().is_some()).map(|last| cursor_after(last.key()));
        let list = ListResult { page: Page { entries: &page, revision }, next_cursor, settings };
        serde_json::to_vec(&list).unwrap_or_default().into()
    }
}

struct ListResult<'a, T> {
    page: Page<'a, T>,
    next_cursor: Option<String>,
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
            result.serialize_entry("cacheScope", "public")?;
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
    use std::fmt::Write as _;
    key.bytes().fold(String::with_capacity(key.len() * 2), |mut cursor, byte| {
        let _ = write!(cursor, "{byte:02x}");
        cursor
    })
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
