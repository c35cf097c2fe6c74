//! The report as one JSON document.

use serde::Serialize;
use serde_json::Value;

use super::DiffReport;
use crate::diff::change::Part;
use crate::diff::rule::Class;

#[derive(Serialize)]
struct JsonReport<'a> {
    old: &'a str,
    new: &'a str,
    breaking: usize,
    compatible: usize,
    documentation: usize,
    /// The number of changes that make the run fail.
    denied: usize,
    changes: Vec<JsonChange<'a>>,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    id: &'a str,
    class: Class,
    title: &'a str,
    part: Part,
    name: &'a str,
    pointer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<&'a str>,
    why: &'a str,
    fix: &'a str,
}

pub(super) fn render(report: &DiffReport) -> String {
    let changes = report.changes.iter().map(|reported| {
        let change = &reported.change;
        JsonChange {
            id: change.rule.id(),
            class: change.rule.class,
            title: &change.rule.info.summary,
            part: change.part,
            name: &change.name,
            pointer: &change.pointer,
            old: change.old.as_ref(),
            new: change.new.as_ref(),
            witness: change.witness.as_ref(),
            undecided: change.undecided.as_deref(),
            allowed: reported.allowed.as_deref(),
            why: &change.rule.info.why,
            fix: change.advice(),
        }
    });
    let document = JsonReport {
        old: &report.old,
        new: &report.new,
        breaking: report.count(Class::Breaking),
        compatible: report.count(Class::Compatible),
        documentation: report.count(Class::Documentation),
        denied: report.count_denied(),
        changes: changes.collect(),
    };
    format!("{:#}\n", serde_json::json!(document))
}
