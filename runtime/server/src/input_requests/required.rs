//! Input that a request requires from its client, and the client's responses (2026-07-28, basic/patterns/mrtr).

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::InputRequest;

/// Input requests that a client must answer before there is a result (2026-07-28, schema `InputRequiredResult`).
#[derive(Debug, Clone, Default)]
pub struct InputRequired {
    /// The input requests, each under a unique key. One that requires a capability that the client has not declared is
    /// an error; so are more than [`Limits::max_input_requests`](crate::Limits::max_input_requests).
    pub requests: Vec<(String, InputRequest)>,
    /// The provider's state, such as the `requestState` of another server. It is stored with the client, which cannot
    /// modify it, or read it if the feature `encrypted-state` is on (gateways turn it on). Together with the responses
    /// of earlier rounds, it may have at most
    /// [`Limits::max_request_state_bytes`](crate::Limits::max_request_state_bytes).
    pub state: Option<String>,
}

impl InputRequired {
    /// Requires one input request.
    pub fn new(key: impl Into<String>, request: InputRequest) -> Self {
        Self { requests: vec![(key.into(), request)], state: None }
    }

    /// Adds an input request.
    pub fn and(mut self, key: impl Into<String>, request: InputRequest) -> Self {
        self.requests.push((key.into(), request));
        self
    }

    /// Sets the state that is returned with the responses.
    pub fn with_state(self, state: impl Into<String>) -> Self {
        Self { state: Some(state.into()), ..self }
    }
}

/// A client's responses to the requests of an [`InputRequired`].
#[derive(Debug, Clone, Default)]
pub struct InputResponses {
    /// The results, by the keys of the requests: `ElicitResult`, `CreateMessageResult` or `ListRootsResult` of the
    /// schema. They come from the client and are not validated.
    pub responses: BTreeMap<String, Box<RawValue>>,
    /// The state from the provider's [`InputRequired`].
    pub state: Option<String>,
}
