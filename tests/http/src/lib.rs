//! A server in the same process, and a client that writes HTTP by hand.

pub mod client;
pub mod lab;
pub mod probes;
