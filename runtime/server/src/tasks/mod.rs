//! Tasks: calls that go on after they were answered with a handle, which clients ask for what has become of them
//! (SEP-2663, extension `io.modelcontextprotocol/tasks`, revision 2026-07-28).
//!
//! A tool says that its calls may be tasks with `#[mcp(task)]`, or that they must be with `#[mcp(task = "required")]`.
//! A call of it by a client that declares the extension begins like any other: when its handler is done at once, or asks
//! the client something before anything else, it is answered as usual. When the handler has to wait for something else, or
//! calls [`Context::start_task`](crate::Context::start_task), the call becomes a task: the client gets a handle, and the
//! handler goes on, whatever becomes of the connection. From then on its input requests are shown by the task, and
//! [`Context::progress`](crate::Context::progress) sets the task's message. For other clients a tool with
//! `#[mcp(task)]` is called as usual.
//!
//! A tool without the mark never becomes a task. The extension leaves that to the server ("The server decides per-request
//! whether to create a task", modelcontextprotocol.io, extensions/tasks), and here the author of the tool decides: only they
//! know whether a handler may outlive its connection, and whether its result is worth keeping. Clients choose nothing
//! beside declaring the extension.
//!
//! `live` is a task that runs, `runner` takes it from its making to its expiry, `registry` finds it, and a store keeps it.

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
pub(crate) use record::TaskView;
pub use record::{Task, TaskState};
pub(crate) use registry::{Admitted, NoTask, NotAdmitted, ServerTasks, TaskRegistry};
pub(crate) use runner::{make, run};
pub use store::{TaskStore, TaskStoreError};

/// How a server keeps tasks: see [`Server::tasks`](crate::Server::tasks).
#[derive(Clone)]
pub struct Tasks {
    store: Arc<dyn TaskStore>,
    ttl: Duration,
    timeout: Duration,
    poll_interval: Duration,
    max_running: usize,
    max_running_per_caller: usize,
    max_kept: usize,
    max_kept_per_caller: usize,
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
            max_kept: 10_000,
            max_kept_per_caller: 2_500,
        }
    }
}

impl Tasks {
    /// Tasks in memory, with the limits that each method names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where tasks are kept: in memory, unless set.
    pub fn store(mut self, store: impl TaskStore) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// How long a task is kept, counted from its making: 2 hours, unless set. Clients are told.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// How long the handler of a task may run: 1 hour, unless set, and never longer than the task is kept. Then it is
    /// dropped, and the task has a result with `isError`. [`Limits::call_timeout`](crate::Limits::call_timeout) does not
    /// count for tasks.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often clients are to ask for a task: once a second, unless set.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// How many tasks may run at once: 1,024, unless set. One more call of a tool with `#[mcp(task)]` is a call like any
    /// other; one of a tool with `#[mcp(task = "required")]` is answered with -32603. The same goes for the three limits
    /// that follow, and where the store cannot keep the task.
    pub fn max_running(mut self, tasks: usize) -> Self {
        self.max_running = tasks;
        self
    }

    /// How many tasks of one caller may run at once: 256, unless set. Who that is, see [`CallerLimits`](crate::CallerLimits).
    pub fn max_running_per_caller(mut self, tasks: usize) -> Self {
        self.max_running_per_caller = tasks;
        self
    }

    /// How many tasks that were made in this process are kept until their time is over, those that run among them: 10,000,
    /// unless set. [`MemoryTaskStore`] has a limit of its own.
    pub fn max_kept(mut self, tasks: usize) -> Self {
        self.max_kept = tasks;
        self
    }

    /// How many of these may be of one caller: 2,500, unless set.
    pub fn max_kept_per_caller(mut self, tasks: usize) -> Self {
        self.max_kept_per_caller = tasks;
        self
    }

    /// What is wrong with the settings.
    fn problem(&self) -> Option<&'static str> {
        let a_moment = Duration::from_millis(1);
        if self.ttl < a_moment || self.timeout < a_moment || self.poll_interval < a_moment {
            return Some("times of tasks are at least a millisecond");
        }
        (self.timeout > self.ttl).then_some("a task must be kept as long as it may run, or longer")
    }

    /// Checks the settings and makes the server ready for tasks.
    pub(crate) fn build(self) -> Result<ServerTasks, &'static str> {
        match self.problem() {
            Some(problem) => Err(problem),
            None => Ok(ServerTasks::new(self)),
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The store is the user's.
        f.debug_struct("Tasks")
            .field("ttl", &self.ttl)
            .field("timeout", &self.timeout)
            .field("poll_interval", &self.poll_interval)
            .field("max_running", &self.max_running)
            .field("max_kept", &self.max_kept)
            .finish_non_exhaustive()
    }
}
