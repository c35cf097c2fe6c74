//! Resolves references within a schema, and merges schemas with siblings of references.

use serde_json::{Map, Value};

/// Maximum number of nodes of a schema with its references replaced by their targets.
const MAX_NODES: usize = 20_000;
/// Maximum total number of nodes of such schemas in a module.
pub(super) const MAX_ALL_NODES: usize = 500_000;
/// Maximum depth of such a schema.
const MAX_DEPTH: usize = 64;

/// Keywords that constrain nothing.
pub(super) const OMITTED: [&str; 5] = ["$schema", "$id", "$comment", "$defs", "definitions"];

/// Returns the target of a reference within `root` (RFC 6901).
pub(super) fn resolve<'a>(reference: &str, root: &'a Value) -> Option<&'a Value> {
    match reference.strip_prefix('#')? {
        "" => Some(root),
        pointer => root.pointer(pointer),
    }
}

/// Returns the schema without references; `None` if it is recursive, refers to another document, or has more
/// than `left` nodes, from which its number of nodes is subtracted.
pub(super) fn inline_references(schema: &Value, root: &Value, left: &mut usize) -> Option<Value> {
    let most = MAX_NODES.min(*left);
    let mut nodes = most;
    let whole = inline(schema, root, &mut Vec::new(), &mut nodes, 0);
    *left -= most - nodes;
    whole
}

fn inline(
    schema: &Value,
    root: &Value,
    open: &mut Vec<String>,
    nodes: &mut usize,
    depth: usize,
) -> Option<Value> {
    *nodes = nodes.checked_sub(1)?;
    if depth == MAX_DEPTH {
        return None;
    }
    Some(match schema {
        Value::Array(items) => {
            let items = items.iter().map(|item| inline(item, root, open, nodes, depth + 1));
            items.collect::<Option<Vec<_>>>()?.into()
        }
        Value::Object(keywords) => {
            let mut whole = Map::new();
            for (keyword, value) in keywords {
                let is_data = matches!(keyword.as_str(), "const" | "enum" | "default" | "examples" | "$ref");
                let value =
                    if is_data { value.clone() } else { inline(value, root, open, nodes, depth + 1)? };
                if !OMITTED.contains(&keyword.as_str()) {
                    whole.insert(keyword.clone(), value);
                }
            }
            if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
                if open.iter().any(|other| other == reference) {
                    return None;
                }
                open.push(reference.to_owned());
                let target = inline(resolve(reference, root)?, root, open, nodes, depth + 1);
                open.pop();
                whole.shift_remove("$ref");
                let Value::Object(target) = target? else { return None };
                return join(target, &whole).map(Value::Object);
            }
            if whole.contains_key("$dynamicRef") {
                return None;
            }
            // A schema that lists members without excluding others accepts them; a tool here does not.
            if whole.contains_key("properties") && !whole.contains_key("additionalProperties") {
                whole.insert("additionalProperties".to_owned(), true.into());
            }
            whole.into()
        }
        other => other.clone(),
    })
}

/// Merges a schema with its siblings; `None` if both have a constraint with the same keyword.
pub(super) fn join(target: Map<String, Value>, beside: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut whole = target;
    for (keyword, value) in beside {
        let is_text =
            matches!(keyword.as_str(), "title" | "description" | "default" | "examples" | "deprecated");
        match whole.get(keyword) {
            Some(known) if known != value && !is_text => return None,
            _ => drop(whole.insert(keyword.clone(), value.clone())),
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_replaced_within_bounds() {
        let root = json!({"$defs": {"A": {"type": "string"}, "B": {"$ref": "#/$defs/B"}, "C": {"items": {"$ref": "#/$defs/A"}}}});
        let check = |schema: Value, expected: Option<Value>| {
            let mut left = MAX_ALL_NODES;
            assert_eq!(inline_references(&schema, &root, &mut left), expected, "{schema}");
        };
        check(
            json!({"$ref": "#/$defs/A", "description": "d"}),
            Some(json!({"type": "string", "description": "d"})),
        );
        check(json!({"$ref": "#/$defs/C"}), Some(json!({"items": {"type": "string"}})));
        check(json!({"$ref": "#/$defs/A", "type": "integer"}), None);
        check(json!({"$ref": "#/$defs/B"}), None);
        check(json!({"$ref": "#/$defs/none"}), None);
        check(json!({"$ref": "https://example.com"}), None);
        check(json!({"const": {"$ref": "x"}}), Some(json!({"const": {"$ref": "x"}})));
        check(json!({"properties": {}}), Some(json!({"properties": {}, "additionalProperties": true})));
    }

    /// Each name refers twice to the next: expanded, they would exhaust any memory.
    #[test]
    fn exponential_references_are_given_up() {
        let definitions: Map<String, Value> = (0..16)
            .map(|number| {
                let next = json!({"$ref": format!("#/$defs/D{}", number + 1)});
                (format!("D{number}"), json!({"anyOf": [next, next]}))
            })
            .chain([("D16".to_owned(), json!({"type": "null"}))])
            .collect();
        let mut left = MAX_ALL_NODES;
        assert_eq!(
            inline_references(&json!({"$ref": "#/$defs/D0"}), &json!({"$defs": definitions}), &mut left),
            None
        );
        assert_eq!(left, MAX_ALL_NODES - MAX_NODES);
    }
}
