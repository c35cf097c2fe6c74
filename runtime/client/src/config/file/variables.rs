//! `${NAME}` and its other forms, taken apart: what is written, before any value is known.

use std::ops::Range;

/// How deep a default may hold variables with defaults of their own.
const MAX_DEFAULTS: usize = 8;

/// A piece of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that stands for itself.
    Text(&'a str),
    /// `$${`, which is `${`.
    Escape,
    Variable(Variable<'a>),
    /// `${` with something behind it that is no variable: where, and why.
    Invalid(Range<usize>, String),
}

/// `${NAME}`, `${space:NAME}`, and each with a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable<'a> {
    /// What stands before a colon, such as `env`.
    pub(super) space: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) default: Option<Fallback<'a>>,
    /// Where it stands in the string, braces included.
    pub(super) range: Range<usize>,
}

/// What to take where there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fallback<'a> {
    /// Whether it is also taken for a value that is empty: `:-` rather than `-`.
    pub(super) if_empty: bool,
    pub(super) text: &'a str,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// The pieces of a string, in order.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    read(text, 0, 0)
}

/// `offset` is where `text` begins in the whole string.
fn read(text: &str, offset: usize, depth: usize) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('$') {
        at += found;
        let rest = &text[at..];
        if rest.starts_with("$${") {
            push_text(&mut pieces, &text[start..at]);
            pieces.push(Piece::Escape);
            at += 3;
            start = at;
        } else if rest.starts_with("${") {
            push_text(&mut pieces, &text[start..at]);
            let length = closed(rest);
            let range = offset + at..offset + at + length.unwrap_or(rest.len());
            let piece = match length {
                Some(length) => variable(&rest[2..length - 1], range, depth),
                None => Piece::Invalid(range, "`${` is not closed with `}`".to_owned()),
            };
            pieces.push(piece);
            at += length.unwrap_or(rest.len());
            start = at;
        } else {
            at += 1;
        }
    }
    push_text(&mut pieces, &text[start..]);
    pieces
}

fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

/// The length of the variable that `text` begins with: up to the brace that closes the first one.
fn closed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The variable between the braces.
fn variable(inner: &str, range: Range<usize>, depth: usize) -> Piece<'_> {
    let invalid = |why: String| Piece::Invalid(range.clone(), why);
    if inner.is_empty() {
        return invalid("`${}` names no variable".to_owned());
    }
    let (space, rest) = match inner.split_once(':') {
        Some((space, rest)) if is_name(space) && !rest.starts_with('-') => (Some(space), rest),
        _ => (None, inner),
    };
    let at = match space {
        // Ids of inputs and names of tokens may have hyphens, so that only `:-` ends them.
        Some(_) => rest.find(":-").unwrap_or(rest.len()),
        None => rest.find(|c: char| !is_name_part(c) && c != '/').unwrap_or(rest.len()),
    };
    let (name, rest) = rest.split_at(at);
    if !(if space.is_some() { is_id(name) } else { is_name(name) || name == "/" }) {
        let what = if name.is_empty() { inner } else { name };
        return invalid(format!("`{}` cannot be the name of a variable", short(what)));
    }
    let default = match rest.strip_prefix(":-").map(|text| (true, text)) {
        Some(found) => Some(found),
        None => rest.strip_prefix('-').map(|text| (false, text)),
    };
    let Some((if_empty, text)) = default else {
        if rest.is_empty() {
            return Piece::Variable(Variable { space, name, default: None, range });
        }
        return invalid(format!("a name ends with `}}`, `:-` or `-`, not with `{}`", first_of(rest)));
    };
    if depth == MAX_DEFAULTS {
        return invalid(format!("more than {MAX_DEFAULTS} defaults stand in each other"));
    }
    let offset = range.end - 1 - text.len();
    let pieces = read(text, offset, depth + 1);
    Piece::Variable(Variable { space, name, default: Some(Fallback { if_empty, text, pieces }), range })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_name_part)
}

