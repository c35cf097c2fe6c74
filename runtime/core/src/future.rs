//! Futures of object-safe traits.

use std::pin::Pin;

/// A boxed future that is `Send`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Boxes the future that `build` returns.
///
/// The memory is allocated first, so that the compiler can build a large future in place. `Box::pin` often copies all of it,
/// including the parts that are not initialized yet.
///
/// ```
/// use std::task::{Context, Poll, Waker};
///
/// use toolwright_core::future::{BoxFuture, boxed};
///
/// fn add(a: u32, b: u32) -> BoxFuture<'static, u32> {
///     boxed(move || async move { a + b })
/// }
///
/// let poll = add(1, 2).as_mut().poll(&mut Context::from_waker(Waker::noop()));
/// assert_eq!(poll, Poll::Ready(3));
/// ```
#[inline]
pub fn boxed<'a, F: Future + Send + 'a>(build: impl FnOnce() -> F) -> BoxFuture<'a, F::Output> {
    let room = Box::<F>::new_uninit();
    let future: Box<F> = Box::write(room, build());
    Box::into_pin(future)
}
