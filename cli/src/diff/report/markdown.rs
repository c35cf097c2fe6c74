//! The report as a comment on a pull request: short, with collapsed details.

use std::fmt::Write as _;

use toolwright_core::manifest::{format_change, format_value};

use super::{DiffReport, ReportedChange, UNDECIDED, witness_label};
use crate::diff::rule::Class;
use crate::report::code_span;

/// Maximum number of listed changes per class, since the size of comments is limited.
const MAX_ROWS: usize = 100;

pub(super) fn render(report: &DiffReport) -> String {
    let [breaking, compatible, documentation] = Class::ALL.map(|class| report.count(class));
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    // Writing to a string cannot fail.
    let mut text = String::new();
    _ = match breaking {
        0 if report.changes.is_empty() => writeln!(text, "### MCP tools: no changes\n"),
        0 => writeln!(text, "### MCP tools: nothing breaks\n"),
        _ => writeln!(
            text,
            "### MCP tools: {breaking} breaking change{}{}\n",
            plural(breaking),
            count_allowed(report)
        ),
    };
    _ = writeln!(text, "From {} to {}.", code_span(&report.old), code_span(&report.new));
    if breaking > 0 {
        text.push('\n');
        write_table(&mut text, report, Class::Breaking);
        _ = writeln!(text, "\n<details><summary>Why, and what to do</summary>\n");
        for group in report.by_rule(Class::Breaking) {
            let rule = &group[0].change.rule.info;
            _ = writeln!(
                text,
                "- **{}** ({}): {}. Instead: {}.",
                rule.summary,
                code_span(&rule.id),
                rule.why,
                rule.advice
            );
        }
        _ = writeln!(text, "\n</details>");
    }
    for (class, count) in [(Class::Compatible, compatible), (Class::Documentation, documentation)] {
        if count > 0 {
            _ = writeln!(
                text,
                "\n<details><summary>{count} {} change{}</summary>\n",
                class.name(),
                plural(count)
            );
            write_table(&mut text, report, class);
            _ = writeln!(text, "\n</details>");
        }
    }
    text
}

/// Formats the number of allowed breaking changes; empty if there are none.
fn count_allowed(report: &DiffReport) -> String {
    let is_allowed = |reported: &&ReportedChange| {
        reported.change.rule.class == Class::Breaking && reported.allowed.is_some()
    };
    match report.changes.iter().filter(is_allowed).count() {
        0 => String::new(),
        count => format!(", {count} allowed"),
    }
}

fn write_table(text: &mut String, report: &DiffReport, class: Class) {
    _ = writeln!(text, "| where | what | before | after |\n|---|---|---|---|");
    let rows: Vec<_> = report.by_rule(class).into_iter().flatten().collect();
    for reported in rows.iter().take(MAX_ROWS) {
        write_row(text, reported);
    }
    if rows.len() > MAX_ROWS {
        _ = writeln!(text, "\nand {} more", rows.len() - MAX_ROWS);
    }
}

fn write_row(text: &mut String, reported: &ReportedChange) {
    let change = &reported.change;
    let [old, new] = match (&change.old, &change.new) {
        (Some(old), Some(new)) => format_change(old, new).map(|value| code_span(&value)),
        (old, new) => [old, new]
            .map(|value| value.as_ref().map(|value| code_span(&format_value(value))).unwrap_or_default()),
    };
    let mut what = change.rule.info.summary.clone();
    if let Some(witness) = &change.witness {
        _ = write!(what, "; {}: {}", witness_label(change), code_span(&format_value(witness)));
    }
    if let Some(why) = &change.undecided {
        _ = write!(what, "; {UNDECIDED}: {}", code_span(why));
    }
    if let Some(reason) = &reported.allowed {
        _ = write!(what, "; allowed: {}", code_span(reason));
    }
    _ = writeln!(text, "| {} | {what} | {old} | {new} |", code_span(&change.place()));
}
