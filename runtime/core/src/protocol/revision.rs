//! The revisions of the protocol, and what differs between them.
//!
//! Code asks what a revision has, and not which one it is; which [`Era`] it is of decides only how a message is read and
//! which methods there are:
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

/// The two ways in which revisions open a conversation (2026-07-28, basic/versioning "Terminology").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Up to 2025-11-25: `initialize` agrees on a revision for a session.
    Legacy,
    /// Since 2026-07-28: each request names its revision, and there are no sessions.
    Modern,
}

/// A revision of the Model Context Protocol, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05: the first one.
    V2024_11_05,
    /// 2025-03-26: annotations, audio, batches.
    V2025_03_26,
    /// 2025-06-18: titles, structured results, resource links, elicitation; no batches any more.
    V2025_06_18,
    /// 2025-11-25: icons; the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28: stateless, metadata on every request.
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

    /// The revision's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// The era that the revision is of.
    pub const fn era(self) -> Era {
        if self.is_modern() { Era::Modern } else { Era::Legacy }
    }

    const fn since(self, first: Self) -> bool {
        self as u8 >= first as u8
    }
}

/// What a revision has.
impl Revision {
    /// Whether requests carry their own metadata instead of a session (2026-07-28, basic/versioning "Terminology").
    ///
    /// What follows from it has names of its own, such as [`Revision::has_tasks`].
    pub const fn is_modern(self) -> bool {
        self.since(Self::V2026_07_28)
    }

    /// Whether a connection begins with `initialize`. The opposite of [`Revision::is_modern`].
    pub const fn has_handshake(self) -> bool {
        !self.is_modern()
    }

    /// Whether there are sessions over HTTP, with streams that the client opens by GET and ends by DELETE.
    pub const fn has_sessions(self) -> bool {
        !self.is_modern()
    }

    /// Whether a server sends requests while it handles one of the client's. Since 2026-07-28 it asks in its result
    /// (basic/patterns/mrtr).
    pub const fn has_server_requests(self) -> bool {
        !self.is_modern()
    }

    /// Whether there are `resources/subscribe` and `resources/unsubscribe`; 2026-07-28 has `subscriptions/listen` in their
    /// place.
    pub const fn has_resource_watching(self) -> bool {
        !self.is_modern()
    }

    /// Whether each request says in `_meta` who its client is, what that can do, and which log messages it wants
    /// (2026-07-28, basic "_meta").
    pub const fn has_request_meta(self) -> bool {
        self.is_modern()
    }

    /// Whether each result says in `_meta` who the server is (2026-07-28, basic "_meta").
    pub const fn has_result_meta(self) -> bool {
        self.is_modern()
    }

    /// Whether a capability that a client lacks is an error of its own, -32021 (2026-07-28, schema
    /// `MissingRequiredClientCapabilityError`).
    pub const fn has_capability_errors(self) -> bool {
        self.is_modern()
    }

    /// Whether there is the extension `io.modelcontextprotocol/tasks` (SEP-2663; the experimental tasks of 2025-11-25 are
    /// others).
    pub const fn has_tasks(self) -> bool {
        self.is_modern()
    }

    /// Whether results have a `resultType`, and with it input requests and tasks in place of a result (2026-07-28,
    /// basic "Results").
    pub const fn has_result_type(self) -> bool {
        self.is_modern()
    }

    /// Whether results say how long they may be kept: `ttlMs` and `cacheScope` (2026-07-28, server/utilities/caching).
    pub const fn has_cache_hints(self) -> bool {
        self.is_modern()
    }

    /// Whether structured content may be any JSON value, and not an object only (2026-07-28, schema `CallToolResult`).
    pub const fn has_any_structured_content(self) -> bool {
        self.is_modern()
    }

    /// Whether several messages may be sent as one array (2025-03-26, basic "Batching").
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }

    /// Whether there are recordings among content blocks.
    pub const fn has_audio(self) -> bool {
        self.since(Self::V2025_03_26)
    }

    /// Whether a notification of progress may have a message.
    pub const fn has_progress_message(self) -> bool {
        self.since(Self::V2025_03_26)
    }

    /// Whether what is listed has titles and `_meta`.
    pub const fn has_titles(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Whether results of tools have structured content, and tools an output schema.
    pub const fn has_structured_content(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Whether there are resource links among content blocks.
    pub const fn has_resource_links(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Whether a server may ask the user to fill in a form.
    pub const fn has_elicitation(self) -> bool {
        self.since(Self::V2025_06_18)
    }

    /// Whether what is listed has icons.
    pub const fn has_icons(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Whether a server may ask the user to visit a page; an elicitation has a `mode` then.
    pub const fn has_url_elicitation(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Whether a server may offer tools to the client's model, and the content of its messages may be a list.
    pub const fn has_sampling_tools(self) -> bool {
        self.since(Self::V2025_11_25)
    }

    /// Whether an elicitation of a page has an id, which a notification says to be complete (2025-11-25,
    /// client/elicitation "Completion Notifications").
    pub const fn has_elicitation_ids(self) -> bool {
        matches!(self, Self::V2025_11_25)
    }

    /// Whether an error to a message without a readable id has the id `null`. Later revisions leave the member out
    /// (schema `JSONRPCErrorResponse`).
    pub const fn has_null_error_ids(self) -> bool {
        !self.since(Self::V2025_11_25)
    }

    /// The code of the error for a resource that does not exist (server/resources "Error Handling" of each revision).
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

    /// The table in the documentation of the module is what the functions say.
    #[test]
    fn the_table_says_what_the_predicates_say() {
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
    fn names_lead_back_to_revisions() {
        for revision in Revision::ALL {
            assert_eq!(Revision::from_name(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::from_name("2025-01-01"), None);
    }
}
