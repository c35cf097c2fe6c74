//! Progress of a call (2026-07-28, basic/patterns/progress).

use std::fmt;
use std::sync::{Arc, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::protocol::{method, number};

use super::Context;
use crate::{json_rpc, log};

impl Context {
    /// Tells the caller how far the call has come. Nothing is sent unless the caller asked for progress.
    ///
    /// In a task, `message` becomes the task's, and nothing is sent.
    ///
    /// `progress` must grow with each report (2026-07-28, basic/patterns/progress): a report whose value is not larger than
    /// the last one's is not sent, and neither is one whose value is not a finite number. How many were not is said on
    /// standard error when the call ends. Waits while the caller reads too slowly.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        #[cfg(feature = "tasks")]
        if let Some(task) = self.task() {
            return message.into_iter().for_each(|message| task.say(message));
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
        // `message` came with 2025-03-26; older peers get the numbers only.
        let message = message.filter(|_| self.0.revision.has_progress_message());
        let total = total.filter(|total| total.is_finite());
        let params = ProgressParams { progress_token: token, progress, total, message };
        // What cannot be written here is the caller's own token.
        let Ok(notification) = json_rpc::notification(method::PROGRESS, &params) else { return };
        peer.outbox.room().await;
        // Looked at and sent in one step, so that reports of several tasks grow as well.
        let mut reported = self.reported();
        if !self.has_ended() && reported.grows(progress) {
            peer.push(&notification);
        }
    }

    /// Says on standard error what was not sent for the call of `name`, which has ended.
    pub(crate) fn report(&self, name: &str) {
        let unsent = self.reported().unsent;
        if unsent > 0 {
            log::warn(format_args!(
                "`{name}` reported progress {unsent} times without a larger value than before, which was not sent; \
                 `Context::progress` takes a number that grows with each report"
            ));
        }
    }

    fn reported(&self) -> MutexGuard<'_, ReportedProgress> {
        self.0.course.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the progress of a call goes that no connection made.
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

/// The progress that was reported.
#[derive(Debug, Default)]
pub(super) struct ReportedProgress {
    /// What was sent last.
    last: Option<f64>,
    /// How many reports were not sent, since they had not grown.
    unsent: usize,
}

impl ReportedProgress {
    /// Whether the value may be sent: it is a number, and larger than the last one.
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
