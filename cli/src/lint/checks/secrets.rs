//! Secrets: arguments that hold some, and some that got into a definition.

use serde_json::Value;

use super::super::rule::Rule;
use super::super::subject::{Problems, Subject};

pub(super) fn secret_parameter(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        for (node, name) in tool.input.iter().filter_map(|node| Some((node, node.property?))) {
            let is_marked = node.get("writeOnly") == Some(&Value::Bool(true));
            let may_hold_text = node.types().is_empty() || node.types().contains(&"string");
            if may_hold_text && !is_marked && sounds_secret(rule, name) {
                problems.at(
                    tool,
                    &*node.pointer,
                    format!("`{name}` sounds like a secret and is not marked as one"),
                );
            }
        }
    }
}

/// Whether the name ends with one of the rule's words: `api_key` and `githubToken` do, `token_count` does not.
pub(super) fn sounds_secret(rule: &Rule, name: &str) -> bool {
    let mut words = String::new();
    for character in name.chars() {
        match character {
            '-' | '.' | '_' => words.push('_'),
            _ if character.is_uppercase() => {
                words.push('_');
                words.extend(character.to_lowercase());
            }
            _ => words.push(character),
        }
    }
    rule.words.iter().any(|word| words == *word || words.ends_with(&format!("_{word}")))
}

/// The shortest rest of a token that is more than a placeholder.
const SHORTEST_REST: usize = 16;

pub(super) fn secret_in_definition(rule: &Rule, subject: &Subject<'_>, problems: &mut Problems) {
    let find = |text: &str| {
        rule.words.iter().find(|prefix| {
            text.match_indices(prefix.as_str()).any(|(at, _)| {
                let is_start = !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
                let rest = text[at + prefix.len()..].chars();
                let rest: Vec<char> =
                    rest.take_while(|next| next.is_ascii_alphanumeric() || "_-".contains(*next)).collect();
                // Placeholders repeat one character or spell words without a digit.
                is_start && rest.len() >= SHORTEST_REST && rest.iter().any(char::is_ascii_digit)
            })
        })
    };
    for tool in &subject.tools {
        for text in &tool.texts {
            if let Some(prefix) = find(&text.value) {
                problems.at(
                    tool,
                    &*text.pointer,
                    format!("this text holds what looks like a token: `{prefix}…`"),
                );
            }
        }
    }
    if let Some(prefix) = subject.manifest.instructions.as_deref().and_then(find) {
        problems.at_server("/instructions", format!("this text holds what looks like a token: `{prefix}…`"));
    }
}
