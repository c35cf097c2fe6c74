//! Servers in the same process or a separate one, and clients: one with handwritten HTTP, and `curl`; a collector of OpenTelemetry.

pub mod client;
pub mod collector;
pub mod lab;
pub mod probes;
pub mod program;
pub mod scripted;
pub mod sse;
pub mod transcript;
