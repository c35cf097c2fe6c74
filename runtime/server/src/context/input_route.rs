//! Routes the input requests of a call to its client.

use std::sync::OnceLock;
use std::task::Waker;

use serde_json::value::RawValue;

use super::Context;
#[cfg(feature = "tasks")]
use crate::input_requests::TaskCall;
use crate::input_requests::round_trips::Passes;
use crate::input_requests::{ClientCapabilities, InputRequestError, KnownRequest};
use crate::peer::server_requests::Requests;

/// How the input requests of one call reach its client. Allocates nothing before the first one.
#[derive(Debug)]
pub(crate) enum InputRoute {
    /// There is no client.
    Unavailable,
    /// As requests on the connection (up to 2025-11-25).
    Requests(OnceLock<Box<Requests>>),
    /// By ending the call, which the client repeats with the responses (2026-07-28).
    Passes(Passes),
    /// Like passes until the call becomes a task; then the task lists them.
    #[cfg(feature = "tasks")]
    Task(Box<dyn TaskCall>),
}

impl InputRoute {
    /// Creates a route that sends requests on the connection.
    pub(crate) const fn requests() -> Self {
        Self::Requests(OnceLock::new())
    }

    /// Returns the input requests at which the call pauses, after its code was polled; `waker` is woken when another
    /// task adds one.
    pub(crate) fn take_open_requests(&self, waker: Option<&Waker>) -> Option<Vec<(String, KnownRequest)>> {
        self.passes()?.take_open(waker)
    }

    /// The passes of a call that may end with input requests.
    pub(crate) fn passes(&self) -> Option<&Passes> {
        match self {
            Self::Unavailable | Self::Requests(_) => None,
            Self::Passes(passes) => Some(passes),
            #[cfg(feature = "tasks")]
            Self::Task(call) => Some(call.passes()),
        }
    }

    /// Ends the call: no input request is open any more.
    pub(super) fn end(&self) {
        match self {
            Self::Unavailable => {}
            Self::Requests(requests) => {
                if let Some(requests) = requests.get() {
                    requests.end();
                }
            }
            Self::Passes(passes) => passes.end(),
            #[cfg(feature = "tasks")]
            Self::Task(call) => call.passes().end(),
        }
    }
}

impl Context {
    /// Returns the input requests that the client supports; none if the call has no client.
    pub fn client(&self) -> ClientCapabilities {
        match self.input_route() {
            InputRoute::Unavailable => ClientCapabilities::default(),
            InputRoute::Requests(_) => self.declared_by_session(),
            InputRoute::Passes(_) => self.declared_by_request(),
            #[cfg(feature = "tasks")]
            InputRoute::Task(_) => self.declared_by_request(),
        }
    }

    /// Sends an input request until `read` accepts its response.
    pub(super) async fn ask_for<A>(
        &self,
        key: &str,
        request: KnownRequest,
        read: impl Fn(&RawValue) -> Result<A, String>,
    ) -> Result<A, InputRequestError> {
        self.check_request(&request)?;
        loop {
            let answer = self.ask(key, &request).await?;
            match read(&answer) {
                Ok(answer) => return Ok(answer),
                Err(problem) => self.refuse(key, problem)?,
            }
        }
    }

    /// Checks whether the input request may be sent.
    pub(super) fn check_request(&self, request: &KnownRequest) -> Result<(), InputRequestError> {
        if let InputRoute::Unavailable = self.input_route() {
            return Err(InputRequestError::NoClient);
        }
        Ok(self.client().check(request)?)
    }

    /// Waits for the unparsed response to the input request with this key.
    pub(super) async fn ask(
        &self,
        key: &str,
        request: &KnownRequest,
    ) -> Result<Box<RawValue>, InputRequestError> {
        let call = self.outermost();
        match call.input_route() {
            InputRoute::Unavailable => Err(InputRequestError::NoClient),
            InputRoute::Requests(requests) => {
                let peer = call.peer().ok_or(InputRequestError::Ended)?;
                let requests = requests.get_or_init(|| Box::new(Requests::new(&peer)));
                requests.ask(&peer, call.revision(), key, request).await
            }
            InputRoute::Passes(_) if call.has_ended() => Err(InputRequestError::Ended),
            InputRoute::Passes(passes) => passes.ask(key, request).await,
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) if !task.is_started() && call.has_ended() => Err(InputRequestError::Ended),
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) => task.ask(key, request).await,
        }
    }

    /// Rejects the response with this key.
    fn refuse(&self, key: &str, problem: String) -> Result<(), InputRequestError> {
        match self.input_route() {
            InputRoute::Unavailable => Err(InputRequestError::NoClient),
            InputRoute::Requests(_) => Err(InputRequestError::Unusable(problem)),
            InputRoute::Passes(passes) => {
                passes.refuse(key);
                Ok(())
            }
            #[cfg(feature = "tasks")]
            InputRoute::Task(task) => task.refuse(key, problem),
        }
    }
}
