//! Which calls may be repeated.

use toolwright_core::definition::ToolDefinition;

/// Returns whether a call of a tool may be repeated if its outcome is unknown: the tool is read-only or idempotent.
pub(crate) fn is_repeatable(tool: &ToolDefinition) -> bool {
    let annotations = tool.annotations.as_ref();
    annotations.is_some_and(|hints| hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true))
}
