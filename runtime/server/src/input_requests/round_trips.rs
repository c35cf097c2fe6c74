//! Input requests of 2026-07-28: the call ends with them, and is made again with their answers (basic/patterns/mrtr).
//!
//! The handler is dropped and runs again, since the revision has no server requests and a future cannot be sent to
//! the client: kept here, it would bind the client to this process and its memory. One handler serves both eras, at
//! the price that what comes before a request is repeated. A pass ends at the first poll that leaves nothing but
//! waiting, so that requests made together are sent together.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::{InputRequestError, InputResponses, KnownRequest};
#[cfg(feature = "tasks")]
use crate::future::BoxFuture;

/// Answers by the keys of their input requests.
pub(crate) type Answers = BTreeMap<String, Box<RawValue>>;

/// What travels with the client from one pass to the next.
#[derive(Debug, Default)]
pub(crate) struct RequestState {
    /// The answers that were used.
    pub(crate) answers: Answers,
    /// The state of the provider whose requests are open.
    pub(crate) provider: Option<String>,
}

/// What one pass of a call knows of input requests: one run of its handler, from its start to its end or to the input requests
/// that have no answer yet.
#[derive(Debug)]
pub(crate) struct Passes {
    limit: usize,
    pass: OnceLock<Box<Pass>>,
    /// What the client answers to the requests of a provider.
    input: Option<Box<InputResponses>>,
    /// The task that polls the handler. An input request may be asked in another one.
    driver: Mutex<Option<Waker>>,
}

#[derive(Debug, Default)]
struct Pass {
    state: Mutex<PassState>,
    ended: CancellationToken,
}

#[derive(Debug, Default)]
struct PassState {
    /// Answers of earlier passes, and those of this one that were used.
    kept: Answers,
    /// Answers that came with the request and were not used yet.
    given: Answers,
    /// All input requests of this pass.
    asked: BTreeMap<String, KnownRequest>,
    /// The keys of those that wait, once for each that waits.
    open: Vec<String>,
}

impl Passes {
    /// The first pass, or one with what came in the request's `requestState` and `inputResponses`.
    pub(crate) fn new(limit: usize, resumed: Option<(RequestState, Answers)>) -> Self {
        let (mut pass, mut input) = (OnceLock::new(), None);
        if let Some((RequestState { answers, provider }, given)) = resumed {
            input = Some(Box::new(InputResponses { responses: given.clone(), state: provider }));
            let state = PassState { kept: answers, given, ..PassState::default() };
            pass = OnceLock::from(Box::new(Pass { state: Mutex::new(state), ..Pass::default() }));
        }
        Self { limit, pass, input, driver: Mutex::default() }
    }

    /// How many input requests may be open at once.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// What the client answers to the requests of a provider.
    pub(crate) fn input(&self) -> Option<&InputResponses> {
        self.input.as_deref()
    }

    pub(crate) fn take_open(&self, waker: Option<&Waker>) -> Option<Vec<(String, KnownRequest)>> {
        if let Some(waker) = waker {
            // Before the look at the input requests, so that none is added in between.
            let mut driver = self.driver();
            if !driver.as_ref().is_some_and(|driver| driver.will_wake(waker)) {
                *driver = Some(waker.clone());
            }
        }
        let mut state = self.pass.get()?.state();
        if state.open.is_empty() {
            return None;
        }
        let PassState { open, asked, .. } = &mut *state;
        let mut requests = Vec::with_capacity(open.len());
        for key in open.drain(..) {
            // One that is not there any more was added already: two waited for it.
            requests.extend(asked.remove_entry(&key));
        }
        Some(requests)
    }

    /// Waits for the answer to the input request of this key: the one that came with the request, or none in this pass.
    ///
    /// # Errors
    /// [`InputRequestError::Ended`] where the pass ends without an answer, and what is wrong with the input request or its key.
    pub(crate) async fn ask(
        &self,
        key: &str,
        request: &KnownRequest,
    ) -> Result<Box<RawValue>, InputRequestError> {
        let pass = self.pass.get_or_init(Box::default);
        if pass.ended.is_cancelled() {
            return Err(InputRequestError::Ended);
        }
        {
            let mut state = pass.state();
            request.check_key(key, state.asked.get(key))?;
            if let Some(answer) = state.answer(key) {
                state.asked.insert(key.to_owned(), request.clone());
                return Ok(answer);
            }
            if state.open.len() >= self.limit {
                return Err(InputRequestError::TooMany(self.limit));
            }
            state.asked.insert(key.to_owned(), request.clone());
            state.open.push(key.to_owned());
        }
        let open = OpenRequest { pass, key };
        self.wake_driver();
        // The pass ends when its handler has nothing else to do, and with it this future; one in another task goes on.
        pass.ended.cancelled().await;
        drop(open);
        Err(InputRequestError::Ended)
    }

