//! Tasks in Redis.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use redis::Script;
use serde_json::json;
use tokio::task::JoinHandle;
use toolwright_core::protocol::error;
use toolwright_server::BoxFuture;
use toolwright_server::tasks::{Task, TaskState, TaskStore, TaskStoreError};

use super::connection::{Connection, RedisError, ScriptError, name_process, script};
use super::waiting::{Waiting, wake_by_messages};
use crate::hex::sha256;

/// Minimum duration of a lease: 100 milliseconds.
const MIN_LEASE: Duration = Duration::from_millis(100);

static CREATE: LazyLock<Script> = script!("ledger", "task_create");
static GET: LazyLock<Script> = script!("task_get");
static UPDATE: LazyLock<Script> = script!("ledger", "notify", "task_update");
static REMOVE: LazyLock<Script> = script!("ledger", "task_remove");
static ALIVE: LazyLock<Script> = script!("task_alive");

/// The limits of [`RedisTasks`]. All servers on a database should use the same ones. Change individual ones with struct
/// update syntax: `TaskSettings { max_tasks: 100, ..TaskSettings::default() }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSettings {
    /// The maximum number of tasks of all servers, including completed ones: 10,000.
    pub max_tasks: usize,
    /// The maximum number of bytes of these tasks as JSON: 64 MiB.
    pub max_bytes: usize,
    /// The maximum number of tasks of one owner: 2,500. Callers without a token have no owner; their limits are those
    /// of each server ([`Tasks::max_stored_per_caller`](toolwright_server::tasks::Tasks::max_stored_per_caller)).
    pub max_tasks_per_owner: usize,
    /// The maximum number of bytes of the tasks of one owner: 16 MiB.
    pub max_bytes_per_owner: usize,
    /// How long a process may be silent before it counts as lost: 15 seconds, at least 100 milliseconds. Processes
    /// report three times as often.
    pub lease: Duration,
}

impl Default for TaskSettings {
    fn default() -> Self {
        Self {
            max_tasks: 10_000,
            max_bytes: 64 << 20,
            max_tasks_per_owner: 2_500,
            max_bytes_per_owner: 16 << 20,
            lease: Duration::from_secs(15),
        }
    }
}

/// Stores tasks in Redis, so that every server on the same database can return and cancel them. Requires the feature
/// `redis`.
///
/// A task runs in the process that created it. If another one cancels it, that process is notified, and drops the
/// handler. A task whose process was lost is `failed`, with `"kind": "process_lost"` in the error's data: no other
/// process can continue its handler, and its effect is unknown. That is noticed when the task is asked for, and decided
/// one lease later ([`TaskSettings::lease`]), so that an outage of Redis ends no tasks: for a client that polls, at most
/// two leases after the process was last there. Redis deletes expired tasks.
///
/// An unreachable server is a [`TaskStoreError`] of kind `store_unavailable` after 3 seconds, and the connection is
/// restored automatically. Use a database for one server program only, because its processes share the limits.
///
/// ```no_run
/// use toolwright_gateway::redis::RedisTasks;
/// use toolwright_server::Server;
/// use toolwright_server::tasks::Tasks;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = RedisTasks::connect("redis://server:PASSWORD@127.0.0.1:6379").await?;
/// let service = Server::new(()).tasks(Tasks::new().store(store)).build()?;
/// # drop(service);
/// # Ok(())
/// # }
/// ```
pub struct RedisTasks {
    inner: Arc<Inner>,
    running: [JoinHandle<()>; 2],
}

struct Inner {
    connection: Connection,
    /// The id of this process.
    process: String,
    settings: TaskSettings,
    waiting: Arc<Waiting>,
}

impl RedisTasks {
    /// Connects to the server at a URL such as `redis://user:password@host:6379/0`, with the default limits. Must be
    /// called within a tokio runtime.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        Self::connect_with(url, TaskSettings::default()).await
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect_with(url: &str, settings: TaskSettings) -> Result<Self, RedisError> {
        let connection = Connection::open(url).await?;
        let process = name_process()?;
        let settings = TaskSettings { lease: settings.lease.max(MIN_LEASE), ..settings };
        let inner = Arc::new(Inner { connection, process, settings, waiting: Arc::default() });
        inner.report().await.map_err(|error| RedisError::Unavailable(error.into_reason()))?;
        let messages =
            wake_by_messages(inner.connection.clone(), &inner.process, Arc::clone(&inner.waiting)).await?;
        let running = [tokio::spawn(messages), tokio::spawn(Arc::clone(&inner).keep_reporting())];
        Ok(Self { inner, running })
    }
}

impl Drop for RedisTasks {
    fn drop(&mut self) {
        for running in &self.running {
            running.abort();
        }
    }
}

impl fmt::Debug for RedisTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisTasks").field("process", &self.inner.process).finish_non_exhaustive()
    }
}

impl Inner {
    /// Reports that this process is there, and finds tasks that others have ended if the message of that was lost.
    async fn report(&self) -> Result<(), ScriptError> {
        let (lease, tasks) = (millis(self.settings.lease), self.waiting.ids());
        let mut args = vec![self.process.as_str(), &lease];
        args.extend(tasks.iter().map(String::as_str));
        let ended: Vec<String> = self.connection.run(&ALIVE, &args).await?;
        for task in &ended {
            self.waiting.cancel(task);
        }
        Ok(())
    }

