//! Findings as SARIF.

use serde_json::{Value, json};

use super::super::Finding;
use super::super::rule::{Level, RULES, Rule};
use crate::sarif;

pub(super) fn document(findings: &[Finding]) -> String {
    let rules: Vec<Value> = RULES.iter().map(describe).collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    sarif::document("cargo mcp lint", &rules, &results)
}

fn describe(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why.trim() },
        "help": { "text": rule.advice },
        "helpUri": rule.source.first(),
        "defaultConfiguration": { "level": level(rule.level) },
    })
}

fn result(finding: &Finding) -> Value {
    let logical = match &finding.place.of {
        Some(of) => format!("{}/{}{}", finding.server, of.name, finding.place.pointer),
        None => format!("{}{}", finding.server, finding.place.pointer),
    };
    let mut location = json!({ "logicalLocations": [{ "fullyQualifiedName": logical }] });
    if let Some(place) = &finding.location {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": place.file.replace('\\', "/") },
            "region": { "startLine": place.line, "startColumn": place.column },
        });
    }
    json!({
        "ruleId": finding.rule.id,
        "level": level(finding.level),
        "message": { "text": finding.message },
        "locations": [location],
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
        Level::Allow => "none",
    }
}
