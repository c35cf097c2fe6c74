//! Protocol revisions and their differences.
//!
//! Code queries the features of a revision instead of comparing revisions. The [`Era`] only decides how
//! messages are parsed and which methods exist:
//!
//! | | 2024-11-05 | 2025-03-26 | 2025-06-18 | 2025-11-25 | 2026-07-28 |
//! |---|---|---|---|---|---|
//! | [`has_handshake`](Revision::has_handshake) | yes | yes | yes | yes | |
//! | [`has_batches`](Revision::has_batches) | | yes | | | |
//! | [`has_audio`](Revision::has_audio) | | yes | yes | yes | yes |
//! | [`has_progress_message`](Revision::has_progress_message) | | yes | yes | yes | yes |
//! | [`has_titles`](Revision::has_titles) | | | yes | yes | yes |
//! | [`has_structured_content`](Revision::has_structured_content) | | | yes | yes | yes |
//! | [`has_resource_links`](Revision::has_resource_links) | | | yes | yes | yes |
//! | [`has_elicitation`](Revision::has_elicitation) | | | yes | yes | yes |
//! | [`has_icons`](Revision::has_icons) | | | | yes | yes |
//! | [`has_url_elicitation`](Revision::has_url_elicitation) | | | | yes | yes |
//! | [`has_sampling_tools`](Revision::has_sampling_tools) | | | | yes | yes |
//! | [`has_elicitation_ids`](Revision::has_elicitation_ids) | | | | yes | |
//! | [`has_null_error_ids`](Revision::has_null_error_ids) | yes | yes | yes | | |
//! | [`has_resource_watching`](Revision::has_resource_watching) | yes | yes | yes | yes | |
//! | [`has_server_requests`](Revision::has_server_requests) | yes | yes | yes | yes | |
//! | [`has_sessions`](Revision::has_sessions) | yes | yes | yes | yes | |
//! | [`has_result_type`](Revision::has_result_type) | | | | | yes |
//! | [`has_cache_hints`](Revision::has_cache_hints) | | | | | yes |
//! | [`has_any_structured_content`](Revision::has_any_structured_content) | | | | | yes |
//! | [`has_request_meta`](Revision::has_request_meta) | | | | | yes |
//! | [`has_result_meta`](Revision::has_result_meta) | | | | | yes |
//! | [`has_capability_errors`](Revision::has_capability_errors) | | | | | yes |
//! | [`has_tasks`](Revision::has_tasks) | | | | | yes |
//! | [`is_modern`](Revision::is_modern) | | | | | yes |

use std::fmt;

/// The two ways to start a conversation (2026-07-28, basic/versioning "Terminology").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Up to 2025-11-25: `initialize` negotiates a revision for a session.
    Legacy,
    /// Since 2026-07-28: each request names its revision; there are no sessions.
    Modern,
}

/// A revision of the Model Context Protocol, ordered from oldest to newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05: the first revision.
    V2024_11_05,
    /// 2025-03-26: annotations, audio, batches.
    V2025_03_26,
    /// 2025-06-18: titles, structured content, resource links, elicitation; without batches.
    V2025_06_18,
    /// 2025-11-25: icons; the last revision with a handshake.
    V2025_11_25,
    /// 2026-07-28: stateless, with metadata on every request.
    V2026_07_28,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest revision that starts with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// Returns the name of the revision on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the revision with this name, if it exists.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// Returns the era of the revision.
    pub const fn era(self) -> Era {
        if self.is_modern() { Era::Modern } else { Era::Legacy }
    }

    const fn since(self, first: Self) -> bool {
        self as u8 >= first as u8
    }
}

/// Features.
impl Revision {
    /// Returns whether each request carries its own metadata, instead of a session (2026-07-28,
    /// basic/versioning "Terminology").
    ///
    /// Features that follow from this have their own methods, such as [`Revision::has_tasks`].
    pub const fn is_modern(self) -> bool {
        self.since(Self::V2026_07_28)
    }

    /// Returns whether a connection begins with `initialize`; the opposite of [`Revision::is_modern`].
    pub const fn has_handshake(self) -> bool {
        !self.is_modern()
    }

    /// Returns whether HTTP has sessions, with streams that clients open with GET and end with DELETE.
    pub const fn has_sessions(self) -> bool {
        !self.is_modern()
    }

    /// Returns whether a server may send requests while it handles one. Since 2026-07-28 it returns input
    /// requests instead (basic/patterns/mrtr).
    pub const fn has_server_requests(self) -> bool {
        !self.is_modern()
    }

    /// Returns whether `resources/subscribe` and `resources/unsubscribe` exist; 2026-07-28 replaces them with
    /// `subscriptions/listen`.
    pub const fn has_resource_watching(self) -> bool {
        !self.is_modern()
    }

    /// Returns whether `_meta` of each request has the client's identity, capabilities and log level
    /// (2026-07-28, basic "_meta").
    pub const fn has_request_meta(self) -> bool {
        self.is_modern()
    }

    /// Returns whether `_meta` of each result has the server's identity (2026-07-28, basic "_meta").
    pub const fn has_result_meta(self) -> bool {
        self.is_modern()
    }

