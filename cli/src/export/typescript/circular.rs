//! Finds definitions that refer to themselves for the same value.
//!
//! They describe no value, and TypeScript rejects a type that is an alias of itself.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use toolwright_core::pointer::{below, name, of_fragment};

use super::DEPTH_LIMIT;

/// Returns the pointers of the circular schemas.
pub(super) fn find_circular(schemas: &HashMap<String, &Value>) -> HashSet<String> {
    let targets: HashMap<&String, Vec<String>> = schemas
        .iter()
        .map(|(pointer, schema)| {
            let mut found = Vec::new();
            add_targets(&mut found, schema, DEPTH_LIMIT);
            (pointer, found)
        })
        .collect();
    let leads_back = |start: &String| {
        let mut seen: HashSet<&String> = HashSet::new();
        let mut waiting: Vec<&String> = targets.get(start).into_iter().flatten().collect();
        while let Some(next) = waiting.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                waiting.extend(targets.get(next).into_iter().flatten());
            }
        }
        false
    };
    schemas.keys().filter(|pointer| leads_back(pointer)).cloned().collect()
}

/// Adds the references of a schema for the same value.
fn add_targets(found: &mut Vec<String>, schema: &Value, depth: usize) {
    let (Some(keywords), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return };
    found.extend(keywords.get("$ref").and_then(Value::as_str).and_then(pointer_of));
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for branch in keywords.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            add_targets(found, branch, depth);
        }
    }
}

/// Returns the normalized pointer after the `#` of a reference within the document.
pub(super) fn pointer_of(reference: &str) -> Option<String> {
    let path = of_fragment(reference.strip_prefix('#')?);
    Some(path.split('/').skip(1).fold(String::new(), |path, step| below(&path, &name(step))))
}
