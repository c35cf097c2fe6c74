//! Contains panics of user code, both when it runs and when its values are dropped. A panic ends only its own call; its
//! message stays on standard error, where the panic hook wrote it, and is not sent. `origin` tells subscribers of `tracing` where.

#[cfg(feature = "tracing")]
mod origin;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

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
pub(crate) struct UserFuture<'a, T> {
    future: Option<Boxed<'a, T>>,
    /// The state of its waker, if it is polled only when it was woken.
    wakes: Option<(Arc<Wakes>, Waker)>,
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'a, T> UserFuture<'a, T> {
    pub(crate) fn new(future: Boxed<'a, T>) -> Self {
        Self { future: Some(future), wakes: None }
    }

    /// Creates a future that is polled only when it was woken, for code that rarely completes when first polled, and is
    /// expensive to poll: the task that polls it is woken for other reasons too.
    pub(crate) fn only_when_woken(future: Boxed<'a, T>) -> Self {
        let state = Arc::new(Wakes { is_woken: AtomicBool::new(true), task: Mutex::default() });
        let waker = Waker::from(Arc::clone(&state));
        Self { future: Some(future), wakes: Some((state, waker)) }
    }
}

/// Whether a future was woken, and the task that polls it.
struct Wakes {
    is_woken: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Wakes {
    /// Returns whether the future was woken since the last time, and wakes `task` from now on.
    fn take(&self, task: &Waker) -> bool {
        let mut current = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *current {
            Some(current) => current.clone_from(task),
            None => *current = Some(task.clone()),
        }
        drop(current);
        self.is_woken.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
        task.iter().for_each(Waker::wake_by_ref);
    }
}

impl<'a, T> From<Boxed<'a, T>> for UserFuture<'a, T> {
    fn from(future: Boxed<'a, T>) -> Self {
        Self::new(future)
    }
}

impl<T> Future for UserFuture<'_, T> {
    type Output = Result<T, Panicked>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { future: Some(future), wakes } = &mut *self else { return Poll::Pending };
        let mut own = match wakes {
            Some((state, waker)) if state.take(task.waker()) => Context::from_waker(waker),
            Some(_) => return Poll::Pending,
            None => Context::from_waker(task.waker()),
        };
        match catch(|| future.as_mut().poll(&mut own)) {
            Ok(poll) => poll.map(Ok),
            Err(panicked) => Poll::Ready(Err(panicked)),
        }
    }
}

impl<T> Drop for UserFuture<'_, T> {
    fn drop(&mut self) {
        let future = self.future.take();
        let _ = catch(|| drop(future));
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Wake, Waker};

    use super::UserFuture;

    #[derive(Default)]
    struct CountedWakes(AtomicUsize);

    impl Wake for CountedWakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_future_is_polled_only_when_it_was_woken() {
        let (polls, inner) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Waker::noop().clone())));
        let (counted, kept) = (Arc::clone(&polls), Arc::clone(&inner));
        let mut future = UserFuture::only_when_woken(Box::pin(poll_fn(move |cx| {
            *kept.lock().unwrap() = cx.waker().clone();
            if counted.fetch_add(1, Ordering::Relaxed) == 1 { Poll::Ready(()) } else { Poll::Pending }
        })));
        let tasks = [(); 2].map(|()| Arc::new(CountedWakes::default()));
        let mut poll = |task: &Arc<CountedWakes>| {
            let waker = Waker::from(Arc::clone(task));
            Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_ready()
        };
        assert!(!poll(&tasks[0]), "the first time, it is always polled");
        assert!(!poll(&tasks[0]) && !poll(&tasks[1]));
        assert_eq!(polls.load(Ordering::Relaxed), 1);
        inner.lock().unwrap().wake_by_ref();
        let woken = tasks.each_ref().map(|task| task.0.load(Ordering::Relaxed));
        assert_eq!(woken, [0, 1], "the task that polled it last is woken");
        assert!(poll(&tasks[1]));
        assert_eq!(polls.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again() {
        let mut polls = 0;
        let mut future = UserFuture::only_when_woken(Box::pin(poll_fn(move |cx| {
            cx.waker().wake_by_ref();
            polls += 1;
            if polls == 3 { Poll::Ready(polls) } else { Poll::Pending }
        })));
        let mut cx = Context::from_waker(Waker::noop());
        let ready = (0..3).map(|_| Pin::new(&mut future).poll(&mut cx).is_ready());
        assert_eq!(ready.collect::<Vec<_>>(), [false, false, true]);
    }
}
