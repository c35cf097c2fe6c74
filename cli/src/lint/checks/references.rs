//! `$ref` and its targets.

use serde_json::Value;
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::schema::{self, Node};
use super::super::subject::{Problems, Subject, Tool};

pub(super) fn remote_reference(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, reference, _) in references(subject) {
        if !reference.starts_with('#') {
            problems.at(tool, below(&node.pointer, "$ref"), format!("`{reference}` is another document"));
        }
    }
}

pub(super) fn unresolved_reference(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, reference, root) in references(subject) {
        if reference.starts_with('#') && schema::target(root, reference).is_none() {
            problems.at(tool, below(&node.pointer, "$ref"), format!("`{reference}` cannot be resolved"));
        }
    }
}

pub(super) fn local_reference(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, reference, root) in references(subject) {
        let is_input = node.pointer.starts_with("/inputSchema");
        if is_input && schema::target(root, reference).is_some() && !is_recursive(root, reference) {
            problems.at(tool, below(&node.pointer, "$ref"), format!("the schema refers to `{reference}`"));
        }
    }
}

pub(super) fn recursive_schema(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, reference, root) in references(subject) {
        let is_input = node.pointer.starts_with("/inputSchema");
        // Reported once, where a reference outside of the definitions enters the cycle.
        let is_entry = !node.pointer.contains("/$defs/") && !node.pointer.contains("/definitions/");
        if is_input && is_entry && is_recursive(root, reference) {
            problems.at(tool, below(&node.pointer, "$ref"), format!("`{reference}` contains itself"));
        }
    }
}

/// Returns every `$ref` of every tool, with the root of its schema.
fn references<'s, 'a>(
    subject: &'s Subject<'a>,
) -> impl Iterator<Item = (&'s Tool<'a>, &'s Node<'a>, &'a str, &'a Value)> {
    subject.tools.iter().flat_map(|tool| {
        let in_schema = |nodes: &'s [Node<'a>]| {
            let root = nodes.first().map(|node| node.schema);
            nodes.iter().filter_map(move |node| Some((tool, node, node.get("$ref")?.as_str()?, root?)))
        };
        in_schema(&tool.input).chain(in_schema(&tool.output))
    })
}

/// Returns whether following the references from `reference` leads back to it.
fn is_recursive(root: &Value, reference: &str) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut open = vec![reference];
    while let Some(next) = open.pop() {
        let Some(target) = schema::target(root, next) else { continue };
        for node in schema::nodes("", target) {
            let Some(found) = node.get("$ref").and_then(Value::as_str) else { continue };
            if found == reference || found == "#" {
                return true;
            }
            if !seen.contains(&found) {
                seen.push(found);
                open.push(found);
            }
        }
    }
    false
}
