//! The contract of Toolwright: what a tool is, what its schema says, which arguments it takes and what its
//! results look like. Every other crate points here; this one does no I/O and knows no async runtime.

pub mod tool;
pub mod toolset;

pub mod definition;
pub mod names;
pub mod schema;

pub mod arguments;
pub mod result;

pub mod protocol;

pub mod prompt;
pub mod request;
pub mod resource;

pub mod docs;
pub mod foreign;
pub mod json;
pub mod manifest;
pub mod pointer;
pub mod suggest;
mod workflow;

mod per_type;

pub mod link;

pub use protocol::{content, revision};

#[doc(hidden)]
pub mod __private;
mod derived;
