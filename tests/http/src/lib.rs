//! Servers in the same process or a separate one, and clients: one with handwritten HTTP, and `curl`.

pub mod client;
pub mod lab;
pub mod probes;
pub mod program;
pub mod scripted;
pub mod sse;
pub mod transcript;
