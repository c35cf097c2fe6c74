//! What the strings of prompts and resource templates stand for: text, or the JSON of a number or a boolean.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::each_member;

/// The greatest number of values that a description lists.
const MAX_LISTED_VALUES: usize = 20;

/// Bounds beyond this, 2^53, are those of a Rust type and mean nothing to people.
const MAX_SHOWN_BOUND: f64 = 9_007_199_254_740_992.0;

/// What the string of an argument stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextForm {
    /// The value is the string itself.
    Text,
    /// The string is the JSON of a number or a boolean.
    Scalar,
}

impl TextForm {
    /// Returns the form of the values that a schema accepts, except `null`; `None` if a string cannot stand for them.
    pub(super) fn of(property: &Value, root: &Value) -> Option<Self> {
        if let Some(pointer) = property["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            // A recursive type is neither a string nor a scalar, so following one reference is enough.
            return root
                .pointer(pointer)
                .filter(|target| target.get("$ref").is_none())
                .and_then(Self::of_plain);
        }
        Self::of_plain(property)
    }

    fn of_plain(schema: &Value) -> Option<Self> {
        if let Some(arms) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            let arms = arms.iter().filter(|arm| arm["type"] != "null").map(Self::of_plain);
            return arms.reduce(Self::either).flatten();
        }
        let of_name = |name: &Value| match name.as_str() {
            Some("string") => Some(Self::Text),
            Some("integer" | "number" | "boolean") => Some(Self::Scalar),
            _ => None,
        };
        match &schema["type"] {
            Value::Array(names) => {
                names.iter().filter(|name| *name != "null").map(of_name).reduce(Self::either).flatten()
            }
            name => of_name(name),
        }
    }

    /// A value of either form; text, if one of them is.
    fn either(left: Option<Self>, right: Option<Self>) -> Option<Self> {
        let (left, right) = (left?, right?);
        Some(if left == Self::Scalar { right } else { left })
    }
}

/// Returns all values that a schema accepts, as strings, if it lists them.
pub(super) fn listed_values(property: &Value, root: &Value) -> Vec<String> {
    let target = property["$ref"].as_str().and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    let schema = target.unwrap_or(property);
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().filter(|value| !value.is_null()).map(text_of).collect();
    }
    let of_arm = |arm: &Value| arm.get("const").map(text_of);
    if let Some(values) = schema["oneOf"].as_array().and_then(|arms| arms.iter().map(of_arm).collect()) {
        return values;
    }
    let is_boolean = schema["type"] == "boolean" || schema["type"] == serde_json::json!(["boolean", "null"]);
    if is_boolean { vec!["true".to_owned(), "false".to_owned()] } else { Vec::new() }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Describes what a string has to be, for clients, which see no schema; `None` for any text, and for values that
/// `description` names already.
pub(super) fn describe(schema: &Value, values: &[String], description: Option<&str>) -> Option<String> {
    let is_named = |value: &String| description.is_some_and(|text| text.contains(&format!("`{value}`")));
    if !values.is_empty() {
        if values.len() > MAX_LISTED_VALUES || values.iter().all(is_named) {
            return None;
        }
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return Some(format!("One of {}.", values.join(", ")));
    }
    let names = match &schema["type"] {
        Value::Array(names) => names.iter().find(|name| *name != "null")?,
        name => name,
    };
    let mut text = match names.as_str()? {
        "integer" => "An integer".to_owned(),
        "number" => "A number".to_owned(),
        _ => return None,
    };
    let bound = |keyword: &str| {
        let bound = schema.get(keyword)?;
        bound.as_f64().filter(|bound| bound.abs() < MAX_SHOWN_BOUND).map(|_| bound)
    };
    _ = match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => write!(text, " from {least} to {most}"),
        (Some(least), None) => write!(text, " of at least {least}"),
        (None, Some(most)) => write!(text, " of at most {most}"),
        (None, None) => Ok(()),
    };
    Some(text + ".")
}

/// Returns the arguments with numbers and booleans in place of the strings that stand for them. `form` says what a
/// name is, and whether it is required.
///
/// A string that is neither remains, for the error that names it. An empty string for an optional number or boolean is
/// left out: user interfaces send it for a field that was not filled in.
pub(super) fn convert(text: &str, form: impl Fn(&str) -> Option<(TextForm, bool)>) -> Cow<'_, str> {
    let mut converted = String::with_capacity(text.len());
    let mut add = |name: &str, value: &str| {
        converted.push(if converted.is_empty() { '{' } else { ',' });
        converted.push_str(&Value::from(name).to_string());
        converted.push(':');
        converted.push_str(value);
    };
    let read = each_member(text, |name, value| {
        match (form(&name), string_in(value)) {
            (Some((TextForm::Scalar, false)), Some(string)) if string.is_empty() => {}
            (Some((TextForm::Scalar, _)), Some(string)) if is_scalar(&string) => add(&name, &string),
            _ => add(&name, value.get()),
        }
        Ok(())
    });
    match read {
        Ok(()) if converted.is_empty() => Cow::Borrowed("{}"),
        Ok(()) => Cow::Owned(converted + "}"),
        // The reader says what is wrong with it.
        Err(_) => Cow::Borrowed(text),
    }
}

