//! Workflow commands: GitHub Actions shows them next to the lines of a pull request.

use std::fmt::Write as _;

use toolwright_core::manifest::visible;

use super::{Finding, Severity};

pub(super) fn commands(findings: &[Finding<'_>]) -> String {
    let mut text = String::new();
    for finding in findings {
        // Allowed findings are shown as notices.
        let command = match finding.severity {
            _ if finding.allowed.is_some() => "notice",
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut properties = format!("title={}", property(&finding.rule.id));
        // Writing to a string cannot fail.
        if let Some(place) = finding.location {
            _ = write!(properties, ",file={}", property(place.file));
            if let Some((line, column)) = place.position {
                _ = write!(properties, ",line={line},col={column}");
                if let Some((line, column)) = place.end {
                    // The last column is part of the range.
                    _ = write!(properties, ",endLine={line},endColumn={}", column.saturating_sub(1).max(1));
                }
            }
        }
        // Only the line break between the two is written by this program.
        let message = format!("{}\n{}", visible(&finding.message), finding.rule.advice);
        _ = writeln!(text, "::{command} {properties}::{}", data(&message));
    }
    text
}

/// Escapes characters that would end a message. Only line breaks of this program are kept.
fn data(text: &str) -> String {
    let text = text.split('\n').map(visible).collect::<Vec<_>>().join("\n").replace("##[", "#\\u{23}[");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes characters that would end a property.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}
