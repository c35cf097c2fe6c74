//! Any pair of byte streams with the framing of stdio: one message per line (2026-07-28, basic/transports/stdio).
//!
//! One task handles both directions of a peer. It reads only while the peer reads as well: unread responses block the
//! reading of requests, so memory stays bounded.

use std::fmt;
use std::io;
use std::pin::pin;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use toolwright_wire::lines::{Line, LineBuffer};
use toolwright_wire::outbox::Outbox;

use super::Transport;
use super::bounded::{Bounded, Meter};
use super::peers::SocketPeer;
use crate::auth::Access;
use crate::error::ServeError;
use crate::observed::observe;
use crate::service::Service;

/// The size of reads; an idle peer costs twice this.
const CHUNK: usize = 8 * 1024;

/// A buffer that one large response made larger than this is freed.
const KEPT: usize = 1 << 20;

/// A pair of byte streams with one peer and one message per line, as on stdio: a serial line, a pipe, a stream that
/// something else has accepted, or `tokio::io::duplex` in a test.
///
/// Serving ends when the input ends (running calls get [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to
/// finish), when the peer no longer reads, or when the shutdown of
/// [`Service::serve_until`](crate::Service::serve_until) is requested. It requires a tokio runtime with time enabled. A
/// handler that blocks occupies a thread of that runtime, and blocks its own peer.
///
/// ```
/// # use toolwright_server::{Lines, Server};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
///
/// let service = Server::new(()).build()?;
/// let (client, server) = tokio::io::duplex(1024);
/// let (reader, writer) = tokio::io::split(server);
/// let serving = tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
///
/// let (answers, mut requests) = tokio::io::split(client);
/// requests.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
/// requests.shutdown().await?;
/// let answer = BufReader::new(answers).lines().next_line().await?;
/// assert_eq!(answer.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
/// serving.await??;
/// # Ok(())
/// # }
/// ```
pub struct Lines {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Lines {
    /// Reads messages from `reader` and writes them to `writer`.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }

    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        serve(service, None, self.reader, self.writer, shutdown).await
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

impl From<Lines> for Transport {
    fn from(lines: Lines) -> Self {
        Self::Lines(lines)
    }
}

/// Serves one peer until it disconnects. The transport is in the terms of OpenTelemetry, if it is known.
pub(super) async fn serve(
    service: &Service,
    transport: Option<&'static str>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let limits = service.limits();
    // The program provided the streams, so it trusts the peer.
    let peer = SocketPeer::open(service, Access::Trusted, (transport, None));
    let meter = Meter::new(service.shared().receive(peer.connection.caller()));
    let reader = Bounded::metered(reader, limits.write_timeout, meter.clone());
    let mut writer = Bounded::new(writer, limits.write_timeout);
    {
        let mut writing = pin!(write(&peer.outbox, &mut writer));
        // Reading has priority, so that the responses to lines that arrived together are written together.
        tokio::select! {
            biased;
            read = read(&peer, reader, &meter, limits.max_message_bytes) => match read {
                Ok(()) => {}
                Err(error) => return left_or("input", error),
            },
            written = &mut writing => return written.or_else(|error| left_or("output", error)),
            () = shutdown => {}
        }
        tokio::select! {
            biased;
            written = &mut writing => return written.or_else(|error| left_or("output", error)),
            () = peer.finish(limits.shutdown_grace) => {}
        }
    }
    // Everything is written; errors of a peer that has already disconnected do not matter.
    let _ = writer.shutdown().await;
    Ok(())
}

/// Reads messages until the input ends.
async fn read(
    peer: &SocketPeer,
    mut reader: impl AsyncRead + Unpin,
    meter: &Meter,
    limit: usize,
) -> io::Result<()> {
    let mut lines = LineBuffer::new(limit, CHUNK);
    let (mut line, mut out) = (Vec::new(), Vec::new());
    loop {
        match lines.next(&mut line) {
            Line::Whole => peer.take(&line, meter.take(line.len() + 1), &mut out).await,
            Line::TooLong => {
                // Its bytes are discarded as they arrive, and what was read behind it is less than one line.
                drop(meter.take(usize::MAX));
                peer.connection.refuse("the line is too long", &mut out);
                peer.send(&mut out).await;
            }
            Line::NeedsMore => {
                let read = match reader.read(lines.room()).await {
                    Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => {
                        peer.connection.refuse("the server is receiving too much; try again later", &mut out);
                        peer.send(&mut out).await;
                        return Ok(());
                    }
                    read => read?,
                };
                if lines.is_skipping() {
                    drop(meter.take(read));
                }
                lines.advance(read);
            }
            Line::End => return Ok(()),
        }
    }
}

/// Writes the messages of the outbox until it is closed.
async fn write(outbox: &Outbox, writer: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut lines = Vec::new();
    while outbox.wait_async().await {
        outbox.take(&mut lines);
        writer.write_all(&lines).await?;
        writer.flush().await?;
        outbox.mark_sent();
        if lines.capacity() > KEPT {
            lines = Vec::new();
        }
    }
    Ok(())
}

/// Ignores errors that mean that the peer disconnected.
fn left_or(stream: &'static str, source: io::Error) -> Result<(), ServeError> {
    match source.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::TimedOut => {
            observe!(
                DEBUG,
                error.r#type = ?source.kind(),
                "a peer disconnected before it was sent everything"
            );
            Ok(())
        }
        _ => Err(ServeError::Stream { stream, source }),
    }
}
