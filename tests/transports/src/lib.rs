//! One server, and clients of it over every transport, with a common interface.

pub mod frames;
pub mod front;
mod hostile;
pub mod http;
pub mod link;
mod relay;
pub mod scenarios;
pub mod stage;
pub mod transports;
pub mod wires;
