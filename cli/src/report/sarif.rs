//! SARIF 2.1.0 (OASIS), which code scanning services read.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolwright_core::manifest::visible;

use super::{Finding, Report, Rule, Severity};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document of one run.
pub(crate) fn document<R: Report>(report: &R) -> String {
    let rules: Vec<Value> = report.rules().into_iter().map(descriptor::<R>).collect();
    let results: Vec<Value> = report.findings().iter().map(result).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": R::COMMAND,
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            // The default would be UTF-16.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// A `reportingDescriptor` object (§3.49).
fn descriptor<R: Report>((rule, severity): (&Rule, Severity)) -> Value {
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why.trim()},
        "help": {"text": rule.advice},
        "defaultConfiguration": {"level": level(severity)},
    });
    if let Some(page) =
        help_uri(env!("CARGO_PKG_REPOSITORY"), &R::page(rule)).as_ref().or(rule.sources.first())
    {
        descriptor["helpUri"] = page.as_str().into();
    }
    descriptor
}

/// Returns the address of a page in this program's repository, if the package names one.
fn help_uri(repository: &str, page: &str) -> Option<String> {
    let repository = repository.trim_end_matches('/').trim_end_matches(".git");
    (!repository.is_empty()).then(|| format!("{repository}/blob/main/{page}"))
}

/// A `result` object (§3.27).
fn result(finding: &Finding<'_>) -> Value {
    let logical = json!([{"name": finding.name, "fullyQualifiedName": finding.path}]);
    let mut location = json!({"logicalLocations": logical});
    if let Some(place) = finding.location {
        location["physicalLocation"] = json!({"artifactLocation": {"uri": uri_reference(place.file)}});
        if let Some((line, column)) = place.position {
            let mut region = json!({"startLine": line, "startColumn": column});
            if let Some((line, column)) = place.end {
                region["endLine"] = line.into();
                region["endColumn"] = column.into();
            }
            location["physicalLocation"]["region"] = region;
        }
    }
    let mut result = json!({
        "ruleId": finding.rule.id,
        "level": level(finding.severity),
        "message": {"text": visible(&finding.message)},
        "locations": [location],
        // The same finding in the next run (§3.27.17).
        "partialFingerprints": {"finding/v1": format!("{} {}", finding.rule.id, finding.path)},
    });
    if let Some(reason) = finding.allowed {
        result["suppressions"] = json!([{"kind": "external", "justification": reason}]);
    }
    result
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A path as a URI reference (RFC 3986, section 4.1), which may be relative.
fn uri_reference(path: &str) -> String {
    const PLAIN: &str = "-._~/:@!$&'()*+,;=";
    path.replace('\\', "/").bytes().fold(String::new(), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || PLAIN.contains(char::from(byte)) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_rules_are_in_the_repository() {
        assert_eq!(help_uri("", "docs/lints.md#tuple"), None);
        for repository in [
            "https://git.example/ada/shop",
            "https://git.example/ada/shop.git",
            "https://git.example/ada/shop/",
        ] {
            let page = help_uri(repository, "docs/lints.md#tuple");
            assert_eq!(page.as_deref(), Some("https://git.example/ada/shop/blob/main/docs/lints.md#tuple"));
        }
    }

    #[test]
    fn paths_become_uri_references() {
        assert_eq!(uri_reference("src\\a b/ü%#?.rs"), "src/a%20b/%C3%BC%25%23%3F.rs");
    }
}
