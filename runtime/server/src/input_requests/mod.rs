//! Elicitation, sampling and roots while the client waits: a form or a web page for its user, a text of its model, its
//! folders (2026-07-28, client/elicitation, client/sampling, client/roots).
//!
//! A handler asks through its [`Context`](crate::Context) and goes on with the answer, in both eras:
//!
//! - Up to 2025-11-25 the input request is a request to the client, and the handler waits where it is.
//! - In 2026-07-28 a server sends no requests. The call ends with the input requests that are open (`input_required`), the
//!   handler's future is dropped, and the client calls again with the answers. **The handler then runs again from its
//!   start**, and this time its input requests are answered at once. So whatever stands before an input request must do no harm when
//!   it is done twice: ask first, act afterwards. Answers of earlier rounds travel with the client, protected
//!   against change ([`StateKeys`]); the server keeps nothing.
//!
//! An input request has a key, which is its name within the call. Two input requests of one call have two keys; asking again under
//! a key gives the same answer again. Keys must be the same each time the handler runs. Input requests that are asked at the
//! same time, with `tokio::join!`, reach the client together.

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
pub use request::InputRequest;
pub use request_state::StateKeys;
pub use required::{InputRequired, InputResponses};
pub use roots::Root;
pub use sampling::{Sampled, Sampling};

pub(crate) use capabilities::declared_extension;
pub(crate) use request::{InputKind, KnownRequest};
pub(crate) use room::Room;

#[cfg(test)]
pub(crate) use room::tests::ample;
#[cfg(feature = "tasks")]
pub(crate) use round_trips::TaskCall;

/// Reads an object and nothing else: derived code would take an array, member by member.
fn object<'a, T: Deserialize<'a>>(answer: &'a RawValue) -> Result<T, String> {
    if !answer.get().starts_with('{') {
        return Err("it must be an object".to_owned());
    }
    serde_json::from_str(answer.get()).map_err(|error| error.to_string())
}
