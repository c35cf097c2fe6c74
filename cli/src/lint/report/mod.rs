//! The report of `cargo mcp lint`.

mod human;
mod json;
mod markdown;

use std::fmt::Write as _;

use super::location::SourceLocation;
use super::rule::{Level, LintRule, RULES};
use super::subject::Place;
use crate::report::{self, Finding, Report, Rule, Severity};
use crate::shell::Shell;

/// A violation of a rule by a definition.
#[derive(Debug)]
pub(super) struct Violation {
    pub(super) rule: &'static LintRule,
    pub(super) level: Level,
    /// Whether the run fails because of it.
    pub(super) is_denied: bool,
    pub(super) server: String,
    pub(super) place: Place,
    pub(super) location: Option<SourceLocation>,
    pub(super) message: String,
}

/// The violations of a run.
#[derive(Debug)]
pub(super) struct LintReport {
    pub(super) violations: Vec<Violation>,
}

impl Report for LintReport {
    const COMMAND: &'static str = "cargo mcp lint";

    fn page(rule: &Rule) -> String {
        format!("docs/lints.md#{}", rule.id)
    }

    fn rules(&self) -> Vec<(&Rule, Severity)> {
        RULES.iter().map(|rule| (&rule.info, rule.level.severity())).collect()
    }

    fn findings(&self) -> Vec<Finding<'_>> {
        self.violations.iter().map(Violation::finding).collect()
    }

    fn text(&self) -> String {
        human::render(&self.violations)
    }

    fn json(&self) -> String {
        json::render(&self.violations)
    }

    fn markdown(&self) -> String {
        markdown::render(&self.violations)
    }
}

impl Violation {
    fn finding(&self) -> Finding<'_> {
        let of = self.place.of.as_ref();
        let path = match of {
            Some(of) => format!("{}/{}{}", self.server, of.name, self.place.pointer),
            None => format!("{}{}", self.server, self.place.pointer),
        };
        Finding {
            rule: &self.rule.info,
            severity: self.level.severity(),
            is_denied: self.is_denied,
            message: self.message.clone(),
            name: of.map_or(self.server.as_str(), |of| of.name.as_str()),
            path,
            location: self.location.as_ref().map(|place| report::Location {
                file: &place.file,
                position: Some((place.line, place.column)),
                end: place.end,
            }),
            allowed: None,
        }
    }
}

impl LintReport {
    /// Prints the number of violations, and how to see more, on standard error.
    pub(super) fn summarize(&self, hidden_notes: usize, shell: Shell) {
        let counts = self.counts();
        let mut text = if counts.is_empty() { "nothing found".to_owned() } else { counts.clone() };
        if hidden_notes > 0 {
            let s = if hidden_notes == 1 { "" } else { "s" };
            // Writing to a string cannot fail.
            _ = write!(text, "; {hidden_notes} note{s} not shown: --notes");
        }
        if !counts.is_empty() {
            text += "\n  for the reason and how to fix it: cargo mcp lint --explain RULE";
        }
        shell.note(&text);
    }

    fn counts(&self) -> String {
        format_counts(&self.violations)
    }
}

/// Formats the number of violations: `1 error, 2 warnings`; empty if there are none.
fn format_counts(violations: &[Violation]) -> String {
    let count = |level| violations.iter().filter(|one| one.level == level).count();
    let counts: Vec<_> = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")]
        .into_iter()
        .filter_map(|(level, word)| match count(level) {
            0 => None,
            1 => Some(format!("1 {word}")),
            number => Some(format!("{number} {word}s")),
        })
        .collect();
    counts.join(", ")
}
