//! Tasks: requests that are answered with a handle (extension `io.modelcontextprotocol/tasks`, SEP-2663; in another form
//! 2025-11-25, basic/utilities/tasks).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ErrorObject, InputRequests, InputResponses, RequestMeta};

/// How far a task has come (SEP-2663 "Task Status").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// It runs.
    Working,
    /// It waits for answers of the client.
    InputRequired,
    /// It has a result.
    Completed,
    /// It has ended with an error.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing changes any more.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A task as clients see it: the result that makes one, the result of `tasks/get`, and the parameters of its
/// notifications.
///
/// Times are RFC 3339. Members in milliseconds are named `…Ms` by the extension and without it by 2025-11-25;
/// [`Task::time_to_live`] and [`Task::interval`] read both.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Task {
    /// What clients ask for it with.
    pub task_id: String,
    /// How far it has come.
    pub status: TaskStatus,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When it last changed.
    pub last_updated_at: String,
    /// How long it is kept; `null` is forever.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<Option<u64>>,
    /// How long it is kept, in 2025-11-25; `null` is forever.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Option<u64>>,
    /// How often a client should ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// How often a client should ask, in 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// What the client is asked, if that is what the task waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// The result of the request, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The error that it has ended with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Task {
    /// A task that was made at `created_at`, in RFC 3339.
    pub fn new(task_id: impl Into<String>, status: TaskStatus, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            status,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl_ms: None,
            ttl: None,
            poll_interval_ms: None,
            poll_interval: None,
            input_requests: None,
            result: None,
            error: None,
            meta: None,
            other: Map::new(),
        }
    }

    /// How long it is kept, counted from its making; none for one that is kept forever, or does not say.
    pub fn time_to_live(&self) -> Option<Duration> {
        self.ttl_ms.or(self.ttl).flatten().map(Duration::from_millis)
    }

    /// How often a client should ask, if it is said.
    pub fn interval(&self) -> Option<Duration> {
        self.poll_interval_ms.or(self.poll_interval).map(Duration::from_millis)
    }
}

/// A request may be answered with a task; 2025-11-25 only (2025-11-25, schema `TaskMetadata`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskRequest {
    /// How many milliseconds it should be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Which task a message belongs to, under [`meta::RELATED_TASK`](super::meta::RELATED_TASK) (2025-11-25, schema `RelatedTaskMetadata`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RelatedTask {
    /// The task.
    pub task_id: String,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl RelatedTask {
    /// This task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), other: Map::new() }
    }
}

/// In place of a result: a task, in 2025-11-25 (2025-11-25, schema `CreateTaskResult`). The extension has the task itself
/// there.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateTaskResult {
    /// This task.
    pub fn new(task: Task) -> Self {
        Self { task, meta: None, other: Map::new() }
    }
}

/// The parameters of `tasks/get`, `tasks/cancel` and `tasks/result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskParams {
    /// The task.
    pub task_id: String,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl TaskParams {
    /// This task.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `tasks/update` (SEP-2663).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpdateTaskParams {
    /// The task.
    pub task_id: String,
    /// The answers.
    pub input_responses: InputResponses,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl UpdateTaskParams {
    /// Answers for a task.
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses) -> Self {
        Self { task_id: task_id.into(), input_responses, meta: None, other: Map::new() }
    }
}
