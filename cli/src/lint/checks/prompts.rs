//! Prompts and their arguments.

use std::collections::HashSet;

use serde_json::Value;
use toolwright_core::manifest::Kind;

use super::super::rule::LintRule;
use super::super::subject::{Problems, Subject};

pub(super) fn prompt_name_space(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for prompt in subject.of_kind(Kind::Prompts) {
        if prompt.name.contains(char::is_whitespace) {
            problems.at_feature(prompt, "/name", format!("the name {:?} has a space", prompt.name));
        }
    }
}

pub(super) fn prompt_several_arguments(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for prompt in subject.of_kind(Kind::Prompts) {
        let count = prompt.arguments().count();
        if count > rule.limit {
            let message = format!("the prompt has {count} arguments, some clients take {}", rule.limit);
            problems.at_feature(prompt, "/arguments", message);
        }
    }
}

pub(super) fn repeated_argument(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for prompt in subject.of_kind(Kind::Prompts) {
        let mut seen = HashSet::new();
        for (index, argument) in prompt.arguments() {
            let name = argument.get("name").and_then(Value::as_str);
            if let Some(name) = name.filter(|name| !seen.insert(*name)) {
                let pointer = format!("/arguments/{index}/name");
                problems.at_feature(prompt, pointer, format!("two arguments are named `{name}`"));
            }
        }
    }
}

pub(super) fn undescribed_prompt(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for prompt in subject.of_kind(Kind::Prompts) {
        if !is_described(prompt.entry.get("description")) {
            problems.at_feature(prompt, "", format!("the prompt `{}` has no description", prompt.name));
        }
    }
}

pub(super) fn undescribed_argument(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for prompt in subject.of_kind(Kind::Prompts) {
        for (index, argument) in prompt.arguments() {
            if !is_described(argument.get("description")) {
                let name = argument.get("name").and_then(Value::as_str).unwrap_or_default();
                let message = format!("the argument `{name}` has no description");
                problems.at_feature(prompt, format!("/arguments/{index}"), message);
            }
        }
    }
}

/// Returns whether a description has content.
pub(super) fn is_described(description: Option<&Value>) -> bool {
    description.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
}
