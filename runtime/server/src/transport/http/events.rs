//! Events as text (WHATWG HTML, "Server-sent events"), and the ids that those of sessions have.

use std::fmt;
use std::io::Write as _;
use std::time::Duration;

/// The id of an event: its stream and its place in the session (2025-11-25, basic/transports "Resumability and
/// Redelivery": unique in the session, and enough to find the stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) stream: StreamId,
    pub(super) sequence: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamId {
    pub(super) kind: StreamKind,
    pub(super) number: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKind {
    /// The response of a POST: it ends with the answer.
    Request,
    /// What GET opens: it has no end of its own.
    Standing,
}

impl EventId {
    /// Reads an id, as it is written below.
    pub(super) fn parse(text: &str) -> Option<Self> {
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

/// Appends `message` as an event: one `data` line, however the message was laid out.
pub(super) fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.extend_from_slice(b"data: ");
    let start = out.len();
    out.extend_from_slice(message.trim_ascii_end());
    // Outside of strings, where JSON has no bare line breaks, one white space is as good as another.
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\n\n");
}

/// Appends each of the lines as an event.
pub(super) fn write_events(out: &mut Vec<u8>, lines: &[u8]) {
    for line in messages(lines) {
        write_event(out, line);
    }
}

/// Appends `message` as an event with an id.
pub(super) fn write_event_with_id(out: &mut Vec<u8>, id: EventId, message: &[u8]) {
    write_id(out, id);
    write_event(out, message);
}

/// Appends an event without a message, from which a client takes where to go on, and how long to wait before it does
/// (2025-11-25, basic/transports "Sending Messages to the Server").
pub(super) fn write_priming(out: &mut Vec<u8>, id: EventId, retry: Duration) {
    write_id(out, id);
    // Writing to memory cannot fail.
    let _ = write!(out, "retry: {}\ndata:\n\n", retry.as_millis());
}

fn write_id(out: &mut Vec<u8>, id: EventId) {
    let _ = writeln!(out, "id: {id}");
}

/// A comment, which shows that the stream is alive.
pub(super) const COMMENT: &[u8] = b":\n\n";

/// The messages among the lines of an outbox.
pub(super) fn messages(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        EventId, StreamId, StreamKind, write_event, write_event_with_id, write_events, write_priming,
    };

    #[test]
    fn an_event_is_one_line_however_its_message_is_laid_out() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\n  \"a\": \"\\n\"\r\n}\n");
        assert_eq!(out, b"data: {   \"a\": \"\\n\"  }\n\n");
        out.clear();
        write_events(&mut out, b"1\n2\n");
        assert_eq!(out, b"data: 1\n\ndata: 2\n\n");
    }

    #[test]
    fn ids_are_read_as_they_are_written() {
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
        let mut out = Vec::new();
        write_priming(&mut out, id(StreamKind::Request, 1, 2), Duration::from_millis(250));
        write_event_with_id(&mut out, id(StreamKind::Request, 1, 3), b"{}");
        assert_eq!(out, b"id: r1-2\nretry: 250\ndata:\n\nid: r1-3\ndata: {}\n\n");
    }
}
