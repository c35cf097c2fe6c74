//! Bodies of bounded length, of requests and of responses.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::Buf;
use http_body::Body;
use tokio::time::Sleep;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It has more bytes than the limit.
    TooLong,
    /// It did not come in time.
    TooSlow,
    /// The connection failed.
    Broken,
    /// There is no room for it now.
    NoRoom,
}

/// Reads a whole body of at most `limit` bytes within `time`, as long as `has_room` for what has come.
///
/// # Errors
/// [`Unread`].
pub async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    mut has_room: impl FnMut(usize) -> bool,
) -> Result<Vec<u8>, Unread> {
    /// How much room is made for a length that is told, before any of it has come.
    const AT_ONCE: usize = 64 << 10;
    // A length that is told is believed no further than to refuse early.
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > limit {
        return Err(Unread::TooLong);
    }
    let mut body = pin!(body);
    let mut read = Vec::with_capacity(told.min(AT_ONCE));
    // Most bodies are there together with their head, and need no timer.
    let mut late: Option<Pin<Box<Sleep>>> = None;
    loop {
        let frame = std::future::poll_fn(|task| match body.as_mut().poll_frame(task) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => {
                let late = late.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
                late.as_mut().poll(task).map(|()| Err(Unread::TooSlow))
            }
        });
        let Some(frame) = frame.await? else { return Ok(read) };
        let Ok(mut data) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        if data.remaining() > limit - read.len() {
            return Err(Unread::TooLong);
        }
        if !has_room(data.remaining()) {
            return Err(Unread::NoRoom);
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            read.extend_from_slice(chunk);
            let length = chunk.len();
            data.advance(length);
        }
    }
}
