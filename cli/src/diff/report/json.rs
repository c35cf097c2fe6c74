//! One JSON document, for programs.

use serde::Serialize;
use serde_json::Value;

use super::Report;
use crate::diff::check::Class;
use crate::diff::finding::Part;

#[derive(Serialize)]
struct Document<'a> {
    old: &'a str,
    new: &'a str,
    breaking: usize,
    compatible: usize,
    documentation: usize,
    /// How many changes make the run fail.
    denied: usize,
    changes: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
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

pub(super) fn written(report: &Report) -> String {
    let changes = report.findings.iter().map(|(finding, reason)| Change {
        id: &finding.check.id,
        class: finding.check.class,
        title: &finding.check.title,
        part: finding.part,
        name: &finding.name,
        pointer: &finding.pointer,
        old: finding.old.as_ref(),
        new: finding.new.as_ref(),
        witness: finding.witness.as_ref(),
        undecided: finding.undecided.as_deref(),
        allowed: reason.as_deref(),
        why: &finding.check.why,
        fix: &finding.check.fix,
    });
    let document = Document {
        old: &report.old,
        new: &report.new,
        breaking: report.count(Class::Breaking),
        compatible: report.count(Class::Compatible),
        documentation: report.count(Class::Documentation),
        denied: report.denied(),
        changes: changes.collect(),
    };
    format!("{:#}\n", serde_json::json!(document))
}
