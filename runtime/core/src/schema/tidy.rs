//! Simplifies each node without changing its meaning.

use serde_json::{Map, Value, json};

use super::strings::Strings;
use super::{members, merge, one_type_each, root, walk};

/// Which direction of serde a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contract {
    /// Deserialization: `null` for an optional property means that it is omitted, so it is not published.
    Input,
    /// Deserialization, with every `null` that the type accepts.
    Reading,
    /// Serialization, exactly.
    Output,
}

/// Rewrites `schema` and everything in it.
pub(super) fn tidy(schema: &mut Value, contract: Contract) {
    let object = walk::as_object(schema);
    if contract == Contract::Input {
        hide_nulls(object);
    }
    walk::subschemas_mut(object, |keyword, subschema| {
        let may_be_boolean = matches!(keyword, "additionalProperties" | "unevaluatedProperties");
        if subschema.is_object() || !may_be_boolean {
            tidy(subschema, contract);
        }
    });
    lift_single_part(object);
    join_strings(object);
    replace_constant(object);
    simplify_tuple(object, contract);
    clean_required(object);
    if contract != Contract::Output {
        one_type_each::rewrite(object);
    }
}

/// Removes `null` from optional properties, and the corresponding members from defaults.
pub(super) fn hide_nulls(object: &mut Map<String, Value>) {
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, property) in properties {
            if let (Value::Object(property), false) = (property, required.iter().any(|other| other == name)) {
                remove_null(property);
            }
        }
    }
    if object.get("default") == Some(&Value::Null) {
        object.shift_remove("default");
    } else if let Some(mut default) = object.get_mut("default").map(Value::take) {
        remove_null_members(&mut default, object);
        object.insert("default".to_owned(), default);
    }
}

fn remove_null(property: &mut Map<String, Value>) {
    if root::take_null_mark(property) {
        return;
    }
    if let Some(Value::Array(names)) = property.get_mut("type") {
        names.retain(|name| name != "null");
        if let [one] = names.as_slice() {
            let one = one.clone();
            property.insert("type".to_owned(), one);
        }
        if let Some(Value::Array(values)) = property.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    for choice in ["anyOf", "oneOf"] {
        let Some(Value::Array(arms)) = property.get_mut(choice) else { continue };
        let is_null = |arm: &Value| members(arm).is_some_and(|arm| arm.get("type") == Some(&json!("null")));
        let others = arms.iter().filter(|arm| !is_null(arm)).count();
        if others == 0 || others == arms.len() {
            continue;
        }
        arms.retain(|arm| !is_null(arm));
        lift_single(property, choice);
    }
}

/// Removes `null` members from a default if the schema lets them be omitted.
fn remove_null_members(default: &mut Value, schema: &Map<String, Value>) {
    match default {
        Value::Object(object) => {
            let Some(Value::Object(properties)) = schema.get("properties") else { return };
            let required = schema.get("required").and_then(Value::as_array);
            object.retain(|name, value| {
                let is_required = required.is_some_and(|required| required.iter().any(|other| other == name));
                !value.is_null() || is_required || !properties.contains_key(name)
            });
            for (name, value) in object {
                if let Some(property) = properties.get(name).and_then(members) {
                    remove_null_members(value, property);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items").and_then(members) {
                for item in items {
                    remove_null_members(item, schema);
                }
            }
        }
        _ => {}
    }
}

/// Replaces `allOf` with one part by the part.
pub(super) fn lift_single_part(object: &mut Map<String, Value>) {
    lift_single(object, "allOf");
}

fn lift_single(object: &mut Map<String, Value>, keyword: &str) {
    let Some(Value::Array(list)) = object.get_mut(keyword) else { return };
    if list.len() != 1 {
        return;
    }
    let mut only = list.remove(0);
    object.shift_remove(keyword);
    let near = std::mem::take(object);
    *object = merge::merge(std::mem::take(walk::as_object(&mut only)), near);
}

/// Joins all string constants among the arms of a choice to one enumeration.
fn join_strings(object: &mut Map<String, Value>) {
    for choice in ["oneOf", "anyOf"] {
        let Some(Value::Array(arms)) = object.get_mut(choice) else { continue };
        let Some(first) = arms.iter().position(|arm| Strings::of(arm).is_some()) else { continue };
        let mut joined = Strings::default();
        arms.retain(|arm| match Strings::of(arm) {
            Some(strings) => {
                joined.extend(strings);
                false
            }
            None => true,
        });
        if !arms.is_empty() {
            arms.insert(first, Value::Object(joined.into_schema(None)));
            continue;
        }
        object.shift_remove(choice);
        let about = object.shift_remove("description");
        let near = std::mem::take(object);
        *object = merge::merge(joined.into_schema(about.as_ref().and_then(Value::as_str)), near);
    }
}

/// Replaces `const` by an enumeration with one value, which more clients support.
fn replace_constant(object: &mut Map<String, Value>) {
    if object.get("type").and_then(Value::as_str) != Some("string") || object.contains_key("enum") {
        return;
    }
    if let Some(value) = object.shift_remove("const") {
        object.insert("enum".to_owned(), json!([value]));
    }
}

/// A tuple of equal types becomes an array of fixed length, which needs no tuple keyword; other tuples must not
/// close `items`, because validators before 2020-12 would apply it to every item.
///
/// Some clients reject an array without `items`, so inputs have them: a schema for the items at all positions.
fn simplify_tuple(object: &mut Map<String, Value>, contract: Contract) {
    if contract != Contract::Output && object.get("maxItems") == Some(&json!(0)) {
        object.entry("items").or_insert_with(|| json!({ "type": "string" }));
    }
    let Some(Value::Array(first)) = object.get("prefixItems") else { return };
    let length = Some(first.len() as u64);
    let bound = |keyword| object.get(keyword).and_then(Value::as_u64);
    if bound("maxItems") != length {
        return;
    }
    let all_equal = first.windows(2).all(|pair| pair[0] == pair[1]);
    let one = first.first().filter(|_| all_equal && bound("minItems") == length).cloned();
    let any = any_of(first);
    object.shift_remove("items");
    if let Some(one) = one {
        object.shift_remove("prefixItems");
        object.insert("items".to_owned(), one);
    } else if contract != Contract::Output {
        object.insert("items".to_owned(), any);
    }
}

/// Returns a schema that accepts everything that any of `schemas` accepts.
fn any_of(schemas: &[Value]) -> Value {
    let mut different: Vec<&Value> = Vec::new();
    for schema in schemas {
        if !different.contains(&schema) {
            different.push(schema);
        }
    }
    match different.as_slice() {
        [one] => (*one).clone(),
        many if many.iter().any(|schema| members(schema).is_none_or(Map::is_empty)) => json!({}),
        many => json!({ "anyOf": many }),
    }
}

fn clean_required(object: &mut Map<String, Value>) {
    let Some(Value::Array(required)) = object.get_mut("required") else { return };
    let mut seen = Vec::with_capacity(required.len());
    for name in required.drain(..) {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    if seen.is_empty() {
        object.shift_remove("required");
    } else {
        object.insert("required".to_owned(), Value::Array(seen));
    }
}
