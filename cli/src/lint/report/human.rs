//! The report for people, in the style of rustc.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level as SnippetLevel, Origin, Renderer, Snippet};

use toolwright_core::manifest::{Kind, visible};

use super::super::location::SourceLocation;
use super::Violation;
use crate::report::Severity;

pub(super) fn render(violations: &[Violation]) -> String {
    // Colors are removed later if standard output is not a terminal.
    let renderer = Renderer::styled();
    violations.iter().map(|violation| renderer.render(&[group(violation)]) + "\n\n").collect()
}

fn group(violation: &Violation) -> Group<'_> {
    let level = match violation.level.severity() {
        Severity::Error => SnippetLevel::ERROR,
        Severity::Warning => SnippetLevel::WARNING,
        Severity::Note => SnippetLevel::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&*violation.message).id(violation.rule.id()));
    if let Some(location) = &violation.location {
        let file = visible(&location.file);
        group = match &location.text {
            Some((line, range)) => {
                let (line, range) = visible_line(line, range.clone());
                group.element(
                    Snippet::source(line)
                        .line_start(location.line)
                        .path(file)
                        .annotation(AnnotationKind::Primary.span(range)),
                )
            }
            None => group.element(origin(file, location)),
        };
    }
    let pointer = &violation.place.pointer;
    let place = match &violation.place.of {
        Some(of) => {
            let kind = if of.kind == Kind::Tools { String::new() } else { format!("the {} ", of.kind.one()) };
            let comma = if pointer.is_empty() { "" } else { ", " };
            format!("{kind}`{}` of {}{comma}{pointer}", of.name, violation.server)
        }
        None => format!("server {}, {pointer}", violation.server),
    };
    group = group.element(SnippetLevel::NOTE.with_name("in").message(visible(&place)));
    if !violation.rule.clients.is_empty() {
        group = group.element(SnippetLevel::NOTE.with_name("for").message(violation.rule.clients_in_words()));
    }
    group.element(SnippetLevel::HELP.message(&*violation.rule.info.advice))
}

fn origin(file: String, location: &SourceLocation) -> Origin<'static> {
    Origin::path(file).line(location.line).char_column(location.column)
}

/// Escapes hidden characters of a line, and returns the new position of the range.
fn visible_line(line: &str, range: Range<usize>) -> (String, Range<usize>) {
    let escape = |part: &str| part.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    let [before, marked, after] =
        [&line[..range.start], &line[range.clone()], &line[range.end..]].map(escape);
    let range = before.len()..before.len() + marked.len();
    (before + &marked + &after, range)
}
