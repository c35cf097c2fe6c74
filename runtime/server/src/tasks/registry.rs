//! The tasks of a server: those that run in this process, and the store.
//!
//! The state of a running task is served from memory and stored as it changes; that of a completed one is served
//! from the store. A final state is stored before it is published, and published anyway if the store fails. The
//! first final state wins.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::live::LiveTask;
use super::store::done;
use super::{Task, TaskState, TaskStore, TaskStoreError, Tasks};
use crate::hex::random_id;
use crate::input_requests::Room;
use crate::quotas::{Caller, TakenShare, What};

/// The tasks of a server.
pub(crate) struct TaskRegistry {
    store: Arc<dyn TaskStore>,
    ttl: Duration,
    timeout: Duration,
    poll_interval: Duration,
    max_running: usize,
    max_running_per_caller: usize,
    max_stored: usize,
    max_stored_per_caller: usize,
    running: Mutex<RunningTasks>,
    /// Notified of each task that has stopped running.
    pub(super) left: Notify,
    /// Cancelled when the server is gone.
    pub(super) closed: CancellationToken,
}

#[derive(Debug, Default)]
pub(super) struct RunningTasks {
    pub(super) tasks: HashMap<String, Arc<LiveTask>>,
    /// The number of transports being served.
    #[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
    pub(super) serving: usize,
}

/// The tasks of a server, for as long as the server exists.
#[derive(Debug)]
pub(crate) struct ServerTasks(Arc<TaskRegistry>);

impl ServerTasks {
    pub(super) fn new(settings: Tasks) -> Self {
        Self(Arc::new(TaskRegistry::new(settings)))
    }
}

impl Deref for ServerTasks {
    type Target = Arc<TaskRegistry>;

    fn deref(&self) -> &Arc<TaskRegistry> {
        &self.0
    }
}

impl Drop for ServerTasks {
    fn drop(&mut self) {
        self.0.stop_all();
        self.0.closed.cancel();
    }
}

/// A task is not accessible.
#[derive(Debug)]
pub(crate) enum NoTask {
    /// No task with this id is visible to the caller.
    Unknown,
    /// The store failed.
    Store(TaskStoreError),
    /// It runs in another process.
    Elsewhere,
    /// Its tool requires these scopes, which the caller lacks.
    #[cfg(feature = "auth")]
    Scopes(Vec<String>),
}

impl NoTask {
    /// The store took longer than the request may.
    pub(crate) fn timed_out(text: String) -> Self {
        Self::Store(TaskStoreError::new(text))
    }
}

impl From<TaskStoreError> for NoTask {
    fn from(error: TaskStoreError) -> Self {
        Self::Store(error)
    }
}

impl TaskRegistry {
    pub(super) fn new(settings: Tasks) -> Self {
        Self {
            store: settings.store,
            ttl: settings.ttl,
            timeout: settings.timeout,
            poll_interval: settings.poll_interval,
            max_running: settings.max_running,
            max_running_per_caller: settings.max_running_per_caller,
            max_stored: settings.max_stored,
            max_stored_per_caller: settings.max_stored_per_caller,
            running: Mutex::default(),
            left: Notify::new(),
            closed: CancellationToken::new(),
        }
    }

    pub(super) fn store(&self) -> &dyn TaskStore {
        &*self.store
    }

    /// Creates a task that a call may become, with the maximum number of open input requests and the storage for
    /// responses.
    ///
    /// # Errors
    /// There are too many tasks, or the system's random number generator failed.
    pub(crate) fn admit(
        self: &Arc<Self>,
        (tool, scopes): (&str, &[String]),
        (owner, caller, overall): (Option<String>, &Caller, &Caller),
        requests: (usize, Room),
    ) -> Result<Admitted, NotAdmitted> {
        let take = |caller: &Caller, what, limit, whose| {
            caller.take(what, limit).ok_or(NotAdmitted::TooMany(limit, whose))
        };
        let own = " of this caller";
        let runs = take(caller, What::RunningTasks, self.max_running_per_caller, own)?;
        let kept = [
            take(caller, What::StoredTasks, self.max_stored_per_caller, own)?,
            take(overall, What::StoredTasks, self.max_stored, "")?,
        ];
        let now = SystemTime::now();
        let task = Task {
            // The id cannot be guessed (SEP-2663 "Security Implications").
            id: random_id::<16>().map_err(|_| NotAdmitted::NoId)?,
            owner,
            tool: tool.to_owned(),
            scopes: scopes.to_vec(),
            state: TaskState::Working,
            status_message: None,
            created_at: now,
            last_updated_at: now,
            ttl: self.ttl,
            poll_interval: self.poll_interval,
        };
        let id = task.id.clone();
        let live = Arc::new(LiveTask::new(task, requests));
        let mut running = self.running();
        if running.tasks.len() >= self.max_running {
            return Err(NotAdmitted::TooMany(self.max_running, ""));
        }
        running.tasks.insert(id.clone(), Arc::clone(&live));
        Ok(Admitted { registry: Arc::clone(self), id, live, kept: Some(kept), _runs: runs })
    }

    /// Returns the task with this id, if it runs here and belongs to the caller.
    pub(crate) fn running_for(&self, id: &str, caller: Option<&str>) -> Option<Arc<LiveTask>> {
        let live = self.running().tasks.get(id).cloned()?;
        (live.is_started() && live.is_of(caller)).then_some(live)
    }

