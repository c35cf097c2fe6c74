//! Code of users that panics: when it runs, and when what it leaves behind is dropped. Its panic ends its own call and
//! nothing else; the text of the panic stays on standard error, where the panic hook wrote it, and is not sent.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// There was a panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs something of a user's.
pub(crate) fn catch<R>(run: impl FnOnce() -> R) -> Result<R, Panicked> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|thrown| {
        // What was thrown may panic when it is dropped, and so may what that throws.
        if let Err(thrown) = catch_unwind(AssertUnwindSafe(|| drop(thrown))) {
            std::mem::forget(thrown);
        }
        Panicked
    })
}

/// A future of a user's. Where it is dropped before its end (at a deadline, by a cancellation, with its connection), what
/// its values do then may panic as well, and is over with that.
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
