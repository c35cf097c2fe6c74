//! The syntax of variables in strings: `${NAME}` and its other forms.

use std::ops::Range;

/// The maximum nesting of defaults.
const MAX_DEFAULT_DEPTH: usize = 8;

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Literal text.
    Text(&'a str),
    /// `$${`, which is a literal `${`.
    Escape,
    Variable(Variable<'a>),
    /// An invalid `${…}`: its range, and the reason.
    Invalid(Range<usize>, String),
}

/// `${NAME}` or `${namespace:NAME}`, with an optional default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable<'a> {
    /// The part before a colon, such as `env`.
    pub(super) namespace: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) default: Option<DefaultValue<'a>>,
    /// Its range in the string, including `${` and `}`.
    pub(super) range: Range<usize>,
}

/// The default of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefaultValue<'a> {
    /// Whether it also replaces an empty value: `:-` rather than `-`.
    pub(super) if_empty: bool,
    pub(super) text: &'a str,
    pub(super) pieces: Vec<Piece<'a>>,
}

/// Splits a string into its pieces.
pub(super) fn parse(text: &str) -> Vec<Piece<'_>> {
    parse_nested(text, 0, 0)
}

/// Splits a part of a string, which starts at `offset` of the whole string.
fn parse_nested(text: &str, offset: usize, depth: usize) -> Vec<Piece<'_>> {
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
            let length = variable_length(rest);
            let range = offset + at..offset + at + length.unwrap_or(rest.len());
            let piece = match length {
                Some(length) => parse_variable(&rest[2..length - 1], range, depth),
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

/// Returns the length of the variable at the start of `text`, up to the closing brace.
fn variable_length(text: &str) -> Option<usize> {
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

/// Parses the text between the braces.
fn parse_variable(inner: &str, range: Range<usize>, depth: usize) -> Piece<'_> {
    let invalid = |reason: String| Piece::Invalid(range.clone(), reason);
    if inner.is_empty() {
        return invalid("`${}` has no variable name".to_owned());
    }
    let (namespace, rest) = match inner.split_once(':') {
        Some((namespace, rest)) if is_name(namespace) && !rest.starts_with('-') => (Some(namespace), rest),
        _ => (None, inner),
    };
    let at = match namespace {
        // IDs of inputs and names of tokens may contain hyphens, so only `:-` ends them.
        Some(_) => rest.find(":-").unwrap_or(rest.len()),
        None => rest.find(|c: char| !is_name_part(c) && c != '/').unwrap_or(rest.len()),
    };
    let (name, rest) = rest.split_at(at);
    if !(if namespace.is_some() { is_id(name) } else { is_name(name) || name == "/" }) {
        let name = if name.is_empty() { inner } else { name };
        return invalid(format!("`{}` is not a valid variable name", shorten(name)));
    }
    let default = match rest.strip_prefix(":-").map(|text| (true, text)) {
        Some(found) => Some(found),
        None => rest.strip_prefix('-').map(|text| (false, text)),
    };
    let Some((if_empty, text)) = default else {
        if rest.is_empty() {
            return Piece::Variable(Variable { namespace, name, default: None, range });
        }
        return invalid(format!("expected `}}`, `:-` or `-` after the name, found `{}`", separator(rest)));
    };
    if depth == MAX_DEFAULT_DEPTH {
        return invalid(format!("more than {MAX_DEFAULT_DEPTH} nested defaults"));
    }
    let offset = range.end - 1 - text.len();
    let pieces = parse_nested(text, offset, depth + 1);
    Piece::Variable(Variable {
        namespace,
        name,
        default: Some(DefaultValue { if_empty, text, pieces }),
        range,
    })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_name_part)
}

fn is_name_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether a name is valid after `input:`, `runtime:` or `env:`. Windows has a variable `ProgramFiles(x86)`.
fn is_id(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '(' | ')');
    !name.is_empty() && name.chars().all(is_part)
}

/// Returns the invalid character only, since the rest may be a secret.
fn separator(text: &str) -> String {
    let count = if text.starts_with(':') { 2 } else { 1 };
    text.chars().take(count).collect()
}

/// Shortens a name for a message.
fn shorten(text: &str) -> String {
    text.chars().take_while(|c| !c.is_control()).take(24).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(text: &str) -> Piece<'_> {
        let mut pieces = parse(text);
        assert_eq!(pieces.len(), 1, "{pieces:?}");
        pieces.remove(0)
    }

    #[test]
    fn variables_have_namespaces_names_and_defaults() {
        for (text, namespace, name, default) in [
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
            assert_eq!((variable.namespace, variable.name), (namespace, name), "{text}");
            let found = variable.default.as_ref().map(|default| (default.if_empty, default.text));
            assert_eq!(found, default, "{text}");
        }
    }

    #[test]
    fn a_dollar_sign_without_a_brace_is_literal() {
        for text in ["cost: $5", "100%", "$C", "$", "$$", "a$b", "}{", "{A}"] {
            assert_eq!(only(text), Piece::Text(text));
        }
        assert_eq!(parse("$${P}"), [Piece::Escape, Piece::Text("P}")]);
        assert_eq!(parse("$$${P}"), [Piece::Text("$"), Piece::Escape, Piece::Text("P}")]);
    }

    #[test]
    fn invalid_variables_are_located() {
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
            let found = parse(text).into_iter().find_map(|piece| match piece {
                Piece::Invalid(range, _) => Some(range),
                _ => None,
            });
            assert_eq!(found, Some(range), "{text}");
        }
    }

    #[test]
    fn the_nesting_of_defaults_is_bounded() {
        let nested = |depth: usize| format!("{}x{}", "${A:-".repeat(depth), "}".repeat(depth));
        let (fits, does_not) = (nested(MAX_DEFAULT_DEPTH), nested(MAX_DEFAULT_DEPTH + 1));
        assert!(!format!("{:?}", parse(&fits)).contains("Invalid"));
        assert!(format!("{:?}", parse(&does_not)).contains("Invalid"));
    }

    proptest! {
        #[test]
        fn any_string_is_split_without_loss(text in "[$ {}:/A-Ca-c1é\\-]{0,40}") {
            let mut length = 0;
            for piece in parse(&text) {
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
