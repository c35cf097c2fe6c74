//! Requests about tasks: the final state of a task is recorded and limited as the result of a call.

use serde_json::value::to_raw_value;
use toolwright_core::protocol::{ErrorObject, Revision, Task, TaskStatus, method};
use toolwright_server::{Context, Provider, RawResult, TaskAction, TaskRequest};

use super::{Caller, Controlled, Recorded, Running, fault_of, outline};
use crate::audit::Outcome as Came;
use crate::policy::Refusal;

impl<P: Provider> Controlled<P> {
    pub(super) async fn request_task(
        &self,
        request: TaskRequest<'_>,
        cx: &Context,
    ) -> Result<Option<Task>, ErrorObject> {
        let method = match request.action {
            TaskAction::Update(_) => method::TASKS_UPDATE,
            TaskAction::Cancel => method::TASKS_CANCEL,
            _ => method::TASKS_GET,
        };
        let mut running = self.controls.begin(cx, method, request.tool, None);
        let mut found = self.provider.task(request, cx).await;
        match &mut found {
            Ok(Some(task)) => {
                // A client may poll often; only the final state is recorded.
                if !task.status.has_ended() {
                    running.record = None;
                }
                running.came = Came::Ok;
                if !self.limit_result(task, request.tool, cx, &mut running) {
                    running.note_task(task);
                }
            }
            Ok(None) => running.came = Came::Ok,
            Err(error) => running.note_error(error),
        }
        found
    }

    /// Replaces a result that is larger than the policy allows; returns whether it was.
    fn limit_result(&self, task: &mut Task, tool: &str, cx: &Context, running: &mut Running) -> bool {
        let policy = self.controls.policy();
        let who = Caller::of(cx.access());
        let rules = policy.rules_for(who.org, who.name, tool);
        let most = rules.filter_map(|(_, rule)| rule.max_result_bytes).min();
        let size = task.result.as_ref().map(|result| result.get().len());
        let Some((most, size)) = most.zip(size).filter(|(most, size)| size > most) else { return false };
        let refused = running.refused(Refusal::result_too_large(size, most));
        task.result = to_raw_value(&refused).ok();
        true
    }
}

impl Running {
    fn note_task(&mut self, task: &Task) {
        match (task.status, &task.result, &task.error) {
            (TaskStatus::Completed, Some(result), _) => {
                let (came, fault) = outline(&RawResult::new(Revision::NEWEST, result.clone()));
                self.came = came;
                self.note_fault(fault);
            }
            (TaskStatus::Failed, _, Some(error)) => self.note_error(error),
            (TaskStatus::Failed, ..) => self.came = Came::Error,
            (TaskStatus::Cancelled, ..) => self.came = Came::Cancelled,
            _ => {}
        }
    }

    fn note_error(&mut self, error: &ErrorObject) {
        self.came = Came::Error;
        if let Some(Recorded { record, .. }) = self.record.as_deref_mut() {
            record.code = Some(error.code);
        }
        self.note_fault(fault_of(error));
    }
}
