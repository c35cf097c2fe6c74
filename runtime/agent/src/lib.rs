//! Tools and tool messages as agents hold them.

pub mod parts;
