//! Tools and tool messages as agents hold them.
