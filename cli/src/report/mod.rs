//! What commands report: findings for people, for programs and for code scanning.
//!
//! `lint` and `diff` implement [`Report`]. Which format is written, where colours go and how the run ends is decided here, once
//! for both.

mod github;
mod markdown;
mod rule;
mod sarif;

use clap::ValueEnum;

use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

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

/// What one run of a command found.
pub(crate) trait Report {
    /// The command, as users call it.
    const COMMAND: &'static str;

    /// The rules that the report names, each with the severity that it has by itself.
    fn rules(&self) -> Vec<(&Rule, Severity)>;

    /// What was found, in the order in which it is shown.
    fn findings(&self) -> Vec<Finding<'_>>;

    /// The report for people, with colours. Strings of others in it are [`visible`](toolwright_core::manifest::visible).
    fn text(&self) -> String;

    /// The report for programs.
    fn json(&self) -> String;

    /// The report as a comment in Markdown.
    fn markdown(&self) -> String;
}

/// Something that was found, as formats of others show it.
#[derive(Debug)]
pub(crate) struct Finding<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) severity: Severity,
    /// The run fails for it.
    pub(crate) is_denied: bool,
    pub(crate) message: String,
    /// The name of the tool, the prompt or the server that it is about, or the address of the resource.
    pub(crate) name: &'r str,
    /// The same with its server, as far as that is known, and the JSON Pointer into the definition.
    pub(crate) path: String,
    pub(crate) location: Option<Location<'r>>,
    /// Why it is wanted, if it is.
    pub(crate) allowed: Option<&'r str>,
}

/// A place in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location<'r> {
    pub(crate) file: &'r str,
    /// Line and column, in characters and from 1; none for the whole file.
    pub(crate) position: Option<(usize, usize)>,
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
