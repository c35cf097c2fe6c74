//! For people, as rustc shows its own.

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Origin, Renderer, Snippet};

use super::super::rule::Level;
use super::super::{Finding, Location, characters};
use crate::error::Error;
use crate::shell;

pub(super) fn write(findings: &[Finding]) -> Result<(), Error> {
    // Colours are taken out again where standard output is no terminal.
    let renderer = Renderer::styled();
    for finding in findings {
        shell::print_styled(&(renderer.render(&[report(finding)]) + "\n\n"))?;
    }
    Ok(())
}

fn report(finding: &Finding) -> Group<'_> {
    let level = match finding.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Note | Level::Allow => Shown::NOTE,
    };
    let mut report = Group::with_title(level.primary_title(&*finding.message).id(finding.rule.id));
    if let Some(location) = &finding.location {
        report = match &location.text {
            Some((line, range)) => report.element(
                Snippet::source(line)
                    .line_start(location.line)
                    .path(&*location.file)
                    .annotation(AnnotationKind::Primary.span(range.clone())),
            ),
            None => report.element(origin(location)),
        };
    }
    let place = match &finding.place.tool {
        Some(tool) if finding.place.pointer.is_empty() => format!("`{tool}` of {}", finding.server),
        Some(tool) => format!("`{tool}` of {}, {}", finding.server, finding.place.pointer),
        None => format!("server {}, {}", finding.server, finding.place.pointer),
    };
    report = report.element(Shown::NOTE.with_name("in").message(characters::shown(&place)));
    if !finding.rule.clients.is_empty() {
        report = report.element(Shown::NOTE.with_name("for").message(finding.rule.clients_in_words()));
    }
    report.element(Shown::HELP.message(&*finding.rule.advice))
}

fn origin(location: &Location) -> Origin<'_> {
    Origin::path(&*location.file).line(location.line).char_column(location.column)
}
