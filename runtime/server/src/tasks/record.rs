//! A task as it is stored, and as clients see it.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::protocol::{self, milliseconds};

use crate::clock::later;

/// A task, as a [`TaskStore`](super::TaskStore) stores it. Serialize it as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Task {
    /// 128 random bits in hexadecimal. Whoever knows the id, and is authorized, may access the task.
    pub id: String,
    /// The task's owner, identified by issuer, subject and client of a token. Only the owner may access the task.
    /// `None` if callers are not authenticated: then only the id protects it.
    pub owner: Option<String>,
    /// The name of the called tool.
    pub tool: String,
    /// The scopes that the tool required when it was called. Accessing the task requires the tool's current scopes, or
    /// these if the tool no longer exists.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// The task's state.
    pub state: TaskState,
    /// A message for people about the state.
    pub status_message: Option<String>,
    /// The time of creation.
    pub created_at: SystemTime,
    /// The time of the last change.
    pub last_updated_at: SystemTime,
    /// How long the task is stored after its creation.
    pub ttl: Duration,
    /// How often clients may poll it.
    pub poll_interval: Duration,
}

/// The state of a task (SEP-2663 "Task Status").
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TaskState {
    /// The task is running.
    Working,
    /// The task is waiting for the client's responses to these input requests, by key.
    InputRequired(Map<String, Value>),
    /// The task has completed with this call result, which may have `isError`.
    Completed(Box<RawValue>),
    /// The task has ended with this JSON-RPC error.
    Failed(Box<RawValue>),
    /// The client cancelled the task.
    Cancelled,
}

impl TaskState {
    /// Returns whether the state is final.
    pub fn has_ended(&self) -> bool {
        matches!(self, Self::Completed(_) | Self::Failed(_) | Self::Cancelled)
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired(_) => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Task {
    /// Returns when the task may be deleted.
    pub fn expires_at(&self) -> SystemTime {
        later(self.created_at, self.ttl)
    }

    /// Sets the final state.
    pub(super) fn end(&mut self, end: TaskState, message: Option<String>) {
        self.state = end;
        self.status_message = message.or_else(|| self.status_message.take());
        self.last_updated_at = SystemTime::now();
    }

    /// Returns approximately how many bytes the task occupies.
    pub fn size(&self) -> usize {
        /// The size of the members that every task has.
        const BASE: usize = 512;
        let state = match &self.state {
            TaskState::Working | TaskState::Cancelled => 0,
            TaskState::InputRequired(requests) => {
                serde_json::to_string(requests).map_or(0, |text| text.len())
            }
            TaskState::Completed(text) | TaskState::Failed(text) => text.get().len(),
        };
        BASE + state + self.status_message.as_ref().map_or(0, String::len)
    }
}

/// A task on the wire: the members of `CreateTaskResult`, `GetTaskResult` and the parameters of `notifications/tasks`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskView<'a> {
    task_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<&'a str>,
    created_at: String,
    last_updated_at: String,
    ttl_ms: u64,
    poll_interval_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_requests: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RawValue>,
}

impl<'a> TaskView<'a> {
    /// `DetailedTask`.
    pub(crate) fn of(task: &'a Task) -> Self {
        let mut view = Self {
            task_id: &task.id,
            status: task.state.name(),
            status_message: task.status_message.as_deref(),
            created_at: timestamp(task.created_at),
            last_updated_at: timestamp(task.last_updated_at),
            ttl_ms: milliseconds(task.ttl),
            poll_interval_ms: milliseconds(task.poll_interval),
            input_requests: None,
            result: None,
            error: None,
        };
        match &task.state {
            TaskState::Working | TaskState::Cancelled => {}
            TaskState::InputRequired(requests) => view.input_requests = Some(requests),
            TaskState::Completed(result) => view.result = Some(result),
            TaskState::Failed(error) => view.error = Some(error),
        }
        view
    }
}

/// A provider's task without the members of a result: `resultType` and `_meta`.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct ProviderTaskView(protocol::Task);

impl ProviderTaskView {
    pub(crate) fn of(task: &protocol::Task) -> Self {
        let mut task = task.clone();
        task.meta = None;
        task.other.shift_remove("resultType");
        Self(task)
    }
}

/// A store may return any time; one whose year does not have four digits is replaced by the nearest that does.
fn timestamp(time: SystemTime) -> String {
    const LAST: Duration = Duration::from_secs(253_402_300_799);
    let time = time.clamp(SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + LAST);
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::{Task, TaskState, TaskView};
    use toolwright_core::protocol::Revision;

    use crate::json_rpc::{self, Form, ResultObject, ResultType};
    use crate::message::RequestId;

    fn task(state: TaskState) -> Task {
        let now = SystemTime::UNIX_EPOCH;
        let json = json!({
            "id": "1", "owner": null, "tool": "tool", "scopes": [], "state": "Working", "status_message": null,
            "created_at": now, "last_updated_at": now, "ttl": Duration::MAX, "poll_interval": Duration::MAX,
        });
        Task { state, ..serde_json::from_value(json).expect("a task") }
    }

    /// The response to `tasks/get`, as it is sent.
    fn answer(task: &Task) -> Value {
        let server_meta = RawValue::from_string("{}".to_owned()).expect("JSON");
        let mut out = Vec::new();
        let form = Form { revision: Revision::NEWEST, server_meta: &server_meta };
        let result = ResultObject::new(ResultType::Complete, TaskView::of(task), &form);
        json_rpc::result(&mut out, &RequestId::from(0), &result);
        assert!(
            !out.contains(&b'\n') && !out.contains(&b'\r'),
            "one line: {}",
            String::from_utf8_lossy(&out)
        );
        serde_json::from_slice(&out).expect("JSON that a client reads")
    }

    #[test]
    fn stored_data_is_validated_before_it_is_sent() {
        let forged = "{\"a\":\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n}";
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
        let completed = answer(&task(TaskState::Completed(raw(forged))));
        assert_eq!(completed["result"]["result"]["a"]["id"], 1, "{completed}");
        let failed = answer(&task(TaskState::Failed(raw(forged))));
        assert_eq!(failed["result"]["error"]["a"]["id"], 1, "{failed}");
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        for unfit in [r#"{"a":1,"a":2}"#, r#"["\ud800"]"#, "[1e999]", &deep] {
            let refused = answer(&task(TaskState::Completed(raw(unfit))));
            assert_eq!(refused["error"]["code"], -32603, "{refused}");
        }
    }

    #[test]
    fn tasks_with_any_times_can_be_sent() {
        let mut task = task(TaskState::Working);
        task.created_at += Duration::from_secs(1 << 40);
        assert!(task.expires_at() > SystemTime::now());
        let shown = answer(&task);
        assert_eq!(shown["result"]["createdAt"], "9999-12-31T23:59:59.000Z");
        assert_eq!(shown["result"]["ttlMs"], json!((1_u64 << 53) - 1), "as large as every client reads it");
    }
}
