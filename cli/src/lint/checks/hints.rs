//! What the annotations say about the behaviour of a tool.

use toolwright_core::definition::ToolAnnotations;

use super::super::rule::Rule;
use super::super::subject::{Problems, Subject};

pub(super) fn contradictory_hints(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let hints = tool.definition.annotations.as_ref();
        if let Some(ToolAnnotations { read_only_hint: Some(true), destructive_hint: Some(true), .. }) = hints
        {
            let message = "the tool changes nothing and may destroy, by its hints";
            problems.at(tool, "/annotations/destructiveHint", message);
        }
    }
}

pub(super) fn missing_hints(_: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let hints = tool.definition.annotations.clone().unwrap_or_default();
        if hints.read_only_hint != Some(true) && hints.destructive_hint.is_none() {
            let message = format!("nothing says whether `{}` may destroy something", tool.name());
            problems.at(tool, "/annotations", message);
        }
    }
}

pub(super) fn destructive_name(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| rule.lists(&first_word(tool.name()))) {
        let hints = tool.definition.annotations.as_ref();
        if hints.is_some_and(|hints| hints.read_only_hint == Some(true)) {
            let message = format!("`{}` sounds as if it destroyed something, and is read-only", tool.name());
            problems.at(tool, "/annotations/readOnlyHint", message);
        }
    }
}

pub(super) fn reading_name(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| rule.lists(&first_word(tool.name()))) {
        if tool.definition.annotations.as_ref().is_none_or(|hints| hints.read_only_hint.is_none()) {
            let message = format!("`{}` sounds as if it only read, and does not say so", tool.name());
            problems.at(tool, "/annotations", message);
        }
    }
}

/// The first word of a name in `snake_case`, `kebab-case`, `dotted.case` or `camelCase`.
fn first_word(name: &str) -> String {
    let end = name
        .char_indices()
        .skip(1)
        .find(|(_, character)| !character.is_ascii_lowercase())
        .map_or(name.len(), |(at, _)| at);
    name[..end].to_lowercase()
}
