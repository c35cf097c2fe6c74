//! Tasks: calls that return a handle and continue; clients poll the handle for their state (SEP-2663, extension
//! `io.modelcontextprotocol/tasks`, revision 2026-07-28).
//!
//! A tool allows its calls to become tasks with `#[mcp(task)]`, or requires it with `#[mcp(task = "required")]`. A call
//! by a client that declares the extension starts like any other: if the handler completes immediately, or requests
//! input first, it is answered as usual. If the handler has to wait for anything else, or calls
//! [`Context::start_task`](crate::Context::start_task), the call becomes a task: the client gets a handle, and the
//! handler continues regardless of the connection. From then on, the task lists its input requests, and
//! [`Context::progress`](crate::Context::progress) sets the task's message. Other clients call a tool with
//! `#[mcp(task)]` as usual.
//!
//! A tool without the attribute never becomes a task. The extension leaves this to the server ("The server decides
//! per-request whether to create a task", modelcontextprotocol.io, extensions/tasks), and here the tool's author
//! decides: only they know whether a handler may outlive its connection, and whether its result is worth storing.
//! Clients choose nothing beyond declaring the extension.
//!
//! `live` is a running task, `runner` drives it from creation to expiry, `registry` finds it, and a store keeps it.

mod input;
mod live;
mod memory;
mod record;
mod registry;
mod runner;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
mod serving;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use input::MaybeTask;
pub(crate) use live::LiveTask;
pub use memory::MemoryTaskStore;
pub(crate) use record::{ProviderTaskView, TaskView};
pub use record::{Task, TaskState};
pub(crate) use registry::{Admitted, NoTask, NotAdmitted, ServerTasks, TaskRegistry};
pub(crate) use runner::{make, run};
pub use store::{TaskStore, TaskStoreError};

/// Configures tasks; see [`Server::tasks`](crate::Server::tasks).
#[derive(Clone)]
pub struct Tasks {
    store: Arc<dyn TaskStore>,
    ttl: Duration,
    timeout: Duration,
    poll_interval: Duration,
    max_running: usize,
    max_running_per_caller: usize,
    max_stored: usize,
    max_stored_per_caller: usize,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            store: Arc::new(MemoryTaskStore::default()),
            ttl: Duration::from_hours(2),
            timeout: Duration::from_hours(1),
            poll_interval: Duration::from_secs(1),
            max_running: 1_024,
            max_running_per_caller: 256,
            max_stored: 10_000,
            max_stored_per_caller: 2_500,
        }
    }
}

impl Tasks {
    /// Creates the defaults: tasks in memory, with the limits that each method documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where tasks are stored; in memory by default.
    pub fn store(mut self, store: impl TaskStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets how long a task is stored after its creation; 2 hours by default. Clients receive this value.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how long a task's handler may run: 1 hour by default, and at most as long as the task is stored. Then it is
    /// dropped, and the task has a result with `isError`. [`Limits::call_timeout`](crate::Limits::call_timeout) does
    /// not apply to tasks.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how often clients should poll a task; once per second by default.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets the maximum number of running tasks; 1,024 by default. Beyond it, a call of a tool with `#[mcp(task)]` is
    /// an ordinary call, and one of a tool with `#[mcp(task = "required")]` is answered with -32603. The same applies
    /// to the three limits below, and if the store cannot keep the task.
    pub fn max_running(mut self, tasks: usize) -> Self {
        self.max_running = tasks;
        self
    }

    /// Sets the maximum number of running tasks per caller; 256 by default. See [`CallerLimits`](crate::CallerLimits)
    /// for what a caller is.
    pub fn max_running_per_caller(mut self, tasks: usize) -> Self {
        self.max_running_per_caller = tasks;
        self
    }

    /// Sets the maximum number of stored tasks of this process, including running ones; 10,000 by default.
    /// [`MemoryTaskStore`] has its own limit.
    pub fn max_stored(mut self, tasks: usize) -> Self {
        self.max_stored = tasks;
        self
    }

    /// Sets the maximum number of stored tasks per caller; 2,500 by default.
    pub fn max_stored_per_caller(mut self, tasks: usize) -> Self {
        self.max_stored_per_caller = tasks;
        self
    }

    /// Returns what is wrong with the settings.
    fn problem(&self) -> Option<&'static str> {
        let a_moment = Duration::from_millis(1);
        if self.ttl < a_moment || self.timeout < a_moment || self.poll_interval < a_moment {
            return Some("times of tasks must be at least a millisecond");
        }
        (self.timeout > self.ttl).then_some("a task must be stored at least as long as it may run")
    }

    /// Validates the settings.
    pub(crate) fn build(self) -> Result<ServerTasks, &'static str> {
        match self.problem() {
            Some(problem) => Err(problem),
            None => Ok(ServerTasks::new(self)),
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The store is user code.
        f.debug_struct("Tasks")
            .field("ttl", &self.ttl)
            .field("timeout", &self.timeout)
            .field("poll_interval", &self.poll_interval)
            .field("max_running", &self.max_running)
            .field("max_stored", &self.max_stored)
            .finish_non_exhaustive()
    }
}
