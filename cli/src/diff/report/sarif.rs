//! Changes as SARIF.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use toolwright_core::manifest::visible;

use super::{Report, witness_label};
use crate::diff::check::{Check, Class, all};
use crate::diff::finding::Finding;
use crate::sarif;

pub(super) fn written(report: &Report) -> String {
    let used: BTreeSet<&str> = report.findings.iter().map(|(finding, _)| finding.check.id.as_str()).collect();
    let rules: Vec<Value> = all().filter(|check| used.contains(check.id.as_str())).map(rule).collect();
    let results: Vec<Value> =
        report.findings.iter().map(|(finding, reason)| result(report, finding, reason.as_deref())).collect();
    sarif::document("cargo mcp diff", &rules, &results)
}

fn rule(check: &Check) -> Value {
    json!({
        "id": check.id,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.why},
        "help": {"text": check.fix},
        "defaultConfiguration": {"level": level(check.class)},
    })
}

fn level(class: Class) -> &'static str {
    match class {
        Class::Breaking => "error",
        Class::Compatible | Class::Documentation => "note",
    }
}

fn result(report: &Report, finding: &Finding, reason: Option<&str>) -> Value {
    let mut text = format!("{}: {}", visible(&finding.place()), finding.check.title);
    // Writing to a string cannot fail.
    if let Some(witness) = &finding.witness {
        _ = write!(text, "; {}: {}", witness_label(finding), visible(&witness.to_string()));
    }
    if let Some(why) = &finding.undecided {
        _ = write!(text, "; not decided, so it counts as breaking: {}", visible(why));
    }
    let mut result = json!({
        "ruleId": finding.check.id,
        "level": level(finding.check.class),
        "message": {"text": text},
        "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": uri(report)}},
            "logicalLocations": [{
                "name": finding.name,
                "fullyQualifiedName": format!("{}{}", finding.name, finding.pointer),
            }],
        }],
        // The same change in the next run is the same finding.
        "partialFingerprints": {
            "change/v1": format!("{} {} {}", finding.check.id, finding.name, finding.pointer),
        },
    });
    if let Some(reason) = reason {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

/// A file of the repository that the finding is shown at: where the definitions are kept.
fn uri(report: &Report) -> String {
    let is_file = |place: &&String| {
        std::path::Path::new(place).extension().is_some_and(|extension| extension == "json")
            && !place.contains(':')
    };
    let file = [&report.new, &report.old].into_iter().find(is_file);
    let committed = || report.old.rsplit_once(':').map(|(_, path)| path.trim_start_matches("./").to_owned());
    file.cloned()
        .or_else(committed)
        .unwrap_or_else(|| "mcp.json".to_owned())
        .replace('\\', "/")
        .replace(' ', "%20")
}
