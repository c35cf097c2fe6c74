//! The interface of task stores.

use std::time::Duration;

use serde_json::json;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::ErrorObject;

use super::Task;
use crate::error;
use crate::panics::{Panicked, UserFuture};

/// The time limit of one store operation.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// Stores tasks so that clients can find them later: in memory ([`MemoryTaskStore`](super::MemoryTaskStore), the
/// default), or in a custom store that outlives the process.
///
/// A task runs in the process that created it, and only that process changes it while it runs. With a shared store,
/// other processes can return and cancel tasks, and the process that runs a cancelled task is notified by
/// [`TaskStore::ended`]; responses to input requests must reach the process that runs the task, for which HTTP has the
/// header `Mcp-Name`.
///
/// The limits per caller ([`Tasks::max_stored_per_caller`](super::Tasks::max_stored_per_caller)) are those of the server,
/// in each of its processes. A store has to bound what it keeps in total.
///
/// Operations that take longer than 10 seconds, or panic, count as failed.
///
/// A store that counts what it keeps in memory:
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
    /// Stores a new task. After it completes, [`TaskStore::get`] finds the task (SEP-2663 "Task Creation").
    ///
    /// # Errors
    /// The task cannot be stored; the call is then answered with -32603.
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// Returns the task with this id; `None` if it does not exist (any longer).
    ///
    /// # Errors
    /// The lookup failed.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>>;

    /// Atomically replaces the task with this id, unless it has ended or is gone; returns false in that case.
    ///
    /// # Errors
    /// The update failed. Final states are retried until the task expires.
    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>>;

    /// Deletes an expired task; a missing one is not an error. A store that outlives the process has to delete expired
    /// tasks itself as well; see [`Task::expires_at`].
    ///
    /// # Errors
    /// The deletion failed. The error is ignored, and the task is hidden.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// Waits until another process has ended the task with this id, which runs in this process; forever if none does.
    /// Then the handler is dropped. The default implementation waits forever, so that the handler is dropped with its
    /// next change.
    fn ended<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        _ = id;
        Box::pin(std::future::pending())
    }
}

/// A store operation failed. Clients receive the message, so it must not contain secrets, and [`TaskStoreError::kind`] in
/// the error's data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct TaskStoreError {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unavailable,
    Full,
    Refused,
}

impl TaskStoreError {
    /// Creates a temporary error: the store cannot be reached, or failed.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Unavailable }
    }

    /// Creates a temporary error: the store has no space until other tasks expire.
    pub fn full(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Full }
    }

    /// Creates a permanent error: the task cannot be stored in its current state, for example because it is too large.
    /// If that is its final state, the task fails instead.
    pub fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Refused }
    }

    /// Returns the machine-readable name of the error: `store_unavailable`, `overloaded` or `invalid`.
    pub fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Unavailable => "store_unavailable",
            Kind::Full => "overloaded",
            Kind::Refused => "invalid",
        }
    }

    pub(super) fn is_final(&self) -> bool {
        self.kind == Kind::Refused
    }

    /// Converts into an error for clients that says what failed.
    pub(crate) fn to_rpc(&self, what: &str) -> ErrorObject {
        let data = json!({"kind": self.kind(), "retryable": !self.is_final()});
        error::internal(&format!("{what}: {self}")).with_data(&data)
    }
}

/// Waits for a store operation, which may be user code that hangs or panics.
pub(super) async fn done<T>(
    operation: BoxFuture<'_, Result<T, TaskStoreError>>,
) -> Result<T, TaskStoreError> {
    match tokio::time::timeout(STORE_TIMEOUT, UserFuture::new(operation)).await {
        Ok(Ok(result)) => result,
        Ok(Err(Panicked)) => Err(TaskStoreError::new("it failed unexpectedly")),
        Err(_) => {
            Err(TaskStoreError::new(format!("it did not respond within {} s", STORE_TIMEOUT.as_secs())))
        }
    }
}

/// Waits until another process has ended a task; forever if the store fails at that.
pub(super) async fn ended(store: &dyn TaskStore, id: &str) {
    if UserFuture::new(store.ended(id)).await.is_err() {
        std::future::pending::<()>().await;
    }
}
