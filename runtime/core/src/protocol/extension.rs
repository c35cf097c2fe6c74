//! Extension identifiers (2026-07-28, extensions/overview): the keys of `capabilities.extensions`.

/// Agent Skills as resources (SEP-2640).
pub const SKILLS: &str = "io.modelcontextprotocol/skills";
/// Tool calls that are answered with a task (SEP-2663).
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
/// Tools with user interfaces (SEP-1865, "MCP Apps").
pub const UI: &str = "io.modelcontextprotocol/ui";
