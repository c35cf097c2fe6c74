//! The report as JSON lines: one object per violation.

use serde_json::{Value, json};

use super::Violation;

pub(super) fn render(violations: &[Violation]) -> String {
    violations.iter().map(|violation| to_json(violation).to_string() + "\n").collect()
}

fn to_json(violation: &Violation) -> Value {
    let location = violation
        .location
        .as_ref()
        .map(|place| json!({"file": place.file, "line": place.line, "column": place.column}));
    json!({
        "rule": violation.rule.id(),
        "level": violation.level,
        "denied": violation.is_denied,
        "message": violation.message,
        "advice": violation.rule.info.advice,
        "clients": violation.rule.clients,
        "server": violation.server,
        "tool": violation.place.tool(),
        "kind": violation.place.of.as_ref().map(|of| of.kind),
        "name": violation.place.of.as_ref().map(|of| &of.name),
        "pointer": violation.place.full_pointer(),
        "location": location,
    })
}
