//! The strings of a file that may be secret, which are redacted in source lines.

use std::ops::Range;

use super::expand::looks_secret;
use super::grammar::find_rule;
use super::node::{Data, Node};
use super::span::secret_ranges;

/// Returns the ranges of all strings that may be secret, also in invalid entries.
pub(super) fn find_secrets(root: &Node, text: &str) -> Vec<Range<usize>> {
    let mut secrets = Vec::new();
    visit_section(root, text, &mut secrets);
    secrets
}

/// Visits the file, or its member `mcp`.
fn visit_section(node: &Node, text: &str, secrets: &mut Vec<Range<usize>>) {
    for member in node.members().unwrap_or_default() {
        match (member.name.as_str(), &member.value.data) {
            // Users choose these names, so they do not indicate secrets.
            ("mcpServers" | "servers" | "tokens", Data::Object(entries)) => {
                for named in entries {
                    visit_entry(&named.value, text, secrets);
                }
            }
            ("tools", Data::Array(items)) => {
                for item in items {
                    visit_entry(item, text, secrets);
                }
            }
            ("mcp", Data::Object(_)) => visit_section(&member.value, text, secrets),
            (name, _) => visit_value(&member.value, text, looks_secret(name), secrets),
        }
    }
}

/// Visits an entry. A member without a rule may be a misspelt secret one.
fn visit_entry(node: &Node, text: &str, secrets: &mut Vec<Range<usize>>) {
    for member in node.members().unwrap_or_default() {
        let name = member.name.as_str();
        let is_secret = match find_rule(name) {
            Some(rule) => rule.is_secret,
            None => !matches!(name, "name" | "file"),
        };
        visit_value(&member.value, text, is_secret, secrets);
    }
}

fn visit_value(node: &Node, text: &str, is_secret: bool, secrets: &mut Vec<Range<usize>>) {
    match &node.data {
        Data::String(_) | Data::Number(_) if is_secret => secrets.extend(secret_ranges(text, &node.span)),
        Data::Array(items) => {
            for item in items {
                visit_value(item, text, is_secret, secrets);
            }
        }
        Data::Object(members) => {
            for member in members {
                visit_value(&member.value, text, is_secret || looks_secret(&member.name), secrets);
            }
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::String(_) => {}
    }
}
