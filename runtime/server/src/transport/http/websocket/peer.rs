//! Serves one socket: frames to messages and back, pings, and closing.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;
use toolwright_wire::outbox::Outbox;

use crate::auth::Visitor;
use crate::clock::FAR;
use crate::service::Service;
use crate::transport::bounded::{Bounded, Meter};
use crate::transport::peers::{LAST_WORDS, SocketPeer};

type Socket = WebSocketStream<Bounded<TokioIo<Upgraded>>>;

/// Why a socket ends.
enum End {
    /// The peer has closed it, or it broke.
    Gone,
    /// The server is shutting down.
    Stopped,
    /// The peer's token is no longer valid.
    NoLongerValid,
    /// The peer violated the protocol or was silent, and receives this close code and reason.
    Refused(CloseCode, &'static str),
}

/// Serves one socket until it ends.
pub(super) async fn serve(
    service: &Service,
    access: Visitor,
    upgraded: Upgraded,
    ping_after: Option<Duration>,
    stop: &CancellationToken,
) {
    let limits = service.limits();
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(limits.max_message_bytes))
        .max_frame_size(Some(limits.max_message_bytes));
    let caller_end = access.principal().and_then(|principal| principal.end()).cloned();
    let peer = SocketPeer::open(service, access, (Some("tcp"), Some("websocket")));
    let meter = Meter::new(service.shared().receive(peer.connection.caller()));
    let upgraded = Bounded::metered(TokioIo::new(upgraded), limits.write_timeout, meter.clone());
    let socket = WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await;
    let (mut sink, mut stream) = socket.split();
    // Without pings, a peer may be silent forever.
    let gone_after = ping_after.map(|ping_after| limits.websocket_silence.max(ping_after.saturating_mul(2)));
    let end = {
        let (pinged, pings) = mpsc::channel(1);
        let mut writing = std::pin::pin!(write(&peer.outbox, &mut sink, ping_after, pings));
        // Reading has priority, so that the responses to messages that arrived together are written together.
        let end = tokio::select! {
            biased;
            end = read(&peer, &mut stream, &meter, gone_after, pinged) => end,
            () = &mut writing => End::Gone,
            () = stop.cancelled() => End::Stopped,
            () = ended(caller_end.as_ref()) => End::NoLongerValid,
        };
        match end {
            End::Stopped | End::NoLongerValid => tokio::select! {
                biased;
                () = &mut writing => End::Gone,
                () = peer.finish(limits.shutdown_grace) => end,
            },
            end => end,
        }
    };
    // A socket cannot be resumed, so no one waits for running calls.
    drop(peer);
    let Ok(mut socket) = stream.reunite(sink) else { return };
    let (code, why) = match end {
        End::Gone => return,
        End::Stopped => (CloseCode::Away, "the server is shutting down"),
        End::NoLongerValid => (CloseCode::Policy, "the token is no longer valid"),
        End::Refused(code, why) => (code, why),
    };
    let _ = timeout(LAST_WORDS, close_with(&mut socket, code, why)).await;
}

/// Waits until a peer's token is no longer valid; forever if it has no end.
async fn ended(end: Option<&CancellationToken>) {
    match end {
        Some(end) => end.cancelled().await,
        None => std::future::pending().await,
    }
}

/// The size of reads, and of gathered writes: the memory cost of a peer.
const READ_BUFFER: usize = 8 * 1024;
const WRITE_BUFFER: usize = 16 * 1024;

/// The length of a ping's header (RFC 6455 §5.2).
const CONTROL_HEAD: usize = 6;

