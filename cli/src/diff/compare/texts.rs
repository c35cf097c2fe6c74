//! Texts that models read.

use serde_json::{Map, Value};
use toolwright_core::manifest::is_hidden;
use toolwright_core::pointer::segment;

use crate::diff::finding::{Finding, Part};

/// Reports a text that differs, and characters in it that people do not see (MAN-04).
pub(super) fn changed(
    id: &str,
    part: Part,
    name: &str,
    pointer: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    findings: &mut Vec<Finding>,
) {
    if old == new {
        return;
    }
    findings.push(Finding::new(id, part, name, pointer).values(old, new));
    let count = |value: Option<&Value>| value.map_or(0, hidden_in);
    if count(new) > count(old) {
        findings.push(Finding::new("hidden-characters-added", part, name, pointer).values(None, new));
    }
}

/// Reports hidden characters in any text of something new.
pub(super) fn check_all_hidden(name: &str, tool: &Map<String, Value>, findings: &mut Vec<Finding>) {
    for (key, value) in tool {
        if hidden_in(value) > 0 {
            let pointer = format!("/{}", segment(key));
            findings.push(
                Finding::new("hidden-characters-added", Part::Tool, name, &pointer).values(None, Some(value)),
            );
        }
    }
}

fn hidden_in(value: &Value) -> usize {
    match value {
        Value::String(text) => text
            .chars()
            .filter(|character| is_hidden(*character) && !matches!(character, '\n' | '\t' | '\r'))
            .count(),
        Value::Array(items) => items.iter().map(hidden_in).sum(),
        Value::Object(members) => members.values().map(hidden_in).sum(),
        _ => 0,
    }
}
