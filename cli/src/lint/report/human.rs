//! The report for people: the violations of each definition in the style of rustc, with clients and advice at the first one of a
//! rule.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level as SnippetLevel, Origin, Renderer, Snippet};
use clap_cargo::style;
use toolwright_core::manifest::{Kind, visible};

use super::super::location::SourceLocation;
use super::{Violation, format_counts};
use crate::report::Severity;

pub(super) fn render(violations: &[Violation]) -> String {
    // Colors are removed later if standard output is not a terminal.
    let renderer = Renderer::styled();
    let (mut text, mut explained) = (String::new(), BTreeSet::new());
    for of_definition in violations.chunk_by(|left, right| heading(left) == heading(right)) {
        let (heading, counts) = (visible(&heading(&of_definition[0])), format_counts(of_definition));
        // Writing to a string cannot fail.
        _ = writeln!(text, "{0}{heading}{0:#}: {counts}\n", style::HEADER);
        for violation in of_definition {
            let is_explained = explained.insert(violation.rule.id());
            text += &renderer.render(&[group(violation, is_explained)]);
            text += "\n\n";
        }
    }
    text
}

/// Returns what a violation is about: a tool by its name, others with what they are.
fn heading(violation: &Violation) -> String {
    let server = &violation.server;
    match &violation.place.of {
        Some(of) if of.kind == Kind::Tools => format!("`{}` of {server}", of.name),
        Some(of) => format!("the {} `{}` of {server}", of.kind.one(), of.name),
        None => format!("server {server}"),
    }
}

fn group(violation: &Violation, is_explained: bool) -> Group<'_> {
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
    if !pointer.is_empty() {
        group = group.element(SnippetLevel::NOTE.with_name("in").message(visible(pointer)));
    }
    if is_explained && !violation.rule.clients.is_empty() {
        group = group.element(SnippetLevel::NOTE.with_name("for").message(violation.rule.clients_in_words()));
    }
    if is_explained {
        group = group.element(SnippetLevel::HELP.message(&*violation.rule.info.advice));
    }
    group
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
