//! Tasks: requests that are answered with a handle (extension `io.modelcontextprotocol/tasks`, SEP-2663; in
//! another form 2025-11-25, basic/utilities/tasks).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{ErrorObject, InputRequests, InputResponses, RequestMeta};

/// The status of a task (SEP-2663 "Task Status").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// Running.
    Working,
    /// Waiting for input responses from the client.
    InputRequired,
    /// Completed with a result.
    Completed,
    /// Failed with an error.
    Failed,
    /// Cancelled.
    Cancelled,
}

impl TaskStatus {
    /// Returns whether the status is final.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A task as clients see it: a result that creates a task, the result of `tasks/get`, and the parameters of
/// task notifications.
///
/// Times are RFC 3339. The names of durations in milliseconds end with `Ms` in the extension, but not in
/// 2025-11-25; [`Task::time_to_live`] and [`Task::interval`] read both.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Task {
    /// The task id.
    pub task_id: String,
    /// The status.
    pub status: TaskStatus,
    /// A human-readable status message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// The creation time.
    pub created_at: String,
    /// The time of the last change.
    pub last_updated_at: String,
    /// How long the task is retained; `null` means forever.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<Option<u64>>,
    /// How long the task is retained, in 2025-11-25; `null` means forever.
    #[serde(default, deserialize_with = "super::present", skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Option<u64>>,
    /// The suggested polling interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// The suggested polling interval, in 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// The input requests that the task waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<InputRequests>,
    /// The result of the request, once it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The error, if the task failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Task {
    /// Creates a task that was created at `created_at`, in RFC 3339.
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

    /// Returns how long the task is retained after its creation; `None` if forever or unspecified.
    pub fn time_to_live(&self) -> Option<Duration> {
        self.ttl_ms.or(self.ttl).flatten().map(Duration::from_millis)
    }

    /// Returns the suggested polling interval.
    pub fn interval(&self) -> Option<Duration> {
        self.poll_interval_ms.or(self.poll_interval).map(Duration::from_millis)
    }
}

/// Allows a request to be answered with a task; 2025-11-25 only (2025-11-25, schema `TaskMetadata`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskRequest {
    /// The requested retention in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The task that a message belongs to, under [`meta::RELATED_TASK`](super::meta::RELATED_TASK) (2025-11-25,
/// schema `RelatedTaskMetadata`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RelatedTask {
    /// The task id.
    pub task_id: String,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl RelatedTask {
    /// Refers to a task by id.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), other: Map::new() }
    }
}

/// Replaces a result with a task, in 2025-11-25 (2025-11-25, schema `CreateTaskResult`). The extension returns
/// the task itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CreateTaskResult {
    /// Creates a result.
    pub fn new(task: Task) -> Self {
        Self { task, meta: None, other: Map::new() }
    }
}

/// The parameters of `tasks/get`, `tasks/cancel` and `tasks/result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskParams {
    /// The task id.
    pub task_id: String,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl TaskParams {
    /// Creates parameters for a task id.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `tasks/update` (SEP-2663).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpdateTaskParams {
    /// The task id.
    pub task_id: String,
    /// The input responses.
    pub input_responses: InputResponses,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl UpdateTaskParams {
    /// Creates parameters.
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses) -> Self {
        Self { task_id: task_id.into(), input_responses, meta: None, other: Map::new() }
    }
}
