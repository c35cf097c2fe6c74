//! A proxy, and a gateway, between clients and a server of either era.

#[cfg(all(feature = "http", feature = "oauth"))]
mod callers;
mod bridge;
mod controlled;
mod expiry;
#[cfg(feature = "http")]
mod internal;
mod kinds;
mod many;
mod passed_on;
mod pins;
mod questions;
mod revoked;
mod runs;
mod scoped;
mod shop;
#[cfg(feature = "http")]
mod upstream;
mod worked;
