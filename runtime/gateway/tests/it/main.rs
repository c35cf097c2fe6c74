//! A proxy, and a gateway, between clients and a server of either era.

mod bridge;
#[cfg(all(feature = "http", feature = "oauth"))]
mod callers;
mod controlled;
mod expiry;
#[cfg(feature = "http")]
mod internal;
mod kinds;
mod many;
mod passed_on;
mod pins;
mod provided_tasks;
mod questions;
mod revoked;
mod runs;
mod scoped;
mod shop;
#[cfg(feature = "skills")]
mod skills;
mod tasks;
#[cfg(feature = "http")]
mod upstream;
mod worked;
