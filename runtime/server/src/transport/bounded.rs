//! Limits on the stream of a peer: how long the peer may read nothing, and how many bytes of its messages may be in
//! flight.

use std::io;
use std::pin::Pin;
#[cfg(any(feature = "socket", feature = "ws"))]
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

#[cfg(any(feature = "socket", feature = "ws"))]
use crate::quotas::Received;

/// A stream that fails with [`TimedOut`](io::ErrorKind::TimedOut) if its peer has not read for too long, and with
/// [`QuotaExceeded`](io::ErrorKind::QuotaExceeded) if there is no room for incoming bytes.
#[derive(Debug)]
pub(super) struct Bounded<S> {
    stream: S,
    time_limit: Duration,
    /// Runs while the peer does not read.
    late: Option<Pin<Box<Sleep>>>,
    #[cfg(any(feature = "socket", feature = "ws"))]
    meter: Option<Meter>,
}

/// Counts the bytes of a message until it is complete.
#[cfg(any(feature = "socket", feature = "ws"))]
#[derive(Debug, Clone)]
pub(super) struct Meter(Arc<Mutex<Received>>);

#[cfg(any(feature = "socket", feature = "ws"))]
impl Meter {
    pub(super) fn new(received: Received) -> Self {
        Self(Arc::new(Mutex::new(received)))
    }

    /// Returns the share of a complete message, which counts until it is dropped.
    pub(super) fn take(&self, bytes: usize) -> Received {
        self.received().split(bytes)
    }

    fn received(&self) -> MutexGuard<'_, Received> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Bounded<S> {
    /// Creates a stream whose peer has to read something within `time_limit`.
    pub(super) fn new(stream: S, time_limit: Duration) -> Self {
        Self {
            stream,
            time_limit,
            late: None,
            #[cfg(any(feature = "socket", feature = "ws"))]
            meter: None,
        }
    }

    /// Also counts incoming bytes.
    #[cfg(any(feature = "socket", feature = "ws"))]
    pub(super) fn metered(stream: S, time_limit: Duration, meter: Meter) -> Self {
        Self { meter: Some(meter), ..Self::new(stream, time_limit) }
    }
}

impl<S: Unpin> Bounded<S> {
    /// Passes on the result of a write, or an error if the peer has not read for too long.
    fn in_time<T>(&mut self, task: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.late = None;
            return written;
        }
        let time_limit = self.time_limit;
        let late = self.late.get_or_insert_with(|| Box::pin(tokio::time::sleep(time_limit)));
        ready!(late.as_mut().poll(task));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        #[cfg(any(feature = "socket", feature = "ws"))]
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(task, buffer))?;
        #[cfg(any(feature = "socket", feature = "ws"))]
        if let Some(meter) = &self.meter
            && !meter.received().grow(buffer.filled().len() - before)
        {
            let error = io::Error::new(io::ErrorKind::QuotaExceeded, "the server is receiving too much");
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(task, bytes);
        self.in_time(task, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(task, slices);
        self.in_time(task, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(task);
        self.in_time(task, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(task);
        self.in_time(task, shut)
    }
}

#[cfg(all(test, feature = "socket"))]
mod tests {
    use std::io;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::Bounded;

    #[tokio::test]
    async fn peers_that_do_not_read_are_disconnected() {
        let (_peer, server) = tokio::io::duplex(16);
        let mut server = Bounded::new(server, Duration::from_millis(20));
        let error = server.write_all(&[0; 64]).await.expect_err("no one reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    /// Reading takes twice as long as the peer may pause.
    #[tokio::test]
    async fn slow_peers_are_not_disconnected() {
        let time_limit = Duration::from_secs(1);
        let (mut peer, server) = tokio::io::duplex(16);
        let writing = tokio::spawn(async move { Bounded::new(server, time_limit).write_all(&[7; 80]).await });
        let (mut read, mut piece) = (0, [0; 8]);
        while read < 80 {
            tokio::time::sleep(time_limit / 4).await;
            read += peer.read(&mut piece).await.expect("read");
        }
        writing.await.expect("no panic").expect("all of it was written");
    }
}
