//! Reading event streams (WHATWG HTML, 9.2 "Server-sent events").

use std::time::Duration;

/// The longest reconnection delay that a server can request.
const MAX_RETRY: Duration = Duration::from_mins(5);
/// The maximum length of an event's id or name, in bytes.
const MAX_FIELD: usize = 8 << 10;

/// One event with data.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The event type; empty if the stream names none, which means `message`.
    pub name: String,
    /// The data lines, joined by line feeds.
    pub data: Vec<u8>,
}

/// An event exceeds the size limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The beginning of the event.
    pub start: Vec<u8>,
}

/// An incremental parser of event streams, which accepts bytes in pieces of any size.
#[derive(Debug)]
pub struct EventReader {
    /// Bytes that were read but not parsed yet.
    buffer: Vec<u8>,
    at: usize,
    /// Up to this position, the buffer contains no line break.
    scanned: usize,
    is_first_line: bool,
    data: Vec<u8>,
    has_data: bool,
    name: String,
    /// The id of the current event, if it has one.
    id: Option<String>,
    last_id: Option<String>,
    retry: Option<Duration>,
    limit: usize,
}

impl EventReader {
    /// Creates a reader of events of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self::with_buffers(limit, [Vec::new(), Vec::new()])
    }

    /// Creates a reader that uses the memory of two empty buffers: for bytes that are not parsed yet, and for the data of the
    /// next event.
    pub fn with_buffers(limit: usize, [buffer, data]: [Vec<u8>; 2]) -> Self {
        Self {
            buffer,
            at: 0,
            scanned: 0,
            is_first_line: true,
            data,
            has_data: false,
            name: String::new(),
            id: None,
            last_id: None,
            retry: None,
            limit,
        }
    }

    /// Appends bytes from the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.buffer.drain(..self.at);
            self.scanned -= self.at;
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Uses the memory of an event's data for that of the next event.
    pub fn reuse(&mut self, mut data: Vec<u8>) {
        if self.data.is_empty() {
            data.clear();
            self.data = data;
        }
    }

    /// Returns both buffers, with what was not parsed.
    pub fn into_buffers(self) -> [Vec<u8>; 2] {
        [self.buffer, self.data]
    }

    /// Returns the id to resume after: that of the last complete event, unless it is empty.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref().filter(|id| !id.is_empty())
    }

    /// Returns the reconnection delay that the server requested, if any.
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Returns the next event that has data, if it is complete.
    ///
    /// # Errors
    /// [`TooLarge`] if an event or a line exceeds the limit. The bytes read of it are discarded.
    #[expect(clippy::should_implement_trait, reason = "`None` is not the end: more bytes may be pushed")]
    pub fn next(&mut self) -> Option<Result<Event, TooLarge>> {
        loop {
            let Some(end) = self.line_end() else {
                if self.buffer.len() - self.at + self.data.len() > self.limit {
                    return Some(Err(self.too_large()));
                }
                return None;
            };
            let (start, next) = (self.at, end + self.break_length(end)?);
            (self.at, self.scanned) = (next, next);
            if start == end {
                if let Some(event) = self.dispatch() {
                    return Some(Ok(event));
                }
                continue;
            }
            if self.data.len() + (end - start) > self.limit {
                return Some(Err(self.too_large()));
            }
            self.take_line(start, end);
        }
    }

    fn line_end(&mut self) -> Option<usize> {
        let found = memchr::memchr2(b'\n', b'\r', &self.buffer[self.scanned..]);
        // No byte is scanned twice, not even while waiting for the byte after a CR.
        self.scanned = found.map_or(self.buffer.len(), |offset| self.scanned + offset);
        found.map(|_| self.scanned)
    }

    /// The length of the line break at `end`: LF, CR LF or CR. `None` if a CR is the last byte, since an LF may follow.
    /// An empty line is the exception: an event must not wait for the next one.
    fn break_length(&self, end: usize) -> Option<usize> {
        match (self.buffer[end], self.buffer.get(end + 1)) {
            (b'\r', Some(b'\n')) => Some(2),
            (b'\r', None) if end > self.at => None,
            _ => Some(1),
        }
    }

    fn take_line(&mut self, start: usize, end: usize) {
        let mut line = &self.buffer[start..end];
        if std::mem::take(&mut self.is_first_line) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            // A comment, such as a keep-alive.
            Some(0) => return,
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" if value.len() <= MAX_FIELD => self.name = String::from_utf8_lossy(value).into_owned(),
            b"id" if value.len() <= MAX_FIELD && !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                let digits =
                    std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
                if let Some(milliseconds) = digits.and_then(|digits| digits.parse().ok()) {
                    self.retry = Some(Duration::from_millis(milliseconds).min(MAX_RETRY));
                }
            }
            _ => {}
        }
    }

    /// Ends an event. An event without data may still have an id, such as the first event of a resumable stream
    /// (2025-11-25, basic/transports "Sending Messages to the Server").
    fn dispatch(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            self.last_id = Some(id);
        }
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        self.has_data = false;
        if data.is_empty() {
            self.data = data;
            return None;
        }
        Some(Event { name, data })
    }

    fn too_large(&mut self) -> TooLarge {
        let rest = &self.buffer[self.at..];
        let rest = rest.strip_prefix(b"data:").unwrap_or(rest);
        let mut start = std::mem::take(&mut self.data);
        start.extend_from_slice(&rest[..rest.len().min(4096)]);
        start.truncate(4096);
        self.buffer.clear();
        (self.at, self.scanned) = (0, 0);
        TooLarge { start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], piece: usize) -> (Vec<(String, String)>, EventReader) {
        let mut reader = EventReader::new(1 << 10);
        let mut events = Vec::new();
        for piece in text.chunks(piece) {
            reader.push(piece);
            while let Some(event) = reader.next() {
                let event = event.unwrap();
                events.push((event.name, String::from_utf8(event.data).unwrap()));
            }
        }
        (events, reader)
    }

    #[test]
    fn streams_can_be_read_in_any_pieces() {
        for (text, expected) in [
            ("data: a\n\n", vec![("", "a")]),
            ("data:a\r\n\r\ndata: b\r\n\r\n", vec![("", "a"), ("", "b")]),
            ("data: a\r\rdata: b\r\r", vec![("", "a"), ("", "b")]),
            ("\u{feff}data: a\n\n", vec![("", "a")]),
            // profullstack/sh1pt#705
            ("data: {\"a\":\ndata:1,\ndata:  2}\n\n", vec![("", "{\"a\":\n1,\n 2}")]),
            (": ping\n\nevent: ping\ndata: 7\n\ndata: a\n\n", vec![("ping", "7"), ("", "a")]),
            ("event: x\n\ndata\n\ndata:\n\n", vec![]),
            ("data: unfinished\n", vec![]),
            ("unknown: x\ndata: a\n\n", vec![("", "a")]),
        ] {
            let expected: Vec<_> = expected.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect();
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(read(text.as_bytes(), piece).0, expected, "{text:?} in pieces of {piece}");
            }
        }
    }

    /// modelcontextprotocol/typescript-sdk#1184.
    #[test]
    fn the_reader_remembers_id_and_retry() {
        let text = b"id: 123\nretry: 250\ndata:\n\nid: 124\nevent: message\ndata: {}\n\n";
        let (events, reader) = read(text, 5);
        assert_eq!(events, [("message".to_owned(), "{}".to_owned())]);
        assert_eq!((reader.last_id(), reader.retry()), (Some("124"), Some(Duration::from_millis(250))));
        let (_, reader) = read(b"id: 124\ndata: a\n\nid\ndata: \n\n", 1000);
        assert_eq!(reader.last_id(), None);
        let (_, reader) = read(b"id: 1\ndata: a\n\nid: 2\ndata: never ended\n", 1000);
        assert_eq!(reader.last_id(), Some("1"));
        let (_, reader) = read(b"id: a\0b\nretry: 1x\ndata: a\n\nretry: 99999999999\n\n", 1000);
        assert_eq!((reader.last_id(), reader.retry()), (None, Some(MAX_RETRY)));
    }

    #[test]
    fn the_reader_buffers_a_bounded_amount() {
        for text in ["data: ".to_owned() + &"x".repeat(5000), "data: xxxxxxxx\n".repeat(500)] {
            let mut reader = EventReader::new(1 << 10);
            let mut is_refused = false;
            for piece in text.as_bytes().chunks(100) {
                reader.push(piece);
                is_refused |= matches!(reader.next(), Some(Err(_)));
                assert!(reader.buffer.len() + reader.data.len() < 2 << 10);
            }
            assert!(is_refused);
        }
    }

    #[test]
    fn memory_is_used_again() {
        let mut reader =
            EventReader::with_buffers(1 << 20, [Vec::with_capacity(4096), Vec::with_capacity(4096)]);
        for text in ["data: one\n\n", "data: two\n\n", ": nothing\n\ndata: three\n\n"] {
            reader.push(text.as_bytes());
            let event = reader.next().unwrap().unwrap();
            assert!(text.contains(std::str::from_utf8(&event.data).unwrap()));
            assert_eq!(event.data.capacity(), 4096);
            reader.reuse(event.data);
        }
        assert_eq!(reader.into_buffers().map(|buffer| buffer.capacity()), [4096; 2]);
    }
}
