//! The parameters of a tool in words.

use std::fmt::Write as _;

use serde_json::Value;

/// How deep the members of objects are listed: deeper ones are named by their type alone.
const DEPTH_LIMIT: usize = 4;

/// One line a property, members of objects below their object.
pub(super) fn list(schema: &Value) -> String {
    let mut text = String::new();
    write_members(&mut text, schema, schema, 0);
    text
}

fn write_members(text: &mut String, root: &Value, schema: &Value, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let property = resolve(root, property);
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().any(|n| n == name));
        let need = if required { "required" } else { "optional" };
        let _ = write!(
            text,
            "{:indent$}- `{name}` ({}, {need})",
            "",
            type_of(root, property),
            indent = depth * 2
        );
        let mut parts: Vec<String> = Vec::new();
        if let Some(description) =
            property.get("description").or_else(|| property.get("title")).and_then(Value::as_str)
        {
            parts.push(description.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        parts.extend(bounds(property));
        if !parts.is_empty() {
            let _ = write!(text, ": {}", parts.join("; "));
        }
        text.push('\n');
        if depth + 1 < DEPTH_LIMIT {
            let inner = property.get("items").map_or(property, |items| resolve(root, items));
            write_members(text, root, inner, depth + 1);
        }
    }
}

/// The keywords that bound a value, and how they read.
const BOUNDS: [(&str, &str); 15] = [
    ("pattern", "matches"),
    ("format", "format"),
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "shortest length"),
    ("maxLength", "longest length"),
    ("minItems", "fewest items"),
    ("maxItems", "most items"),
    ("uniqueItems", "items differ:"),
    ("default", "default"),
    ("examples", "for example"),
    ("example", "for example"),
];

fn bounds(property: &Value) -> impl Iterator<Item = String> {
    BOUNDS.iter().filter_map(|(keyword, words)| {
        let value = property.get(keyword)?;
        let value = match (*keyword, value) {
            // An expression or a format reads better without JSON's escapes.
            ("pattern" | "format", Value::String(text)) => format!("`{text}`"),
            ("examples", Value::Array(list)) => joined(list, ", "),
            _ => format!("`{value}`"),
        };
        (!value.is_empty()).then(|| format!("{words} {value}"))
    })
}

fn type_of(root: &Value, schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return format!("always `{value}`");
    }
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", joined(list, ", "));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(list) = schema.get(keyword).and_then(Value::as_array) {
            // A reference in here is named, not followed: it may lead back to where it stands.
            return list.iter().map(plain_type).collect::<Vec<_>>().join(" or ");
        }
    }
    match schema.get("items") {
        Some(items) if plain_type(schema).starts_with("array") => {
            format!("{} of {}", plain_type(schema), plain_type(resolve(root, items)))
        }
        _ => plain_type(schema),
    }
}

fn plain_type(schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => match schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.rsplit('/').next())
        {
            Some(name) => name.to_owned(),
            None => "any JSON".to_owned(),
        },
    }
}

/// The schema itself, or the one that its `$ref` names within the document.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

fn joined(list: &[Value], separator: &str) -> String {
    list.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(separator)
}
