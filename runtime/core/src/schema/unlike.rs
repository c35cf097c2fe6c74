//! Generates a pattern for all strings except some, for clients that do not support `not`.

use std::collections::BTreeMap;

/// Maximum length of a pattern; a longer one is not worth publishing.
const MAX_LENGTH: usize = 1_000;
/// Maximum number of characters of a name that are compared one by one: regex engines limit the depth of groups.
const MAX_DEPTH: usize = 40;

/// Returns the pattern of the strings that are none of `names`; `None` if it would be too long.
pub(super) fn negated_pattern<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut root = Letters::default();
    for name in names {
        if name.chars().count() > MAX_DEPTH {
            return None;
        }
        let mut here = &mut root;
        for letter in name.chars() {
            here = here.next.entry(letter).or_default();
        }
        here.is_end = true;
    }
    let mut pattern = "^".to_owned();
    root.write(&mut pattern);
    pattern.push('$');
    (pattern.len() <= MAX_LENGTH).then_some(pattern)
}

/// The continuations of names with a common prefix.
#[derive(Default)]
struct Letters {
    is_end: bool,
    next: BTreeMap<char, Letters>,
}

impl Letters {
    /// Writes the pattern of the suffixes that do not complete a name.
    fn write(&self, pattern: &mut String) {
        if self.next.is_empty() {
            pattern.push_str(if self.is_end { r"[\s\S]+" } else { r"[\s\S]*" });
            return;
        }
        pattern.push('(');
        if !self.is_end {
            pattern.push('|');
        }
        pattern.push_str("[^");
        for letter in self.next.keys() {
            escape(*letter, r"\]^-[", pattern);
        }
        pattern.push_str(r"][\s\S]*");
        for (letter, rest) in &self.next {
            pattern.push('|');
            escape(*letter, r"^$\.*+?()[]{}|/", pattern);
            rest.write(pattern);
        }
        pattern.push(')');
    }
}

/// Escapes only what is necessary: ECMA-262 rejects other escapes.
fn escape(letter: char, special: &str, pattern: &mut String) {
    if special.contains(letter) {
        pattern.push('\\');
    }
    pattern.push(letter);
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::negated_pattern;

    #[test]
    fn all_but_the_names_match() {
        let names = ["moved", "move", "", "a-b", "]^\\", "é"];
        let regex = Regex::new(&negated_pattern(names.into_iter()).expect("it is short")).expect("a pattern");
        for name in names {
            assert!(!regex.is_match(name), "{name}");
        }
        for other in [
            "m", "mov", "moved ", "mover", "a", "a-", "a-bc", "b", "]", "]^", "]^\\\\", "e", "éé", "\n",
            "move\n",
        ] {
            assert!(regex.is_match(other), "{other}");
        }
        assert!(negated_pattern(std::iter::once("x".repeat(41).as_str())).is_none());
        let many: Vec<String> = (0..100).map(|number| format!("name{number}")).collect();
        assert!(negated_pattern(many.iter().map(String::as_str)).is_none());
    }
}
