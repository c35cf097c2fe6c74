//! For people, as rustc shows its own.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Origin, Renderer, Snippet};

use super::super::rule::Level;
use super::super::{Finding, Location};
use toolwright_core::manifest::{Kind, visible};

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
        let file = visible(&location.file);
        report = match &location.text {
            Some((line, range)) => {
                let (line, range) = visible_line(line, range.clone());
                report.element(
                    Snippet::source(line)
                        .line_start(location.line)
                        .path(file)
                        .annotation(AnnotationKind::Primary.span(range)),
                )
            }
            None => report.element(origin(file, location)),
        };
    }
    let pointer = &finding.place.pointer;
    let place = match &finding.place.of {
        Some(of) => {
            let kind = if of.kind == Kind::Tools { String::new() } else { format!("the {} ", of.kind.one()) };
            let comma = if pointer.is_empty() { "" } else { ", " };
            format!("{kind}`{}` of {}{comma}{pointer}", of.name, finding.server)
        }
        None => format!("server {}, {pointer}", finding.server),
    };
    report = report.element(Shown::NOTE.with_name("in").message(visible(&place)));
    if !finding.rule.clients.is_empty() {
        report = report.element(Shown::NOTE.with_name("for").message(finding.rule.clients_in_words()));
    }
    report.element(Shown::HELP.message(&*finding.rule.advice))
}

fn origin(file: String, location: &Location) -> Origin<'static> {
    Origin::path(file).line(location.line).char_column(location.column)
}

/// A line as a terminal may show it, and where in it the range is then.
fn visible_line(line: &str, range: Range<usize>) -> (String, Range<usize>) {
    let shown = |part: &str| part.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    let [before, marked, after] = [&line[..range.start], &line[range.clone()], &line[range.end..]].map(shown);
    let range = before.len()..before.len() + marked.len();
    (before + &marked + &after, range)
}
