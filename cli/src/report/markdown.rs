//! Escapes third-party strings in Markdown.

use toolwright_core::manifest::visible;

/// Returns a code span with this text, which may be part of a table.
pub(crate) fn code_span(text: &str) -> String {
    // A code span cannot end early if its fence is longer than any run of backticks in it.
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = visible(text).replace('|', "\\|");
    format!("{fence}{pad}{text}{pad}{fence}")
}
