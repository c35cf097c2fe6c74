//! A task on its way: made in the store, run, stored as it changes, and forgotten when its time is over.
//!
//! The store is asked before the client is answered. If the task cannot be kept, the call continues as an ordinary
//! call, or fails if its tool requires a task.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::value::to_raw_value;
use tokio::sync::oneshot;

use super::live::LiveTask;
use super::registry::{Admitted, TaskRegistry};
use super::store::done;
use super::{Task, TaskState, TaskStoreError};
use crate::error;

/// A task that was made, or why it was not.
pub(crate) type Made = Result<Unstarted, TaskStoreError>;

/// How a task ends, and that in words if there is more to say.
pub(crate) type Ending = (TaskState, Option<String>);

/// A task that is in the store and that nobody knows yet. Dropped, it is taken out again: whoever made the call has
/// left, and nobody can ask for it.
#[derive(Debug)]
pub(crate) struct Unstarted(Option<Admitted>);

impl Unstarted {
    /// The call is a task from here on: the task as it begins.
    pub(crate) fn start(mut self) -> Option<(Admitted, Task)> {
        let admitted = self.0.take()?;
        admitted.live.started.cancel();
        let task = admitted.live.snapshot();
        Some((admitted, task))
    }
}

impl Drop for Unstarted {
    fn drop(&mut self) {
        let Some(admitted) = self.0.take() else { return };
        admitted.live.cancel();
        // Without a runtime there is nobody left to ask either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = done(admitted.registry.store().remove(&admitted.live.snapshot().id)).await;
            });
        }
    }
}

/// Puts a new task into the store, and hands it to the one who waits for it.
pub(crate) async fn make(admitted: Admitted, made: oneshot::Sender<Made>) {
    let created = done(admitted.registry.store().create(&admitted.live.snapshot())).await;
    let result = match created {
        Ok(()) => Ok(Unstarted(Some(admitted))),
        Err(error) => {
            // Whoever waits for the call to become a task waits for nothing.
            admitted.live.stopped.cancel();
            Err(error)
        }
    };
    // Nobody may be waiting any more.
    drop(made.send(result));
}

/// Runs a task from its start to its expiry. `notify` is told of each change. `work` runs the handler and returns how the task ends; it must end when
/// [`LiveTask::stopped`] is cancelled.
pub(crate) async fn run(
    mut admitted: Admitted,
    notify: impl Fn(&Task) + Send + Sync,
    work: impl Future<Output = Ending> + Send,
) {
    let (registry, live) = (Arc::clone(&admitted.registry), Arc::clone(&admitted.live));
    work_and_store(&registry, &live, &notify, work).await;
    let (id, left) = {
        let task = live.snapshot();
        let left = time_left(&task);
        (task.id, left)
    };
    // From here on the store alone knows the task, and what came of it.
    let kept = admitted.kept.take();
    drop((admitted, live));
    if registry.closed.run_until_cancelled(tokio::time::sleep(left)).await.is_some() {
        let _ = done(registry.store().remove(&id)).await;
    }
    drop(kept);
}

/// Runs the handler, and stores each change, the end among them.
async fn work_and_store(
    registry: &TaskRegistry,
    live: &LiveTask,
    notify: &(impl Fn(&Task) + Sync),
    work: impl Future<Output = Ending> + Send,
) {
    let mut work = pin!(work);
    let (end, message) = loop {
        tokio::select! {
            biased;
            end = &mut work => break end,
            () = live.changed.notified() => {
                let task = live.snapshot();
                if task.state.has_ended() {
                    continue;
                }
                // What cannot be stored now is stored with the next change; clients see the task as it is here. One that
                // has ended in the store was cancelled by another process.
                if let Ok(false) = done(registry.store().update(&task)).await {
                    live.cancel();
                }
                notify(&task);
            }
        }
    };
    let is_shown = if live.settle() {
        let mut task = live.snapshot();
        task.end(end, message);
        settle(registry, live, task).await
    } else {
        // It was interrupted, and says so already.
        store_end(registry, &live.snapshot()).await
    };
    notify(&live.snapshot());
    if !is_shown {
        keep_trying(registry, &live.snapshot()).await;
    }
}

/// Stores how a task has ended, then shows it. A result that the store will never keep becomes a failure, which it may.
/// False if it is not stored yet.
async fn settle(registry: &TaskRegistry, live: &LiveTask, mut task: Task) -> bool {
    let mut stored = done(registry.store().update(&task)).await;
    if let Err(error) = &stored
        && error.is_final()
        && let Ok(failure) = to_raw_value(&error::internal(&format!("the result cannot be kept: {error}")))
    {
        task.state = TaskState::Failed(failure);
        stored = done(registry.store().update(&task)).await;
    }
    let end = if let Ok(false) = stored { TaskState::Cancelled } else { task.state };
    live.end(end, task.status_message);
    stored.is_ok()
}

/// Stores an end that is shown; false if that has failed.
async fn store_end(registry: &TaskRegistry, task: &Task) -> bool {
    done(registry.store().update(task)).await.is_ok()
}

/// Tries to store an end until the task's time is over. Meanwhile clients see the task as it is here.
async fn keep_trying(registry: &TaskRegistry, task: &Task) {
    const MOST: Duration = Duration::from_mins(1);
    let mut pause = Duration::from_millis(100);
    while task.expires_at() > SystemTime::now() {
        let slept = registry.closed.run_until_cancelled(tokio::time::sleep(pause.min(time_left(task)))).await;
        if slept.is_none() || store_end(registry, task).await {
            return;
        }
        pause = (pause * 2).min(MOST);
    }
}

fn time_left(task: &Task) -> Duration {
    task.expires_at().duration_since(SystemTime::now()).unwrap_or_default()
}
