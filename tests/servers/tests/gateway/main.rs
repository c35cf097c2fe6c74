//! `cargo mcp gateway` as users run it: real clients in front of real servers, the commands of docs/gateway.md as written, and
//! the examples of how to deploy it.
//!
//! `tests/setup.sh` installs clients and servers at pinned versions. A missing one fails its test.

mod clients;
mod deployment;
mod documents;
mod plan;
mod running;
mod rust_client;
mod stage;
mod start;
