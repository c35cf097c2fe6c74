//! The report as a comment on a pull request.

use std::fmt::Write as _;

use super::{Violation, format_counts};
use crate::report::code_span;

/// Maximum number of listed violations, since the size of comments is limited.
const MAX_ROWS: usize = 100;

pub(super) fn render(violations: &[Violation]) -> String {
    if violations.is_empty() {
        return "### MCP tools: nothing found\n".to_owned();
    }
    let mut text = format!(
        "### MCP tools: {}\n\n| level | where | what | what to do |\n|---|---|---|---|\n",
        format_counts(violations)
    );
    for violation in violations.iter().take(MAX_ROWS) {
        let place = violation.finding().path;
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "| {} | {} | {} ({}) | {} |",
            violation.level,
            code_span(&place),
            code_span(&violation.message),
            code_span(violation.rule.id()),
            violation.rule.info.advice.replace('|', "\\|")
        );
    }
    if violations.len() > MAX_ROWS {
        _ = writeln!(text, "\nand {} more", violations.len() - MAX_ROWS);
    }
    text
}
