//! Reading lines of bounded length from a stream of bytes.

use std::io::{self, Read};

/// A buffer that one long line made larger than this is freed.
const KEPT: usize = 1 << 20;

/// An incremental line reader.
#[derive(Debug)]
pub struct LineBuffer {
    /// Bytes read; beyond `filled`, room for more.
    buffer: Vec<u8>,
    /// The minimum room for one read.
    chunk: usize,
    filled: usize,
    /// Where the next line starts.
    start: usize,
    /// Up to this position, the buffer contains no line break.
    searched: usize,
    limit: usize,
    /// Whether the rest of an overlong line is being skipped.
    skipping: bool,
    ended: bool,
}

/// The outcome of [`LineBuffer::next`].
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, copied to the caller's buffer without its line break.
    Whole,
    /// A line over the limit, whose bytes are discarded.
    TooLong,
    /// No complete line is buffered: read more and try again.
    NeedsMore,
    /// The stream has ended.
    End,
}

impl LineBuffer {
    /// Creates a buffer for lines of up to `limit` bytes, filled with reads of at least `chunk`
    /// bytes.
    pub fn new(limit: usize, chunk: usize) -> Self {
        Self {
            buffer: Vec::new(),
            chunk,
            filled: 0,
            start: 0,
            searched: 0,
            limit,
            skipping: false,
            ended: false,
        }
    }

    /// Copies the next line to `line`, if a complete one is buffered.
    #[inline]
    pub fn next(&mut self, line: &mut Vec<u8>) -> Line {
        line.clear();
        loop {
            let Some(length) = memchr::memchr(b'\n', &self.buffer[self.searched..self.filled]) else {
                return self.without_line_end(line);
            };
            let end = self.searched + length;
            let whole = self.start..end;
            self.start = end + 1;
            self.searched = self.start;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if whole.len() > self.limit {
                return Line::TooLong;
            }
            line.extend_from_slice(&self.buffer[whole]);
            return Line::Whole;
        }
    }

    #[inline]
    fn without_line_end(&mut self, line: &mut Vec<u8>) -> Line {
        self.searched = self.filled;
        let rest = self.start..self.filled;
        if self.ended {
            // A last message without a line break counts.
            self.start = self.filled;
            if rest.is_empty() || self.skipping {
                return Line::End;
            }
            line.extend_from_slice(&self.buffer[rest]);
            return Line::Whole;
        }
        if self.skipping || rest.len() > self.limit {
            (self.start, self.searched, self.filled) = (0, 0, 0);
            if !std::mem::replace(&mut self.skipping, true) {
                return Line::TooLong;
            }
        }
        Line::NeedsMore
    }

    /// Returns whether the rest of an overlong line is being skipped.
    pub fn is_skipping(&self) -> bool {
        self.skipping
    }

    /// Returns the room for the next read; [`LineBuffer::advance`] must follow.
    ///
    /// The room ends where the longest line could end, so that a buffer never holds more than one such line.
    #[inline]
    pub fn room(&mut self) -> &mut [u8] {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.searched -= self.start;
        self.start = 0;
        if self.filled == 0 && self.buffer.len() > KEPT {
            self.buffer = Vec::new();
        }
        if self.buffer.len() < self.filled + self.chunk {
            self.buffer.resize((2 * self.filled).max(self.chunk) + self.chunk, 0);
        }
        let end = (self.limit.saturating_add(1)).clamp(self.filled + 1, self.buffer.len());
        &mut self.buffer[self.filled..end]
    }

    /// Records that `bytes` were read into the room; 0 is the end of the stream.
    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        self.filled += bytes;
        self.ended = bytes == 0;
    }
}

/// Reads lines from a blocking source.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    lines: LineBuffer,
}

impl<R: Read> LineReader<R> {
    /// Creates a reader of lines of up to `limit` bytes.
    pub fn new(source: R, limit: usize) -> Self {
        const CHUNK: usize = 64 * 1024;
        Self { source, lines: LineBuffer::new(limit, CHUNK) }
    }

    /// Copies the next line to `line`, if a complete one is buffered.
    pub fn next(&mut self, line: &mut Vec<u8>) -> Line {
        self.lines.next(line)
    }

    /// Blocks until the source has bytes, and reads them.
    ///
    /// # Errors
    /// The source's error.
    pub fn fill(&mut self) -> io::Result<()> {
        let room = self.lines.room();
        let read = loop {
            match self.source.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.lines.advance(read?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::{Line, LineBuffer, LineReader};

    /// Returns one piece per read, or as much of it as there is room for.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.first_mut() else { return Ok(0) };
            let (read, rest) = piece.split_at(piece.len().min(buffer.len()));
            buffer[..read.len()].copy_from_slice(read);
            *piece = rest;
            if rest.is_empty() {
                self.0.remove(0);
            }
            Ok(read.len())
        }
    }

    #[track_caller]
    fn check(pieces: &[&'static [u8]], expected: &[&str]) {
        let mut reader = LineReader::new(Pieces(pieces.to_vec()), 8);
        let (mut line, mut lines) = (Vec::new(), Vec::new());
        loop {
            match reader.next(&mut line) {
                Line::Whole => lines.push(String::from_utf8_lossy(&line).into_owned()),
                Line::TooLong => lines.push("too long".to_owned()),
                Line::NeedsMore => reader.fill().expect("pieces do not fail"),
                Line::End => break,
            }
        }
        assert_eq!(lines, expected);
    }

    #[test]
    fn lines_are_joined_from_any_pieces() {
        check(&[b"one\ntwo\n"], &["one", "two"]);
        check(&[b"o", b"n", b"e", b"\nt", b"wo\n"], &["one", "two"]);
        check(&[b"one\n", b"\n", b"last"], &["one", "", "last"]);
        check(&[], &[]);
    }

    #[test]
    fn a_read_ends_where_the_longest_line_could_end() {
        let mut lines = LineBuffer::new(8, 64);
        assert_eq!(lines.room().len(), 9);
        lines.advance(5);
        assert_eq!(lines.room().len(), 4);
        lines.advance(4);
        assert_eq!(lines.next(&mut Vec::new()), Line::TooLong);
        assert_eq!(lines.room().len(), 9);
    }

    // As reported in rust-mcp-stack/rust-mcp-sdk#151, openai/codex#31805.
    #[test]
    fn a_line_over_the_limit_is_skipped_to_its_end() {
        check(&[b"12345678\n"], &["12345678"]);
        check(&[b"123456789\nnext\n"], &["too long", "next"]);
        check(
            &[b"one\n", b"1234567890", b"1234567890", b"1234567890", b"12\nnext\n"],
            &["one", "too long", "next"],
        );
        check(&[b"1234567890", b"never ends"], &["too long"]);
    }
}
