//! Workflow commands: GitHub Actions shows them beside the lines of a pull request.

use std::fmt::Write as _;

use toolwright_core::manifest::visible;

use super::super::Finding;
use super::super::rule::Level;

pub(super) fn commands(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note | Level::Allow => "notice",
        };
        let mut properties = format!("title={}", property(finding.rule.id));
        if let Some(place) = &finding.location {
            // Writing to a string cannot fail.
            _ = write!(
                properties,
                ",file={},line={},col={}",
                property(&place.file),
                place.line,
                place.column
            );
        }
        let message = format!("{}\n{}", finding.message, finding.rule.advice);
        _ = writeln!(text, "::{command} {properties}::{}", data(&message));
    }
    text
}

/// What would end a message, written out. Of line ends only those are left that this program wrote.
fn data(text: &str) -> String {
    let text = text.split('\n').map(visible).collect::<Vec<_>>().join("\n").replace("##[", "#\\u{23}[");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What would end a property, written out.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}
