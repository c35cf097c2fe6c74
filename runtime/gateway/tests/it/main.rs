//! A proxy, and a gateway, between clients and a server of either era.

mod controlled;
#[cfg(feature = "http")]
mod internal;
mod many;
mod passed_on;
mod pins;
mod questions;
mod revoked;
mod runs;
mod scoped;
mod shop;
mod worked;
