//! The report for people: the changes of each definition, with why they matter where it is said for the first time.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap_cargo::style;
use toolwright_core::manifest::{format_change, format_value, visible};

use super::{DiffReport, ReportedChange, UNDECIDED, witness_label};
use crate::diff::change::Part;
use crate::diff::rule::Class;
use crate::report::Severity;

// Writing to a string cannot fail.

pub(super) fn render(report: &DiffReport) -> String {
    let mut text = String::new();
    let mut groups = report.by_definition();
    // Stable: those that break something first, each in the order of the comparison.
    groups.sort_by_key(|group| group.iter().map(|reported| !reported.is_denied).min());
    let mut explained = BTreeSet::new();
    for mut group in groups {
        _ = writeln!(text, "{0}{1}{0:#}", style::HEADER, visible(&heading(group[0])));
        group.sort_by_key(|reported| std::cmp::Reverse(reported.change.rule.class));
        for reported in group {
            let is_new = reported.is_denied && explained.insert(reported.change.rule.id());
            write_change(&mut text, reported, is_new);
        }
        text.push('\n');
    }
    text.push_str(&summarize(report));
    text
}

/// Returns what the changes are about: a tool by its name alone, others with what they are.
fn heading(reported: &ReportedChange) -> String {
    let change = &reported.change;
    match change.part {
        Part::Server => "server".to_owned(),
        Part::Tool => change.name.clone(),
        part => format!("{} {}", noun(part), change.name),
    }
}

fn noun(part: Part) -> &'static str {
    match part {
        Part::Server => "server",
        Part::Tool => "tool",
        Part::Prompt => "prompt",
        Part::Resource => "resource",
        Part::Template => "template",
    }
}

fn write_change(text: &mut String, reported: &ReportedChange, is_explained: bool) {
    let change = &reported.change;
    let (rule, class) = (&change.rule.info, change.rule.class);
    let color = match class.severity() {
        Severity::Error => style::ERROR,
        Severity::Warning => style::WARN,
        Severity::Note => style::NOTE,
    };
    _ = writeln!(text, "  {color}{}{color:#}: {} [{}]", class.name(), rule.summary, rule.id);
    if !change.pointer.is_empty() {
        _ = writeln!(text, "    at {}", visible(&change.pointer));
    }
    let (removed, added) = (style::ERROR, style::GOOD);
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => {
            let [old, new] = format_change(old, new);
            _ = writeln!(text, "    {removed}-{removed:#} {old}\n    {added}+{added:#} {new}");
        }
        (Some(old), None) => _ = writeln!(text, "    {removed}-{removed:#} {}", format_value(old)),
        (None, Some(new)) => _ = writeln!(text, "    {added}+{added:#} {}", format_value(new)),
        (None, None) => {}
    }
    if let Some(witness) = &change.witness {
        _ = writeln!(text, "    {}: {}", witness_label(change), format_value(witness));
    }
    if let Some(why) = &change.undecided {
        _ = writeln!(text, "    {UNDECIDED}: {}", visible(why));
    }
    if let Some(reason) = &reported.allowed {
        _ = writeln!(text, "    allowed: {}", visible(reason));
    }
    if is_explained {
        _ = writeln!(text, "    why: {}", rule.why);
    }
    if is_explained || (reported.is_denied && change.advice.is_some()) {
        _ = writeln!(text, "    do:  {}", visible(change.advice()));
    }
}

fn summarize(report: &DiffReport) -> String {
    if report.changes.is_empty() {
        return "no changes\n".to_owned();
    }
    let counts = Class::ALL.map(|class| format!("{} {}", report.count(class), class.name()));
    let allowed = report.changes.iter().filter(|reported| reported.allowed.is_some()).count();
    let allowed = if allowed == 0 { String::new() } else { format!(" ({allowed} allowed)") };
    let groups = report.by_definition();
    let parts = [Part::Server, Part::Tool, Part::Prompt, Part::Resource, Part::Template].map(|part| {
        match groups.iter().filter(|group| group[0].change.part == part).count() {
            0 => None,
            1 if part == Part::Server => Some("the server".to_owned()),
            1 => Some(format!("1 {}", noun(part))),
            count => Some(format!("{count} {}s", noun(part))),
        }
    });
    let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    format!("{}{allowed}, in {parts}\n", counts.join(", "))
}
