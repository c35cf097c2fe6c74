//! Servers in the same process: messages are passed without any I/O.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use toolwright_wire::memory::MemoryChannel;

use crate::error::ClientError;
use crate::lines::CloseReason;
use crate::mux::Mux;

/// Passes messages in both directions until either side closes the channel.
///
/// The server handles a message in the client's task, so a handler that is ready immediately needs no other task.
pub(crate) async fn drive(mux: &Arc<Mux>, channel: &MemoryChannel) -> CloseReason {
    let (mut outgoing, mut answers, mut incoming) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mut more = pin!(channel.outbox().wait_async());
        let reason = poll_fn(|cx| {
            while let Poll::Ready(is_open) = mux.poll_outgoing(&mut outgoing, cx) {
                if !is_open {
                    return Poll::Ready(Some(CloseReason::Requested));
                }
                for message in messages(&outgoing) {
                    channel.receive(message, &mut answers);
                    // What a handler sent while it ran, such as its progress, precedes its answer.
                    let delivered =
                        deliver_queued(mux, channel, &mut incoming).and_then(|()| deliver(mux, &answers));
                    if let Err(error) = delivered {
                        return Poll::Ready(Some(CloseReason::Invalid(error)));
                    }
                    answers.clear();
                }
                outgoing.clear();
            }
            more.as_mut().poll(cx).map(|is_open| (!is_open).then_some(CloseReason::Closed))
        });
        if let Some(reason) = reason.await {
            return reason;
        }
        if let Err(error) = deliver_queued(mux, channel, &mut incoming) {
            return CloseReason::Invalid(error);
        }
    }
}

/// Delivers what the server has queued, if anything.
fn deliver_queued(mux: &Arc<Mux>, channel: &MemoryChannel, buffer: &mut Vec<u8>) -> Result<(), ClientError> {
    channel.outbox().take(buffer);
    if buffer.is_empty() {
        return Ok(());
    }
    channel.outbox().mark_sent();
    deliver(mux, buffer)
}

fn deliver(mux: &Arc<Mux>, lines: &[u8]) -> Result<(), ClientError> {
    messages(lines).try_for_each(|message| mux.receive(message))
}

fn messages(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty())
}
