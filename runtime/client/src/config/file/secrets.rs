//! Which strings of a file may be secret, so that its lines can be shown without them.

use std::ops::Range;

use super::expand::sounds_secret;
use super::grammar::rule_of;
use super::node::{Data, Node};
use super::place::hidden_in;

/// The places of all strings that may be secret, in entries that are wrong as well.
pub(super) fn secrets(root: &Node, text: &str) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    section(root, text, &mut hidden);
    hidden
}

/// A part of the file that is not of one server.
fn section(node: &Node, text: &str, hidden: &mut Vec<Range<usize>>) {
    for member in node.members().unwrap_or_default() {
        match (member.name.as_str(), &member.value.data) {
            // Here people choose the names, so that these say nothing of what is inside.
            ("mcpServers" | "servers" | "tokens", Data::Members(entries)) => {
                for named in entries {
                    entry(&named.value, text, hidden);
                }
            }
            ("tools", Data::List(items)) => {
                for item in items {
                    entry(item, text, hidden);
                }
            }
            ("mcp", Data::Members(_)) => section(&member.value, text, hidden),
            (name, _) => value(&member.value, text, sounds_secret(name), hidden),
        }
    }
}

/// An entry: what has no rule may be a secret under a misspelt name.
fn entry(node: &Node, text: &str, hidden: &mut Vec<Range<usize>>) {
    for member in node.members().unwrap_or_default() {
        let name = member.name.as_str();
        let is_secret = match rule_of(name) {
            Some(rule) => rule.is_secret,
            None => !matches!(name, "name" | "file"),
        };
        value(&member.value, text, is_secret, hidden);
    }
}

fn value(node: &Node, text: &str, is_secret: bool, hidden: &mut Vec<Range<usize>>) {
    match &node.data {
        Data::Text(_) | Data::Number(_) if is_secret => hidden.extend(hidden_in(text, &node.span)),
        Data::List(items) => {
            for item in items {
                value(item, text, is_secret, hidden);
            }
        }
        Data::Members(members) => {
            for member in members {
                value(&member.value, text, is_secret || sounds_secret(&member.name), hidden);
            }
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => {}
    }
}
