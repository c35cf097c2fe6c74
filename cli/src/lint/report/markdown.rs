//! A comment on a pull request.

use std::fmt::Write as _;

use super::{Violation, counts};
use crate::report::code_span;

/// How many violations are listed: comments have a limit, and so have readers.
const MAX_ROWS: usize = 100;

pub(super) fn comment(violations: &[Violation]) -> String {
    if violations.is_empty() {
        return "### MCP tools: nothing found\n".to_owned();
    }
    let mut text = format!(
        "### MCP tools: {}\n\n| level | where | what | what to do |\n|---|---|---|---|\n",
        counts(violations)
    );
    for one in violations.iter().take(MAX_ROWS) {
        let place = one.finding().path;
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "| {} | {} | {} ({}) | {} |",
            one.level,
            code_span(&place),
            code_span(&one.message),
            code_span(one.rule.id()),
            one.rule.info.advice.replace('|', "\\|")
        );
    }
    if violations.len() > MAX_ROWS {
        _ = writeln!(text, "\nand {} more", violations.len() - MAX_ROWS);
    }
    text
}
