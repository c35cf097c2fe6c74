//! Clients that have finished sending, and wait for their response.
//!
//! The end of a client's stream looks the same whether the client still waits (RFC 9293 §3.6) or has disconnected,
//! which cancels its call. The response to a running call is therefore started right away: a disconnected client
//! answers its first bytes with a reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Interval, interval};
use tokio_util::sync::CancellationToken;

use super::stream::Stream;

/// How often to check for a reset.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How often a connection is polled before its end is believed: a request that arrived with it may not be waiting yet.
const POLLS_BEFORE_END: u8 = 2;

/// The state that both sides of one connection share.
#[derive(Debug, Clone, Default)]
pub(super) struct HalfClose(Arc<HalfCloseState>);

#[derive(Debug, Default)]
struct HalfCloseState {
    waits: AtomicBool,
    ended: CancellationToken,
}

impl HalfClose {
    /// While the returned value exists, the end of the client's stream does not end the connection.
    pub(super) fn wait(&self) -> Waits<'_> {
        self.0.waits.store(true, Ordering::Release);
        Waits(self)
    }

    /// Whether the client's stream ended while someone waited.
    pub(super) fn has_ended(&self) -> bool {
        self.0.ended.is_cancelled()
    }
}

/// Someone waits for a response.
#[derive(Debug)]
pub(super) struct Waits<'a>(&'a HalfClose);

impl Waits<'_> {
    /// Completes when the client has finished sending.
    pub(super) async fn wait_for_end(&self) {
        self.0.0.ended.cancelled().await;
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.0.waits.store(false, Ordering::Release);
    }
}

/// The stream of a connection.
#[derive(Debug)]
pub(super) struct Socket {
    stream: Stream,
    half_close: HalfClose,
    /// How often the end was seen but not believed.
    polls: u8,
    /// Checks for a reset once the client's stream has ended.
    looks: Option<Interval>,
}

impl Socket {
    pub(super) fn new(stream: Stream, half_close: HalfClose) -> Self {
        Self { stream, half_close, polls: 0, looks: None }
    }

    /// Polls for a reset.
    fn poll_reset(&mut self, task: &mut Context<'_>) -> Poll<io::Error> {
        let looks = self.looks.get_or_insert_with(|| interval(LOOK_EVERY));
        loop {
            ready!(looks.poll_tick(task));
            match self.stream.take_error() {
                Ok(None) => {}
                Ok(Some(error)) | Err(error) => return Poll::Ready(error),
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.looks.is_some() {
            return this.poll_reset(task).map(Err);
        }
        let filled = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(task, buffer))?;
        if buffer.filled().len() > filled || buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        if this.half_close.0.waits.load(Ordering::Acquire) {
            this.half_close.0.ended.cancel();
            return this.poll_reset(task).map(Err);
        }
        if this.polls == POLLS_BEFORE_END {
            return Poll::Ready(Ok(()));
        }
        this.polls += 1;
        task.waker().wake_by_ref();
        Poll::Pending
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(task, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
