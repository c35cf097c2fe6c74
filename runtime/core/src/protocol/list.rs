//! Paginated lists (2026-07-28, server/utilities/pagination).

use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{
    CacheScope, Prompt, RequestMeta, Resource, ResourceTemplate, ResultType, Task, ToolDefinition, method,
};

/// The lists of the protocol (2026-07-28, schemas `ListToolsResult`, `ListPromptsResult`,
/// `ListResourcesResult`, `ListResourceTemplatesResult`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ListKind {
    /// Tools, by name.
    Tools,
    /// Prompts, by name.
    Prompts,
    /// Resources, by URI.
    Resources,
    /// Resource templates, by URI template.
    ResourceTemplates,
}

impl ListKind {
    /// All lists, in the order used in documents.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// All lists except tools.
    pub const FEATURES: [Self; 3] = [Self::Prompts, Self::Resources, Self::ResourceTemplates];

    /// Returns the name of the member that holds the list in results and manifests.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
        }
    }

    /// Returns the name of the member that identifies an entry.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::ResourceTemplates => "uriTemplate",
        }
    }

    /// Returns the singular for messages.
    pub const fn one(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Prompts => "prompt",
            Self::Resources => "resource",
            Self::ResourceTemplates => "resource template",
        }
    }

    /// Returns the method that lists the entries.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST,
            Self::Prompts => method::PROMPTS_LIST,
            Self::Resources => method::RESOURCES_LIST,
            Self::ResourceTemplates => method::RESOURCES_TEMPLATES_LIST,
        }
    }

    /// Returns the name or URI of an entry; `None` if it is not a string.
    pub fn name_of(self, entry: &DefinitionMap) -> Option<&str> {
        entry.get(self.key()).and_then(Value::as_str)
    }
}

/// Formats the plural for messages.
impl fmt::Display for ListKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ResourceTemplates => "resource templates",
            other => other.member(),
        })
    }
}

/// A definition of any kind as a JSON object.
pub type DefinitionMap = Map<String, Value>;

/// The parameters of a paginated request (2026-07-28, schema `PaginatedRequestParams`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageParams {
    /// The cursor from the preceding page; `None` for the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Types that appear in paginated lists.
///
/// ```
/// use toolwright_core::definition::ToolDefinition;
/// use toolwright_core::protocol::Listed;
///
/// assert_eq!(ToolDefinition::MEMBER, "tools");
/// ```
pub trait Listed {
    /// The name of the member that holds the list.
    const MEMBER: &'static str;
}

impl Listed for ToolDefinition {
    const MEMBER: &'static str = ListKind::Tools.member();
}

impl Listed for Prompt {
    const MEMBER: &'static str = ListKind::Prompts.member();
}

impl Listed for Resource {
    const MEMBER: &'static str = ListKind::Resources.member();
}

impl Listed for ResourceTemplate {
    const MEMBER: &'static str = ListKind::ResourceTemplates.member();
}

impl Listed for Task {
    const MEMBER: &'static str = "tasks";
}

/// A page of a list (2026-07-28, schemas `ListToolsResult`, `ListPromptsResult` and so on).
///
/// ```
/// use toolwright_core::protocol::{Page, ToolDefinition};
///
/// let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":1}],"nextCursor":"x"}"#;
/// assert!(serde_json::from_str::<Page<ToolDefinition>>(text).is_err());
///
/// // An invalid entry does not affect the others.
/// let (page, faults) = Page::<ToolDefinition>::read(text)?;
/// assert_eq!(page.entries[0].name, "a");
/// assert_eq!(page.next_cursor.as_deref(), Some("x"));
/// assert_eq!((faults[0].index, faults[0].name.as_deref()), (1, None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The entries, in order.
    pub entries: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
    /// How long clients may cache the page, in milliseconds; since 2026-07-28.
    pub ttl_ms: Option<u64>,
    /// Who may cache the page; since 2026-07-28.
    pub cache_scope: Option<CacheScope>,
    /// Always `complete`; since 2026-07-28.
    pub result_type: Option<ResultType>,
    /// `_meta`.
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    pub other: Map<String, Value>,
}

