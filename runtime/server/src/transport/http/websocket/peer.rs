//! One socket: frames to messages and back, signs of life, and its end.

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
    /// The server ends.
    Stopped,
    /// The peer's token is no longer valid.
    NoLongerValid,
    /// The peer did what it must not, or nothing at all; it is told so.
    Refused(CloseCode, &'static str),
}

/// Serves one socket to its end.
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
    let peer = SocketPeer::open(service, access);
    let meter = Meter::new(service.shared().receive(peer.connection.caller()));
    let upgraded = Bounded::metered(TokioIo::new(upgraded), limits.write_timeout, meter.clone());
    let socket = WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await;
    let (mut sink, mut stream) = socket.split();
    // A peer that is asked nothing may be silent as long as it likes.
    let gone_after = ping_after.map(|ping_after| limits.websocket_silence.max(ping_after.saturating_mul(2)));
    let end = {
        let (pinged, pings) = mpsc::channel(1);
        let mut writing = std::pin::pin!(write(&peer.outbox, &mut sink, ping_after, pings));
        // Reading goes first, so that the answers to messages that came together are written together.
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
    // A socket cannot be resumed, so nobody waits for what runs.
    drop(peer);
    let Ok(mut socket) = stream.reunite(sink) else { return };
    let (code, why) = match end {
        End::Gone => return,
        End::Stopped => (CloseCode::Away, "the server is ending"),
        End::NoLongerValid => (CloseCode::Policy, "the token is no longer valid"),
        End::Refused(code, why) => (code, why),
    };
    let _ = timeout(LAST_WORDS, close_with(&mut socket, code, why)).await;
}

/// Waits until a peer's token is no longer valid; forever for one that has no end.
async fn ended(end: Option<&CancellationToken>) {
    match end {
        Some(end) => end.cancelled().await,
        None => std::future::pending().await,
    }
}

/// How much is read at once, and how much is gathered before it is written: what a peer costs.
const READ_BUFFER: usize = 8 * 1024;
const WRITE_BUFFER: usize = 16 * 1024;

/// How many bytes stand before the text of a ping (RFC 6455 §5.2).
const CONTROL_HEAD: usize = 6;

/// Takes messages until the socket ends.
///
/// A ping is answered before the next frame but one is read: the answers to a peer that does not read them wait in the
/// system, and it waits as well. They are no sign of life; a peer that reads answers ours.
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
                    // What was read of the next message is less than one piece.
                    peer.take(text.as_bytes(), meter.take(usize::MAX), &mut out).await;
                }
                Some(Ok(Message::Binary(_))) => {
                    return Err(End::Refused(CloseCode::Unsupported, "messages are text frames"));
                }
                Some(Ok(Message::Ping(text))) => {
                    drop(meter.take(text.len() + CONTROL_HEAD));
                    // Who writes is there as long as this is.
                    let _ = pinged.send(()).await;
                    return Ok(alive);
                }
                // A frame that is no part of a message, with its head.
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

const SILENT: End = End::Refused(CloseCode::Policy, "no sign of life, or answers are not read");

/// What the peer is told of an error.
fn end_of(error: &Error) -> End {
    match error {
        Error::Capacity(_) => End::Refused(CloseCode::Size, "the message is longer than this server reads"),
        Error::Utf8(_) => End::Refused(CloseCode::Invalid, "a text frame is UTF-8"),
        // One that closes without a close frame has left as well.
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Gone,
        Error::Protocol(_) => End::Refused(CloseCode::Protocol, "not the WebSocket protocol"),
        Error::Io(error) if error.kind() == io::ErrorKind::QuotaExceeded => {
            End::Refused(CloseCode::Again, "too much is being received; try again later")
        }
        _ => End::Gone,
    }
}

/// Sends what waits in the outbox, pings, and the answers to those of the peer, until the outbox is closed or the
/// socket breaks.
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
            // First, or it would never come while there is always something to send.
            () = ping(&mut pings) => sink.send(Message::Ping(Bytes::new())).await,
            // The answer stands ready since the ping was read.
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

/// Tells the peer why, and reads on until it has closed: what it still sends would otherwise make the system throw the
/// last frames away (RFC 6455 §7.1.1).
async fn close_with(socket: &mut Socket, code: CloseCode, reason: &'static str) {
    let reason = Utf8Bytes::from_static(reason);
    if socket.close(Some(CloseFrame { code, reason })).await.is_err() {
        return;
    }
    let mut dropped = vec![0; READ_BUFFER];
    while socket.get_mut().read(&mut dropped).await.is_ok_and(|read| read > 0) {}
}
