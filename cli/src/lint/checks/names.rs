//! Names of tools, of parameters and of the server.

use std::collections::HashMap;

use toolwright_core::definition::meta_keys;
use toolwright_core::names;

use super::super::rule::LintRule;
use super::super::subject::{Problems, Subject, Tool};

pub(super) fn name_not_allowed(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        if let Err(error) = names::check(tool.name()) {
            problems.at(tool, "/name", format!("{:?} cannot be the name of a tool: {error}", tool.name()));
        }
    }
}

pub(super) fn name_characters(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let name = tool.name();
        if let Some(character) = name.chars().find(|character| !is_portable(*character)) {
            problems.at(tool, "/name", format!("the name `{name}` has {character:?}"));
        }
    }
}

pub(super) fn name_too_long(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let length = tool.name().chars().count();
        if length > rule.limit {
            problems.at(
                tool,
                "/name",
                format!("the name has {length} characters, {} are allowed", rule.limit),
            );
        }
    }
}

pub(super) fn prefixed_name_too_long(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| tool.name().chars().count() <= rule.limit) {
        let prefixed = format!("mcp__{}__{}", subject.manifest.server.name, tool.name());
        let length = prefixed.chars().count();
        if length > rule.limit {
            let message = format!("`{prefixed}` has {length} characters, {} are allowed", rule.limit);
            problems.at(tool, "/name", message);
        }
    }
}

pub(super) fn cursor_name_too_long(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let server = &subject.manifest.server.name;
    for tool in &subject.tools {
        // Cursor counts both names and the separator.
        let length = server.chars().count() + 1 + tool.name().chars().count();
        if length > rule.limit {
            let message =
                format!("`{server}:{}` has {length} characters, {} are shown", tool.name(), rule.limit);
            problems.at(tool, "/name", message);
        }
    }
}

pub(super) fn gemini_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in subject.tools.iter().filter(|tool| !starts_as_a_word(tool.name())) {
        problems.at(
            tool,
            "/name",
            format!("the name `{}` starts with neither a letter nor `_`", tool.name()),
        );
    }
}

pub(super) fn confusable_names(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for tool in &subject.tools {
        match seen.get(&skeleton(tool.name())) {
            Some(other) => {
                let message = format!("`{}` and `{other}` look the same at a glance", tool.name());
                problems.at(tool, "/name", message);
            }
            None => _ = seen.insert(skeleton(tool.name()), tool.name()),
        }
    }
}

/// Normalizes a name: ignores case, separators, and differences between similar characters.
fn skeleton(name: &str) -> String {
    let plain = name.chars().filter(|character| character.is_alphanumeric());
    let plain: String = plain.flat_map(char::to_lowercase).collect();
    plain.replace('0', "o").replace(['1', 'i'], "l").replace("rn", "m").replace("vv", "w")
}

pub(super) fn similar_names(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let mut seen: HashMap<Trace, &str> = HashMap::new();
    for tool in subject.tools.iter().filter(|tool| tool.name().chars().count() >= MIN_SIMILAR_LENGTH) {
        let name = tool.name();
        // Names that look the same have a separate rule.
        let is_other = |other: &&&str| skeleton(other) != skeleton(name);
        let similar = without_a_letter(name)
            .flat_map(|(rest, index)| [Trace::Whole(rest.clone()), Trace::Exchanged(rest, index)])
            .chain([Trace::Shorter(name.to_owned())])
            .find_map(|trace| seen.get(&trace).filter(is_other).copied());
        if let Some(other) = similar {
            problems.at(tool, "/name", format!("`{name}` and `{other}` are one letter apart"));
        }
        let own = without_a_letter(name)
            .flat_map(|(rest, index)| [Trace::Shorter(rest.clone()), Trace::Exchanged(rest, index)]);
        for trace in own.chain([Trace::Whole(name.to_owned())]) {
            seen.entry(trace).or_insert(name);
        }
    }
}

/// Keys by which names that differ in one letter find each other. A lookup per key is fast, whereas comparing
/// every pair of a thousand names takes half a million steps.
#[derive(PartialEq, Eq, Hash)]
enum Trace {
    /// The name.
    Whole(String),
    /// The name without one letter: equals a shorter name.
    Shorter(String),
    /// The name without the letter at this index: shared by names of the same length.
    Exchanged(String, usize),
}

/// Returns the name without each of its letters, with the index of the letter.
fn without_a_letter(name: &str) -> impl Iterator<Item = (String, usize)> {
    let letters = name.char_indices().enumerate().filter(|(_, (_, letter))| letter.is_alphabetic());
    letters
        .map(|(place, (at, letter))| (format!("{}{}", &name[..at], &name[at + letter.len_utf8()..]), place))
}

/// Short names often differ by a letter without being confusable.
const MIN_SIMILAR_LENGTH: usize = 6;

pub(super) fn former_name_taken(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let mut owners: HashMap<&str, &str> =
        subject.tools.iter().map(|tool| (tool.name(), tool.name())).collect();
    for tool in &subject.tools {
        for (index, name) in former_names(tool).enumerate() {
            match owners.get(name) {
                Some(owner) if *owner != tool.name() => {
                    let pointer = format!("/_meta/{}/{index}", meta_keys::WAS.replace('/', "~1"));
                    problems.at(tool, pointer, format!("the former name `{name}` calls the tool `{owner}`"));
                }
                _ => _ = owners.insert(name, tool.name()),
            }
        }
    }
}

fn former_names<'a>(tool: &Tool<'a>) -> impl Iterator<Item = &'a str> {
    let names = tool.definition.meta.as_ref().and_then(|meta| meta.get(meta_keys::WAS)?.as_array());
    names.into_iter().flatten().filter_map(|name| name.as_str())
}

pub(super) fn server_name(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    if let Err(error) = names::check_server(&subject.manifest.server.name) {
        problems.at_server("/server/name", error.to_string());
    }
}

pub(super) fn parameter_name(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let fits = |name: &str| {
        !name.is_empty()
            && name.len() <= rule.limit
            && name.chars().all(|character| is_portable(character) || character == '.')
    };
    for tool in &subject.tools {
        for (node, name) in tool.input.iter().filter_map(|node| Some((node, node.property?))) {
            if !fits(name) {
                problems.at(tool, &*node.pointer, format!("the parameter name {name:?} is not allowed"));
            }
        }
    }
}

pub(super) fn gemini_parameter_name(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let fits = |name: &str| {
        starts_as_a_word(name)
            && name.len() <= rule.limit
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    for tool in &subject.tools {
        for (node, name) in tool.input.iter().filter_map(|node| Some((node, node.property?))) {
            if !fits(name) {
                problems.at(tool, &*node.pointer, format!("the parameter name {name:?} is not a plain word"));
            }
        }
    }
}

fn starts_as_a_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn is_portable(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}
