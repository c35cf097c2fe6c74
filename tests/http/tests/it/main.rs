//! The HTTP transport on the wire.

mod agreement;
mod callers;
mod header_sizes;
mod input_requests;
mod modern;
mod mounted;
mod polling;
mod requests;
mod resumption;
mod sessions;
mod sse;
mod tasks;
mod unread;
mod versions;
