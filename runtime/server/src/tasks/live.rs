//! The state machine of a running task. It never waits and does not depend on time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::Map;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Task, TaskState};
use crate::input_requests::Room;
use crate::input_requests::{InputRequestError, KnownRequest};

/// The maximum number of invalid responses to an input request.
const MAX_TRIES: usize = 16;

/// A task in the process that runs it.
#[derive(Debug)]
pub(crate) struct LiveTask {
    state: Mutex<LiveState>,
    /// Cancelled when the client is informed of the task; until then, it is an ordinary call.
    pub(super) started: CancellationToken,
    /// Notified of every change that has to be stored.
    pub(super) changed: Notify,
    /// Cancelled when the task ends by anything other than its handler.
    pub(super) stopped: CancellationToken,
    max_input_requests: usize,
    /// The storage for responses.
    room: Room,
}

#[derive(Debug)]
struct LiveState {
    task: Task,
    /// Set when the outcome is decided but not published yet.
    is_settled: bool,
    requests: BTreeMap<String, TaskInputRequest>,
    /// All keys that the client has seen or may see.
    wire_keys: BTreeSet<String>,
}

/// An input request of the handler, by the handler's key.
#[derive(Debug)]
struct TaskInputRequest {
    request: KnownRequest,
    /// The key that the client sees.
    wire_key: String,
    /// The number of invalid responses.
    tries: usize,
    answer: Option<Box<RawValue>>,
    /// The futures that wait for the response.
    waiting: Vec<oneshot::Sender<Box<RawValue>>>,
}

/// The state of an input request.
#[derive(Debug)]
pub(super) enum InputState {
    /// It has a response.
    Answered(Box<RawValue>),
    /// It waits for one.
    Waiting(oneshot::Receiver<Box<RawValue>>),
}

impl LiveTask {
    pub(super) fn new(task: Task, (max_input_requests, room): (usize, Room)) -> Self {
        let state =
            LiveState { task, is_settled: false, requests: BTreeMap::new(), wire_keys: BTreeSet::new() };
        Self {
            state: Mutex::new(state),
            started: CancellationToken::new(),
            changed: Notify::new(),
            stopped: CancellationToken::new(),
            max_input_requests,
            room,
        }
    }

