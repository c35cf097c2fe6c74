//! `x-mcp-header`: arguments that are also sent as HTTP headers.

use serde_json::Value;
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::schema::Node;
use super::super::subject::{Problems, Subject, Tool};
use super::secrets::sounds_secret;

const KEYWORD: &str = "x-mcp-header";

/// Characters of a header's name beside letters and digits (RFC 9110, section 5.6.2, `tchar`).
const TOKEN: &str = "!#$%&'*+-.^_`|~";

pub(super) fn header_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, header) in headers(subject) {
        let fits = |name: &str| {
            !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || TOKEN.contains(one))
        };
        if !header.as_str().is_some_and(fits) {
            problems.at(
                tool,
                below(&node.pointer, KEYWORD),
                format!("{header} cannot be part of a header's name"),
            );
        }
    }
}

pub(super) fn header_twice(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let mut seen: Vec<(&str, String)> = Vec::new();
    for (tool, node, header) in headers(subject) {
        let name = header.as_str().unwrap_or_default();
        let entry = (tool.name(), name.to_lowercase());
        if seen.contains(&entry) {
            problems.at(
                tool,
                below(&node.pointer, KEYWORD),
                format!("two parameters have the header `{name}`"),
            );
        }
        seen.push(entry);
    }
}

pub(super) fn header_type(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, _) in headers(subject) {
        let types = node.types();
        if let Some(refused) = types.iter().find(|name| !matches!(**name, "string" | "integer" | "boolean")) {
            let message = format!("a parameter of the type `{refused}` has a header");
            problems.at(tool, below(&node.pointer, KEYWORD), message);
        }
    }
}

pub(super) fn header_place(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, _) in headers(subject) {
        if !node.is_plain_member || node.parent.is_none() {
            let message = "a header belongs to a property that is reached by way of `properties` alone";
            problems.at(tool, below(&node.pointer, KEYWORD), message);
        }
    }
}

pub(super) fn header_on_secret(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, node, _) in headers(subject) {
        let name = node.property.unwrap_or_default();
        if node.get("writeOnly") == Some(&Value::Bool(true)) || sounds_secret(name) {
            problems.at(
                tool,
                below(&node.pointer, KEYWORD),
                format!("the secret `{name}` travels in a header"),
            );
        }
    }
}

fn headers<'s, 'a>(
    subject: &'s Subject<'a>,
) -> impl Iterator<Item = (&'s Tool<'a>, &'s Node<'a>, &'a Value)> {
    subject
        .tools
        .iter()
        .flat_map(|tool| tool.input.iter().filter_map(move |node| Some((tool, node, node.get(KEYWORD)?))))
}
