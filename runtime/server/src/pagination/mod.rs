//! Lists for clients: sorted, paginated, in the form of each revision.
//!
//! Pages are rendered once per revision, start and set of scopes, and then copied. A cursor names the last entry of the
//! previous page, so it stays valid when entries change. A tag ties it to its list and to what its caller sees, without
//! a key, so that instances of one server agree. Per-caller lists are rendered each time.

mod cache;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::json;
use toolwright_core::resource::CacheScope;
use toolwright_core::revision::Revision;

use crate::auth::{Access, Offer, Rule};
use crate::escape;
use crate::hex::{hex, unhex};
use crate::json_rpc::{self, CacheHints, Form};
use crate::log;

pub(crate) use cache::PageBounds;
use cache::PageCache;

/// An entry of a list.
pub(crate) trait Listed {
    /// The member of the result that contains the list.
    const MEMBER: &'static str;

    /// The entry's type on the wire.
    type Wire: Serialize + Clone;

    /// The sort key, which is unique in the list.
    fn key(&self) -> &str;

    /// The entry with the members that the revision defines.
    fn to_wire(&self, revision: Revision) -> Cow<'_, Self::Wire>;

    /// Whether clients of the revision support the entry.
    fn is_in(&self, _revision: Revision) -> bool {
        true
    }

    /// Whether the entry is visible in the application context at `path`.
    fn is_visible_in(&self, _path: &str) -> bool {
        true
    }

    /// The scopes that a caller needs to see the entry.
    fn scopes(&self) -> &[String] {
        &[]
    }

    /// Whether the program's visibility rule applies to entries of this kind.
    const IS_RULED: bool = false;

    /// The entry in the form that the visibility rule receives.
    fn offer(&self) -> Option<Offer<'_>> {
        None
    }
}

/// The caller that a list is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    /// The caller's application context.
    pub(crate) context_path: Option<&'a str>,
    /// What the caller may use.
    pub(crate) access: &'a Access,
    /// The program's visibility rule.
    pub(crate) rule: &'a Rule,
}

impl View<'_> {
    fn shows(&self, entry: &impl Listed) -> bool {
        self.context_path.is_none_or(|path| entry.is_visible_in(path)) && self.sees(entry)
    }

    /// The rule for listing and using entries: the caller has all scopes, and the visibility rule allows the entry.
    pub(crate) fn sees(&self, entry: &impl Listed) -> bool {
        self.access.covers(entry.scopes()) && entry.offer().is_none_or(|offer| self.admits(offer))
    }

    /// Whether the visibility rule allows the entry.
    pub(crate) fn admits(&self, offer: Offer<'_>) -> bool {
        self.rule.admits(offer, self.access)
    }

    /// Whether entries with these scopes are hidden from some callers.
    pub(crate) fn is_private(&self, scopes: &[String]) -> bool {
        !self.access.is_trusted() && (!scopes.is_empty() || self.rule.decides_for(self.access))
    }
}

/// The members of a list result besides its entries.
#[derive(Debug)]
pub(crate) struct ListSettings<'a> {
    pub(crate) page_size: usize,
    pub(crate) ttl_ms: u64,
    /// The limits of the page cache.
    pub(crate) kept: PageBounds,
    pub(crate) server_meta: &'a RawValue,
}

/// A snapshot of the entries. Changes create a new list.
#[derive(Debug)]
pub(crate) struct List<T> {
    /// Distinguishes several lists of one kind, such as the entries of different folders.
    place: Box<str>,
    /// Sorted by key.
    entries: Vec<Arc<T>>,
    /// The distinct scope requirements of entries; if there are any, callers see different lists.
    needs: Vec<Box<[String]>>,
    /// Whether the list was built for one caller.
    is_of_caller: bool,
    /// Rendered results.
    pages: PageCache,
}

/// The length of a cursor's tag in digits.
const TAG_DIGITS: usize = 16;

impl<T> Default for List<T> {
    fn default() -> Self {
        Self {
            place: Box::default(),
            entries: Vec::new(),
            needs: Vec::new(),
            is_of_caller: false,
            pages: PageCache::default(),
        }
    }
}

