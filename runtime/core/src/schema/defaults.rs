//! Sorts defaults: a `HashMap` or `HashSet` has a different order each time.

use serde_json::{Map, Value};

use super::{members, walk};

/// Maximum number of references and arms to follow from a default to the schema of one of its parts, for
/// recursive types.
const MAX_STEPS: usize = 8;

/// Sorts the members of every object, and the items of every set, in all defaults of `root`.
pub(super) fn sort_all(root: &mut Value) {
    if !has_order(root) {
        return;
    }
    let definitions = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    visit_defaults(root, &mut |default, schema| sort(default, schema, &definitions));
}

/// Removes members that callers may not send from all defaults of `root`, in which the objects are closed: serde
/// also writes fields that it does not read.
pub(super) fn drop_unread(root: &mut Value) {
    let definitions = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    visit_defaults(root, &mut |default, schema| drop_unlisted(default, schema, &definitions, MAX_STEPS));
}

fn drop_unlisted(
    value: &mut Value,
    schema: &Map<String, Value>,
    definitions: &Map<String, Value>,
    steps: usize,
) {
    let Some(fewer) = steps.checked_sub(1) else { return };
    if let Some(far) =
        walk::referenced_definition(schema).and_then(|name| definitions.get(name.as_ref())).and_then(members)
    {
        drop_unlisted(value, far, definitions, fewer);
    }
    let name = match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        _ => return,
    };
    for arms in ["anyOf", "oneOf"].into_iter().filter_map(|choice| schema.get(choice)?.as_array()) {
        // The variant is identified by its tag or name.
        let may_be =
            |arm: &&Map<String, Value>| walk::has_type(arm, name) && has_required_members(value, arm);
        let mut arms = arms.iter().filter_map(members).filter(may_be);
        if let (Some(only), None) = (arms.next(), arms.next()) {
            drop_unlisted(value, only, definitions, fewer);
        }
    }
    let below = |value: &mut Value, schema: Option<&Value>| {
        if let Some(schema) = schema.and_then(members) {
            drop_unlisted(value, schema, definitions, MAX_STEPS);
        }
    };
    match value {
        Value::Object(object) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let rest = schema.get("additionalProperties");
            let is_closed = rest == Some(&Value::Bool(false)) && !schema.contains_key("patternProperties");
            object.retain(|name, member| {
                let property = properties.and_then(|properties| properties.get(name));
                below(member, property.or(rest));
                property.is_some() || !is_closed
            });
        }
        Value::Array(items) => {
            let first = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            for (index, item) in items.iter_mut().enumerate() {
                below(item, first.get(index).or_else(|| schema.get("items")));
            }
        }
        _ => {}
    }
}

/// Returns whether `value` has all members that `schema` requires, with one of the listed values.
fn has_required_members(value: &Value, schema: &Map<String, Value>) -> bool {
    let Value::Object(object) = value else { return true };
    let listed = |name: &str| schema.get("properties")?.get(name)?.get("enum")?.as_array();
    let constant = |name: &str| schema.get("properties")?.get(name)?.get("const");
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).all(|name| {
        object.get(name).is_some_and(|member| {
            listed(name).is_none_or(|listed| listed.contains(member))
                && constant(name).is_none_or(|constant| constant == member)
        })
    })
}

/// Returns whether a default in `schema` has parts whose order may vary.
fn has_order(schema: &Value) -> bool {
    let Some(object) = members(schema) else { return false };
    let mut found = object.get("default").is_some_and(|default| default.is_object() || default.is_array());
    walk::all_subschemas(object, |_, subschema| found = found || has_order(subschema));
    found
}

/// Calls `change` with every default and its schema.
fn visit_defaults(schema: &mut Value, change: &mut dyn FnMut(&mut Value, &Map<String, Value>)) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(mut default) = object.get_mut("default").map(Value::take) {
        change(&mut default, object);
        object.insert("default".to_owned(), default);
    }
    walk::subschemas_mut(object, |_, subschema| visit_defaults(subschema, change));
}

/// Sorts `value`, which is or is part of a default, as `schema` permits.
fn sort(value: &mut Value, schema: &Map<String, Value>, definitions: &Map<String, Value>) {
    match value {
        Value::Object(object) => {
            object.sort_keys();
            for (name, member) in object {
                visit_schemas_of(schema, definitions, MAX_STEPS, &mut |schema| {
                    let property = schema.get("properties").and_then(|properties| properties.get(name));
                    let patterns = schema.get("patternProperties").and_then(Value::as_object);
                    let rest = schema.get("additionalProperties");
                    for found in
                        property.into_iter().chain(patterns.into_iter().flat_map(Map::values)).chain(rest)
                    {
                        sort_by(member, found, definitions);
                    }
                });
            }
        }
        Value::Array(items) => {
            let mut is_set = false;
            visit_schemas_of(schema, definitions, MAX_STEPS, &mut |schema| {
                is_set |= schema.get("uniqueItems") == Some(&Value::Bool(true));
                let first =
                    schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(found) = first.get(index).or_else(|| schema.get("items")) {
                        sort_by(item, found, definitions);
                    }
                }
            });
            if is_set {
                items.sort_by_cached_key(|item| (item.as_f64().map(sort_key), item.to_string()));
            }
        }
        _ => {}
    }
}

fn sort_by(value: &mut Value, schema: &Value, definitions: &Map<String, Value>) {
    match members(schema) {
        Some(schema) => sort(value, schema, definitions),
        None => sort(value, &Map::new(), definitions),
    }
}

/// Calls `visit` with every schema that applies to the same value as `schema`: itself, its references and its
/// arms.
fn visit_schemas_of(
    schema: &Map<String, Value>,
    definitions: &Map<String, Value>,
    steps: usize,
    visit: &mut dyn FnMut(&Map<String, Value>),
) {
    visit(schema);
    if steps == 0 {
        return;
    }
    let far = walk::referenced_definition(schema).and_then(|name| definitions.get(name.as_ref()));
    let arms =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|choice| schema.get(choice)?.as_array()).flatten();
    for next in far.into_iter().chain(arms).filter_map(members) {
        visit_schemas_of(next, definitions, steps - 1, visit);
    }
}

/// Returns an integer that orders numbers like their values.
fn sort_key(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    bits ^ (((bits >> 63).cast_unsigned() >> 1).cast_signed())
}
