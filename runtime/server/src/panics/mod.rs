//! Contains panics of user code, both when it runs and when its values are dropped. A panic ends only its own call; its
//! message stays on standard error, where the panic hook wrote it, and is not sent. `origin` tells subscribers of `tracing` where.

#[cfg(feature = "tracing")]
mod origin;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

#[cfg(feature = "tracing")]
pub(crate) use origin::note_origins;

/// User code panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs user code.
pub(crate) fn catch<R>(run: impl FnOnce() -> R) -> Result<R, Panicked> {
    #[cfg(feature = "tracing")]
    let running = origin::Running::begin();
    let caught = catch_unwind(AssertUnwindSafe(run));
    #[cfg(feature = "tracing")]
    drop(running);
    caught.map_err(|thrown| {
        // Dropping a panic's payload may panic as well, and so on.
        if let Err(thrown) = catch_unwind(AssertUnwindSafe(|| drop(thrown))) {
            std::mem::forget(thrown);
        }
        #[cfg(feature = "tracing")]
        origin::record();
        Panicked
    })
}

/// A user's future. If it is dropped before it completes (at a deadline, by a cancellation, with its connection),
/// panics of its destructors are contained as well.
pub(crate) struct UserFuture<'a, T>(Option<Boxed<'a, T>>);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'a, T> UserFuture<'a, T> {
    pub(crate) fn new(future: Boxed<'a, T>) -> Self {
        Self(Some(future))
    }
}

impl<T> Future for UserFuture<'_, T> {
    type Output = Result<T, Panicked>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        match catch(|| future.as_mut().poll(task)) {
            Ok(poll) => poll.map(Ok),
            Err(panicked) => Poll::Ready(Err(panicked)),
        }
    }
}

impl<T> Drop for UserFuture<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        let _ = catch(|| drop(future));
    }
}
