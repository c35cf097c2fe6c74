//! SARIF 2.1.0 (OASIS), which code scanning services read: what all reports have in common.

use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document of one run of `tool` (`reportingDescriptor` and `result` objects, SARIF 2.1.0 §3.49 and §3.27).
pub(crate) fn document(tool: &str, rules: &[Value], results: &[Value]) -> String {
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": tool,
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "results": results,
        }],
    });
    format!("{document:#}\n")
}
