//! A small authorization server, a shop to protect with it, and a clock for both.

pub mod authorization_server;
pub mod clock;
mod http;
pub mod shop;
mod signer;
pub mod spoken;
pub mod token;
