//! The formats of the report, on changes of each class.

use serde_json::{Value, json};

use super::{RETAIL, changes};
use crate::diff::allow::AllowList;
use crate::diff::report::DiffReport;
use crate::diff::rule::Class;
use crate::report::Report as _;

/// A report of a few changes of retail, one of them allowed.
fn report() -> DiffReport {
    let old: Value = serde_json::from_str(RETAIL).unwrap();
    let mut new = old.clone();
    let tools = new["tools"].as_array_mut().unwrap();
    tools.retain(|tool| tool["name"] != "transfer_to_human_agents");
    for tool in tools {
        match tool["name"].as_str().unwrap() {
            "calculate" => tool["description"] = json!("Computes | `x`\u{200b} <b>."),
            "cancel_pending_order" => {
                tool["inputSchema"]["properties"]["order_id"]["pattern"] = json!(r"^#W\d{8}$");
            }
            "find_user_id_by_email" => {
                tool["outputSchema"]["properties"]["user_id"]["format"] = json!("uuid");
                tool["outputSchema"]["properties"]["since"] = json!({"type": "string"});
            }
            "get_order_details" => {
                tool["inputSchema"]["properties"]["order_id"]["format"] = json!("order");
            }
            _ => {}
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("allow.toml");
    let list = "[[allow]]\nid = \"tool-removed\"\ntool = \"transfer_to_human_agents\"\nreason = \"the desk is closed\"\n";
    std::fs::write(&file, list).unwrap();
    let allowed = AllowList::read(&file).unwrap();
    let places = ("HEAD:./mcp.json".to_owned(), "the package".to_owned());
    DiffReport::new(places.0, places.1, changes(&old, &new), &allowed, Class::Breaking)
}

#[test]
fn text_is_for_a_terminal() {
    let text = report().text();
    assert!(text.contains("\u{1b}["), "it has colours");
    insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string());
}

#[test]
fn markdown_is_for_a_pull_request() {
    let text = report().markdown();
    assert!(
        text.contains("``\"Computes \\| `x`\\u{200b} <b>.\"``"),
        "strangers' texts stand in code: {text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn json_is_for_programs() {
    let document: Value = serde_json::from_str(&report().json()).unwrap();
    assert_eq!(document["denied"], 3);
    assert_eq!(document["breaking"], 4);
    let ids: Vec<_> = document["changes"].as_array().unwrap().iter().map(|change| &change["id"]).collect();
    assert_eq!(ids.len(), 7, "{ids:?}");
    insta::assert_snapshot!(format!("{:#}", document["changes"][2]));
}

/// Checks the members of the report by the rules of SARIF 2.1.0.
#[test]
fn sarif_is_valid() {
    let document: Value = serde_json::from_str(&crate::report::sarif_document(&report())).unwrap();
    let schema: Value = serde_json::from_str(include_str!("sarif.schema.json")).unwrap();
    let errors: Vec<_> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // Each result has its rule (§3.27.5).
    let run = &document["runs"][0];
    let rules: Vec<_> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    for result in run["results"].as_array().unwrap() {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
    }
}
