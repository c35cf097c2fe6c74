//! Keywords, types and formats that some clients do not support.

use serde_json::Value;
use toolwright_core::pointer::below;

use super::super::rule::LintRule;
use super::super::schema::Node;
use super::super::subject::{Problems, Subject};

/// Reports each schema of the arguments for which `wrong` returns a message.
fn each(
    subject: &Subject<'_>,
    problems: &mut Problems,
    wrong: impl Fn(&Node<'_>) -> Option<(&'static str, String)>,
) {
    for tool in &subject.tools {
        for node in &tool.input {
            if let Some((keyword, message)) = wrong(node) {
                let pointer =
                    if keyword.is_empty() { node.pointer.clone() } else { below(&node.pointer, keyword) };
                problems.at(tool, pointer, message);
            }
        }
    }
}

/// Reports the keywords in the rule's list, except those at the root with a separate rule.
pub(super) fn listed_keywords(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in &tool.input {
            for (keyword, _) in node.keywords().into_iter().flatten().filter(|(name, _)| rule.lists(name)) {
                let message = format!("the schema uses `{keyword}`");
                problems.at(tool, below(&node.pointer, keyword), message);
            }
        }
    }
}

pub(super) fn array_without_items(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let lacks = node.types().contains(&"array") && node.get("items").is_none();
        (lacks && node.get("prefixItems").is_none()).then(|| ("", "this array has no `items`".to_owned()))
    });
}

pub(super) fn boolean_schema(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        // All clients support `additionalProperties: false` and the like.
        let is_named = matches!(node.keyword, "properties" | "items" | "anyOf" | "oneOf" | "allOf");
        (node.schema.is_boolean() && is_named).then(|| ("", format!("the schema is `{}`", node.schema)))
    });
}

pub(super) fn tuple(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let keyword = if node.get("prefixItems").is_some() { "prefixItems" } else { "items" };
        let is_tuple = keyword == "prefixItems" || node.get("items").is_some_and(Value::is_array);
        is_tuple.then(|| (keyword, "this array is a tuple".to_owned()))
    });
}

pub(super) fn type_list(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let types = node.get("type").filter(|types| types.is_array())?;
        Some(("type", format!("`type` is an array: {types}")))
    });
}

pub(super) fn untyped_parameter(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    const IMPLIES_TYPE: [&str; 7] = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"];
    each(subject, problems, |node| {
        let keywords = node.keywords().filter(|_| matches!(node.keyword, "properties" | "items"))?;
        (!IMPLIES_TYPE.iter().any(|keyword| keywords.contains_key(*keyword)))
            .then(|| ("", "this value may be of any type".to_owned()))
    });
}

pub(super) fn keyword_of_another_type(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    const OBJECT_KEYWORDS: [&str; 2] = ["properties", "required"];
    each(subject, problems, |node| {
        let types = node.types();
        let keyword = OBJECT_KEYWORDS.into_iter().find(|keyword| node.get(keyword).is_some())?;
        (!types.is_empty() && !types.contains(&"object"))
            .then(|| (keyword, format!("`{keyword}` is beside the type `{}`", types.join("`, `"))))
    });
}

pub(super) fn rust_format(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let format = node.get("format")?.as_str().filter(|format| rule.lists(format))?;
        Some(("format", format!("the format `{format}` is specific to Rust")))
    });
}

pub(super) fn gemini_format(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let format = node.get("format")?.as_str().filter(|format| !rule.lists(format))?;
        node.types().contains(&"string").then(|| ("format", format!("a string with the format `{format}`")))
    });
}

pub(super) fn lookaround_pattern(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    each(subject, problems, |node| {
        let pattern = node.get("pattern")?.as_str()?;
        let found = rule.words.iter().find(|part| pattern.contains(part.as_str()))?;
        Some(("pattern", format!("the pattern uses look-around: `{found}`")))
    });
}

pub(super) fn old_dialect(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in tool.input.iter().chain(&tool.output) {
            let dialect = node.get("$schema").and_then(Value::as_str).unwrap_or_default();
            if !dialect.is_empty() && !rule.lists(dialect.trim_end_matches('#')) {
                problems.at(tool, below(&node.pointer, "$schema"), format!("the dialect is `{dialect}`"));
            }
        }
    }
}
