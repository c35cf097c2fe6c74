//! Tasks: calls that go on after they were answered (SEP-2663, extension `io.modelcontextprotocol/tasks`).

mod calls;
mod listening;
mod operations;
mod questions;
mod random;
mod stage;
mod stores;
mod times;
