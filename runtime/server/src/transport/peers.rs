//! Accepts peers on long-lived connections, and shuts them down gracefully.

use std::io;
use std::pin::pin;
#[cfg(any(feature = "socket", feature = "ws"))]
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::JoinSet;
#[cfg(any(feature = "socket", feature = "ws"))]
use toolwright_wire::outbox::Outbox;

#[cfg(any(feature = "socket", feature = "ws"))]
use crate::auth::Visitor;
#[cfg(any(feature = "socket", feature = "ws"))]
use crate::connection::Connection;
#[cfg(any(feature = "socket", feature = "ws"))]
use crate::observed::ObservedSession;
#[cfg(any(feature = "socket", feature = "ws"))]
use crate::quotas::Received;
#[cfg(any(feature = "socket", feature = "ws"))]
use crate::service::Service;

/// How long accepting pauses when the system has run out of sockets.
const PAUSE: Duration = Duration::from_millis(50);

/// How long writing the last messages may take at shutdown.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

/// Accepts connections until `shutdown`, at most `limit` at once; others wait. Returns those that are still open.
pub(super) async fn accept<S, F: Future<Output = ()> + Send + 'static>(
    mut poll_accept: impl FnMut(&mut Context<'_>) -> Poll<io::Result<S>>,
    limit: usize,
    shutdown: impl Future<Output = ()> + Send,
    mut serve: impl FnMut(S) -> F,
) -> JoinSet<()> {
    let mut open = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = std::future::poll_fn(|task| {
            if shutdown.as_mut().poll(task).is_ready() {
                return Poll::Ready(None);
            }
            while let Poll::Ready(Some(_)) = open.poll_join_next(task) {}
            if open.len() >= limit.max(1) {
                return Poll::Pending;
            }
            poll_accept(task).map(Some)
        })
        .await;
        match accepted {
            None => return open,
            Some(Ok(stream)) => {
                open.spawn(serve(stream));
            }
            // A peer that disconnected before it was accepted does not matter, and a lack of sockets is temporary.
            Some(Err(_)) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Waits for connections to end by themselves, for at most `time`.
pub(super) async fn join(open: &mut JoinSet<()>, time: Duration) {
    let all_ended = async { while open.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(time, all_ended).await;
}

/// The peer of one connection. Dropping it cancels its calls.
#[cfg(any(feature = "socket", feature = "ws"))]
#[derive(Debug)]
pub(super) struct SocketPeer {
    pub(super) connection: Arc<Connection>,
    pub(super) outbox: Arc<Outbox>,
    _session: ObservedSession,
}

#[cfg(any(feature = "socket", feature = "ws"))]
impl SocketPeer {
    /// Opens a connection over a transport and a protocol in the terms of OpenTelemetry.
    pub(super) fn open(
        service: &Service,
        access: impl Into<Visitor>,
        (transport, protocol): (Option<&'static str>, Option<&'static str>),
    ) -> Self {
        let (access, shared) = (access.into(), service.shared());
        let caller = access.caller().unwrap_or_else(|| shared.callers().anonymous());
        let outbox = Outbox::new(service.limits().max_unsent_bytes).within(caller.unread());
        let outbox = Arc::new(outbox);
        let connection = Connection::open(shared, Arc::clone(&outbox), access);
        Self { _session: connection.observe(transport, protocol), connection, outbox }
    }

    /// Handles one message, whose share in `received` counts until its response is sent. Waits while the peer does not
    /// read responses; `out` is a reusable buffer.
    pub(super) async fn take(&self, message: &[u8], received: Received, out: &mut Vec<u8>) {
        // The response to a message may not wait for room, such as the acknowledgment of a subscription.
        self.outbox.room().await;
        if let Some(later) = self.connection.receive(message, out) {
            self.connection.answer_later(Box::pin(async move {
                let answer = later.await;
                drop(received);
                answer
            }));
        }
        self.send(out).await;
    }

    /// Sends a line, if there is one, as soon as there is room. Leaves `line` empty.
    pub(super) async fn send(&self, line: &mut Vec<u8>) {
        if let Some(message) = line.strip_suffix(b"\n") {
            self.outbox.send(message).await;
        }
        line.clear();
    }

    /// Lets running calls finish within `grace`, ends the subscriptions, and waits until everything is sent. Has to be
    /// polled concurrently with the writer.
    pub(super) async fn finish(&self, grace: Duration) {
        let _ = tokio::time::timeout(grace, self.connection.wait_until_answered()).await;
        self.connection.end();
        let _ = tokio::time::timeout(LAST_WORDS, self.outbox.drained()).await;
        self.outbox.close();
    }
}

#[cfg(any(feature = "socket", feature = "ws"))]
impl Drop for SocketPeer {
    fn drop(&mut self) {
        self.connection.end();
        self.outbox.close();
    }
}
