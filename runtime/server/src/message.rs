//! One JSON-RPC message as it arrives: what `toolwright_core::protocol` reads, under the names that this crate uses.

pub(crate) use toolwright_core::protocol::{
    Envelope, EnvelopeMeta as RequestMeta, EnvelopeParams as Params, Malformed, MessageFault as Fault,
    RequestId, string, trimmed,
};
