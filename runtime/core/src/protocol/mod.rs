//! The Model Context Protocol as types, for servers, clients and whatever stands between them.
//!
//! Everything here is read and written, in both directions and for all revisions ([`Revision`]). What a type does not know
//! it keeps and writes again, so that a program in the middle hands on what it does not understand. Optional lists
//! make no difference between absent and empty: both are read as an empty list, which is not written.
//!
//! - A message: [`Message`], read comfortably, and [`Envelope`], read without a copy; [`RequestId`], [`ErrorObject`].
//! - Names: of methods ([`method`]), of keys of `_meta` ([`meta`]), of extensions ([`extension`]); codes of errors
//!   ([`error`]).

pub mod error;
pub mod extension;
pub mod meta;
pub mod method;

pub mod envelope;
mod id;
mod logging;
mod message;
pub mod revision;

pub use envelope::{Envelope, EnvelopeMeta, EnvelopeParams, Malformed, MessageFault};
pub use error::ErrorObject;
pub use id::{RequestId, string, trimmed};
pub use logging::{LogLevel, LogMessage, SetLevelParams};
pub use message::{Message, Notification, Request, Response};
pub use revision::Revision;

use serde::{Deserialize, Deserializer};

/// Keeps `null` apart from an absent member; for members that may be any JSON value.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Members that are rarely there, for `#[serde(flatten)]`.
pub(crate) mod boxed {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::{Map, Value};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(crate) fn serialize<S: Serializer>(
        members: &Option<Box<Map<String, Value>>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        members.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<Map<String, Value>>>, D::Error> {
        let members = Map::deserialize(deserializer)?;
        Ok((!members.is_empty()).then(|| Box::new(members)))
    }
}
