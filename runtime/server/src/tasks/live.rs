//! A task that runs: what may happen to it, and what comes of it. No time passes here and nothing is waited for.

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

/// How often an answer that cannot be used is asked for again.
const MAX_TRIES: usize = 16;

/// A task in the process that runs it.
#[derive(Debug)]
pub(crate) struct LiveTask {
    state: Mutex<LiveState>,
    /// Cancelled when the client is told of the task; until then the call is a call.
    pub(super) started: CancellationToken,
    /// Told of every change that is to be stored.
    pub(super) changed: Notify,
    /// Cancelled when the task ends otherwise than by its handler.
    pub(super) stopped: CancellationToken,
    max_input_requests: usize,
    /// For the answers.
    room: Room,
}

#[derive(Debug)]
struct LiveState {
    task: Task,
    /// Set when the end is decided and not shown yet.
    is_settled: bool,
    requests: BTreeMap<String, TaskInputRequest>,
    /// All keys that the client has seen or may see.
    wire_keys: BTreeSet<String>,
}

/// An input request of the handler's, by its key there.
#[derive(Debug)]
struct TaskInputRequest {
    request: KnownRequest,
    /// The key that the client sees.
    wire_key: String,
    /// How many answers could not be used.
    tries: usize,
    answer: Option<Box<RawValue>>,
    /// Those who wait for the answer.
    waiting: Vec<oneshot::Sender<Box<RawValue>>>,
}

/// What an input request comes to.
#[derive(Debug)]
pub(super) enum Note {
    /// It has its answer.
    Answered(Box<RawValue>),
    /// It waits.
    Waits(oneshot::Receiver<Box<RawValue>>),
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

    /// Waits for `work`, unless the task is stopped before.
    pub(crate) async fn until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.stopped.run_until_cancelled(work).await
    }

    /// Waits until the call is a task, or cannot become one.
    pub(crate) async fn started(&self) {
        tokio::select! {
            () = self.started.cancelled() => {}
            () = self.stopped.cancelled() => {}
        }
    }

    /// The task as it is now.
    pub(crate) fn snapshot(&self) -> Task {
        self.state().task.clone()
    }

    /// Whether it was made by this caller.
    pub(crate) fn is_of(&self, caller: Option<&str>) -> bool {
        self.state().task.owner.as_deref() == caller
    }

    /// The tool that was called, and the scopes that it needed then.
    pub(crate) fn called(&self) -> (String, Vec<String>) {
        let task = &self.state().task;
        (task.tool.clone(), task.scopes.clone())
    }

    /// Whether the call is a task now.
    pub(crate) fn is_started(&self) -> bool {
        self.started.is_cancelled()
    }

    /// Says how far it has come, in words.
    pub(crate) fn say(&self, message: &str) {
        /// It is kept and sent with each look at the task.
        const MAX_CHARS: usize = 1_000;
        let mut state = self.state();
        if !state.is_settled {
            state.task.status_message = Some(toolwright_core::protocol::error::cut(message, MAX_CHARS));
            state.task.last_updated_at = SystemTime::now();
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Takes it back. One that has ended stays as it is.
    pub(crate) fn cancel(&self) {
        self.interrupt(TaskState::Cancelled);
    }

    /// Ends it with the server.
    pub(super) fn stop(&self) {
        let error = crate::error::internal("the server has stopped, and the task with it");
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

    /// Decides that it ends now; false if that was decided before. What ends it says how with [`LiveTask::end`].
    pub(super) fn settle(&self) -> bool {
        let mut state = self.state();
        // Whoever waits for an answer waits for nothing.
        state.requests.clear();
        self.room.end();
        !std::mem::replace(&mut state.is_settled, true)
    }

    /// Shows how it has ended.
    pub(super) fn end(&self, end: TaskState, message: Option<String>) {
        let mut state = self.state();
        state.task.end(end, message);
        drop(state);
        self.changed.notify_one();
    }

    /// An input request of the handler's.
    pub(super) fn ask(&self, key: &str, request: &KnownRequest) -> Result<Note, InputRequestError> {
        let mut state = self.state();
        if state.is_settled {
            return Err(InputRequestError::Ended);
        }
        if let Some(asked) = state.requests.get(key) {
            request.check_key(key, Some(&asked.request))?;
            if let Some(answer) = &asked.answer {
                return Ok(Note::Answered(answer.clone()));
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
        Ok(Note::Waits(answer))
    }

    /// The answer of this key cannot be used: it is to be asked for again.
    pub(super) fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError> {
        let mut state = self.state();
        // Of several who wait for one answer each finds out by itself, and the first has it asked for again.
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

    /// Someone does not wait for an answer any more.
    pub(super) fn withdraw(&self) {
        let mut state = self.state();
        for asked in state.requests.values_mut() {
            asked.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.show_requests(state);
    }

    /// Counts answers that came with the call.
    pub(crate) fn take_room(&self, answers: usize, bytes: usize) -> Result<(), InputRequestError> {
        self.room.take(answers, bytes)
    }

    /// Takes answers. Those to what is not asked now are passed by (SEP-2663 "Task Update Requests").
    ///
    /// # Errors
    /// [`InputRequestError::NoRoom`]; none is taken then, and the input requests stay open.
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
                    // Whoever has left meanwhile needs no answer.
                    let _ = waiting.send(answer.clone());
                }
            }
        }
        self.show_requests(state);
        Ok(())
    }

    /// Has the task show what is asked now.
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
        // Nothing of a user's runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveState {
    /// A key for the client: the handler's, or one like it. A key "MUST be unique over the lifetime of a single task"
    /// (SEP-2663), so one whose answer could not be used is not used again.
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

/// The requests that a task shows.
#[cfg(test)]
pub(super) fn shown(task: &Task) -> Vec<&str> {
    match &task.state {
        TaskState::InputRequired(requests) => requests.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}
