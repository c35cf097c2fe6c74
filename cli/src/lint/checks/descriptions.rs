//! Descriptions, titles, and hidden text in them.

use std::collections::HashMap;

use toolwright_core::manifest::{Hidden, hidden_characters};

use super::super::rule::LintRule;
use super::super::subject::{Problems, Subject, Tool};
use super::super::words::words;

pub(super) fn missing_description(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| description(tool).is_none()) {
        problems.at(tool, "", format!("the tool `{}` has no description", tool.name()));
    }
}

pub(super) fn short_description(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, text) in tools_with_description(subject) {
        let words = text.split_whitespace().count();
        if words <= rule.limit {
            let s = if words == 1 { "" } else { "s" };
            problems.at(tool, "/description", format!("the description has {words} word{s}"));
        }
    }
}

pub(super) fn description_too_long(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, text) in tools_with_description(subject) {
        let length = text.chars().count();
        if length > rule.limit {
            let message = format!("the description has {length} characters, {} are read", rule.limit);
            problems.at(tool, "/description", message);
        }
    }
}

pub(super) fn instructions_too_long(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let length = subject.manifest.instructions.as_deref().unwrap_or_default().chars().count();
    if length > rule.limit {
        let message = format!("the instructions have {length} characters, {} are read", rule.limit);
        problems.at_server("/instructions", message);
    }
}

pub(super) fn duplicate_description(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for (tool, text) in tools_with_description(subject) {
        match seen.get(&plain(text)) {
            Some(other) => {
                let message = format!("`{}` and `{other}` have the same description", tool.name());
                problems.at(tool, "/description", message);
            }
            None => _ = seen.insert(plain(text), tool.name()),
        }
    }
}

pub(super) fn boilerplate_description(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for (tool, text) in tools_with_description(subject) {
        let text = plain(text);
        if text == words(tool.name()).join(" ") {
            problems.at(tool, "/description", "the description only repeats the name");
        } else if let Some(filler) = rule.words.iter().find(|filler| text.starts_with(filler.as_str())) {
            problems.at(tool, "/description", format!("the description starts with filler: {filler:?}"));
        }
    }
}

/// Normalizes to lower-case words with single spaces, without punctuation.
fn plain(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

pub(super) fn missing_title(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let annotated = tool.definition.annotations.as_ref().and_then(|hints| hints.title.as_ref());
        if tool.definition.title.is_none() && annotated.is_none() {
            problems.at(tool, "", format!("the tool `{}` has no title", tool.name()));
        }
    }
}

pub(super) fn two_titles(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let annotated = tool.definition.annotations.as_ref().and_then(|hints| hints.title.as_ref());
        if let (Some(title), Some(other)) = (&tool.definition.title, annotated)
            && title != other
        {
            problems.at(tool, "/annotations/title", format!("the titles are {title:?} and {other:?}"));
        }
    }
}

pub(super) fn invisible_characters(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    characters(subject, problems, Hidden::Invisible, "is invisible");
}

pub(super) fn direction_characters(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    characters(subject, problems, Hidden::Direction, "changes the direction of text");
}

fn characters(subject: &Subject<'_>, problems: &mut Problems, kind: Hidden, what: &str) {
    let say = |text: &str| {
        let (character, _) = hidden_characters(text).find(|(_, found)| *found == kind)?;
        Some(format!("U+{:04X} in this string {what}", u32::from(character)))
    };
    let server = &subject.manifest.server;
    for (pointer, text) in [
        ("/server/name", Some(&server.name)),
        ("/server/title", server.title.as_ref()),
        ("/instructions", subject.manifest.instructions.as_ref()),
    ] {
        if let Some(message) = text.and_then(|text| say(text)) {
            problems.at_server(pointer, message);
        }
    }
    for tool in &subject.tools {
        for text in &tool.strings {
            if let Some(message) = say(&text.value) {
                problems.at(tool, &*text.pointer, message);
            }
        }
    }
    for feature in &subject.features {
        for text in &feature.strings {
            if let Some(message) = say(&text.value) {
                problems.at_feature(feature, &*text.pointer, message);
            }
        }
    }
}

pub(super) fn hidden_instructions(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let find = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let found = rule.words.iter().find(|pattern| text.contains(pattern.as_str()))?;
        Some(format!("this string instructs the model behind the user's back: {found:?}"))
    };
    if let Some(message) = subject.manifest.instructions.as_deref().and_then(find) {
        problems.at_server("/instructions", message);
    }
    for tool in &subject.tools {
        for text in tool.strings.iter().filter(|text| text.is_prose) {
            if let Some(message) = find(&text.value) {
                problems.at(tool, &*text.pointer, message);
            }
        }
    }
    for feature in &subject.features {
        for text in feature.strings.iter().filter(|text| text.is_prose) {
            if let Some(message) = find(&text.value) {
                problems.at_feature(feature, &*text.pointer, message);
            }
        }
    }
}

fn description<'a>(tool: &Tool<'a>) -> Option<&'a str> {
    tool.definition.description.as_deref().filter(|text| !text.trim().is_empty())
}

fn tools_with_description<'s, 'a>(subject: &'s Subject<'a>) -> impl Iterator<Item = (&'s Tool<'a>, &'a str)> {
    subject.tools.iter().filter_map(|tool| Some((tool, description(tool)?)))
}