impl<T: Listed> List<T> {
    /// Creates a list of these entries.
    ///
    /// # Errors
    /// The key that two entries share.
    pub(crate) fn new(mut entries: Vec<Arc<T>>) -> Result<Self, String> {
        entries.sort_by(|a, b| a.key().cmp(b.key()));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            return Err(pair[0].key().to_owned());
        }
        let mut needs: Vec<Box<[String]>> = entries.iter().map(|entry| entry.scopes().into()).collect();
        needs.retain(|need| !need.is_empty());
        needs.sort_unstable();
        needs.dedup();
        Ok(Self { entries, needs, ..Self::default() })
    }

    /// Marks the list as built for one caller.
    pub(crate) fn of_caller(self) -> Self {
        Self { is_of_caller: true, ..self }
    }

    /// Sets which list of its kind it is.
    #[cfg(feature = "skills")]
    pub(crate) fn of(self, place: &str) -> Self {
        Self { place: place.into(), ..self }
    }

    /// All entries, in order.
    pub(crate) fn entries(&self) -> &[Arc<T>] {
        &self.entries
    }

    /// The number and total size of cached pages.
    #[cfg(test)]
    pub(crate) fn cached(&self) -> (usize, usize) {
        self.pages.size()
    }

    /// Returns the entry with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        let position = self.entries.binary_search_by(|entry| entry.key().cmp(key)).ok()?;
        self.entries.get(position)
    }

    /// Renders one page as JSON; `None` if this list did not issue the cursor in this view.
    ///
    /// A cursor names the last entry of the previous page, so it stays valid when entries change.
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
                let last = self.key_before(cursor, view, revision)?;
                self.entries.partition_point(|entry| entry.key() <= last.as_str())
            }
        };
        if view.context_path.is_some() || self.is_of_caller || Self::is_ruled(view) {
            return Some(self.write_page(start, view, revision, settings));
        }
        let key = (revision, start, self.covered(view.access));
        if let Some(page) = self.pages.get(&key) {
            return Some(page);
        }
        let page = self.write_page(start, view, revision, settings);
        self.pages.insert(key, &page, settings.kept);
        Some(page)
    }

    /// Which scope requirements a caller meets; `None` if all callers see the same list.
    fn covered(&self, access: &Access) -> Option<Arc<[bool]>> {
        self.depends_on(access).then(|| self.needs.iter().map(|need| access.covers(need)).collect())
    }

    /// Whether the visibility rule decides per entry, so that any two callers may see different lists.
    fn is_ruled(view: View<'_>) -> bool {
        T::IS_RULED && view.rule.decides_for(view.access)
    }

    /// Whether other callers may see a different list.
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
        let end = page.last().filter(|_| shown.peek().is_some());
        let next_cursor = end.map(|end| self.cursor_after(end.key(), view, revision));
        let is_private = self.is_of_caller || self.depends_on(view.access) || Self::is_ruled(view);
        let cache_scope = if is_private { CacheScope::Private } else { CacheScope::Public };
        let form = Form { revision, server_meta: settings.server_meta };
        let hints = CacheHints { ttl_ms: settings.ttl_ms, cache_scope };
        ListPage { entries: &page, next_cursor }.to_json(&form, hints).into()
    }

    /// An opaque cursor that continues after this key: hexadecimal, to discourage clients from constructing one.
    fn cursor_after(&self, key: &str, view: View<'_>, revision: Revision) -> String {
        let tag = self.tag(key, view, revision).to_be_bytes();
        hex(tag.into_iter().chain(key.bytes()))
    }

    /// Returns the key that a cursor continues after, if it was issued for this list, view and revision: one of another
    /// list would continue anywhere, or start over (2026-07-28, server/utilities/pagination "Error Handling").
    fn key_before(&self, cursor: &str, view: View<'_>, revision: Revision) -> Option<String> {
        let (_tag, key) = cursor.split_at_checked(TAG_DIGITS)?;
        let key = String::from_utf8(unhex(key)?).ok()?;
        (self.cursor_after(&key, view, revision) == cursor).then_some(key)
    }

    /// The tag ties a cursor to its list and view. It prevents mistakes and is not a secret: a page contains only what
    /// its caller may see, wherever it starts. It therefore needs no key, and instances of one server agree on it.
    fn tag(&self, key: &str, view: View<'_>, revision: Revision) -> u64 {
        let View { context_path, access, .. } = view;
        let covered = self.depends_on(access).then(|| self.needs.iter().filter(|need| access.covers(need)));
        let covered: Option<Vec<_>> = covered.map(Iterator::collect);
        let ruled_for = (self.is_of_caller || Self::is_ruled(view)).then(|| access.owner());
        let mut hasher = DefaultHasher::new();
        (T::MEMBER, &self.place, context_path, revision, covered, ruled_for, key).hash(&mut hasher);
        hasher.finish()
    }
}

/// One page of a list.
struct ListPage<'a, T> {
    entries: &'a [&'a Arc<T>],
    next_cursor: Option<String>,
}

