//! The events of a run: what happened to it and to its nodes, in order.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::entry::{Backend, Entry, MAX_ID_BYTES, Status};
use crate::store::StoreError;

/// Maximum number of stored events of a run: 2,000. Then the oldest ones are dropped.
pub const MAX_RUN_EVENTS: usize = 2_000;
/// Maximum size of the stored events of a run, as names and details: 512 KiB. Then the oldest ones are dropped.
pub const MAX_RUN_EVENT_BYTES: usize = 512 << 10;
/// Maximum size of the details of one event as JSON: 4 KiB.
pub const MAX_EVENT_BYTES: usize = 4 << 10;
/// How long the events of a run are stored after its end: one hour.
pub const EVENTS_TTL: Duration = Duration::from_hours(1);

/// Something that happened to a run. Contains names and ids, and never arguments, results, tokens, URLs or credentials.
///
/// As JSON, such as from `GET /internal/events`:
///
/// ```
/// use toolwright_gateway::registry::{EventKind, RunEvent};
///
/// let event: RunEvent = serde_json::from_str(
///     r#"{"sequence":2,"time":1795910400000,"event":"tool.registered","org":"acme","run":"run-1",
///         "node":"abuseipdb","kind":"component","tool":"check_address","status":"ready"}"#,
/// )?;
/// assert_eq!(event.event, EventKind::ToolRegistered);
/// assert_eq!(event.details.tool.as_deref(), Some("check_address"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunEvent {
    /// Its number among the events of the run: 1 for the first, without gaps. It continues if the run is opened again while its
    /// events are stored.
    pub sequence: u64,
    /// When it happened, in milliseconds since 1970 by the clock of the store.
    pub time: u64,
    /// What happened.
    pub event: EventKind,
    /// The organization of the run.
    pub org: Option<String>,
    /// The run.
    pub run: String,
    /// What it happened to.
    #[serde(flatten)]
    pub details: EventDetails,
}

/// What happened to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventKind {
    /// The run was opened; renewing it is no event.
    #[serde(rename = "run.opened")]
    RunOpened,
    /// All tokens of the run were revoked.
    #[serde(rename = "run.revoked")]
    RunRevoked,
    /// The run was ended, and its nodes removed.
    #[serde(rename = "run.ended")]
    RunEnded,
    /// The run was not renewed in time, and its nodes are gone.
    #[serde(rename = "run.expired")]
    RunExpired,
    /// A node was registered.
    #[serde(rename = "tool.registered")]
    ToolRegistered,
    /// A node was registered again, with something else and the same status.
    #[serde(rename = "tool.updated")]
    ToolUpdated,
    /// A node was registered again with another status.
    #[serde(rename = "tool.status")]
    ToolStatus,
    /// A node was removed.
    #[serde(rename = "tool.removed")]
    ToolRemoved,
    /// A session token was created for an agent.
    #[serde(rename = "session.created")]
    SessionCreated,
}

/// What an event happened to. Members that do not apply are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EventDetails {
    /// The node: of the tool, or of the agent that got a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What executes the calls of the node: `component`, `remote` or `local`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The tool of a component. Those of servers are known when a gateway has connected to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The status of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The id (`jti`) of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Some events of a run, from [`RegistryStore::events`](super::RegistryStore::events).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventPage {
    /// The events, oldest first. If the first one does not follow the last known one, those between were dropped.
    pub events: Vec<RunEvent>,
    /// Whether the run is open, so that there can be more events.
    pub is_open: bool,
}

impl EventKind {
    /// Returns the name, such as `tool.registered`.
    pub fn name(self) -> &'static str {
        match self {
            Self::RunOpened => "run.opened",
            Self::RunRevoked => "run.revoked",
            Self::RunEnded => "run.ended",
            Self::RunExpired => "run.expired",
            Self::ToolRegistered => "tool.registered",
            Self::ToolUpdated => "tool.updated",
            Self::ToolStatus => "tool.status",
            Self::ToolRemoved => "tool.removed",
            Self::SessionCreated => "session.created",
        }
    }

    /// Returns whether no event of this run follows, until it is opened again.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Self::RunEnded | Self::RunExpired)
    }
}

impl EventDetails {
    /// Returns the details of events about a registered node.
    pub(crate) fn of_entry(entry: &Entry) -> Self {
        let (kind, tool) = match &entry.backend {
            Backend::Component { tool, .. } => ("component", Some(tool.name.clone())),
            Backend::Remote { .. } => ("remote", None),
            Backend::Local { .. } => ("local", None),
        };
        Self {
            node: Some(entry.node.clone()),
            kind: Some(kind.to_owned()),
            tool,
            status: Some(entry.status),
            token: None,
        }
    }

    /// Returns the details of the removal of a node.
    pub(crate) fn of_node(node: &str) -> Self {
        Self { node: Some(node.to_owned()), ..Self::default() }
    }

    /// Returns the details of a token for the agent at a node. A node that is longer than [`MAX_ID_BYTES`] is truncated.
    pub fn of_session(node: &str, token: impl Into<String>) -> Self {
        let node = &node[..node.floor_char_boundary(MAX_ID_BYTES)];
        Self { token: Some(token.into()), ..Self::of_node(node) }
    }

    /// Returns the details as JSON.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the details as JSON of at most [`MAX_EVENT_BYTES`].
    pub(crate) fn to_checked_text(&self) -> Result<String, StoreError> {
        let text = self.to_text();
        if text.len() > MAX_EVENT_BYTES {
            let why = format!("the event has {} bytes as JSON, {MAX_EVENT_BYTES} are allowed", text.len());
            return Err(StoreError::Invalid(why));
        }
        Ok(text)
    }
}

impl EventPage {
    /// Creates a page.
    pub fn new(events: Vec<RunEvent>, is_open: bool) -> Self {
        Self { events, is_open }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::EventKind;

    #[test]
    fn names_are_those_of_the_json() {
        for kind in [
            EventKind::RunOpened,
            EventKind::RunRevoked,
            EventKind::RunEnded,
            EventKind::RunExpired,
            EventKind::ToolRegistered,
            EventKind::ToolUpdated,
            EventKind::ToolStatus,
            EventKind::ToolRemoved,
            EventKind::SessionCreated,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), Value::from(kind.name()));
        }
    }
}
