//! Progress notifications of a call (2026-07-28, basic/patterns/progress).

use std::fmt;
use std::sync::{Arc, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::protocol::{method, number};

use super::Context;
use crate::{json_rpc, log};

impl Context {
    /// Reports the call's progress. Nothing is sent unless the caller asked for it.
    ///
    /// In a task, `message` becomes the task's message, and nothing is sent.
    ///
    /// `progress` must increase with each report (2026-07-28, basic/patterns/progress). Reports that do not increase
    /// it, or are not finite, are dropped; their number is logged to standard error when the call ends. Waits while the
    /// caller reads too slowly.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        #[cfg(feature = "tasks")]
        if let Some(task) = self.task() {
            return message.into_iter().for_each(|message| task.set_message(message));
        }
        if let Some(reporter) = &self.0.reporter {
            if !self.has_ended() && self.reported().grows(progress) {
                (reporter.0)(progress, total.filter(|total| total.is_finite()), message);
            }
            return;
        }
        let (Some(token), Some(peer)) = (&self.0.progress_token, self.peer()) else {
            return;
        };
        // `message` was added in 2025-03-26; older peers get only the numbers.
        let message = message.filter(|_| self.0.revision.has_progress_message());
        let total = total.filter(|total| total.is_finite());
        let params = ProgressParams { progress_token: token, progress, total, message };
        // Only the caller's own token can fail to be written.
        let Ok(notification) = json_rpc::notification(method::PROGRESS, &params) else { return };
        peer.outbox.room().await;
        // Checked and sent in one step, so that concurrent reports increase as well.
        let mut reported = self.reported();
        if !self.has_ended() && reported.grows(progress) {
            peer.push(&notification);
        }
    }

    /// Logs how many reports of the call of `name` were dropped, once it has ended.
    pub(crate) fn report(&self, name: &str) {
        let unsent = self.reported().unsent;
        if unsent > 0 {
            log::warn(format_args!(
                "`{name}` reported progress {unsent} times without an increase, which was not sent; \
                 `Context::progress` expects a number that increases with each report"
            ));
        }
    }

    fn reported(&self) -> MutexGuard<'_, ReportedProgress> {
        self.0.course.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiver of the progress of a call without a connection.
#[derive(Clone)]
pub(super) struct Reporter(Arc<Report>);

type Report = dyn Fn(f64, Option<f64>, Option<&str>) + Send + Sync;

impl Reporter {
    pub(super) fn new(report: impl Fn(f64, Option<f64>, Option<&str>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(report))
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reporter")
    }
}

/// The state of progress reports.
#[derive(Debug, Default)]
pub(super) struct ReportedProgress {
    /// The last value that was sent.
    last: Option<f64>,
    /// The number of dropped reports.
    unsent: usize,
}

impl ReportedProgress {
    /// Whether the value may be sent: it is finite, and larger than the last one.
    fn grows(&mut self, progress: f64) -> bool {
        let grows = progress.is_finite() && self.last.is_none_or(|last| progress > last);
        if grows {
            self.last = Some(progress);
        } else {
            self.unsent += 1;
        }
        grows
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams<'a> {
    progress_token: &'a RawValue,
    #[serde(serialize_with = "number::serialize")]
    progress: f64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number::option::serialize")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}
