//! Reports of commands: findings for people, programs and code scanning.
//!
//! `lint` and `diff` implement [`Report`]. This module selects the format, colors and exit code for both.

mod github;
mod manifest_text;
mod markdown;
mod rule;
mod sarif;

use clap::ValueEnum;

use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

pub(crate) use manifest_text::ManifestText;
pub(crate) use markdown::code_span;
pub(crate) use rule::Rule;
#[cfg(test)]
pub(crate) use sarif::document as sarif_document;

/// The formats of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a pull request, by GitHub Actions
    Github,
    /// A comment on a pull request
    Markdown,
}

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Note,
    Warning,
    Error,
}

/// The results of one run of a command.
pub(crate) trait Report {
    /// The command, as users call it.
    const COMMAND: &'static str;

    /// Returns the place of a rule's description in this repository.
    fn page(rule: &Rule) -> String;

    /// The rules that the report refers to, each with its default severity.
    fn rules(&self) -> Vec<(&Rule, Severity)>;

    /// The findings, in display order.
    fn findings(&self) -> Vec<Finding<'_>>;

    /// The report for people, with colors. Third-party strings in it are
    /// [`visible`](toolwright_core::manifest::visible).
    fn text(&self) -> String;

    /// The report for programs.
    fn json(&self) -> String;

    /// The report as a comment in Markdown.
    fn markdown(&self) -> String;
}

/// A finding, in the form of third-party formats.
#[derive(Debug)]
pub(crate) struct Finding<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) severity: Severity,
    /// Whether the run fails because of it.
    pub(crate) is_denied: bool,
    pub(crate) message: String,
    /// The name of the tool, prompt or server, or the URI of the resource.
    pub(crate) name: &'r str,
    /// The same with its server, if known, and the JSON Pointer into the definition.
    pub(crate) path: String,
    pub(crate) location: Option<Location<'r>>,
    /// Why it is allowed, if it is.
    pub(crate) allowed: Option<&'r str>,
}

/// A location in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location<'r> {
    pub(crate) file: &'r str,
    /// Line and column, in characters and starting at 1; `None` for the whole file.
    pub(crate) position: Option<(usize, usize)>,
    /// The position behind the last character, if known.
    pub(crate) end: Option<(usize, usize)>,
}

/// Prints the report; the run fails if a finding is denied.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn print<R: Report>(report: &R, format: ReportFormat) -> Result<Exit, Error> {
    match format {
        ReportFormat::Text => shell::print_styled(&report.text())?,
        ReportFormat::Json => shell::print_json(&report.json())?,
        ReportFormat::Sarif => shell::print_json(&sarif::document(report))?,
        ReportFormat::Github => shell::print_commands(&github::commands(&report.findings()))?,
        ReportFormat::Markdown => shell::print(&report.markdown())?,
    }
    let is_denied = report.findings().iter().any(|finding| finding.is_denied);
    Ok(if is_denied { Exit::Findings } else { Exit::Ok })
}
