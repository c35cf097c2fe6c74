//! What of a request its client must answer first, and its answers (2026-07-28, basic/patterns/mrtr).

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::InputRequest;

/// Requests that a client must answer before there is a result (2026-07-28, schema `InputRequiredResult`).
#[derive(Debug, Clone, Default)]
pub struct InputRequired {
    /// What is asked, each under a key of its own. A request that the client has not declared a capability for is an
    /// error; so are more than [`Limits::max_input_requests`](crate::Limits::max_input_requests).
    pub requests: Vec<(String, InputRequest)>,
    /// What the provider needs to go on, such as the `requestState` of another server. It travels with the client,
    /// which cannot change it, nor read it if the feature `encrypted-state` is on (the gateway turns it on). Together with
    /// the responses of earlier rounds it has at most [`Limits::max_request_state_bytes`](crate::Limits::max_request_state_bytes).
    pub state: Option<String>,
}

impl InputRequired {
    /// One request.
    pub fn new(key: impl Into<String>, request: InputRequest) -> Self {
        Self { requests: vec![(key.into(), request)], state: None }
    }

    /// One request more.
    pub fn and(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.push((key.into(), request));
        self
    }

    /// With the state that comes back with the answers.
    pub fn with_state(self, state: impl Into<String>) -> Self {
        Self { state: Some(state.into()), ..self }
    }
}

/// The answers of a client to the requests of an [`InputRequired`].
#[derive(Debug, Clone, Default)]
pub struct InputResponses {
    /// The results, by the keys of the requests: `ElicitResult`, `CreateMessageResult` or `ListRootsResult` of the
    /// schema. They come from a client and may have any form.
    pub responses: BTreeMap<String, Box<RawValue>>,
    /// The state that the provider gave with its requests.
    pub state: Option<String>,
}