    /// Waits for `work`, unless the task is stopped first.
    pub(crate) async fn until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.stopped.run_until_cancelled(work).await
    }

    /// Waits until the call has become a task, or no longer can.
    pub(crate) async fn started(&self) {
        tokio::select! {
            () = self.started.cancelled() => {}
            () = self.stopped.cancelled() => {}
        }
    }

    /// Returns the current state of the task.
    pub(crate) fn snapshot(&self) -> Task {
        self.state().task.clone()
    }

    /// Whether this caller created it.
    pub(crate) fn is_of(&self, caller: Option<&str>) -> bool {
        self.state().task.owner.as_deref() == caller
    }

    /// The called tool, and the scopes that it required then.
    pub(crate) fn called(&self) -> (String, Vec<String>) {
        let task = &self.state().task;
        (task.tool.clone(), task.scopes.clone())
    }

    /// Whether the call has become a task.
    pub(crate) fn is_started(&self) -> bool {
        self.started.is_cancelled()
    }

    /// Sets the status message.
    pub(crate) fn set_message(&self, message: &str) {
        /// The message is stored and sent with every status.
        const MAX_CHARS: usize = 1_000;
        let mut state = self.state();
        if !state.is_settled {
            state.task.status_message = Some(toolwright_core::protocol::error::truncate(message, MAX_CHARS));
            state.task.last_updated_at = SystemTime::now();
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Cancels the task. A completed task stays unchanged.
    pub(crate) fn cancel(&self) {
        self.interrupt(TaskState::Cancelled);
    }

    /// Ends the task with the server.
    pub(super) fn stop(&self) {
        let error = crate::error::internal("the server was shut down while the task was running");
        self.interrupt(
            serde_json::value::to_raw_value(&error).map_or(TaskState::Cancelled, TaskState::Failed),
        );
    }

    fn interrupt(&self, end: TaskState) {
        if self.settle() {
            self.end(end, None);
        }
        self.stopped.cancel();
    }

    /// Decides that the task ends now; false if that was already decided. The caller then publishes the outcome with
    /// [`LiveTask::end`].
    pub(super) fn settle(&self) -> bool {
        let mut state = self.state();
        // Waiting futures get no response any longer.
        state.requests.clear();
        self.room.end();
        !std::mem::replace(&mut state.is_settled, true)
    }

    /// Publishes the outcome.
    pub(super) fn end(&self, end: TaskState, message: Option<String>) {
        let mut state = self.state();
        state.task.end(end, message);
        drop(state);
        self.changed.notify_one();
    }

    /// Makes an input request of the handler.
    pub(super) fn ask(&self, key: &str, request: &KnownRequest) -> Result<InputState, InputRequestError> {
        let mut state = self.state();
        if state.is_settled {
            return Err(InputRequestError::Ended);
        }
        if let Some(asked) = state.requests.get(key) {
            request.check_key(key, Some(&asked.request))?;
            if let Some(answer) = &asked.answer {
                return Ok(InputState::Answered(answer.clone()));
            }
        }
        let open = state.requests.values().filter(|asked| asked.is_open()).count();
        if open >= self.max_input_requests {
            return Err(InputRequestError::TooMany(self.max_input_requests));
        }
        let (sender, answer) = oneshot::channel();
        if let Some(asked) = state.requests.get_mut(key) {
            asked.waiting.push(sender);
        } else {
            self.room.check_requests(state.requests.len())?;
            let asked = TaskInputRequest {
                request: request.clone(),
                wire_key: state.unused_wire_key(key),
                tries: 0,
                answer: None,
                waiting: vec![sender],
            };
            state.requests.insert(key.to_owned(), asked);
        }
        self.show_requests(state);
        Ok(InputState::Waiting(answer))
    }

    /// Rejects the response with this key, which is then requested again.
    pub(super) fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError> {
        let mut state = self.state();
        // If several futures wait for one response, each validates it, and the first one requests it again.
        let is_first = state.requests.get(key).is_some_and(|asked| asked.answer.is_some());
        let fresh = is_first.then(|| state.unused_wire_key(key));
        let Some(asked) = state.requests.get_mut(key) else { return Err(InputRequestError::Ended) };
        if let Some(fresh) = fresh {
            asked.answer = None;
            asked.tries += 1;
            asked.wire_key = fresh;
        }
        if asked.tries >= MAX_TRIES { Err(InputRequestError::Unusable(problem)) } else { Ok(()) }
    }

    /// A future no longer waits for a response.
    pub(super) fn withdraw(&self) {
        let mut state = self.state();
        for asked in state.requests.values_mut() {
            asked.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.show_requests(state);
    }

    /// Counts responses that arrived with the call.
    pub(crate) fn take_room(&self, answers: usize, bytes: usize) -> Result<(), InputRequestError> {
        self.room.take(answers, bytes)
    }

    /// Accepts responses. Those without an open input request are ignored (SEP-2663 "Task Update Requests").
    ///
    /// # Errors
    /// [`InputRequestError::NoRoom`]; none is accepted then, and the input requests stay open.
    pub(crate) fn answer(&self, answers: &BTreeMap<String, Box<RawValue>>) -> Result<(), InputRequestError> {
        let mut state = self.state();
        let open = state.requests.values().filter(|asked| asked.is_open());
        let sizes: Vec<usize> =
            open.filter_map(|asked| answers.get(&asked.wire_key)).map(|answer| answer.get().len()).collect();
        if !sizes.is_empty() {
            self.room.take(sizes.len(), sizes.iter().sum())?;
        }
        for asked in state.requests.values_mut().filter(|asked| asked.is_open()) {
            if let Some(answer) = answers.get(&asked.wire_key) {
                asked.answer = Some(answer.clone());
                for waiting in asked.waiting.drain(..) {
                    // Futures that were dropped in the meantime need no response.
                    let _ = waiting.send(answer.clone());
                }
            }
        }
        self.show_requests(state);
        Ok(())
    }

    /// Updates the input requests in the task's state.
    fn show_requests(&self, mut state: MutexGuard<'_, LiveState>) {
        if state.is_settled {
            return;
        }
        let mut open = Map::new();
        for asked in state.requests.values().filter(|asked| asked.is_open()) {
            let request = serde_json::to_value(&asked.request).unwrap_or_default();
            open.insert(asked.wire_key.clone(), request);
        }
        let shown = match &state.task.state {
            TaskState::InputRequired(shown) => shown.keys().eq(open.keys()),
            _ => open.is_empty(),
        };
        if !shown {
            state.task.state =
                if open.is_empty() { TaskState::Working } else { TaskState::InputRequired(open) };
            state.task.last_updated_at = SystemTime::now();
            drop(state);
            self.changed.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        // No user code runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveState {
    /// Chooses a key for the client: the handler's, or a similar one. A key "MUST be unique over the lifetime of a
    /// single task" (SEP-2663), so that of an invalid response is not reused.
    fn unused_wire_key(&mut self, key: &str) -> String {
        let numbered = (2_usize..).map(|number| format!("{key}#{number}"));
        let mut candidates = std::iter::once(key.to_owned()).chain(numbered);
        let unused = candidates.find(|candidate| self.wire_keys.insert(candidate.clone()));
        unused.unwrap_or_default()
    }
}

impl TaskInputRequest {
    fn is_open(&self) -> bool {
        !self.waiting.is_empty()
    }
}

/// The input requests in a task's state.
#[cfg(test)]
pub(super) fn input_request_keys(task: &Task) -> Vec<&str> {
    match &task.state {
        TaskState::InputRequired(requests) => requests.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}
