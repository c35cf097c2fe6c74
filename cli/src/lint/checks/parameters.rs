//! The root of the arguments, and what it says about each.

use serde_json::Value;
use toolwright_core::pointer::below;

use super::super::rule::Rule;
use super::super::subject::{Problems, Subject};

pub(super) fn undescribed_parameter(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in tool.parameters() {
            let text = node.get("description").and_then(Value::as_str).unwrap_or_default();
            if text.trim().is_empty() {
                let name = node.property.unwrap_or_default();
                problems.at(tool, &*node.pointer, format!("the parameter `{name}` has no description"));
            }
        }
    }
}

pub(super) fn root_combinator(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for keyword in rule.words.iter().filter(|keyword| tool.definition.input_schema.get(keyword).is_some())
        {
            let message = format!("the arguments have `{keyword}` at their root");
            problems.at(tool, below("/inputSchema", keyword), message);
        }
    }
}

pub(super) fn root_without_properties(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        if !tool.definition.input_schema.get("properties").is_some_and(Value::is_object) {
            problems.at(tool, "/inputSchema", "the root of the arguments has no `properties`");
        }
    }
}

pub(super) fn root_title(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        if let Some(title) = tool.definition.input_schema.get("title") {
            problems.at(tool, "/inputSchema/title", format!("the arguments are titled {title}"));
        }
    }
}

pub(super) fn open_arguments(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let schema = &tool.definition.input_schema;
        let is_open = |keyword| schema.get(keyword).is_none_or(|value| *value == Value::Bool(true));
        if is_open("additionalProperties") && is_open("unevaluatedProperties") {
            problems.at(tool, "/inputSchema", "arguments with any name are taken");
        }
    }
}

pub(super) fn unknown_required(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for node in &tool.input {
            let names = node.get("required").and_then(Value::as_array).into_iter().flatten();
            // In a branch of a combinator, the properties stand beside it.
            let is_branch = !matches!(node.keyword, "" | "properties" | "items" | "additionalProperties");
            for name in names.filter_map(Value::as_str).filter(|_| !is_branch) {
                if node.get("properties").is_none_or(|properties| properties.get(name).is_none()) {
                    let pointer = below(&node.pointer, "required");
                    problems.at(tool, pointer, format!("`{name}` is required and not among `properties`"));
                }
            }
        }
    }
}
