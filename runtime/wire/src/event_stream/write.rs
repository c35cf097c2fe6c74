//! Writing event streams.

use std::fmt::Display;
use std::io::Write as _;
use std::time::Duration;

/// Appends `message` as an event with one `data` line, whatever whitespace the message contains.
#[inline]
pub fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.extend_from_slice(b"data: ");
    let start = out.len();
    out.extend_from_slice(message.trim_ascii_end());
    // JSON strings contain no bare line breaks; elsewhere, any whitespace is equivalent.
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\n\n");
}

/// Appends each line as an event.
#[inline]
pub fn write_events(out: &mut Vec<u8>, lines: &[u8]) {
    for line in messages(lines) {
        write_event(out, line);
    }
}

/// Appends `message` as an event with an id.
pub fn write_event_with_id(out: &mut Vec<u8>, id: impl Display, message: &[u8]) {
    write_id(out, id);
    write_event(out, message);
}

/// Appends an event without a message, which tells the client the id to resume after and the reconnection delay
/// (2025-11-25, basic/transports "Sending Messages to the Server").
pub fn write_priming(out: &mut Vec<u8>, id: impl Display, retry: Duration) {
    write_id(out, id);
    // Writing to memory cannot fail.
    let _ = write!(out, "retry: {}\ndata:\n\n", retry.as_millis());
}

fn write_id(out: &mut Vec<u8>, id: impl Display) {
    let _ = writeln!(out, "id: {id}");
}

/// A comment that keeps the stream alive.
pub const COMMENT: &[u8] = b":\n\n";

/// Iterates over the messages among the lines of an outbox.
#[inline]
pub fn messages(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{write_event, write_event_with_id, write_events, write_priming};

    #[test]
    fn an_event_is_one_line_whatever_its_whitespace() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\n  \"a\": \"\\n\"\r\n}\n");
        assert_eq!(out, b"data: {   \"a\": \"\\n\"  }\n\n");
        out.clear();
        write_events(&mut out, b"1\n2\n");
        assert_eq!(out, b"data: 1\n\ndata: 2\n\n");
    }

    #[test]
    fn an_event_may_have_an_id() {
        let mut out = Vec::new();
        write_priming(&mut out, "a-2", Duration::from_millis(250));
        write_event_with_id(&mut out, "a-3", b"{}");
        assert_eq!(out, b"id: a-2\nretry: 250\ndata:\n\nid: a-3\ndata: {}\n\n");
    }
}
