//! Incoming JSON-RPC messages: the types of `toolwright_core::protocol`, under the names that this crate uses.

pub(crate) use toolwright_core::protocol::{
    Envelope, EnvelopeMeta as RequestMeta, EnvelopeParams as Params, Malformed, MessageFault as Fault,
    RequestId, string, trimmed,
};
