//! A server in the same process or in one of its own, and clients: one that writes HTTP by hand, and `curl`.

pub mod client;
pub mod lab;
pub mod probes;
pub mod program;
pub mod sse;
pub mod talkers;
pub mod transcript;