/// Reads messages until the socket ends.
///
/// A ping is answered before the next frame but one is read: responses to a peer that does not read them fill the
/// system's buffers, and block it as well. Its pings do not count as activity; a peer that reads answers ours.
async fn read(
    peer: &SocketPeer,
    stream: &mut SplitStream<Socket>,
    meter: &Meter,
    gone_after: Option<Duration>,
    pinged: mpsc::Sender<()>,
) -> End {
    let mut out = Vec::new();
    let mut alive = Instant::now();
    loop {
        let taken = async {
            match stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    // What was read of the next message is less than one chunk.
                    peer.take(text.as_bytes(), meter.take(usize::MAX), &mut out).await;
                }
                Some(Ok(Message::Binary(_))) => {
                    return Err(End::Refused(CloseCode::Unsupported, "messages must be text frames"));
                }
                Some(Ok(Message::Ping(text))) => {
                    drop(meter.take(text.len() + CONTROL_HEAD));
                    // The writer exists as long as this function runs.
                    let _ = pinged.send(()).await;
                    return Ok(alive);
                }
                // A frame that is not part of a message, with its header.
                Some(Ok(control)) => drop(meter.take(control.len() + CONTROL_HEAD)),
                Some(Err(error)) => return Err(end_of(&error)),
                None => return Err(End::Gone),
            }
            Ok(Instant::now())
        };
        let taken = match gone_after {
            Some(time) => timeout_at(alive + time.min(FAR), taken).await.unwrap_or(Err(SILENT)),
            None => taken.await,
        };
        match taken {
            Ok(sign) => alive = sign,
            Err(end) => return end,
        }
    }
}

const SILENT: End = End::Refused(CloseCode::Policy, "the peer is silent or does not read responses");

/// The close code and reason for an error.
fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(_) => End::Refused(CloseCode::Size, "the message is too long"),
        Error::Utf8(_) => End::Refused(CloseCode::Invalid, "a text frame must be valid UTF-8"),
        // Closing without a close frame is a disconnect as well.
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Gone,
        Error::Protocol(_) => End::Refused(CloseCode::Protocol, "WebSocket protocol violation"),
        Error::Io(error) if error.kind() == io::ErrorKind::QuotaExceeded => {
            End::Refused(CloseCode::Again, "the server is receiving too much; try again later")
        }
        _ => End::Gone,
    }
}

/// Writes the messages of the outbox, pings, and pongs, until the outbox is closed or the socket breaks.
async fn write(
    outbox: &Outbox,
    sink: &mut SplitSink<Socket, Message>,
    ping_after: Option<Duration>,
    mut pinged: mpsc::Receiver<()>,
) {
    let mut pings = ping_after.map(|time| {
        let time = time.clamp(Duration::from_millis(1), FAR);
        let mut pings = interval_at(Instant::now() + time, time);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings
    });
    let ping = async |pings: &mut Option<Interval>| match pings {
        Some(pings) => {
            pings.tick().await;
        }
        None => std::future::pending().await,
    };
    let mut lines = Vec::new();
    loop {
        let sent = tokio::select! {
            biased;
            // First, since it would otherwise never be sent while there is always something to send.
            () = ping(&mut pings) => sink.send(Message::Ping(Bytes::new())).await,
            // The pong was queued when the ping was read.
            Some(()) = pinged.recv() => sink.flush().await,
            more = outbox.wait_async() => {
                if !more {
                    return;
                }
                outbox.take(&mut lines);
                let sent = send_lines(sink, std::mem::take(&mut lines).into()).await;
                outbox.mark_sent();
                sent
            }
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Sends each line as a text frame.
async fn send_lines(sink: &mut SplitSink<Socket, Message>, lines: Bytes) -> Result<(), Error> {
    let mut start = 0;
    while let Some(length) = memchr::memchr(b'\n', &lines[start..]) {
        let line = lines.slice(start..start + length);
        start += length + 1;
        // Everything that the server writes is UTF-8.
        if let Ok(text) = Utf8Bytes::try_from(line) {
            sink.feed(Message::Text(text)).await?;
        }
    }
    sink.flush().await
}

/// Sends the close reason, and continues reading until the peer has closed: otherwise unread data would make the
/// system discard the last frames (RFC 6455 §7.1.1).
async fn close_with(socket: &mut Socket, code: CloseCode, reason: &'static str) {
    let reason = Utf8Bytes::from_static(reason);
    if socket.close(Some(CloseFrame { code, reason })).await.is_err() {
        return;
    }
    let mut dropped = vec![0; READ_BUFFER];
    while socket.get_mut().read(&mut dropped).await.is_ok_and(|read| read > 0) {}
}
