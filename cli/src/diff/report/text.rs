//! For a terminal.

use std::fmt::Write as _;

use toolwright_core::manifest::{shown, shown_change, visible};

use super::{Report, witness_label};
use crate::diff::check::Class;
use crate::diff::finding::Finding;

pub(super) fn written(report: &Report) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        for group in report.by_check(class) {
            let check = group[0].0.check;
            // Writing to a string cannot fail.
            _ = writeln!(text, "{}: {} [{}]", class.name(), check.title, check.id);
            if group.iter().any(|(finding, reason)| report.is_denied(finding, reason.as_deref())) {
                _ = writeln!(text, "  why: {}\n  do:  {}", check.why, check.fix);
            }
            for (finding, reason) in group {
                write_finding(&mut text, finding, reason.as_deref());
            }
            text.push('\n');
        }
    }
    text.push_str(&summary(report));
    text
}

fn write_finding(text: &mut String, finding: &Finding, reason: Option<&str>) {
    _ = writeln!(text, "  {}", visible(&finding.place()));
    match (&finding.old, &finding.new) {
        (Some(old), Some(new)) => {
            let [old, new] = shown_change(old, new);
            _ = writeln!(text, "    - {old}\n    + {new}");
        }
        (Some(old), None) => _ = writeln!(text, "    - {}", shown(old)),
        (None, Some(new)) => _ = writeln!(text, "    + {}", shown(new)),
        (None, None) => {}
    }
    if let Some(witness) = &finding.witness {
        _ = writeln!(text, "    {}: {}", witness_label(finding), shown(witness));
    }
    if let Some(why) = &finding.undecided {
        _ = writeln!(text, "    not decided, so it counts as breaking: {}", visible(why));
    }
    if let Some(reason) = reason {
        _ = writeln!(text, "    allowed: {}", visible(reason));
    }
}

fn summary(report: &Report) -> String {
    if report.findings.is_empty() {
        return "no changes\n".to_owned();
    }
    let counts = Class::ALL.map(|class| format!("{} {}", report.count(class), class.name()));
    let allowed = report.findings.iter().filter(|(_, reason)| reason.is_some()).count();
    let allowed = if allowed == 0 { String::new() } else { format!(" ({allowed} allowed)") };
    format!("{}{allowed}\n", counts.join(", "))
}
