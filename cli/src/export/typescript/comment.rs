//! Comments with the constraints that types cannot express.

use serde_json::{Map, Value};
use toolwright_core::docs::markdown::json;
use toolwright_core::manifest::visible;

use super::DEPTH_LIMIT;

/// Keywords that types or the comments of members express, and annotations.
const EXPRESSED_BY_TYPES: [&str; 18] = [
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

/// Returns the constraints that the type of a schema does not express, including those of subschemas without a comment, one
/// per line.
pub(super) fn collect_rules(schema: &Value, with_description: bool) -> Vec<String> {
    let mut rules = Vec::new();
    add_rules(&mut rules, schema, "", with_description, DEPTH_LIMIT);
    rules
}

fn add_rules(rules: &mut Vec<String>, schema: &Value, place: &str, with_description: bool, depth: usize) {
    let (Some(keywords), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return };
    let at = if place.is_empty() { String::new() } else { format!(" (in {place})") };
    let mut add = |keyword: &str, value: &str| rules.push(format!("@{keyword} {value}{at}"));
    let description = keywords.get("description").and_then(Value::as_str).map(str::trim);
    if let Some(text) = description.filter(|text| with_description && !text.is_empty()) {
        add("description", &text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    let properties = keywords.get("properties").and_then(Value::as_object);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("examples", Value::Array(examples)) => {
                for example in examples {
                    add("example", &json(example));
                }
            }
            ("pattern" | "format", Value::String(value)) => add(keyword, value),
            ("additionalProperties", Value::Object(_)) if properties.is_none_or(Map::is_empty) => {}
            ("additionalProperties", Value::Bool(false)) => {}
            ("required", Value::Array(names)) => {
                let is_missing = |name: &&Value| {
                    name.as_str().is_none_or(|name| properties.is_none_or(|all| !all.contains_key(name)))
                };
                names.iter().filter(is_missing).for_each(|name| add(keyword, &json(name)));
            }
            ("items", Value::Array(_)) => add(keyword, &json(value)),
            (keyword, _) if EXPRESSED_BY_TYPES.contains(&keyword) || keyword.starts_with("x-") => {}
            _ => add(keyword, &json(value)),
        }
    }
    let inside = |step: &str| if place.is_empty() { step.to_owned() } else { format!("{place} {step}") };
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = keywords.get(keyword) {
            add_rules(rules, schema, &inside(keyword), true, depth);
        }
    }
    for keyword in ["prefixItems", "anyOf", "oneOf", "allOf"] {
        let schemas = keywords.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for (index, schema) in schemas.enumerate() {
            add_rules(rules, schema, &inside(&format!("{keyword} {}", index + 1)), true, depth);
        }
    }
}

/// Formats a documentation comment with the constraints that types cannot express.
pub(super) fn format_comment(description: Option<&str>, rules: &[String], indent: usize) -> String {
    let described = description.unwrap_or_default().trim().lines().map(str::trim);
    // No line can end the comment.
    let lines = described.chain(rules.iter().map(String::as_str));
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
