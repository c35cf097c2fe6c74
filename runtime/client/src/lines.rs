//! Messages as lines over two byte streams (2026-07-28, basic/transports/stdio).

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::config::Encoding;
use crate::encoding::encode;
use crate::error::{ClientError, ErrorKind, format_bytes};
use crate::mux::Mux;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// The largest buffer that is reused for the next message, since allocating one costs more than reading.
const MAX_KEPT_BUFFER: usize = 1 << 20;
/// How many bytes of an oversized line are kept, to find the id of its request.
const KEPT_START: usize = 4096;

/// How many bytes of an oversized line are dropped before the server is disconnected.
const MAX_SKIPPED: usize = 512 << 20;

/// Why a channel was closed.
#[derive(Debug)]
pub(crate) enum CloseReason {
    /// The server closed its stream.
    Closed,
    /// The client closed the channel.
    Requested,
    /// Reading failed.
    ReadFailed(io::Error),
    /// The server violated the protocol in a way that cannot be tolerated.
    Invalid(ClientError),
}

/// Writes outgoing messages and handles incoming ones, until either side closes the channel.
///
/// `reader` must produce UTF-8. One task serves both directions, so that a call switches tasks only once per direction,
/// and messages that are ready at the same time are written together.
pub(crate) async fn drive(
    mux: &Arc<Mux>,
    mut reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    encoding: Encoding,
    max_message_bytes: usize,
) -> CloseReason {
    let mut outgoing =
        LineWriter { writer, encoding, unsent: Vec::new(), at: 0, has_yielded: false, is_broken: false };
    let mut incoming = LineReader { buffer: Vec::new(), start: 0, end: 0, scanned: 0, skipped: None };
    poll_fn(|cx| {
        // Incoming messages are handled even if the server does not read.
        if outgoing.poll(mux, cx).is_ready() {
            return Poll::Ready(CloseReason::Requested);
        }
        loop {
            match ready!(incoming.poll_fill(Pin::new(&mut reader), cx)) {
                Ok(0) => return Poll::Ready(CloseReason::Closed),
                Ok(_) => {}
                Err(error) => return Poll::Ready(CloseReason::ReadFailed(error)),
            }
            if let Err(error) = incoming.take_lines(mux, max_message_bytes) {
                return Poll::Ready(CloseReason::Invalid(error));
            }
        }
    })
    .await
}

struct LineWriter<W> {
    writer: W,
    encoding: Encoding,
    unsent: Vec<u8>,
    at: usize,
    /// Whether it has waited for messages of other tasks that were ready.
    has_yielded: bool,
    /// The server no longer reads; what it wrote before is still handled.
    is_broken: bool,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    /// Writes as much as possible; ready when there will be no more messages.
    fn poll(&mut self, mux: &Mux, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.at == self.unsent.len() {
                self.unsent.clear();
                self.at = 0;
                if self.unsent.capacity() > MAX_KEPT_BUFFER {
                    self.unsent = Vec::new();
                }
                // Tasks that are ready now may send messages too. One write of all of them costs both processes less.
                self.has_yielded = !self.has_yielded && mux.expects_more_outgoing();
                if self.has_yielded {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                if !ready!(mux.poll_outgoing(&mut self.unsent, cx)) {
                    return Poll::Ready(());
                }
                if self.encoding != Encoding::Utf8 {
                    self.unsent = encode(&self.unsent, self.encoding);
                }
            }
            if self.is_broken {
                self.at = self.unsent.len();
                continue;
            }
            match ready!(Pin::new(&mut self.writer).poll_write(cx, &self.unsent[self.at..])) {
                Ok(0) | Err(_) => self.is_broken = true,
                Ok(written) => self.at += written,
            }
        }
    }
}

struct LineReader {
    buffer: Vec<u8>,
    /// The start of the current line.
    start: usize,
    /// The end of the data in `buffer`.
    end: usize,
    /// The end of the part without a line feed.
    scanned: usize,
    /// How many bytes of the current line were dropped, if it is oversized.
    skipped: Option<usize>,
}

impl LineReader {
    fn poll_fill(
        &mut self,
        reader: Pin<&mut impl AsyncRead>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if self.start == self.end {
            (self.start, self.end, self.scanned) = (0, 0, 0);
            if self.buffer.len() > MAX_KEPT_BUFFER {
                self.buffer = Vec::new();
            }
        }
        if self.end == self.buffer.len() {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.scanned -= self.start;
                self.start = 0;
            } else {
                // Small at first, since most servers send little.
                let more = self.buffer.len().clamp(CHUNK / 8, 1 << 20);
                self.buffer.resize(self.buffer.len() + more, 0);
            }
        }
        let mut space = ReadBuf::new(&mut self.buffer[self.end..]);
        ready!(reader.poll_read(cx, &mut space))?;
        let read = space.filled().len();
        self.end += read;
        Poll::Ready(Ok(read))
    }

    fn take_lines(&mut self, mux: &Arc<Mux>, limit: usize) -> Result<(), ClientError> {
        while let Some(length) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) {
            let end = self.scanned + length;
            let line = &self.buffer[self.start..end];
            (self.start, self.scanned) = (end + 1, end + 1);
            if self.skipped.take().is_some() {
                continue;
            }
            if line.len() > limit {
                mux.receive_oversized(&line[..KEPT_START.min(line.len())], limit)?;
                continue;
            }
            let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
            if !line.is_empty() {
                mux.receive(line)?;
            }
        }
        self.scanned = self.end;
        let length = self.end - self.start;
        if length > limit || self.skipped.is_some() {
            if self.skipped.is_none() {
                mux.receive_oversized(&self.buffer[self.start..][..KEPT_START.min(length)], limit)?;
            }
            *self.skipped.get_or_insert(0) += length;
            (self.start, self.end, self.scanned) = (0, 0, 0);
        }
        if self.skipped.is_some_and(|skipped| skipped > MAX_SKIPPED) {
            let problem = format!("it sent a line longer than {}", format_bytes(MAX_SKIPPED));
            return Err(mux.host.error(
                ErrorKind::Protocol,
                problem,
                "report this to the server's developers",
            ));
        }
        Ok(())
    }
}
