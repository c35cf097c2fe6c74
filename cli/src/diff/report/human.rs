//! The report for people.

use std::fmt::Write as _;

use clap_cargo::style;
use toolwright_core::manifest::{format_change, format_value, visible};

use super::{DiffReport, ReportedChange, UNDECIDED, witness_label};
use crate::diff::rule::Class;
use crate::report::Severity;

pub(super) fn render(report: &DiffReport) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        let color = match class.severity() {
            Severity::Error => style::ERROR,
            Severity::Warning => style::WARN,
            Severity::Note => style::NOTE,
        };
        for group in report.by_rule(class) {
            let rule = &group[0].change.rule.info;
            // Writing to a string cannot fail.
            _ = writeln!(text, "{color}{}{color:#}: {} [{}]", class.name(), rule.summary, rule.id);
            if group.iter().any(|reported| reported.is_denied) {
                _ = writeln!(text, "  why: {}\n  do:  {}", rule.why, rule.advice);
            }
            for reported in group {
                write_change(&mut text, reported);
            }
            text.push('\n');
        }
    }
    text.push_str(&summarize(report));
    text
}

fn write_change(text: &mut String, reported: &ReportedChange) {
    let change = &reported.change;
    _ = writeln!(text, "  {}", visible(&change.place()));
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
}

fn summarize(report: &DiffReport) -> String {
    if report.changes.is_empty() {
        return "no changes\n".to_owned();
    }
    let counts = Class::ALL.map(|class| format!("{} {}", report.count(class), class.name()));
    let allowed = report.changes.iter().filter(|reported| reported.allowed.is_some()).count();
    let allowed = if allowed == 0 { String::new() } else { format!(" ({allowed} allowed)") };
    format!("{}{allowed}\n", counts.join(", "))
}
