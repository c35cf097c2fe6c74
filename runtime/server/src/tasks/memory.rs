//! An in-memory task store.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use toolwright_core::future::BoxFuture;

use super::{Task, TaskStore, TaskStoreError};

/// Stores tasks in memory, within limits. They are lost when the process exits.
#[derive(Debug)]
pub struct MemoryTaskStore {
    max_tasks: usize,
    max_bytes: usize,
    kept: Mutex<StoredTasks>,
}

#[derive(Debug, Default)]
struct StoredTasks {
    tasks: HashMap<String, Arc<Task>>,
    /// The same tasks, sorted by expiry.
    by_expiry: BTreeSet<(SystemTime, String)>,
    bytes: usize,
}

impl Default for MemoryTaskStore {
    fn default() -> Self {
        Self { max_tasks: 10_000, max_bytes: 64 << 20, kept: Mutex::default() }
    }
}

impl MemoryTaskStore {
    /// Creates a store for at most 10,000 tasks and 64 MiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of tasks, including completed ones.
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.max_tasks = tasks;
        self
    }

    /// Sets the maximum total size of tasks; see [`Task::size`].
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Locks the tasks, and removes expired ones.
    fn lock(&self) -> MutexGuard<'_, StoredTasks> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        while kept.by_expiry.first().is_some_and(|(expiry, _)| *expiry <= now) {
            if let Some((_, id)) = kept.by_expiry.pop_first() {
                kept.forget(&id);
            }
        }
        kept
    }

    fn check_bytes(&self, bytes: usize) -> Result<(), TaskStoreError> {
        if bytes > self.max_bytes {
            return Err(TaskStoreError::refused(format!(
                "the tasks would exceed {} bytes in total",
                self.max_bytes
            )));
        }
        Ok(())
    }

    fn put_new(&self, task: &Task) -> Result<(), TaskStoreError> {
        let mut kept = self.lock();
        if kept.tasks.len() >= self.max_tasks {
            return Err(TaskStoreError::full(format!(
                "{} tasks are already stored; try again when some have expired",
                self.max_tasks
            )));
        }
        self.check_bytes(kept.bytes + task.size())?;
        kept.put(task);
        Ok(())
    }

    fn put_over(&self, task: &Task) -> Result<bool, TaskStoreError> {
        let mut kept = self.lock();
        let Some(old) = kept.tasks.get(&task.id).filter(|old| !old.state.has_ended()).cloned() else {
            return Ok(false);
        };
        self.check_bytes(kept.bytes - old.size() + task.size())?;
        kept.forget(&task.id);
        kept.put(task);
        Ok(true)
    }
}

impl StoredTasks {
    fn put(&mut self, task: &Task) {
        self.bytes += task.size();
        self.by_expiry.insert((task.expires_at(), task.id.clone()));
        self.tasks.insert(task.id.clone(), Arc::new(task.clone()));
    }

    fn forget(&mut self, id: &str) {
        if let Some(task) = self.tasks.remove(id) {
            self.bytes -= task.size();
            self.by_expiry.remove(&(task.expires_at(), task.id.clone()));
        }
    }
}

impl TaskStore for MemoryTaskStore {
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(std::future::ready(self.put_new(task)))
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
        let task = self.lock().tasks.get(id).cloned();
        Box::pin(std::future::ready(Ok(task.map(|task| Task::clone(&task)))))
    }

    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        Box::pin(std::future::ready(self.put_over(task)))
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        self.lock().forget(id);
        Box::pin(std::future::ready(Ok(())))
    }
}
