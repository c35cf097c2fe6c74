//! Validates code scanning reports against the schema of SARIF 2.1.0, as packaged by Microsoft for tests.

use std::fs;

use serde_json::{Value, json};

use super::{cargo_mcp, node_modules, retail, text};

/// A report, if it fits the schema.
#[track_caller]
fn check(args: &[&str]) -> Value {
    let schema = node_modules("@microsoft/jest-sarif")
        .join("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
    let mut schema: Value = serde_json::from_slice(&fs::read(schema).expect("the schema")).expect("JSON");
    // The pattern of languages is not a regular expression: it closes a bracket that it never opened.
    for of in ["run", "toolComponent"] {
        if let Some(language) = schema["definitions"][of]["properties"]["language"].as_object_mut() {
            language.remove("pattern");
        }
    }
    let validator =
        jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema is one");
    let output = cargo_mcp(args);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let errors: Vec<_> =
        validator.iter_errors(&report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    report
}

fn results(report: &Value) -> usize {
    report["runs"][0]["results"].as_array().map_or(0, Vec::len)
}

#[test]
fn reports_of_lint_fit_the_schema_of_sarif() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a manifest.json");
    let manifest = json!({
        "manifestVersion": 1,
        "server": {"name": "shop \u{202e}", "version": "1"},
        "tools": [{"name": "a b/c", "description": "x", "inputSchema": {"type": "object", "properties": {"ü": true}}}],
        "prompts": [{"name": "a b", "arguments": [{}]}],
        "resources": [{"uri": "no uri", "name": "n"}],
    });
    fs::write(&file, manifest.to_string()).expect("a file");
    assert!(results(&check(&["lint", text(&file), "--notes", "--format", "sarif"])) > 10);
    assert_eq!(results(&check(&["lint", text(&retail()), "--format", "sarif"])), 0);
}

#[test]
fn reports_of_diff_fit_the_schema_of_sarif() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut manifest: Value = serde_json::from_slice(&fs::read(retail()).expect("a manifest")).expect("JSON");
    manifest["tools"].as_array_mut().expect("tools").remove(0);
    manifest["tools"][0]["description"] = "Another \u{200b}text.".into();
    manifest["tools"][1]["inputSchema"]["properties"] = json!({"q": {"type": "string", "format": "date"}});
    let new = folder.path().join("new manifest.json");
    fs::write(&new, manifest.to_string()).expect("a file");
    let allow = folder.path().join("allow.toml");
    let id = "id = \"tool-removed\"\ntool = \"calculate\"\nreason = \"nobody \\\"calls\\\" it\"";
    fs::write(&allow, format!("[[allow]]\n{id}\n")).expect("a file");
    let report = check(&["diff", text(&retail()), text(&new), "--allow", text(&allow), "--format", "sarif"]);
    assert!(results(&report) > 3, "{report:#}");
    assert!(report.to_string().contains("suppressions"), "{report:#}");
    assert_eq!(results(&check(&["diff", text(&retail()), text(&retail()), "--format", "sarif"])), 0);
}
