//! What a reference page says about a schema: a row for each property, with its type and rules in words.

use serde_json::Value;

/// How deep members of objects are listed; deeper ones are in the schema.
const DEPTH_LIMIT: usize = 4;

/// A property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The names from the root to the property, with `[]` for the items of a list.
    pub(super) path: String,
    /// Its type in words.
    pub(super) kind: String,
    pub(super) is_required: bool,
    pub(super) description: String,
    /// Its bounds, choices, default and examples, each in words.
    pub(super) rules: Vec<String>,
}

/// The rows of a schema, members of objects below their object.
pub(super) fn rows(schema: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    add_members(&mut rows, schema, schema, "", 0);
    rows
}

fn add_members(rows: &mut Vec<Row>, root: &Value, schema: &Value, path: &str, depth: usize) {
    let schema = followed(root, schema);
    let required: Vec<&str> = texts(schema.get("required"));
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let target = followed(root, property);
        let description = property.get("description").or_else(|| target.get("description"));
        rows.push(Row {
            kind: kind(root, property),
            is_required: required.contains(&name.as_str()),
            description: description.and_then(Value::as_str).unwrap_or_default().trim().to_owned(),
            rules: rules(target),
            path: path.clone(),
        });
        if depth < DEPTH_LIMIT {
            match target.get("items") {
                Some(items) => add_members(rows, root, items, &format!("{path}[]"), depth + 1),
                None => add_members(rows, root, target, &path, depth + 1),
            }
        }
    }
}

/// What a local reference leads to.
fn followed<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    reference.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

/// The type in words: `text`, `list of integer`, `"open" or "closed"`.
fn kind(root: &Value, schema: &Value) -> String {
    let schema = followed(root, schema);
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
            return branches.iter().map(|branch| kind(root, branch)).collect::<Vec<_>>().join(" or ");
        }
    }
    let names = match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        types => texts(types),
    };
    let words = names.into_iter().map(|name| match name {
        "string" => "text".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("list of {}", kind(root, items)),
            None => "list".to_owned(),
        },
        other => other.to_owned(),
    });
    let words = words.collect::<Vec<_>>().join(" or ");
    if words.is_empty() { "anything".to_owned() } else { words }
}

fn rules(schema: &Value) -> Vec<String> {
    let mut rules = Vec::new();
    for (keyword, words) in [
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
        ("minLength", "characters: at least"),
        ("maxLength", "characters: at most"),
        ("minItems", "items: at least"),
        ("maxItems", "items: at most"),
        ("default", "default"),
    ] {
        if let Some(value) = schema.get(keyword) {
            rules.push(format!("{words} {value}"));
        }
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        rules.push(format!("pattern {pattern}"));
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        rules.push(format!("format {format}"));
    }
    if schema.get("writeOnly") == Some(&Value::Bool(true)) {
        rules.push("secret".to_owned());
    }
    let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    let examples: Vec<_> = examples.map(ToString::to_string).collect();
    if !examples.is_empty() {
        rules.push(format!("for example {}", examples.join(", ")));
    }
    rules
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The hints of a tool in words for people.
pub(super) fn hints(tool: &toolwright_core::definition::ToolDefinition) -> Vec<&'static str> {
    let Some(hints) = &tool.annotations else { return Vec::new() };
    [
        (hints.read_only_hint, "read-only", "writes"),
        (hints.destructive_hint, "destructive", "destroys nothing"),
        (hints.idempotent_hint, "idempotent", "not idempotent"),
        (hints.open_world_hint, "open world", "closed world"),
    ]
    .into_iter()
    .filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no }))
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_say_types_and_rules_in_words() {
        let schema = json!({
            "type": "object",
            "properties": {
                "lines": {
                    "type": "array",
                    "description": "The lines.",
                    "items": {"$ref": "#/$defs/Line"},
                    "minItems": 1
                },
                "state": {"type": "string", "enum": ["open", "closed"], "default": "open"}
            },
            "required": ["lines"],
            "$defs": {"Line": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1, "examples": [3]}}}}
        });
        let rows: Vec<_> = rows(&schema)
            .into_iter()
            .map(|row| format!("{}|{}|{}|{}", row.path, row.kind, row.is_required, row.rules.join(";")))
            .collect();
        assert_eq!(
            rows,
            [
                "lines|list of object|true|items: at least 1",
                "lines[].count|integer|false|at least 1;for example 3",
                "state|\"open\" or \"closed\"|false|default \"open\"",
            ]
        );
    }
}
