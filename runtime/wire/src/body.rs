//! Reading request and response bodies of bounded length.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::Buf;
use http_body::Body;
use tokio::time::Sleep;

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// The body is longer than the limit.
    TooLong,
    /// The body did not arrive in time.
    TooSlow,
    /// The connection failed.
    Broken,
    /// The memory budget for bodies is exhausted.
    NoRoom,
}

/// Reads a whole body of at most `limit` bytes within `time`. Before each piece, `has_room` decides
/// whether memory is available for it.
///
/// # Errors
/// Returns [`BodyError`] if the body exceeds a limit or the connection fails.
pub async fn read<B: Body>(
    body: B,
    limit: usize,
    time: Duration,
    mut has_room: impl FnMut(usize) -> bool,
) -> Result<Vec<u8>, BodyError> {
    /// The most that is allocated up front for an announced length.
    const AT_ONCE: usize = 64 << 10;
    /// How many times as much as has arrived is allocated for one.
    const AHEAD: usize = 8;
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(BodyError::TooLong);
    }
    let mut body = pin!(body);
    let mut read = Vec::with_capacity(announced.min(AT_ONCE));
    // Most bodies arrive together with their head and need no timer.
    let mut late: Option<Pin<Box<Sleep>>> = None;
    loop {
        let frame = std::future::poll_fn(|task| match body.as_mut().poll_frame(task) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => {
                let late = late.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
                late.as_mut().poll(task).map(|()| Err(BodyError::TooSlow))
            }
        });
        let Some(frame) = frame.await? else { return Ok(read) };
        let Ok(mut data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        if data.remaining() > limit - read.len() {
            return Err(BodyError::TooLong);
        }
        if !has_room(data.remaining()) {
            return Err(BodyError::NoRoom);
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            if read.capacity() - read.len() < chunk.len() {
                let rest = announced.saturating_sub(read.len()).min(AHEAD * read.len());
                read.reserve(rest.max(chunk.len()));
            }
            read.extend_from_slice(chunk);
            let length = chunk.len();
            data.advance(length);
        }
    }
}