    /// The answer of this key cannot be used, and is asked for again: "the server SHOULD respond with a new
    /// `InputRequiredResult`" (basic/patterns/mrtr "Error Handling").
    pub(crate) fn refuse(&self, key: &str) {
        self.pass.get_or_init(Box::default).state().kept.remove(key);
    }

    /// What the next pass must know, with the state of a provider.
    pub(crate) fn state_for_next(&self, provider: Option<&str>) -> RequestState {
        let answers = self.pass.get().map(|pass| pass.state().kept.clone()).unwrap_or_default();
        RequestState { answers, provider: provider.map(str::to_owned) }
    }

    pub(crate) fn end(&self) {
        if let Some(pass) = self.pass.get() {
            pass.ended.cancel();
        }
    }

    /// How many answers came with the request, and how many bytes they have.
    #[cfg(feature = "tasks")]
    pub(crate) fn size(&self) -> (usize, usize) {
        let Some(pass) = self.pass.get() else { return (0, 0) };
        let PassState { kept, given, .. } = &*pass.state();
        let answers = || kept.values().chain(given.values());
        (answers().count(), answers().map(|answer| answer.get().len()).sum())
    }

    /// The answer that an earlier pass brought.
    #[cfg(feature = "tasks")]
    pub(crate) fn earlier_answer(
        &self,
        key: &str,
        request: &KnownRequest,
    ) -> Result<Option<Box<RawValue>>, InputRequestError> {
        let Some(pass) = self.pass.get() else { return Ok(None) };
        let mut state = pass.state();
        request.check_key(key, state.asked.get(key))?;
        Ok(state.answer(key))
    }

    /// Forgets an answer that an earlier pass brought; false if there is none.
    #[cfg(feature = "tasks")]
    pub(crate) fn forget(&self, key: &str) -> bool {
        self.pass.get().is_some_and(|pass| pass.state().kept.remove(key).is_some())
    }

    fn wake_driver(&self) {
        if let Some(driver) = &*self.driver() {
            driver.wake_by_ref();
        }
    }

    fn driver(&self) -> MutexGuard<'_, Option<Waker>> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that may become a task: until it is one, its input requests end a pass; then the task shows them.
#[cfg(feature = "tasks")]
pub(crate) trait TaskCall: std::fmt::Debug + Send + Sync {
    /// What the call knows of passes.
    fn passes(&self) -> &Passes;

    /// Whether the call is a task now.
    fn is_started(&self) -> bool;

    /// Waits until the call is a task, or cannot become one.
    fn started(&self) -> BoxFuture<'_, ()>;

    /// Sets the task's message.
    fn say(&self, message: &str);

    /// Waits for the answer to the input request of this key.
    fn ask<'a>(
        &'a self,
        key: &'a str,
        request: &'a KnownRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, InputRequestError>>;

    /// The answer of this key cannot be used.
    ///
    /// # Errors
    /// Where it cannot be asked for again.
    fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError>;
}

impl Pass {
    fn state(&self) -> MutexGuard<'_, PassState> {
        // A panic while the lock was held leaves whole entries.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PassState {
    /// The answer of this key, if there is one.
    fn answer(&mut self, key: &str) -> Option<Box<RawValue>> {
        if let Some((key, answer)) = self.given.remove_entry(key) {
            self.kept.entry(key).or_insert(answer);
        }
        self.kept.get(key).cloned()
    }
}

/// An input request that waits: one that nobody waits for any more is not asked.
struct OpenRequest<'a> {
    pass: &'a Pass,
    key: &'a str,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        let mut state = self.pass.state();
        if let Some(at) = state.open.iter().position(|key| key == self.key) {
            state.open.remove(at);
        }
    }
}
