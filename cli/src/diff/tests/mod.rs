//! Tests of the comparison, from manifests to reports.
#![expect(clippy::needless_pass_by_value, reason = "the values are made by `json!` where they are passed")]

mod annotations;
mod cases;
mod edits;
mod promise;
mod reports;
mod schemas;
mod size;

use serde_json::{Value, json};

use super::change::Change;
use super::compare::{Author, compare};
use super::rule::Class;
use crate::source::ServerDefinitions;

/// The committed manifest of the retail example.
const RETAIL: &str = include_str!("../../../../examples/retail/mcp.json");

/// The changes from one manifest to another.
#[track_caller]
fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let [old, new] = [old, new].map(|manifest| ServerDefinitions::parse(&manifest.to_string()).unwrap());
    compare(&old, &new, Author::User)
}

/// Returns class, id and pointer of each change of `retail`.
#[track_caller]
fn changes_of_retail(edit: impl FnOnce(&mut Value)) -> Vec<Change> {
    let old: Value = serde_json::from_str(RETAIL).unwrap();
    let mut new = old.clone();
    edit(&mut new);
    assert_ne!(old, new, "the edit changes nothing");
    changes(&old, &new)
}

/// A manifest of one tool with this input schema.
fn with_input(schema: Value) -> Value {
    manifest(json!([{"name": "tool", "inputSchema": schema}]))
}

/// A manifest of one tool with this output schema.
fn with_output(schema: Value) -> Value {
    manifest(json!([{"name": "tool", "inputSchema": {"type": "object"}, "outputSchema": schema}]))
}

fn manifest(tools: Value) -> Value {
    json!({"manifestVersion": 1, "server": {"name": "shop", "version": "1"}, "tools": tools})
}

/// The most severe class among the changes.
fn class(findings: &[Change]) -> Option<Class> {
    findings.iter().map(|finding| finding.rule.class).max()
}

fn ids(findings: &[Change]) -> Vec<&str> {
    findings.iter().map(|finding| finding.rule.id()).collect()
}
