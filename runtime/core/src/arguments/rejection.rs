//! Translates serde's error messages into JSON terms.

use serde_path_to_error::{Path, Segment};

use super::doc::without_position;

/// The parts of a serde error that are useful to a caller.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rejection<'m> {
    Missing(&'m str),
    Unknown(&'m str),
    Repeated(&'m str),
    /// No variant of an untagged enum matches the value.
    NoForm,
    /// The value has another type or is out of range.
    Expected {
        expected: String,
        got: &'m str,
    },
    /// A message by the author of the type.
    Other(&'m str),
}

impl<'m> Rejection<'m> {
    /// Parses the message of a `serde_json` error.
    pub(super) fn parse(message: &'m str) -> Self {
        let message = without_position(message);
        let named = |prefix: &str| message.strip_prefix(prefix)?.strip_prefix('`')?.split_once('`');
        if let Some((name, _)) = named("missing field ") {
            return Self::Missing(name);
        }
        if let Some((name, _)) = named("unknown field ") {
            return Self::Unknown(name);
        }
        if let Some((name, _)) = named("duplicate field ") {
            return Self::Repeated(name);
        }
        if message.starts_with("data did not match any variant of untagged enum ") {
            return Self::NoForm;
        }
        // The part before the last separator may quote the caller's value, the part after it comes from the
        // type.
        let Some((got, expected)) = message.rsplit_once(", expected ") else { return Self::Other(message) };
        let got = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "]
            .into_iter()
            .find_map(|prefix| got.strip_prefix(prefix));
        match got {
            Some(got) => Self::Expected { expected: translate_type(expected), got: translate_kind(got) },
            None => Self::Other(message),
        }
    }
}

/// Translates serde's name for a kind of value.
fn translate_kind(got: &str) -> &str {
    match got {
        "map" => "an object",
        "sequence" => "an array",
        "unit value" => "null",
        _ => got,
    }
}

/// Translates the name of a Rust type.
fn translate_type(expected: &str) -> String {
    macro_rules! range {
        ($type:ty) => {
            format!("an integer from {} to {}", <$type>::MIN, <$type>::MAX)
        };
    }
    match expected {
        "i8" => range!(i8),
        "i16" => range!(i16),
        "i32" => range!(i32),
        "i64" | "isize" => range!(i64),
        "i128" => range!(i128),
        "u8" => range!(u8),
        "u16" => range!(u16),
        "u32" => range!(u32),
        "u64" | "usize" => range!(u64),
        "u128" => range!(u128),
        "f32" | "f64" => "a number".to_owned(),
        "unit" => "null".to_owned(),
        "a map" => "an object".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a borrowed string" | "variant identifier" | "field identifier" => "a string".to_owned(),
        _ => translate_phrase(expected),
    }
}

fn translate_phrase(expected: &str) -> String {
    // "tuple struct Pair with 2 elements", "a tuple of size 2", "an array of length 2"
    let count = expected.split(' ').find_map(|word| word.parse::<usize>().ok());
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| expected.starts_with(prefix));
    if starts(&["tuple ", "a tuple ", "an array "]) {
        return count.map_or_else(|| "an array".to_owned(), |count| format!("an array of {count} items"));
    }
    if starts(&["struct ", "internally tagged enum ", "adjacently tagged enum ", "untagged enum "]) {
        return "an object".to_owned();
    }
    if starts(&["unit struct ", "unit variant "]) {
        return "null".to_owned();
    }
    if starts(&["enum "]) {
        return "one of its forms".to_owned();
    }
    expected.replace('`', "\"")
}

/// Returns the path to an error as names of a JSON pointer, up to the first unknown segment.
pub(super) fn path_segments(path: &Path) -> Vec<String> {
    path.iter()
        .map_while(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Unknown => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Rejection;

    #[test]
    fn parses_error_messages_of_serde() {
        let expected = |expected: &str, got| Rejection::Expected { expected: expected.to_owned(), got };
        for (message, rejection) in [
            ("missing field `a` at line 1 column 2", Rejection::Missing("a")),
            ("unknown field `b`, expected one of `c`, `d` at line 1 column 2", Rejection::Unknown("b")),
            ("duplicate field `a`", Rejection::Repeated("a")),
            ("data did not match any variant of untagged enum Place at line 1 column 9", Rejection::NoForm),
            (
                "invalid value: integer `300`, expected u8 at line 1 column 2",
                expected("an integer from 0 to 255", "integer `300`"),
            ),
            (
                r#"invalid type: string "x, expected y", expected struct Inner at line 1 column 2"#,
                expected("an object", r#"string "x, expected y""#),
            ),
            ("invalid type: map, expected a sequence", expected("an array", "an object")),
            ("invalid length 3, expected a tuple of size 2", expected("an array of 2 items", "3")),
            ("unknown variant `x`, expected `a` or `b`", expected("\"a\" or \"b\"", "`x`")),
            ("not a colour at line one at line 1 column 2", Rejection::Other("not a colour at line one")),
        ] {
            assert_eq!(Rejection::parse(message), rejection, "{message}");
        }
    }
}
