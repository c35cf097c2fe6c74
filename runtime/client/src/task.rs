//! Calls that the server continues as tasks (extension `io.modelcontextprotocol/tasks`, SEP-2663; in another form 2025-11-25,
//! basic/utilities/tasks): the client asks for them until they end, and answers what they ask.

use std::collections::HashSet;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};
use toolwright_core::protocol::{TaskStatus, method};

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quoted};
use crate::message::{Outgoing, push_string};
use crate::progress::Progress;
use crate::slot::{Notice, Watch};

/// How often a task is asked for where the server does not say.
const INTERVAL: Duration = Duration::from_secs(1);
/// The least and the most time between two requests for a task, whatever the server says.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_mins(1);
/// How many questions one task may ask.
const MAX_QUESTIONS: usize = 256;

/// What is known of a task, in either form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
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

impl View {
    fn interval(&self) -> Duration {
        let said = self.poll_interval_ms.or(self.poll_interval).map(Duration::from_millis);
        said.unwrap_or(INTERVAL).clamp(SHORTEST, LONGEST)
    }
}

/// Cancels the task at the server where nobody waits for it any more.
struct CancelOnDrop<'a> {
    client: &'a Client,
    task: &'a str,
    is_armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        // Without a runtime nothing can be sent.
        if self.is_armed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (client, task) = (self.client.clone(), self.task.to_owned());
            runtime.spawn(async move {
                // It may have ended by itself.
                let cancel = about_task(method::TASKS_CANCEL, &task);
                _ = client.send(&cancel, &mut client.watch()).await;
            });
        }
    }
}

impl Client {
    /// The result of a call that was answered with a task: with `text`, or as a member of it up to 2025-11-25.
    ///
    /// Each new status message is progress: neither form of tasks has another one that all servers send.
    pub(crate) async fn finish_task(&self, text: &str, watch: &mut Watch<'_>) -> Result<String, ClientError> {
        #[derive(Deserialize)]
        struct Created {
            task: View,
        }
        let unreadable = |error: serde_json::Error| self.broken(format!("its task cannot be read: {error}"));
        let (mut view, is_legacy) = match serde_json::from_str::<Created>(text) {
            Ok(created) => (created.task, true),
            Err(_) => (serde_json::from_str::<View>(text).map_err(unreadable)?, false),
        };
        let task = view.task_id.clone();
        let mut cancel = CancelOnDrop { client: self, task: &task, is_armed: true };
        let cap = watch.cap;
        let (end, mut answered, mut told) = (Instant::now() + cap, HashSet::new(), Told::default());
        loop {
            told.tell(&view, watch);
            match view.status {
                _ if is_legacy && (view.status.has_ended() || view.status == TaskStatus::InputRequired) => {
                    // It waits for the end, and the server asks meanwhile (2025-11-25, "Input Required Status").
                    let time_limit = end.saturating_duration_since(Instant::now());
                    let result = self.ask_for_task(method::TASKS_RESULT, &task, Some(time_limit)).await?;
                    cancel.is_armed = false;
                    return Ok(result);
                }
                TaskStatus::Completed => {
                    cancel.is_armed = false;
                    let result = view.result.map(|result| result.get().into());
                    return result.ok_or_else(|| self.broken("a completed task has no `result`".to_owned()));
                }
                TaskStatus::Failed => {
                    cancel.is_armed = false;
                    let error = view.error.as_ref().map_or("{}", |error| error.get());
                    return Err(self.answered_with_error(&about_task(method::TASKS_GET, &task), error));
                }
                TaskStatus::Cancelled => {
                    cancel.is_armed = false;
                    let why = view.status_message.as_deref().map(quoted).unwrap_or_default();
                    let problem = format!("the task of this call was cancelled there: {why}");
                    return Err(self.shared.host.error(
                        ErrorKind::Protocol,
                        problem,
                        "call again if need be",
                    ));
                }
                TaskStatus::InputRequired => {
                    view.input_requests.retain(|key, _| !answered.contains(key));
                    if !view.input_requests.is_empty() {
                        answered.extend(view.input_requests.keys().cloned());
                        if answered.len() > MAX_QUESTIONS {
                            let problem = format!("a task asks more than {MAX_QUESTIONS} questions");
                            return Err(self.broken(problem));
                        }
                        self.update_task(&task, &view.input_requests).await?;
                    }
                }
                _ => {}
            }
            if Instant::now() >= end {
                let problem = format!("the task of this call did not end within {cap:?}; it was cancelled");
                let advice = "give the call more time with `timeout`";
                return Err(self.shared.host.error(ErrorKind::Timeout, problem, advice));
            }
            sleep(view.interval().min(end.saturating_duration_since(Instant::now()))).await;
            let text = self.ask_for_task(method::TASKS_GET, &task, None).await?;
            view = serde_json::from_str(&text).map_err(unreadable)?;
        }
    }

    async fn ask_for_task(
        &self,
        method: &'static str,
        task: &str,
        time_limit: Option<Duration>,
    ) -> Result<String, ClientError> {
        let outgoing = about_task(method, task);
        let mut watch = self.watch();
        if let Some(time_limit) = time_limit {
            (watch.timeout, watch.cap) = (time_limit, time_limit);
        }
        self.send(&outgoing, &mut watch).await
    }

    async fn update_task(&self, task: &str, requests: &Map<String, Value>) -> Result<(), ClientError> {
        let answers = self.answers_to(requests).await?;
        let outgoing = Outgoing {
            method: method::TASKS_UPDATE.into(),
            members: format!(r#"{},"inputResponses":{answers}"#, member("taskId", task)).into(),
            name: Some(task.into()),
            ..Outgoing::default()
        };
        self.send(&outgoing, &mut self.watch()).await.map(drop)
    }
}

/// The status messages that the caller knows.
#[derive(Default)]
struct Told {
    count: u32,
    last: Option<String>,
}

impl Told {
    fn tell(&mut self, view: &View, watch: &mut Watch<'_>) {
        let is_new = view.status_message.is_some() && view.status_message != self.last;
        if let Some(on_notice) = watch.on_notice.as_mut().filter(|_| is_new && !view.status.has_ended()) {
            self.count = self.count.saturating_add(1);
            self.last.clone_from(&view.status_message);
            let progress =
                Progress { progress: f64::from(self.count), total: None, message: self.last.clone() };
            on_notice(Notice::Progress(progress));
        }
    }
}

fn about_task<'a>(method: &'static str, task: &'a str) -> Outgoing<'a> {
    Outgoing {
        method: method.into(),
        members: member("taskId", task).into(),
        name: Some(task.into()),
        is_safe: true,
        ..Outgoing::default()
    }
}

fn member(name: &str, value: &str) -> String {
    let mut member = Vec::with_capacity(name.len() + value.len() + 8);
    push_string(&mut member, name);
    member.push(b':');
    push_string(&mut member, value);
    // All of it was text before.
    String::from_utf8(member).unwrap_or_default()
}