impl<T: Listed> ListPage<'_, T> {
    /// Renders the result as JSON. Entries that cannot be sent are skipped. They are written one by one, so that they
    /// are not all copied at once.
    fn to_json(&self, form: &Form<'_>, hints: CacheHints) -> Vec<u8> {
        /// The typical size of an entry, so that a page rarely has to grow.
        const ENTRY_BYTES: usize = 256;
        let mut out = Vec::with_capacity((1 + self.entries.len()) * ENTRY_BYTES);
        json_rpc::open_result(&mut out, form);
        escape::string(&mut out, T::MEMBER);
        out.extend_from_slice(b":[");
        let mut is_first = true;
        for entry in self.entries {
            let start = out.len();
            if !is_first {
                out.push(b',');
            }
            match json::append(&mut out, &entry.to_wire(form.revision), json_rpc::OUTER + 2) {
                Ok(()) => is_first = false,
                Err(fault) => {
                    out.truncate(start);
                    log::warn(format_args!("skipping `{}` in `{}`: it {fault}", entry.key(), T::MEMBER));
                }
            }
        }
        out.push(b']');
        if let Some(cursor) = &self.next_cursor {
            out.extend_from_slice(br#","nextCursor":"#);
            escape::string(&mut out, cursor);
        }
        json_rpc::close_result(&mut out, hints, form);
        out
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use serde_json::value::RawValue;
    use serde_json::{Value, json};
    use toolwright_core::revision::Revision;

    use super::{List, ListSettings, Listed, View};
    use crate::auth::{Access, Rule};
    use crate::hex::hex;
    use crate::pagination::cache::PageBounds;

    #[derive(Debug)]
    struct Named<const TOOL: bool>(String);

    impl<const TOOL: bool> Listed for Named<TOOL> {
        const MEMBER: &'static str = if TOOL { "tools" } else { "prompts" };

        type Wire = String;

        fn key(&self) -> &str {
            &self.0
        }

        fn to_wire(&self, _revision: Revision) -> Cow<'_, String> {
            Cow::Borrowed(&self.0)
        }
    }

    const VIEW: View<'_> = View { context_path: None, access: &Access::Trusted, rule: &Rule::NONE };

    fn list<const TOOL: bool>() -> List<Named<TOOL>> {
        let names = ["a", "b", "c", "d", "e"];
        List::new(names.map(|name| Arc::new(Named(name.to_owned()))).into()).expect("names are unique")
    }

    fn page<T: Listed>(
        list: &List<T>,
        cursor: Option<&str>,
        view: View<'_>,
        revision: Revision,
    ) -> Option<Value> {
        let server_meta: Box<RawValue> = serde_json::from_str("{}").expect("JSON");
        let kept = PageBounds { pages: 9, bytes: 9_999 };
        let settings = ListSettings { page_size: 2, ttl_ms: 0, kept, server_meta: &server_meta };
        let page = list.page(cursor, view, revision, &settings)?;
        Some(serde_json::from_slice(&page).expect("JSON"))
    }

    fn first_cursor<T: Listed>(list: &List<T>, view: View<'_>) -> String {
        let page = page(list, None, view, Revision::NEWEST).expect("a first page");
        page["nextCursor"].as_str().expect("more than one page").to_owned()
    }

    #[test]
    fn cursors_continue_on_the_next_page() {
        let (tools, mut cursor, mut seen) = (list::<true>(), None, Vec::new());
        loop {
            let page = page(&tools, cursor.as_deref(), VIEW, Revision::NEWEST).expect("a page");
            seen.push(page["tools"].clone());
            let Some(next) = page["nextCursor"].as_str() else { break };
            cursor = Some(next.to_owned());
        }
        assert_eq!(seen, [json!(["a", "b"]), json!(["c", "d"]), json!(["e"])]);
    }

    #[test]
    fn foreign_cursors_are_rejected() {
        let tools = list::<true>();
        let cursor = first_cursor(&tools, VIEW);
        let is_accepted = |cursor: &str| page(&tools, Some(cursor), VIEW, Revision::NEWEST).is_some();
        assert!(is_accepted(&cursor));
        let in_context = View { context_path: Some("orders"), ..VIEW };
        for (case, other) in [
            ("another list", first_cursor(&list::<false>(), VIEW)),
            ("another context", first_cursor(&tools, in_context)),
            #[cfg(feature = "skills")]
            ("another folder", first_cursor(&list::<true>().of("skill://b"), VIEW)),
            ("a name in hexadecimal", hex(*b"b")),
            ("a number", "10".to_owned()),
            ("nothing", String::new()),
            ("its start", cursor[..cursor.len() - 2].to_owned()),
            ("its end", cursor[16..].to_owned()),
            ("more of it", format!("{cursor}61")),
            ("another name in it", format!("{}63", &cursor[..cursor.len() - 2])),
            ("signs among the digits", format!("{}+1", &cursor[..cursor.len() - 2])),
            ("capital letters", cursor.to_uppercase().replace("62", "6B")),
            ("no hexadecimal", "ö1".repeat(9)),
            ("a character across its tag", format!("{}öö", &cursor[..15])),
        ] {
            assert!(!is_accepted(&other), "{case}: {other}");
        }
        assert!(page(&tools, Some(&cursor), VIEW, Revision::NEWEST_LEGACY).is_none(), "another revision");
        assert!(page(&tools, Some(&cursor), in_context, Revision::NEWEST).is_none(), "for another context");
    }
}
