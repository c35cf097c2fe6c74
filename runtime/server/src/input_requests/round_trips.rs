//! Input requests in 2026-07-28: the call ends with them, and is repeated with their responses (basic/patterns/mrtr).
//!
//! The handler is dropped and runs again, since the revision has no server requests, and a future cannot be sent to the
//! client: keeping it would bind the client to this process and occupy memory. One handler serves both eras, at the
//! price of repeating the code before an input request. A pass ends at the first poll that leaves only input requests
//! to wait for, so that concurrent requests are sent together.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
#[cfg(feature = "tasks")]
use toolwright_core::future::BoxFuture;

use super::{InputRequestError, InputResponses, KnownRequest};

/// Responses by the keys of their input requests.
pub(crate) type Answers = BTreeMap<String, Box<RawValue>>;

/// The state that travels with the client from one pass to the next.
#[derive(Debug, Default)]
pub(crate) struct RequestState {
    /// The responses that were used.
    pub(crate) answers: Answers,
    /// The state of the provider whose requests are open.
    pub(crate) provider: Option<String>,
}

/// One pass of a call: one run of its handler, from its start to its end, or to the input requests without a response.
#[derive(Debug)]
pub(crate) struct Passes {
    limit: usize,
    pass: OnceLock<Box<Pass>>,
    /// The client's responses to the requests of a provider.
    input: Option<Box<InputResponses>>,
    /// The task that polls the handler. Another task may make an input request.
    driver: Mutex<Option<Waker>>,
}

#[derive(Debug, Default)]
struct Pass {
    state: Mutex<PassState>,
    ended: CancellationToken,
}

#[derive(Debug, Default)]
struct PassState {
    /// Responses of earlier passes, and used ones of this pass.
    kept: Answers,
    /// Responses in the request that were not used yet.
    given: Answers,
    /// All input requests of this pass.
    asked: BTreeMap<String, KnownRequest>,
    /// The keys of the waiting input requests, once per waiter.
    open: Vec<String>,
}

impl Passes {
    /// Creates the first pass, or one with the request's `requestState` and `inputResponses`.
    pub(crate) fn new(limit: usize, resumed: Option<(RequestState, Answers)>) -> Self {
        let (mut pass, mut input) = (OnceLock::new(), None);
        if let Some((RequestState { answers, provider }, given)) = resumed {
            input = Some(Box::new(InputResponses { responses: given.clone(), state: provider }));
            let state = PassState { kept: answers, given, ..PassState::default() };
            pass = OnceLock::from(Box::new(Pass { state: Mutex::new(state), ..Pass::default() }));
        }
        Self { limit, pass, input, driver: Mutex::default() }
    }

    /// The maximum number of open input requests.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The client's responses to the requests of a provider.
    pub(crate) fn input(&self) -> Option<&InputResponses> {
        self.input.as_deref()
    }

    pub(crate) fn take_open(&self, waker: Option<&Waker>) -> Option<Vec<(String, KnownRequest)>> {
        if let Some(waker) = waker {
            // Locked before the input requests are inspected, so that none is added in between.
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
            // A missing one was already added: two futures waited for it.
            requests.extend(asked.remove_entry(&key));
        }
        Some(requests)
    }

    /// Waits for the response to the input request with this key, which is in the request or does not arrive in this
    /// pass.
    ///
    /// # Errors
    /// [`InputRequestError::Ended`] if the pass ends without a response, or the problem with the input request or its
    /// key.
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
        // The pass ends, and drops this future, when its handler has nothing else to do; other tasks continue.
        pass.ended.cancelled().await;
        drop(open);
        Err(InputRequestError::Ended)
    }

    /// Rejects the response with this key, which is then requested again: "the server SHOULD respond with a new
    /// `InputRequiredResult`" (basic/patterns/mrtr "Error Handling").
    pub(crate) fn refuse(&self, key: &str) {
        self.pass.get_or_init(Box::default).state().kept.remove(key);
    }

    /// The state for the next pass, including that of a provider.
    pub(crate) fn state_for_next(&self, provider: Option<&str>) -> RequestState {
        let answers = self.pass.get().map(|pass| pass.state().kept.clone()).unwrap_or_default();
        RequestState { answers, provider: provider.map(str::to_owned) }
    }

    pub(crate) fn end(&self) {
        if let Some(pass) = self.pass.get() {
            pass.ended.cancel();
        }
    }

    /// The number and total size of the responses in the request.
    #[cfg(feature = "tasks")]
    pub(crate) fn size(&self) -> (usize, usize) {
        let Some(pass) = self.pass.get() else { return (0, 0) };
        let PassState { kept, given, .. } = &*pass.state();
        let answers = || kept.values().chain(given.values());
        (answers().count(), answers().map(|answer| answer.get().len()).sum())
    }

    /// The response from an earlier pass.
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

    /// Removes a response from an earlier pass; false if there is none.
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

/// A call that may become a task. Until it does, its input requests end a pass; afterwards the task lists them.
#[cfg(feature = "tasks")]
pub(crate) trait TaskCall: std::fmt::Debug + Send + Sync {
    /// The call's passes.
    fn passes(&self) -> &Passes;

    /// Whether the call has become a task.
    fn is_started(&self) -> bool;

    /// Waits until the call has become a task, or no longer can.
    fn started(&self) -> BoxFuture<'_, ()>;

    /// Sets the task's message.
    fn set_message(&self, message: &str);

    /// Waits for the response to the input request with this key.
    fn ask<'a>(
        &'a self,
        key: &'a str,
        request: &'a KnownRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, InputRequestError>>;

    /// Rejects the response with this key.
    ///
    /// # Errors
    /// The input cannot be requested again.
    fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError>;
}

impl Pass {
    fn state(&self) -> MutexGuard<'_, PassState> {
        // A panic while the lock was held leaves only complete entries.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PassState {
    /// The response with this key, if there is one.
    fn answer(&mut self, key: &str) -> Option<Box<RawValue>> {
        if let Some((key, answer)) = self.given.remove_entry(key) {
            self.kept.entry(key).or_insert(answer);
        }
        self.kept.get(key).cloned()
    }
}

/// A waiting input request. Dropping it withdraws the request.
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