    /// Returns the current state of the task with this id, if it belongs to the caller.
    pub(crate) async fn find(&self, id: &str, caller: Option<&str>) -> Result<Task, NoTask> {
        if let Some(live) = self.running_for(id, caller) {
            return Ok(live.snapshot());
        }
        let task = done(self.store.get(id)).await?;
        let is_callers = |task: &Task| task.owner.as_deref() == caller;
        task.filter(|task| is_callers(task) && task.expires_at() > SystemTime::now()).ok_or(NoTask::Unknown)
    }

    /// Cancels a task that does not run here.
    pub(crate) async fn cancel_stored(&self, mut task: Task) -> Result<(), NoTask> {
        if !task.state.has_ended() {
            task.state = TaskState::Cancelled;
            task.last_updated_at = SystemTime::now();
            // False if it has ended in the meantime, which is fine.
            done(self.store.update(&task)).await?;
        }
        Ok(())
    }

    pub(super) fn running(&self) -> MutexGuard<'_, RunningTasks> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all running tasks.
    pub(super) fn stop_all(&self) {
        let tasks: Vec<Arc<LiveTask>> = self.running().tasks.values().cloned().collect();
        for live in tasks {
            live.stop();
        }
    }
}

/// A task that counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(super) registry: Arc<TaskRegistry>,
    id: String,
    pub(crate) live: Arc<LiveTask>,
    /// Its share of the limits on stored tasks, until it expires.
    pub(super) kept: Option<[TakenShare; 2]>,
    /// Its share of the limits on running tasks.
    _runs: TakenShare,
}

/// A call cannot become a task.
#[derive(Debug)]
pub(crate) enum NotAdmitted {
    /// There are already too many, and whose.
    TooMany(usize, &'static str),
    /// The system's random number generator failed.
    NoId,
}

impl Admitted {
    /// How long its handler may run.
    pub(crate) fn timeout(&self) -> Duration {
        self.registry.timeout
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.registry.running().tasks.remove(&self.id);
        self.registry.left.notify_waiters();
    }
}

impl fmt::Debug for TaskRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The store is user code.
        f.debug_struct("TaskRegistry").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Admitted, NoTask, NotAdmitted, ServerTasks};
    use crate::input_requests::ample;
    use crate::quotas::Callers;
    use crate::tasks::Tasks;

    pub(in crate::tasks) fn admit(tasks: &ServerTasks, owner: Option<&str>) -> Admitted {
        let callers = Callers::of_at_most(10);
        let whose = (owner.map(str::to_owned), callers.anonymous(), callers.overall());
        tasks.admit(("tool", &[]), whose, (4, ample())).expect("there is room")
    }

    pub(in crate::tasks) async fn made_by(tasks: &ServerTasks, owner: Option<&str>) -> Admitted {
        let admitted = admit(tasks, owner);
        tasks.store().create(&admitted.live.snapshot()).await.expect("it is kept");
        admitted.live.started.cancel();
        admitted
    }

    #[tokio::test]
    async fn running_and_stored_tasks_belong_to_their_owner() {
        let tasks = Tasks::new().build().expect("good settings");
        let owners = [None, Some("ada"), Some("bob")];
        for owner in owners {
            let admitted = made_by(&tasks, owner).await;
            let id = admitted.live.snapshot().id;
            for caller in owners {
                assert_eq!(tasks.running_for(&id, caller).is_some(), caller == owner, "{owner:?} {caller:?}");
                assert_eq!(tasks.find(&id, caller).await.is_ok(), caller == owner);
            }
            drop(admitted);
            for caller in owners {
                assert!(tasks.running_for(&id, caller).is_none());
                let found = tasks.find(&id, caller).await;
                assert_eq!(found.is_ok(), caller == owner, "{owner:?} {caller:?}");
                match found {
                    Ok(task) => tasks.cancel_stored(task).await.expect("cancelled"),
                    Err(none) => assert!(matches!(none, NoTask::Unknown), "its existence is not revealed"),
                }
            }
        }
    }

    #[tokio::test]
    async fn ids_are_random() {
        let tasks = Tasks::new().build().expect("good settings");
        let ids: std::collections::HashSet<String> =
            (0..1_000).map(|_| admit(&tasks, None).live.snapshot().id).collect();
        assert_eq!(ids.len(), 1_000);
    }

    /// Two callers, each within its own limits and both within those of all callers.
    #[cfg(feature = "http")]
    #[test]
    fn tasks_are_limited_per_caller_and_in_total() {
        let settings =
            Tasks::new().max_running_per_caller(2).max_stored_per_caller(3).max_running(3).max_stored(4);
        let tasks = settings.build().expect("good settings");
        let callers = Callers::of_at_most(10);
        let admit = |name: &str| {
            let caller = callers.of(Some(name), None);
            tasks.admit(("tool", &[]), (Some(name.to_owned()), &caller, callers.overall()), (4, ample()))
        };
        let refused = |name: &str| match admit(name).expect_err("no room") {
            NotAdmitted::TooMany(limit, whose) => (limit, whose),
            NotAdmitted::NoId => panic!("there are random numbers"),
        };
        let mut ada = vec![admit("ada").expect("room"), admit("ada").expect("room")];
        assert_eq!(refused("ada"), (2, " of this caller"), "running");
        let bob = admit("bob").expect("room");
        assert_eq!(refused("bob"), (3, ""), "running together");
        // A completed task still counts as stored.
        let ended = ada.pop().and_then(|mut admitted| admitted.kept.take()).expect("kept");
        let third = admit("ada").expect("room").kept.take().expect("kept");
        assert_eq!(refused("ada"), (3, " of this caller"), "kept");
        assert_eq!(refused("bob"), (4, ""), "kept together");
        drop(bob);
        let bob = admit("bob").expect("room");
        drop((ada, third, bob, ended));
        assert!((0..9).all(|_| admit("ada").is_ok()), "there is room again");
    }
}
