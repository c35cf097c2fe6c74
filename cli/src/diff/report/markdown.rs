//! A comment on a pull request: short, with the rest to unfold.

use std::fmt::Write as _;

use toolwright_core::manifest::{shown, shown_change, visible};

use super::{Report, witness_label};
use crate::diff::check::Class;
use crate::diff::finding::Finding;

/// How many changes of a class are listed: comments have a limit, and so has patience.
const MAX_ROWS: usize = 100;

pub(super) fn written(report: &Report) -> String {
    let [breaking, compatible, documentation] = Class::ALL.map(|class| report.count(class));
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    // Writing to a string cannot fail.
    let mut text = String::new();
    _ = match breaking {
        0 if report.findings.is_empty() => writeln!(text, "### MCP tools: no changes\n"),
        0 => writeln!(text, "### MCP tools: nothing breaks\n"),
        _ => writeln!(
            text,
            "### MCP tools: {breaking} breaking change{}{}\n",
            plural(breaking),
            allowed(report)
        ),
    };
    _ = writeln!(text, "From {} to {}.", code(&report.old), code(&report.new));
    if breaking > 0 {
        text.push('\n');
        table(&mut text, report, Class::Breaking);
        _ = writeln!(text, "\n<details><summary>Why, and what to do</summary>\n");
        for group in report.by_check(Class::Breaking) {
            let check = group[0].0.check;
            _ = writeln!(
                text,
                "- **{}** ({}): {}. Instead: {}.",
                check.title,
                code(&check.id),
                check.why,
                check.fix
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
            table(&mut text, report, class);
            _ = writeln!(text, "\n</details>");
        }
    }
    text
}

/// How many of the breaking changes are allowed, if some are.
fn allowed(report: &Report) -> String {
    let is_allowed =
        |entry: &&(Finding, Option<String>)| entry.0.check.class == Class::Breaking && entry.1.is_some();
    match report.findings.iter().filter(is_allowed).count() {
        0 => String::new(),
        count => format!(", {count} allowed"),
    }
}

fn table(text: &mut String, report: &Report, class: Class) {
    _ = writeln!(text, "| where | what | before | after |\n|---|---|---|---|");
    let rows: Vec<_> = report.by_check(class).into_iter().flatten().collect();
    for (finding, reason) in rows.iter().take(MAX_ROWS) {
        row(text, finding, reason.as_deref());
    }
    if rows.len() > MAX_ROWS {
        _ = writeln!(text, "\nand {} more", rows.len() - MAX_ROWS);
    }
}

fn row(text: &mut String, finding: &Finding, reason: Option<&str>) {
    let [old, new] = match (&finding.old, &finding.new) {
        (Some(old), Some(new)) => shown_change(old, new).map(|shown| code(&shown)),
        (old, new) => {
            [old, new].map(|value| value.as_ref().map(|value| code(&shown(value))).unwrap_or_default())
        }
    };
    let mut what = finding.check.title.clone();
    if let Some(witness) = &finding.witness {
        _ = write!(what, "; {}: {}", witness_label(finding), code(&shown(witness)));
    }
    if let Some(why) = &finding.undecided {
        _ = write!(what, "; not decided, so it counts as breaking: {}", code(why));
    }
    if let Some(reason) = reason {
        _ = write!(what, "; allowed: {}", code(reason));
    }
    _ = writeln!(text, "| {} | {what} | {old} | {new} |", code(&finding.place()));
}

/// Text that is nobody's Markdown: definitions may come from strangers.
fn code(text: &str) -> String {
    // A code span cannot end inside of itself if its fence is longer than any run of backticks in it.
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = visible(text).replace('|', "\\|");
    format!("{fence}{pad}{text}{pad}{fence}")
}