fn string_in(value: &RawValue) -> Option<String> {
    if value.get().starts_with('"') { serde_json::from_str(value.get()).ok() } else { None }
}

/// Whether the string is a number or boolean of JSON, without white space.
fn is_scalar(string: &str) -> bool {
    let is_trimmed = !string.starts_with(char::is_whitespace) && !string.ends_with(char::is_whitespace);
    let first = string.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | 't' | 'f'));
    is_trimmed && first && serde_json::from_str::<&RawValue>(string).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{TextForm, convert, describe, listed_values};

    #[test]
    fn strings_stand_for_text_numbers_and_booleans() {
        let root = json!({"$defs": {"Style": {"type": "string"}, "Node": {"$ref": "#/$defs/Node"}}});
        for (schema, form) in [
            (json!({"type": "string"}), Some(TextForm::Text)),
            (json!({"type": ["string", "null"]}), Some(TextForm::Text)),
            (json!({"type": ["integer", "null"]}), Some(TextForm::Scalar)),
            (json!({"type": "boolean"}), Some(TextForm::Scalar)),
            (json!({"$ref": "#/$defs/Style"}), Some(TextForm::Text)),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), Some(TextForm::Text)),
            (json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), Some(TextForm::Scalar)),
            (json!({"anyOf": [{"type": "integer"}, {"type": "array"}]}), None),
            (json!({"type": "array"}), None),
            (json!({"type": ["string", "object"]}), None),
            (json!({"$ref": "#/$defs/Node"}), None),
            (json!({}), None),
            (json!(true), None),
        ] {
            assert_eq!(TextForm::of(&schema, &root), form, "{schema}");
        }
    }

    #[test]
    fn only_strings_that_are_scalars_are_converted() {
        let form = |name: &str| match name {
            "n" => Some((TextForm::Scalar, true)),
            "o" => Some((TextForm::Scalar, false)),
            _ => Some((TextForm::Text, true)),
        };
        for (text, expected) in [
            (r#"{"n":"12","t":"12"}"#, r#"{"n":12,"t":"12"}"#),
            (r#"{"n":"-1.50","o":"true"}"#, r#"{"n":-1.50,"o":true}"#),
            (r#"{"n":"\u0031"}"#, r#"{"n":1}"#),
            (r#"{"n":7}"#, r#"{"n":7}"#),
            (r#"{"n":"","o":"","t":""}"#, r#"{"n":"","t":""}"#),
            (r#"{"o":""}"#, "{}"),
            (r#"{"n":" 1"}"#, r#"{"n":" 1"}"#),
            (r#"{"n":"1,\"t\":2"}"#, r#"{"n":"1,\"t\":2"}"#),
            (r#"{"n":"[1]","o":"null"}"#, r#"{"n":"[1]","o":"null"}"#),
            (r#"{"n":"NaN"}"#, r#"{"n":"NaN"}"#),
            (r#"{"n":"\ud800"}"#, r#"{"n":"\ud800"}"#),
            ("[1]", "[1]"),
            ("{", "{"),
        ] {
            assert_eq!(convert(text, form), expected, "{text}");
        }
    }

    #[test]
    fn clients_are_told_what_a_string_has_to_be() {
        let described = |schema: serde_json::Value, description: Option<&str>| {
            describe(&schema, &listed_values(&schema, &schema), description).unwrap_or_default()
        };
        assert_eq!(described(json!({"type": "string"}), None), "");
        let bounded = json!({"type": "integer", "minimum": 0, "maximum": 255});
        assert_eq!(described(bounded, None), "An integer from 0 to 255.");
        assert_eq!(
            described(json!({"type": ["number", "null"], "minimum": 0.5}), None),
            "A number of at least 0.5."
        );
        let wide = json!({"type": "integer", "maximum": u64::MAX});
        assert_eq!(described(wide, None), "An integer.");
        assert_eq!(described(json!({"type": "boolean"}), None), "One of `true`, `false`.");
        let listed = json!({"type": "string", "enum": ["a", "b"]});
        assert_eq!(described(listed.clone(), Some("Either `a` or else.")), "One of `a`, `b`.");
        assert_eq!(described(listed, Some("`a`: First.\n`b`: Second.")), "");
    }
}
