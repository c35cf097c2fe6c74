//! What was found, for people and for programs.

mod github;
mod json;
mod sarif;
mod text;

use std::fmt::Write as _;

use super::Finding;
use super::args::ReportFormat;
use super::rule::Level;
use crate::error::Error;
use crate::shell::{self, Shell};

/// Writes the findings to standard output.
pub(super) fn write(findings: &[Finding], format: ReportFormat) -> Result<(), Error> {
    match format {
        ReportFormat::Text => text::write(findings),
        ReportFormat::Json => shell::print_json(&json::lines(findings)),
        ReportFormat::Sarif => shell::print_json(&sarif::document(findings)),
        ReportFormat::Github => shell::print_commands(&github::commands(findings)),
    }
}

/// Says on standard error how much was found, and what else there is to see.
pub(super) fn summary(findings: &[Finding], hidden_notes: usize, shell: Shell) {
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let counts: Vec<_> = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")]
        .into_iter()
        .filter_map(|(level, word)| match count(level) {
            0 => None,
            1 => Some(format!("1 {word}")),
            number => Some(format!("{number} {word}s")),
        })
        .collect();
    let mut text = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
    if hidden_notes > 0 {
        let s = if hidden_notes == 1 { "" } else { "s" };
        // Writing to a string cannot fail.
        _ = write!(text, "; {hidden_notes} note{s} not shown: --notes");
    }
    if !counts.is_empty() {
        text += "\n  why, and how to mend it: cargo mcp lint --explain RULE";
    }
    shell.note(&text);
}
