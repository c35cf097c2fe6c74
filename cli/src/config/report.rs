//! Formats problems for people and for programs.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};
use toolwright_client::config::{Problem, Severity, Source};
use toolwright_core::manifest::visible;

/// Maximum length in bytes of a line that is shown. A file may be a single line.
const MAX_QUOTED_LINE: usize = 4 << 10;

/// Formats a problem in the style of rustc, with its line of the file. Values that may be secret are hidden.
pub(super) fn text(source: &Source, problem: &Problem) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = visible(&problem.message);
    let file = visible(source.name());
    let line = source.redacted_line(problem.line).filter(|line| line.len() <= MAX_QUOTED_LINE);
    let mut group = Group::with_title(level.primary_title(&*title).id(problem.kind.as_str()));
    if let Some(line) = line {
        let start = source.line_start(problem.line);
        let from = problem.span.start.saturating_sub(start).min(line.len());
        let to = problem.span.end.saturating_sub(start).clamp(from, line.len());
        let [before, marked, after] = [line.get(..from), line.get(from..to), line.get(to..)]
            .map(|part| part.unwrap_or_default().split('\t').map(visible).collect::<Vec<_>>().join("\t"));
        let range = before.len()..before.len() + marked.len();
        group = group.element(
            Snippet::source(before + &marked + &after)
                .line_start(problem.line)
                .path(file)
                .annotation(AnnotationKind::Primary.span(range)),
        );
    } else {
        let origin = annotate_snippets::Origin::path(file).line(problem.line).char_column(problem.column);
        group = group.element(origin);
    }
    let place = match (&problem.server, &problem.member) {
        (Some(server), Some(member)) => Some(format!("server {server}, `{member}`")),
        (Some(server), None) => Some(format!("server {server}")),
        (None, Some(member)) => Some(format!("`{member}`")),
        (None, None) => None,
    };
    if let Some(place) = place {
        group = group.element(Level::NOTE.with_name("in").message(visible(&place)));
    }
    if let Some(help) = &problem.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    Renderer::styled().render(&[group]) + "\n\n"
}

/// Formats a problem as JSON.
pub(super) fn json(source: &Source, problem: &Problem) -> Value {
    json!({
        "file": source.name(),
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity.as_str(),
        "kind": problem.kind.as_str(),
        "server": problem.server,
        "member": problem.member,
        "message": problem.message,
        "help": problem.help,
    })
}
