//! The life of a task: it is created in the store, runs, is stored as it changes, and is deleted when it expires.
//!
//! The task is stored before the client gets a response. If the store rejects it, the call continues as an ordinary
//! call, or fails if its tool requires a task.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::value::to_raw_value;
use tokio::sync::oneshot;

use super::live::LiveTask;
use super::registry::{Admitted, TaskRegistry};
use super::store::{done, ended};
use super::{Task, TaskState, TaskStoreError};
use crate::error;

/// A created task, or the error of the store.
pub(crate) type Made = Result<Unstarted, TaskStoreError>;

/// The final state of a task, and an optional message.
pub(crate) type Ending = (TaskState, Option<String>);

/// A stored task that the client does not know about yet. Dropping it deletes the task: the caller has left, so no one
/// can request it.
#[derive(Debug)]
pub(crate) struct Unstarted(Option<Admitted>);

impl Unstarted {
    /// Turns the call into a task, and returns its initial state.
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
        // Without a runtime, no one can request the task either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = done(admitted.registry.store().remove(&admitted.live.snapshot().id)).await;
            });
        }
    }
}

/// Stores a new task, and passes it to the waiting call.
pub(crate) async fn make(admitted: Admitted, made: oneshot::Sender<Made>) {
    let created = done(admitted.registry.store().create(&admitted.live.snapshot())).await;
    let result = match created {
        Ok(()) => Ok(Unstarted(Some(admitted))),
        Err(error) => {
            // Releases those who wait for the call to become a task.
            admitted.live.stopped.cancel();
            Err(error)
        }
    };
    // The receiver may be gone.
    drop(made.send(result));
}

/// Runs a task until it expires. `notify` is called for each change. `work` runs the handler and returns the final
/// state; it must return when [`LiveTask::stopped`] is cancelled.
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
    // From here on, only the store knows the task and its result.
    let kept = admitted.kept.take();
    drop((admitted, live));
    if registry.closed.run_until_cancelled(tokio::time::sleep(left)).await.is_some() {
        let _ = done(registry.store().remove(&id)).await;
    }
    drop(kept);
}

/// Runs the handler, and stores each change including the final state.
async fn work_and_store(
    registry: &TaskRegistry,
    live: &LiveTask,
    notify: &(impl Fn(&Task) + Sync),
    work: impl Future<Output = Ending> + Send,
) {
    let id = live.snapshot().id;
    let mut work = pin!(work);
    let mut ended = pin!(async {
        ended(registry.store(), &id).await;
        live.cancel();
        // The work ends now.
        std::future::pending::<()>().await;
    });
    let (end, message) = loop {
        tokio::select! {
            biased;
            end = &mut work => break end,
            () = &mut ended => {}
            () = live.changed.notified() => {
                let task = live.snapshot();
                if task.state.has_ended() {
                    continue;
                }
                // What cannot be stored now is stored with the next change; clients see the state in memory. If the
                // stored task has ended, another process has cancelled it.
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
        // It was interrupted, and its state is already final.
        store_end(registry, &live.snapshot()).await
    };
    notify(&live.snapshot());
    if !is_shown {
        keep_trying(registry, &live.snapshot()).await;
    }
}

/// Stores the final state of a task, then publishes it. A result that the store rejects for good becomes a failure.
/// Returns false if it is not stored yet.
async fn settle(registry: &TaskRegistry, live: &LiveTask, mut task: Task) -> bool {
    let mut stored = done(registry.store().update(&task)).await;
    if let Err(error) = &stored
        && error.is_final()
        && let Ok(failure) = to_raw_value(&error::internal(&format!("the result cannot be stored: {error}")))
    {
        task.state = TaskState::Failed(failure);
        stored = done(registry.store().update(&task)).await;
    }
    let end = if let Ok(false) = stored { TaskState::Cancelled } else { task.state };
    live.end(end, task.status_message);
    stored.is_ok()
}

/// Stores a published final state; false if that failed.
async fn store_end(registry: &TaskRegistry, task: &Task) -> bool {
    done(registry.store().update(task)).await.is_ok()
}

/// Retries storing a final state until the task expires. Meanwhile, clients see the state in memory.
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