    async fn keep_reporting(self: Arc<Self>) {
        loop {
            tokio::time::sleep(self.settings.lease / 3).await;
            // An outage is over at some time; then the next report counts.
            _ = self.report().await;
        }
    }

    async fn create(&self, task: &Task) -> Result<(), TaskStoreError> {
        let TaskSettings { max_tasks, max_bytes, max_tasks_per_owner, max_bytes_per_owner, .. } =
            self.settings;
        let args = [
            task.id.clone(),
            text_of(task)?,
            time_left(task),
            owner_of(task),
            self.process.clone(),
            max_tasks.to_string(),
            max_bytes.to_string(),
            max_tasks_per_owner.to_string(),
            max_bytes_per_owner.to_string(),
        ];
        let args = args.each_ref().map(String::as_str);
        let answer: String = self.connection.run(&CREATE, &args).await.map_err(unavailable)?;
        self.accepted(&answer)
    }

    async fn get(&self, id: &str) -> Result<Option<Task>, TaskStoreError> {
        let lease = millis(self.settings.lease);
        loop {
            let answer: Vec<String> = self.connection.run(&GET, &[id, &lease]).await.map_err(unavailable)?;
            let answer: Vec<&str> = answer.iter().map(String::as_str).collect();
            let mut task: Task = match *answer.as_slice() {
                ["none"] => return Ok(None),
                ["ok", text] => return task_of(text).map(Some),
                ["lost", text] => task_of(text)?,
                _ => return Err(unreadable()),
            };
            fail(&mut task)?;
            if self.update(&task, true).await? {
                return Ok(Some(task));
            }
            // It has ended in the meantime, or its process is back.
        }
    }

    /// Replaces a task that has not ended; `if_lost`: and whose process is lost.
    async fn update(&self, task: &Task, if_lost: bool) -> Result<bool, TaskStoreError> {
        let flag = |is_set: bool| if is_set { "1" } else { "0" }.to_owned();
        let args = [
            task.id.clone(),
            text_of(task)?,
            time_left(task),
            flag(task.state.has_ended()),
            self.process.clone(),
            flag(if_lost),
            self.settings.max_bytes.to_string(),
            self.settings.max_bytes_per_owner.to_string(),
        ];
        let args = args.each_ref().map(String::as_str);
        let answer: String = self.connection.run(&UPDATE, &args).await.map_err(unavailable)?;
        if answer == "gone" {
            return Ok(false);
        }
        self.accepted(&answer).map(|()| true)
    }

    /// Converts the answer to a task that is to be stored.
    fn accepted(&self, answer: &str) -> Result<(), TaskStoreError> {
        let full = |limit, whose| {
            let why = format!("{limit} tasks{whose} are already stored; try again when some have expired");
            Err(TaskStoreError::full(why))
        };
        let large = |limit, whose| {
            Err(TaskStoreError::refused(format!("the tasks{whose} would exceed {limit} bytes in total")))
        };
        let settings = &self.settings;
        match answer {
            "ok" => Ok(()),
            "count1" => full(settings.max_tasks, ""),
            "count2" => full(settings.max_tasks_per_owner, " of this caller"),
            "bytes1" => large(settings.max_bytes, ""),
            "bytes2" => large(settings.max_bytes_per_owner, " of this caller"),
            _ => Err(unreadable()),
        }
    }
}

/// Sets the final state of a task whose process was lost.
fn fail(task: &mut Task) -> Result<(), TaskStoreError> {
    let why = "the process that ran the task was lost; whether the task took effect is unknown: check before you call again";
    let lost = error::internal(why).with_data(&json!({"kind": "process_lost", "retryable": false}));
    let lost = serde_json::value::to_raw_value(&lost);
    task.state = TaskState::Failed(lost.map_err(|error| TaskStoreError::new(error.to_string()))?);
    task.status_message = Some(why.to_owned());
    task.last_updated_at = SystemTime::now();
    Ok(())
}

fn text_of(task: &Task) -> Result<String, TaskStoreError> {
    serde_json::to_string(task).map_err(|error| TaskStoreError::refused(error.to_string()))
}

fn task_of(text: &str) -> Result<Task, TaskStoreError> {
    serde_json::from_str(text).map_err(|_| unreadable())
}

/// The owner's name in keys; empty if there is none.
fn owner_of(task: &Task) -> String {
    task.owner.as_ref().map(|owner| sha256(owner.as_bytes())).unwrap_or_default()
}

fn time_left(task: &Task) -> String {
    millis(task.expires_at().duration_since(SystemTime::now()).unwrap_or_default())
}

fn millis(time: Duration) -> String {
    // The largest number that Redis can represent.
    time.as_millis().clamp(1, 1 << 52).to_string()
}

fn unavailable(error: ScriptError) -> TaskStoreError {
    TaskStoreError::new(match error {
        ScriptError::Refused(why) => format!("Redis accepts no changes: {why}"),
        ScriptError::Unavailable(why) => format!("Redis cannot be reached: {why}"),
    })
}

fn unreadable() -> TaskStoreError {
    TaskStoreError::new("what it has kept cannot be read")
}

impl TaskStore for RedisTasks {
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(self.inner.create(task))
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
        Box::pin(self.inner.get(id))
    }

    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        Box::pin(self.inner.update(task, false))
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(async move {
            self.inner.connection.run::<String>(&REMOVE, &[id]).await.map(drop).map_err(unavailable)
        })
    }

    fn ended<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.inner.waiting.cancelled(id))
    }
}
