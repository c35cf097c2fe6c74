//! Merges the attributes of fields into the properties of the root.

use serde_json::{Map, Value};

use super::{SchemaProblem, merge, walk};
use crate::metadata::FieldMetadata;

/// Merges `fields` into `root`, and removes credentials.
///
/// Returns the first attribute without effect.
pub(super) fn apply(root: &mut Value, fields: &[FieldMetadata]) -> Option<SchemaProblem> {
    let root = walk::as_object(root);
    let mut problem = None;
    for field in fields {
        if field.credential {
            remove(root, field.name);
        } else if let Some(property) = root.get_mut("properties").and_then(|all| all.get_mut(field.name)) {
            let property = walk::as_object(property);
            let keywords = keywords(field);
            problem = problem.or_else(|| without_effect(field.name, property, &keywords));
            patch(property, keywords);
            if field.secret {
                property.insert("writeOnly".to_owned(), Value::Bool(true));
            }
        }
    }
    problem
}

/// The same for a root whose members are in the arms of a choice.
pub(super) fn apply_to_parts(root: &mut Value, fields: &[FieldMetadata]) {
    apply(root, fields);
    if let Some(object) = root.as_object_mut() {
        walk::subschemas_mut(object, |keyword, part| {
            if matches!(keyword, "allOf" | "anyOf" | "oneOf") {
                apply_to_parts(part, fields);
            }
        });
    }
}

/// Closes the root unless it defines further members.
pub(super) fn close_root(root: &mut Value) {
    let root = walk::as_object(root);
    if !root.contains_key("additionalProperties") {
        let definitions = root.shift_remove("$defs");
        root.insert("additionalProperties".to_owned(), Value::Bool(false));
        if let Some(definitions) = definitions {
            root.insert("$defs".to_owned(), definitions);
        }
    }
}

fn remove(root: &mut Map<String, Value>, name: &str) {
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        properties.shift_remove(name);
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        required.retain(|other| other != name);
        if required.is_empty() {
            root.shift_remove("required");
        }
    }
}

fn keywords(field: &FieldMetadata) -> Map<String, Value> {
    match serde_json::from_str(field.schema) {
        Ok(keywords) => keywords,
        Err(error) => {
            panic!("the derive wrote broken keywords for `{}`: {error}: {}", field.name, field.schema)
        }
    }
}

/// Sets each keyword; a bound only if it is tighter than that of the type.
fn patch(property: &mut Map<String, Value>, keywords: Map<String, Value>) {
    for (keyword, value) in keywords {
        let value = match property.get(&keyword) {
            Some(known) => merge::stricter(&keyword, known, &value).unwrap_or(value),
            None => value,
        };
        property.insert(keyword, value);
    }
}

/// Returns the first of `keywords` that applies to other types than `property` has.
fn without_effect(
    field: &str,
    property: &Map<String, Value>,
    keywords: &Map<String, Value>,
) -> Option<SchemaProblem> {
    let found = match property.get("type")? {
        Value::String(one) => one.clone(),
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => return None,
    };
    let keyword = keywords.keys().find(|keyword| {
        let about: &[&str] = match keyword.as_str() {
            "pattern" | "minLength" | "maxLength" => &["string"],
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                &["integer", "number"]
            }
            "minItems" | "maxItems" | "uniqueItems" => &["array"],
            _ => return false,
        };
        !about.iter().any(|name| walk::has_type(property, name))
    })?;
    Some(SchemaProblem::NoEffect { field: field.to_owned(), keyword: keyword.clone(), found })
}