    /// Returns whether a missing client capability has its own error code, -32021 (2026-07-28, schema
    /// `MissingRequiredClientCapabilityError`).
    pub const fn has_capability_errors(self) -> bool {
        self.is_modern()
    }

    /// Returns whether the extension `io.modelcontextprotocol/tasks` exists (SEP-2663; the experimental tasks
    /// of 2025-11-25 are different).
    pub const fn has_tasks(self) -> bool {
        self.is_modern()
    }

    /// Returns whether results have a `resultType`, so that input requests or a task may replace a result
    /// (2026-07-28, basic "Results").
    pub const fn has_result_type(self) -> bool {
        self.is_modern()
    }

    /// Returns whether results have `ttlMs` and `cacheScope` (2026-07-28, server/utilities/caching).
    pub const fn has_cache_hints(self) -> bool {
        self.is_modern()
    }

    /// Returns whether structured content may be any JSON value instead of only an object (2026-07-28, schema
    /// `CallToolResult`).
    pub const fn has_any_structured_content(self) -> bool {
        self.is_modern()
    }

    /// Returns whether an array of messages may be sent (2025-03-26, basic "Batching").
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }

    /// Returns whether audio content blocks exist.
    pub const fn has_audio(self) -> bool {
        self.since(Self::V2025_03_26)
    }

    /// Returns whether progress notifications may have a message.
    pub const fn has_progress_message(self) -> bool {
        self.since(Self::V2025_03_26)
    }

    /// Returns whether definitions have titles and `_meta`.
    pub const fn has_titles(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Returns whether tool results have structured content and tools have output schemas.
    pub const fn has_structured_content(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Returns whether resource link content blocks exist.
    pub const fn has_resource_links(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Returns whether servers may use form elicitation.
    pub const fn has_elicitation(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Returns whether definitions have icons.
    pub const fn has_icons(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Returns whether servers may use URL elicitation, and elicitations have a `mode`.
    pub const fn has_url_elicitation(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Returns whether sampling supports tools and lists of content blocks.
    pub const fn has_sampling_tools(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Returns whether a URL elicitation has an id, which a completion notification refers to (2025-11-25,
    /// client/elicitation "Completion Notifications").
    pub const fn has_elicitation_ids(self) -> bool {
        matches!(self, Self::V2025_11_25)
    }

    /// Returns whether an error response to a message without a readable id has the id `null`. Later revisions
    /// omit the member (schema `JSONRPCErrorResponse`).
    pub const fn has_null_error_ids(self) -> bool {
        !self.since(Self::V2025_11_25)
    }

    /// Returns the error code for a resource that does not exist (server/resources "Error Handling" of each revision).
    pub const fn resource_not_found_code(self) -> i64 {
        if self.is_modern() { super::error::INVALID_PARAMS } else { super::error::RESOURCE_NOT_FOUND }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Revision;

    type Predicate = fn(Revision) -> bool;

    /// Compares the table in the module documentation with the methods.
    #[test]
    fn the_table_matches_the_predicates() {
        let predicates: [(&str, Predicate); 24] = [
            ("has_handshake", Revision::has_handshake),
            ("has_batches", Revision::has_batches),
            ("has_audio", Revision::has_audio),
            ("has_progress_message", Revision::has_progress_message),
            ("has_titles", Revision::has_titles),
            ("has_structured_content", Revision::has_structured_content),
            ("has_resource_links", Revision::has_resource_links),
            ("has_elicitation", Revision::has_elicitation),
            ("has_icons", Revision::has_icons),
            ("has_url_elicitation", Revision::has_url_elicitation),
            ("has_sampling_tools", Revision::has_sampling_tools),
            ("has_elicitation_ids", Revision::has_elicitation_ids),
            ("has_null_error_ids", Revision::has_null_error_ids),
            ("has_resource_watching", Revision::has_resource_watching),
            ("has_server_requests", Revision::has_server_requests),
            ("has_sessions", Revision::has_sessions),
            ("has_result_type", Revision::has_result_type),
            ("has_cache_hints", Revision::has_cache_hints),
            ("has_any_structured_content", Revision::has_any_structured_content),
            ("has_request_meta", Revision::has_request_meta),
            ("has_result_meta", Revision::has_result_meta),
            ("has_capability_errors", Revision::has_capability_errors),
            ("has_tasks", Revision::has_tasks),
            ("is_modern", Revision::is_modern),
        ];
        let rows: Vec<Vec<&str>> = include_str!("revision.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! | [`"))
            .map(|row| row.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(rows.len(), predicates.len());
        for (row, (name, predicate)) in rows.iter().zip(predicates) {
            assert!(row[0].starts_with(&format!("{name}`]")), "{row:?}");
            let said: Vec<bool> = row[1..=5].iter().map(|cell| *cell == "yes").collect();
            assert_eq!(said, Revision::ALL.map(predicate), "{name}");
        }
    }

    #[test]
    fn revisions_are_found_by_name() {
        for revision in Revision::ALL {
            assert_eq!(Revision::from_name(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::from_name("2025-01-01"), None);
    }
}
