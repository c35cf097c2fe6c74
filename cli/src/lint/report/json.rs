//! One JSON object a line.

use serde_json::{Value, json};

use super::super::Finding;

pub(super) fn lines(findings: &[Finding]) -> String {
    findings.iter().map(|finding| object(finding).to_string() + "\n").collect()
}

fn object(finding: &Finding) -> Value {
    let location = finding
        .location
        .as_ref()
        .map(|place| json!({"file": place.file, "line": place.line, "column": place.column}));
    json!({
        "rule": finding.rule.id,
        "level": finding.level,
        "denied": finding.is_denied,
        "message": finding.message,
        "advice": finding.rule.advice,
        "clients": finding.rule.clients,
        "server": finding.server,
        "tool": finding.place.tool(),
        "kind": finding.place.of.as_ref().map(|of| of.kind),
        "name": finding.place.of.as_ref().map(|of| &of.name),
        "pointer": finding.place.full_pointer(),
        "location": location,
    })
}