/// An entry of a page that could not be parsed.
#[derive(Debug, thiserror::Error)]
#[error("invalid entry {index}: {source}")]
#[non_exhaustive]
pub struct EntryError {
    /// The index of the entry on the page.
    pub index: usize,
    /// The name of the entry, if it has one.
    pub name: Option<String>,
    /// The cause.
    pub source: serde_json::Error,
}

/// The members of a page except the entries.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageRest {
    next_cursor: Option<String>,
    ttl_ms: Option<u64>,
    cache_scope: Option<CacheScope>,
    result_type: Option<ResultType>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl<T> Page<T> {
    /// Creates a page without a successor.
    pub fn new(entries: Vec<T>) -> Self {
        Self {
            entries,
            next_cursor: None,
            ttl_ms: None,
            cache_scope: None,
            result_type: None,
            meta: None,
            other: Map::new(),
        }
    }

    fn with_rest(entries: Vec<T>, rest: PageRest) -> Self {
        let PageRest { next_cursor, ttl_ms, cache_scope, result_type, meta, other } = rest;
        Self { entries, next_cursor, ttl_ms, cache_scope, result_type, meta, other }
    }
}

impl<T: Listed + DeserializeOwned> Page<T> {
    /// Parses a page. Returns the valid entries, and an error for each invalid one.
    ///
    /// # Errors
    /// Returns an error if the page itself is invalid: not an object, or without its list.
    pub fn read(text: &str) -> Result<(Self, Vec<EntryError>), serde_json::Error> {
        let (entries, rest) = split::<T>(serde_json::from_str(text)?)?;
        let mut page = Self::with_rest(Vec::with_capacity(entries.len()), rest);
        let mut errors = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            match T::deserialize(&entry) {
                Ok(entry) => page.entries.push(entry),
                Err(source) => {
                    let name = |key| entry.get(key).and_then(Value::as_str).map(str::to_owned);
                    let name = ["name", "uri", "uriTemplate", "taskId"].into_iter().find_map(name);
                    errors.push(EntryError { index, name, source });
                }
            }
        }
        Ok((page, errors))
    }
}

fn split<T: Listed>(mut members: Map<String, Value>) -> Result<(Vec<Value>, PageRest), serde_json::Error> {
    let missing = || serde_json::Error::custom(format_args!("the page needs the list `{}`", T::MEMBER));
    let Some(Value::Array(entries)) = members.shift_remove(T::MEMBER) else { return Err(missing()) };
    Ok((entries, PageRest::deserialize(Value::Object(members))?))
}

impl<'de, T: Listed + DeserializeOwned> Deserialize<'de> for Page<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (entries, rest) = split::<T>(Map::deserialize(deserializer)?).map_err(D::Error::custom)?;
        let entries: Result<_, _> = entries.into_iter().map(|entry| T::deserialize(entry)).collect();
        Ok(Self::with_rest(entries.map_err(D::Error::custom)?, rest))
    }
}

impl<T: Listed + Serialize> Serialize for Page<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { entries, next_cursor, ttl_ms, cache_scope, result_type, meta, other } = self;
        let mut members = serializer.serialize_map(None)?;
        if let Some(result_type) = result_type {
            members.serialize_entry("resultType", result_type)?;
        }
        members.serialize_entry(T::MEMBER, entries)?;
        if let Some(next_cursor) = next_cursor {
            members.serialize_entry("nextCursor", next_cursor)?;
        }
        if let Some(ttl_ms) = ttl_ms {
            members.serialize_entry("ttlMs", ttl_ms)?;
        }
        if let Some(cache_scope) = cache_scope {
            members.serialize_entry("cacheScope", cache_scope)?;
        }
        if let Some(meta) = meta {
            members.serialize_entry("_meta", meta)?;
        }
        for (name, value) in other {
            members.serialize_entry(name, value)?;
        }
        members.end()
    }
}
