//! Generates strings, JSON and comments as Rust source.
//!
//! All of it comes from servers: nothing can escape its literal or comment, and hidden characters are escaped.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_core::manifest::{visible, visible_json};

// Writing to a string cannot fail.

/// Maximum length of an attribute on one line (rustfmt's `attr_fn_like_width`).
const ATTRIBUTE_WIDTH: usize = 70;
/// Maximum length of a line (rustfmt's `max_width`).
const LINE_WIDTH: usize = 100;

/// Formats an attribute like rustfmt.
pub(super) fn attribute(indent: &str, path: &str, words: &[String]) -> String {
    let line = words.join(", ");
    if line.chars().count() <= ATTRIBUTE_WIDTH {
        return format!("{indent}#[{path}({line})]\n");
    }
    let separator = format!(",\n{indent}    ");
    format!("{indent}#[{path}(\n{indent}    {}\n{indent})]\n", words.join(&separator))
}

/// Formats a call with one argument in the body of a function, like rustfmt.
pub(super) fn call(function: &str, argument: &str) -> String {
    let line = format!("    {function}({argument})\n");
    if line.trim_end().chars().count() <= LINE_WIDTH {
        return line;
    }
    format!("    {function}(\n        {argument},\n    )\n")
}

/// A string literal.
pub(super) fn string(text: &str) -> String {
    // `Debug` escapes everything that a literal requires; hidden characters are escaped too.
    visible(&format!("{text:?}"))
}

/// Returns a literal with the JSON text of a value.
pub(super) fn json_text(value: &Value) -> String {
    let text = visible_json(&value.to_string());
    let mut hashes = "#".to_owned();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

/// Returns an expression for the value: a literal for strings, numbers and booleans, otherwise a call of the
/// module's function `json`.
pub(super) fn expression(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(small), _, _) if i32::try_from(small).is_ok() => separate(&small.to_string()),
            (Some(large), _, _) => format!("{}_i64", separate(&large.to_string())),
            (None, Some(large), _) => format!("{}_u64", separate(&large.to_string())),
            (None, None, float) => separate(&format!("{:?}", float.unwrap_or_default())),
        },
        other => format!("json({})", json_text(other)),
    }
}

/// Formats a number with underscores between groups of three digits, if it has more than five
/// (`clippy::unreadable_literal`).
fn separate(number: &str) -> String {
    const PLAIN: usize = 5;
    let (whole, rest) = number.split_at(number.find(['.', 'e']).unwrap_or(number.len()));
    let (fraction, exponent) = rest.split_at(rest.find('e').unwrap_or(rest.len()));
    let group = |digits: &str, first: usize| -> String {
        let mut grouped = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && at % 3 == first && digits.len() > PLAIN {
                grouped.push('_');
            }
            grouped.push(digit);
        }
        grouped
    };
    let (sign, digits) = if let Some(digits) = whole.strip_prefix('-') { ("-", digits) } else { ("", whole) };
    let (dot, decimals) =
        if let Some(digits) = fraction.strip_prefix('.') { (".", digits) } else { ("", "") };
    format!("{sign}{}{dot}{}{exponent}", group(digits, digits.len() % 3), group(decimals, 0))
}

/// Returns a doc comment, and whether the derives read the same text back from it.
///
/// rustdoc does not compile code in it: fences get the language `text`, and indented lines are not code.
pub(super) fn doc(text: &str, indent: &str) -> (String, bool) {
    let mut comment = String::new();
    let mut is_exact = !text.starts_with('#') && text.trim() == text && !text.contains('\r');
    let mut is_in_fence = false;
    for (number, line) in text.trim().lines().enumerate() {
        let mut shown = visible(line.trim());
        is_exact &= shown == line;
        if shown.starts_with("```") || shown.starts_with("~~~") {
            if !is_in_fence {
                let fence: String =
                    shown.chars().take_while(|character| matches!(character, '`' | '~')).collect();
                is_exact = false;
                shown = format!("{fence}text");
            }
            is_in_fence = !is_in_fence;
        }
        if number == 0 && shown.starts_with('#') {
            shown.insert(0, '\\');
        }
        _ = writeln!(comment, "{}", format!("{indent}/// {shown}").trim_end());
    }
    if is_in_fence {
        _ = writeln!(comment, "{indent}/// ```");
        is_exact = false;
    }
    (comment, is_exact)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_string_breaks_out_of_a_literal() {
        assert_eq!(string("a\"b\\\n\u{202e}"), "\"a\\\"b\\\\\\n\\u{202e}\"");
        assert_eq!(json_text(&json!({"a": "\"#\u{202e}"})), "r##\"{\"a\":\"\\\"#\\u202e\"}\"##");
        for (value, text) in [
            (json!(1), "1"),
            (json!(-12_345), "-12345"),
            (json!(-123_456), "-123_456"),
            (json!(-5_000_000_000_i64), "-5_000_000_000_i64"),
            (json!(u64::MAX), "18_446_744_073_709_551_615_u64"),
            (json!(1.5), "1.5"),
            (json!(-1_234_567.812_345_6), "-1_234_567.812_345_6"),
            (json!(1.234_567_8e-9), "1.234_567_8e-9"),
            (json!(1e300), "1e300"),
            (json!([1]), "json(r#\"[1]\"#)"),
        ] {
            assert_eq!(expression(&value), text);
        }
    }

    #[test]
    fn long_attributes_have_a_line_for_each_word() {
        let words = |length: usize| ["a".repeat(length), "b".to_owned()];
        assert_eq!(attribute("", "x", &words(67)), format!("#[x({}, b)]\n", "a".repeat(67)));
        let broken = format!("  #[x(\n      {},\n      b\n  )]\n", "a".repeat(68));
        assert_eq!(attribute("  ", "x", &words(68)), broken);
    }

    #[test]
    fn comments_hold_any_text() {
        for (text, comment, is_exact) in [
            ("One.\n\nTwo: `a`.", "/// One.\n///\n/// Two: `a`.\n", true),
            ("# Title", "/// \\# Title\n", false),
            ("a\n    code", "/// a\n/// code\n", false),
            ("```sh\nrm\n```", "/// ```text\n/// rm\n/// ```\n", false),
            ("~~~\nrm", "/// ~~~text\n/// rm\n/// ```\n", false),
            ("a\rb\u{202e}", "/// a\\u{d}b\\u{202e}\n", false),
            (" a ", "/// a\n", false),
        ] {
            assert_eq!(doc(text, ""), (comment.to_owned(), is_exact), "{text:?}");
        }
    }
}
