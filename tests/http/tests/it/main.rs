//! The HTTP transport on the wire.

mod agreement;
mod asking;
mod callers;
mod header_sizes;
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
