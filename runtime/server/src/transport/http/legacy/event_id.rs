//! The event ids of sessions.
//!
//! Events are stored before they are sent, and looked up by number. A client that reconnects first attaches to the
//! stream and then reads the store: events from both are sent once, and none is lost in between. Numbers belong to
//! the session, so no two events share one. A call without a reader is not blocked; its oldest events are dropped
//! when the store is full.

use std::fmt;

/// The id of an event: its stream, and its position in the session (2025-11-25, basic/transports "Resumability and
/// Redelivery": unique in the session, and sufficient to find the stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport::http) struct EventId {
    pub(in crate::transport::http) stream: StreamId,
    pub(in crate::transport::http) sequence: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport::http) struct StreamId {
    pub(in crate::transport::http) kind: StreamKind,
    pub(in crate::transport::http) number: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transport::http) enum StreamKind {
    /// The response to a POST, which ends with the result.
    Request,
    /// The stream of a GET, which has no end of its own.
    Standing,
}

impl EventId {
    /// Parses an id in the form that `Display` writes.
    pub(in crate::transport::http) fn parse(text: &str) -> Option<Self> {
        let (stream, sequence) = text.split_once('-')?;
        let (kind, number) = match stream.split_at_checked(1)? {
            ("r", number) => (StreamKind::Request, number),
            ("s", number) => (StreamKind::Standing, number),
            _ => return None,
        };
        let id = Self {
            stream: StreamId { kind, number: number.parse().ok()? },
            sequence: sequence.parse().ok()?,
        };
        // Numbers have other spellings, such as `+1`.
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.stream.kind {
            StreamKind::Request => 'r',
            StreamKind::Standing => 's',
        };
        write!(f, "{kind}{}-{}", self.stream.number, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::{EventId, StreamId, StreamKind};

    #[test]
    fn ids_round_trip() {
        let id = |kind, number, sequence| EventId { stream: StreamId { kind, number }, sequence };
        for (text, id) in [
            ("r4-18", Some(id(StreamKind::Request, 4, 18))),
            ("s1-2", Some(id(StreamKind::Standing, 1, 2))),
            ("r+4-18", None),
            ("r4-018", None),
            ("x4-18", None),
            ("r4", None),
            ("-", None),
            ("", None),
            ("größe", None),
            ("ö1-2", None),
            ("r4-99999999999999999999", None),
        ] {
            assert_eq!(EventId::parse(text), id, "{text}");
        }
    }
}
