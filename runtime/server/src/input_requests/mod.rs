//! Input requests to the client: elicitation (a form or a web page for its user), sampling (a completion from its
//! model) and roots (its folders) (2026-07-28, client/elicitation, client/sampling, client/roots).
//!
//! Handlers make input requests through their [`Context`](crate::Context) and continue with the response, in both eras:
//!
//! - Up to 2025-11-25, the input request is sent to the client, and the handler waits for the response.
//! - In 2026-07-28, servers send no requests. The call ends with the open input requests (`input_required`), the
//!   handler's future is dropped, and the client repeats the call with the responses. **The handler then runs again
//!   from its start**, and this time its input requests complete immediately. Code before an input request therefore
//!   has to be harmless when it runs twice: request input first, act afterwards. Responses of earlier rounds travel
//!   with the client, protected against modification ([`StateKeys`]); the server keeps no state.
//!
//! An input request has a key, which identifies it within the call. Different input requests of one call need different
//! keys; repeating a key returns the same response again. Keys must be the same each time the handler runs. Concurrent
//! input requests, for example with `tokio::join!`, reach the client together.

mod elicitation;
mod error;
mod request;
mod roots;
mod sampling;

mod canonical;
mod capabilities;
mod required;
mod room;
mod seal;

pub(crate) mod request_state;
pub(crate) mod round_trips;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use capabilities::ClientCapabilities;
pub use elicitation::Elicited;
pub use error::InputRequestError;
pub use request_state::StateKeys;
pub use required::{InputRequired, InputResponses};
pub use roots::Root;
pub use sampling::{Sampled, Sampling};
pub use toolwright_core::protocol::InputRequest;

pub(crate) use capabilities::declared_extension;
pub(crate) use request::{InputKind, KnownRequest};
pub(crate) use room::Room;

#[cfg(test)]
pub(crate) use room::tests::ample;
#[cfg(feature = "tasks")]
pub(crate) use round_trips::TaskCall;

/// Parses an object; derived code would accept an array as well.
fn object<'a, T: Deserialize<'a>>(answer: &'a RawValue) -> Result<T, String> {
    if !answer.get().starts_with('{') {
        return Err("it must be an object".to_owned());
    }
    serde_json::from_str(answer.get()).map_err(|error| error.to_string())
}
