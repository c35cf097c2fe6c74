//! Merges two schemas for the same value.

use serde_json::map::Entry;
use serde_json::{Map, Value, json};

/// Annotations, which constrain nothing.
const ANNOTATIONS: &[&str] =
    &["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-")
}

/// Merges both schemas; annotations of `near`, the schema at the location itself, override those of the
/// definition `far`.
///
/// Two objects become one with all properties. Conflicting values of a keyword are kept under `allOf`.
pub(super) fn merge(far: Map<String, Value>, near: Map<String, Value>) -> Map<String, Value> {
    let mut joined = far;
    let mut apart = Map::new();
    for (keyword, value) in near {
        match joined.entry(keyword) {
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
            Entry::Occupied(mut entry) => {
                if *entry.get() == value {
                    continue;
                }
                if is_annotation(entry.key()) {
                    entry.insert(value);
                    continue;
                }
                let keyword = entry.key().clone();
                if let Some(rest) = join(&keyword, entry.get_mut(), value) {
                    apart.insert(keyword, rest);
                }
            }
        }
    }
    if !apart.is_empty() {
        let all = joined.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            all.push(Value::Object(apart));
        }
    }
    joined
}

/// Merges `second` into `first` under `keyword`; returns `second` if that is not possible.
fn join(keyword: &str, first: &mut Value, second: Value) -> Option<Value> {
    match (keyword, first, second) {
        ("required" | "allOf", Value::Array(first), Value::Array(second)) => {
            for item in second {
                if !first.contains(&item) {
                    first.push(item);
                }
            }
            None
        }
        ("properties" | "patternProperties" | "$defs", Value::Object(first), Value::Object(second)) => {
            for (name, schema) in second {
                add_property(first, name, schema);
            }
            None
        }
        // A closed object stays closed: its properties now include the names of the other part.
        ("additionalProperties" | "unevaluatedProperties", first, second) => {
            if *first == Value::Bool(true) || second == Value::Bool(false) {
                *first = second;
            }
            None
        }
        (_, first, second) => match stricter(keyword, first, &second) {
            Some(strictest) => {
                *first = strictest;
                None
            }
            None => Some(second),
        },
    }
}

/// Adds a property; if it exists, it must satisfy both schemas.
pub(super) fn add_property(properties: &mut Map<String, Value>, name: String, schema: Value) {
    match properties.entry(name) {
        Entry::Vacant(entry) => {
            entry.insert(schema);
        }
        Entry::Occupied(mut entry) => {
            if *entry.get() != schema {
                let known = entry.get_mut().take();
                entry.insert(json!({ "allOf": [known, schema] }));
            }
        }
    }
}

/// Returns the tighter of two bounds, or `None` if `keyword` is not a bound.
pub(super) fn stricter(keyword: &str, one: &Value, other: &Value) -> Option<Value> {
    let pick_greater = match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => true,
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => false,
        _ => return None,
    };
    let other_is_greater = compare(other, one)?.is_gt();
    Some(if other_is_greater == pick_greater { other } else { one }.clone())
}

/// Compares two JSON numbers, exactly if both are integers.
fn compare(one: &Value, other: &Value) -> Option<std::cmp::Ordering> {
    let integer = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}
