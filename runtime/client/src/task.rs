//! Calls that run as tasks (extension `io.modelcontextprotocol/tasks`, SEP-2663; in another form in 2025-11-25,
//! basic/utilities/tasks): the client polls them until they end, and responds to their input requests.

use std::collections::HashSet;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};
use toolwright_core::protocol::{TaskStatus, method};

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quote};
use crate::message::{OutgoingRequest, push_string};
use crate::pending::{Notice, RequestOptions};
use crate::progress::Progress;

/// The poll interval if the server does not specify one.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// The limits of the poll interval, whatever the server specifies.
const MIN_INTERVAL: Duration = Duration::from_millis(20);
const MAX_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum number of input requests per task.
const MAX_INPUT_REQUESTS: usize = 256;

/// The state of a task, in either form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskState {
    task_id: String,
    status: TaskStatus,
    #[serde(default)]
    status_message: Option<String>,
    #[serde(default)]
    poll_interval_ms: Option<u64>,
    #[serde(default)]
    poll_interval: Option<u64>,
    #[serde(default)]
    input_requests: Map<String, Value>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

impl TaskState {
    fn interval(&self) -> Duration {
        let interval = self.poll_interval_ms.or(self.poll_interval).map(Duration::from_millis);
        interval.unwrap_or(DEFAULT_INTERVAL).clamp(MIN_INTERVAL, MAX_INTERVAL)
    }
}

/// Cancels the task at the server if the caller stops waiting.
struct CancelOnDrop<'a> {
    client: &'a Client,
    task: &'a str,
    is_armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        // Nothing can be sent without a runtime.
        if self.is_armed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (client, task) = (self.client.clone(), self.task.to_owned());
            runtime.spawn(async move {
                // The task may have ended.
                let cancel = task_request(method::TASKS_CANCEL, &task);
                _ = client.send(&cancel, &mut client.default_options()).await;
            });
        }
    }
}

impl Client {
    /// Waits for the result of a call that became a task. `text` is the task; up to 2025-11-25, an object with the task
    /// as a member.
    ///
    /// Each new status message is reported as progress, since neither form of tasks has another kind that all servers
    /// send.
    pub(crate) async fn await_task(
        &self,
        text: &str,
        options: &mut RequestOptions<'_>,
    ) -> Result<String, ClientError> {
        #[derive(Deserialize)]
        struct Created {
            task: TaskState,
        }
        let invalid =
            |error: serde_json::Error| self.protocol_error(format!("its task cannot be parsed: {error}"));
        let (mut state, is_legacy) = match serde_json::from_str::<Created>(text) {
            Ok(created) => (created.task, true),
            Err(_) => (serde_json::from_str::<TaskState>(text).map_err(invalid)?, false),
        };
        let task = state.task_id.clone();
        let mut cancel = CancelOnDrop { client: self, task: &task, is_armed: true };
        let max_duration = options.max_duration;
        let (end, mut seen, mut reporter) =
            (Instant::now() + max_duration, HashSet::new(), StatusReporter::default());
        loop {
            reporter.report(&state, options);
            match state.status {
                _ if is_legacy && (state.status.has_ended() || state.status == TaskStatus::InputRequired) => {
                    // The request waits for the end of the task; the server sends input requests meanwhile (2025-11-25,
                    // "Input Required Status").
                    let time_limit = end.saturating_duration_since(Instant::now());
                    let result = self.request_task(method::TASKS_RESULT, &task, Some(time_limit)).await?;
                    cancel.is_armed = false;
                    return Ok(result);
                }
                TaskStatus::Completed => {
                    cancel.is_armed = false;
                    let result = state.result.map(|result| result.get().into());
                    return result
                        .ok_or_else(|| self.protocol_error("a completed task has no `result`".to_owned()));
                }
                TaskStatus::Failed => {
                    cancel.is_armed = false;
                    let error = state.error.as_ref().map_or("{}", |error| error.get());
                    return Err(self.error_response(&task_request(method::TASKS_GET, &task), error));
                }
                TaskStatus::Cancelled => {
                    cancel.is_armed = false;
                    let why = state.status_message.as_deref().map(quote).unwrap_or_default();
                    let problem = format!("the server cancelled the task of this call: {why}");
                    return Err(self.shared.host.error(
                        ErrorKind::Protocol,
                        problem,
                        "send the call again if necessary",
                    ));
                }
                TaskStatus::InputRequired => {
                    state.input_requests.retain(|key, _| !seen.contains(key));
                    if !state.input_requests.is_empty() {
                        seen.extend(state.input_requests.keys().cloned());
                        if seen.len() > MAX_INPUT_REQUESTS {
                            let problem =
                                format!("a task sent more than {MAX_INPUT_REQUESTS} input requests");
                            return Err(self.protocol_error(problem));
                        }
                        self.update_task(&task, &state.input_requests).await?;
                    }
                }
                _ => {}
            }
            if Instant::now() >= end {
                let problem =
                    format!("the task of this call did not finish within {max_duration:?}; it was cancelled");
                let advice = "give the call more time with `timeout`";
                return Err(self.shared.host.error(ErrorKind::Timeout, problem, advice));
            }
            sleep(state.interval().min(end.saturating_duration_since(Instant::now()))).await;
            let text = self.request_task(method::TASKS_GET, &task, None).await?;
            state = serde_json::from_str(&text).map_err(invalid)?;
        }
    }

    async fn request_task(
        &self,
        method: &'static str,
        task: &str,
        time_limit: Option<Duration>,
    ) -> Result<String, ClientError> {
        let outgoing = task_request(method, task);
        let mut options = self.default_options();
        if let Some(time_limit) = time_limit {
            (options.timeout, options.max_duration) = (time_limit, time_limit);
        }
        self.send(&outgoing, &mut options).await
    }

    async fn update_task(&self, task: &str, requests: &Map<String, Value>) -> Result<(), ClientError> {
        let responses = self.respond_to(requests).await?;
        let outgoing = OutgoingRequest {
            method: method::TASKS_UPDATE.into(),
            members: format!(r#"{},"inputResponses":{responses}"#, member("taskId", task)).into(),
            name: Some(task.into()),
            ..OutgoingRequest::default()
        };
        self.send(&outgoing, &mut self.default_options()).await.map(drop)
    }
}

/// Reports the status messages of a task as progress.
#[derive(Default)]
struct StatusReporter {
    count: u32,
    last: Option<String>,
}

impl StatusReporter {
    fn report(&mut self, state: &TaskState, options: &mut RequestOptions<'_>) {
        let is_new = state.status_message.is_some() && state.status_message != self.last;
        if let Some(on_notice) = options.on_notice.as_mut().filter(|_| is_new && !state.status.has_ended()) {
            self.count = self.count.saturating_add(1);
            self.last.clone_from(&state.status_message);
            let progress =
                Progress { progress: f64::from(self.count), total: None, message: self.last.clone() };
            on_notice(Notice::Progress(progress));
        }
    }
}

fn task_request<'a>(method: &'static str, task: &'a str) -> OutgoingRequest<'a> {
    OutgoingRequest {
        method: method.into(),
        members: member("taskId", task).into(),
        name: Some(task.into()),
        is_idempotent: true,
        ..OutgoingRequest::default()
    }
}

fn member(name: &str, value: &str) -> String {
    let mut member = Vec::with_capacity(name.len() + value.len() + 8);
    push_string(&mut member, name);
    member.push(b':');
    push_string(&mut member, value);
    // Only valid UTF-8 was written.
    String::from_utf8(member).unwrap_or_default()
}
