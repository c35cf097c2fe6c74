//! Comments with what types cannot express.

use serde_json::{Map, Value};
use toolwright_core::docs::markdown::json;
use toolwright_core::manifest::visible;

use super::DEPTH_LIMIT;

/// Keywords that types or comments of members express, and those that do not restrict values.
const SAID_BY_TYPES: [&str; 18] = [
    "type",
    "enum",
    "const",
    "properties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "description",
    "title",
    "$schema",
    "$id",
    "$comment",
    "required",
];

/// The rules of a schema that its type does not express, and those of inner schemas without a comment of their own, one line
/// each.
pub(super) fn rules_of(schema: &Value, with_description: bool) -> Vec<String> {
    let mut said = Vec::new();
    add_rules(&mut said, schema, "", with_description, DEPTH_LIMIT);
    said
}

fn add_rules(said: &mut Vec<String>, schema: &Value, place: &str, with_description: bool, depth: usize) {
    let (Some(keywords), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return };
    let at = if place.is_empty() { String::new() } else { format!(" (in {place})") };
    let mut say = |keyword: &str, value: &str| said.push(format!("@{keyword} {value}{at}"));
    let description = keywords.get("description").and_then(Value::as_str).map(str::trim);
    if let Some(text) = description.filter(|text| with_description && !text.is_empty()) {
        say("description", &text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let properties = keywords.get("properties").and_then(Value::as_object);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("examples", Value::Array(examples)) => {
                for example in examples {
                    say("example", &json(example));
                }
            }
            ("pattern" | "format", Value::String(value)) => say(keyword, value),
            ("additionalProperties", Value::Object(_)) if properties.is_none_or(Map::is_empty) => {}
            ("additionalProperties", Value::Bool(false)) => {}
            ("required", Value::Array(names)) => {
                let is_missing = |name: &&Value| {
                    name.as_str().is_none_or(|name| properties.is_none_or(|all| !all.contains_key(name)))
                };
                names.iter().filter(is_missing).for_each(|name| say(keyword, &json(name)));
            }
            ("items", Value::Array(_)) => say(keyword, &json(value)),
            (known, _) if SAID_BY_TYPES.contains(&known) || known.starts_with("x-") => {}
            _ => say(keyword, &json(value)),
        }
    }
    let inside = |step: &str| if place.is_empty() { step.to_owned() } else { format!("{place} {step}") };
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = keywords.get(keyword) {
            add_rules(said, schema, &inside(keyword), true, depth);
        }
    }
    for keyword in ["prefixItems", "anyOf", "oneOf", "allOf"] {
        let schemas = keywords.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for (index, schema) in schemas.enumerate() {
            add_rules(said, schema, &inside(&format!("{keyword} {}", index + 1)), true, depth);
        }
    }
}

/// A documentation comment with what types cannot express.
pub(super) fn comment(description: Option<&str>, said: &[String], indent: usize) -> String {
    let described = description.unwrap_or_default().trim().lines().map(str::trim);
    // Nothing in a line ends it or the comment.
    let lines = described.chain(said.iter().map(String::as_str));
    let lines: Vec<_> = lines.map(|line| visible(line).replace("*/", "*\\/")).collect();
    let space = "  ".repeat(indent);
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{space}/** {line} */\n"),
        lines => {
            let lines = lines.iter().map(|line| format!("{space} * {line}").trim_end().to_owned() + "\n");
            format!("{space}/**\n{}{space} */\n", lines.collect::<String>())
        }
    }
}
