//! The contract of Toolwright: the protocol as types, tools, their schemas, arguments and results. Every other
//! crate depends on this one. It does no I/O and needs no async runtime.

pub mod protocol;

pub mod tool;
pub mod toolset;

pub mod names;
pub mod schema;

pub mod arguments;
pub mod result;

pub mod prompt;
pub mod request;
pub mod resource;

pub mod docs;
pub mod external;
pub mod future;
pub mod json;
pub mod manifest;
pub mod pointer;
pub mod render;
pub mod suggest;

mod derive_support;
mod error_chain;
mod feature;
mod metadata;
mod per_type;
mod probe;
mod workflow;

pub mod link;

pub use protocol::{content, revision};
pub use tool::definition;

#[doc(hidden)]
pub mod __private;
