//! Where tasks are kept.

use std::time::Duration;

use super::Task;
use crate::future::BoxFuture;
use crate::panics::{Panicked, UserFuture};

/// How long a store may take for one operation.
const PATIENCE: Duration = Duration::from_secs(10);

/// Keeps tasks so that clients find them later: in memory ([`MemoryTaskStore`](super::MemoryTaskStore), the default), or
/// in a store of yours that outlives the process.
///
/// A task runs in the process that made it, which is the only one to change it while it runs. A store that several
/// processes share lets each of them show tasks and cancel them; answers to their input requests must reach the process in
/// which the task runs, for which HTTP has the header `Mcp-Name`.
///
/// An operation that takes longer than 10 seconds, or panics, counts as failed.
///
/// A store of one's own that counts what it keeps in memory:
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use toolwright_server::BoxFuture;
/// use toolwright_server::tasks::{MemoryTaskStore, Task, TaskStore, TaskStoreError, Tasks};
///
/// #[derive(Default)]
/// struct Counted {
///     tasks: MemoryTaskStore,
///     created: AtomicUsize,
/// }
///
/// impl TaskStore for Counted {
///     fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
///         self.created.fetch_add(1, Ordering::Relaxed);
///         self.tasks.create(task)
///     }
///
///     fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
///         self.tasks.get(id)
///     }
///
///     fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
///         self.tasks.update(task)
///     }
///
///     fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
///         self.tasks.remove(id)
///     }
/// }
///
/// let tasks = Tasks::new().store(Counted::default());
/// # let _ = tasks;
/// ```
pub trait TaskStore: Send + Sync + 'static {
    /// Keeps a new task. When it is done, [`TaskStore::get`] finds the task (SEP-2663 "Task Creation").
    ///
    /// # Errors
    /// Where it cannot be kept; the call is answered with -32603 then.
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// The task with this id; none if there is none, or none any more.
    ///
    /// # Errors
    /// Where that cannot be found out.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>>;

    /// Puts a task in place of the one with its id, unless that has ended or is gone, in one step. False if so.
    ///
    /// # Errors
    /// Where that cannot be done. The end of a task is tried again until its time is over.
    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>>;

    /// Forgets a task whose time is over; one that is gone is no mistake. A store that outlives the process must find
    /// such tasks by itself as well: see [`Task::expires_at`].
    ///
    /// # Errors
    /// If it cannot be removed. The error is ignored, and the task is not shown any more.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;
}

/// Why a store has failed. The text goes to clients, so keep secrets out of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct TaskStoreError {
    text: String,
    is_final: bool,
}

impl TaskStoreError {
    /// A failure that may be over the next time.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_final: false }
    }

    /// The task will never be kept as it is, since it is too large for example. Where that is how a task ends, it ends as
    /// failed instead.
    pub fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_final: true }
    }

    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }
}

/// Waits for an operation of a store. It may be code of a user's, which hangs or panics.
pub(super) async fn done<T>(
    operation: BoxFuture<'_, Result<T, TaskStoreError>>,
) -> Result<T, TaskStoreError> {
    match tokio::time::timeout(PATIENCE, UserFuture::new(operation)).await {
        Ok(Ok(result)) => result,
        Ok(Err(Panicked)) => Err(TaskStoreError::new("it failed unexpectedly")),
        Err(_) => Err(TaskStoreError::new(format!("it did not answer within {} s", PATIENCE.as_secs()))),
    }
}
