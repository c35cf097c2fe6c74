//! Ends tasks with the last transport.

use std::sync::Arc;
use std::time::Duration;

use super::registry::TaskRegistry;

/// A transport being served. When the last one has ended, no one can request tasks any longer, so they end as well.
#[derive(Debug)]
pub(crate) struct Serving(Arc<TaskRegistry>);

impl Serving {
    pub(crate) async fn end(self, grace: Duration) {
        let registry = Arc::clone(&self.0);
        drop(self);
        let is_last = registry.running().serving == 0;
        if is_last {
            registry.end(grace).await;
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.running().serving -= 1;
    }
}

impl TaskRegistry {
    /// Keeps tasks available for as long as the server exists.
    #[cfg(any(feature = "http", feature = "jsonrpsee"))]
    pub(crate) fn serve_for_good(&self) {
        self.running().serving += 1;
    }

    /// Registers a transport.
    pub(crate) fn serving(self: &Arc<Self>) -> Serving {
        self.running().serving += 1;
        Serving(Arc::clone(self))
    }

    /// Ends all running tasks, and waits for at most `grace` until that is stored.
    async fn end(&self, grace: Duration) {
        self.stop_all();
        let all_left = async {
            loop {
                let left = self.left.notified();
                if self.running().tasks.is_empty() {
                    return;
                }
                left.await;
            }
        };
        // What is not stored by then is lost with the process.
        let _ = tokio::time::timeout(grace, all_left).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use crate::tasks::registry::tests::made_by;
    use crate::tasks::{TaskState, Tasks};

    const GRACE: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn tasks_end_with_the_last_transport() {
        let tasks = Tasks::new().build().expect("good settings");
        let live = Arc::clone(&made_by(&tasks, None).await.live);
        let admitted = made_by(&tasks, None).await;
        let (first, second) = (tasks.serving(), tasks.serving());
        first.end(GRACE).await;
        assert!(matches!(admitted.live.snapshot().state, TaskState::Working));
        let stopped = Arc::clone(&admitted.live);
        let ends = tokio::spawn(async move {
            stopped.stopped.cancelled().await;
            drop(admitted);
        });
        second.end(GRACE).await;
        ends.await.expect("no panic");
        assert!(tasks.running().tasks.is_empty());
        assert!(matches!(live.snapshot().state, TaskState::Working), "it should still be running");
    }

    #[tokio::test]
    async fn tasks_of_a_mounted_service_outlive_transports() {
        let tasks = Tasks::new().build().expect("good settings");
        let admitted = made_by(&tasks, None).await;
        #[cfg(any(feature = "http", feature = "jsonrpsee"))]
        tasks.serve_for_good();
        #[cfg(not(any(feature = "http", feature = "jsonrpsee")))]
        let _other = tasks.serving();
        tasks.serving().end(GRACE).await;
        assert!(matches!(admitted.live.snapshot().state, TaskState::Working));
        drop(tasks);
        assert!(matches!(admitted.live.snapshot().state, TaskState::Failed(_)), "it ends with the server");
    }
}