fn is_name_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// What may stand behind `input:`, `runtime:` or `env:`. Windows has `ProgramFiles(x86)`.
fn is_id(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '(' | ')');
    !name.is_empty() && name.chars().all(is_part)
}

/// The character that is wrong, and no more of what may be a secret.
fn first_of(text: &str) -> String {
    let count = if text.starts_with(':') { 2 } else { 1 };
    text.chars().take(count).collect()
}

/// The beginning of something for a message: a name, at most.
fn short(text: &str) -> String {
    text.chars().take_while(|c| !c.is_control()).take(24).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(text: &str) -> Piece<'_> {
        let mut pieces = pieces(text);
        assert_eq!(pieces.len(), 1, "{pieces:?}");
        pieces.remove(0)
    }

    #[test]
    fn a_variable_has_a_space_a_name_and_a_default() {
        for (text, space, name, default) in [
            ("${A}", None, "A", None),
            ("${env:A}", Some("env"), "A", None),
            ("${input:api-key}", Some("input"), "api-key", None),
            ("${env:ProgramFiles(x86)}", Some("env"), "ProgramFiles(x86)", None),
            ("${A:-x}", None, "A", Some((true, "x"))),
            ("${A-x}", None, "A", Some((false, "x"))),
            ("${A:-}", None, "A", Some((true, ""))),
            ("${A:-http://h:80/${C}}", None, "A", Some((true, "http://h:80/${C}"))),
            ("${A:-{\"a\":{}}}", None, "A", Some((true, "{\"a\":{}}"))),
            ("${env:A:-x-y}", Some("env"), "A", Some((true, "x-y"))),
            ("${/}", None, "/", None),
        ] {
            let Piece::Variable(variable) = only(text) else { panic!("{text}") };
            assert_eq!((variable.space, variable.name), (space, name), "{text}");
            let found = variable.default.as_ref().map(|default| (default.if_empty, default.text));
            assert_eq!(found, default, "{text}");
        }
    }

    #[test]
    fn a_dollar_stands_for_itself_unless_a_brace_follows() {
        for text in ["cost: $5", "100%", "$C", "$", "$$", "a$b", "}{", "{A}"] {
            assert_eq!(only(text), Piece::Text(text));
        }
        assert_eq!(pieces("$${P}"), [Piece::Escape, Piece::Text("P}")]);
        assert_eq!(pieces("$$${P}"), [Piece::Text("$"), Piece::Escape, Piece::Text("P}")]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_place() {
        for (text, range) in [
            ("a${", 1..3),
            ("${}", 0..3),
            ("${1X}", 0..5),
            ("${A", 0..3),
            ("${A:+x}", 0..7),
            ("${A B}", 0..6),
            ("${:-x}", 0..6),
            ("${env:}", 0..7),
        ] {
            let found = pieces(text).into_iter().find_map(|piece| match piece {
                Piece::Invalid(range, _) => Some(range),
                _ => None,
            });
            assert_eq!(found, Some(range), "{text}");
        }
    }

    #[test]
    fn defaults_stand_in_each_other_to_a_bound() {
        let nested = |depth: usize| format!("{}x{}", "${A:-".repeat(depth), "}".repeat(depth));
        let (fits, does_not) = (nested(MAX_DEFAULTS), nested(MAX_DEFAULTS + 1));
        assert!(!format!("{:?}", pieces(&fits)).contains("Invalid"));
        assert!(format!("{:?}", pieces(&does_not)).contains("Invalid"));
    }

    proptest! {
        #[test]
        fn every_string_can_be_taken_apart(text in "[$ {}:/A-Ca-c1é\\-]{0,40}") {
            let mut length = 0;
            for piece in pieces(&text) {
                length += match piece {
                    Piece::Text(text) => text.len(),
                    Piece::Escape => 3,
                    Piece::Variable(variable) => variable.range.len(),
                    Piece::Invalid(range, _) => range.len(),
                };
            }
            prop_assert_eq!(length, text.len());
        }
    }
}
