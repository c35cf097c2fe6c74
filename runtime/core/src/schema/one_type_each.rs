//! Rewrites what schemars generates for plain Rust types and some clients reject: one `type` per node, `anyOf`
//! instead of `oneOf`, no `not`, and no `uniqueItems` for a set.

use serde_json::{Map, Value, json};

use super::{members, merge, walk};

/// Keywords that apply to one type, with the type.
const ABOUT: &[(&str, &[&str])] = &[
    ("string", &["pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "unevaluatedProperties",
            "dependentRequired",
        ],
    ),
];

/// Prefixes of the formats of Rust's numbers; all other formats apply to strings.
const NUMBERS: [&str; 4] = ["int", "uint", "float", "double"];

/// Rewrites one node, whose subschemas are already rewritten.
pub(super) fn rewrite(object: &mut Map<String, Value>) {
    drop_unique_items_of_sets(object);
    prefer_any_of(object);
    split_types(object);
    split_nonzero(object);
}

/// Serde reads a set from a list with duplicates. schemars writes the keyword before `items` for a set; an
/// attribute by the author adds it after them.
fn drop_unique_items_of_sets(object: &mut Map<String, Value>) {
    let place = |keyword: &str| object.keys().position(|key| key == keyword);
    if let (Some(unique), Some(items)) = (place("uniqueItems"), place("items"))
        && unique < items
    {
        object.shift_remove("uniqueItems");
        object.entry("description").or_insert_with(|| json!("An item that is given twice counts once."));
    }
}

/// The same everywhere in `schema`: closed objects are distinguished by their names.
pub(super) fn prefer_any_of_everywhere(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    walk::subschemas_mut(object, |_, subschema| prefer_any_of_everywhere(subschema));
    prefer_any_of(object);
}

/// A flattened enum next to a flattened map: the map may have a member that looks like another variant.
pub(super) fn prefer_any_of_beside_maps(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    walk::subschemas_mut(object, |_, subschema| prefer_any_of_beside_maps(subschema));
    let is_map = |keyword| object.get(keyword).is_some_and(|rest| *rest != Value::Bool(false));
    if is_map("additionalProperties") || is_map("unevaluatedProperties") {
        rename_choice(object);
    }
}

/// `oneOf` is equivalent to `anyOf` if no value matches two arms.
fn prefer_any_of(object: &mut Map<String, Value>) {
    let Some(Value::Array(arms)) = object.get("oneOf") else { return };
    let all_apart =
        arms.iter().enumerate().all(|(at, arm)| arms[at + 1..].iter().all(|other| are_disjoint(arm, other)));
    if all_apart {
        rename_choice(object);
    }
}

/// Replaces `oneOf` by `anyOf`.
fn rename_choice(object: &mut Map<String, Value>) {
    if object.contains_key("anyOf") {
        return;
    }
    // At its old position, so that the order of keywords is unchanged.
    *object = std::mem::take(object)
        .into_iter()
        .map(
            |(keyword, value)| {
                if keyword == "oneOf" { ("anyOf".to_owned(), value) } else { (keyword, value) }
            },
        )
        .collect();
}

/// Returns whether no value matches both schemas, judging by their types, constants, tags and names.
fn are_disjoint(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (members(one), members(other)) else { return false };
    if let (Some(ours), Some(theirs)) = (types(one), types(other))
        && !ours.iter().any(|name| theirs.contains(name) || is_number(name) && theirs.iter().any(is_number))
    {
        return true;
    }
    if let (Some(ours), Some(theirs)) = (constants(one), constants(other)) {
        return !ours.iter().any(|value| theirs.contains(value));
    }
    let names = required(one);
    let tag = names.iter().filter(|name| required(other).contains(name)).any(|name| {
        let constants =
            |schema: &Map<String, Value>| constants(members(schema.get("properties")?.get(*name)?)?);
        matches!((constants(one), constants(other)), (Some(ours), Some(theirs))
            if !ours.iter().any(|value| theirs.contains(value)))
    });
    tag || excludes(one, other) || excludes(other, one)
}

fn is_number(name: &&str) -> bool {
    matches!(*name, "integer" | "number")
}

fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(many) => many.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

fn constants(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(vec![one.clone()]),
        (None, Some(Value::Array(many))) => Some(many.clone()),
        _ => None,
    }
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns whether `closed` rejects further members, including one that `other` requires. Both are objects.
fn excludes(closed: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let knows = |name: &str| members_of(closed, "properties").is_some_and(|all| all.contains_key(name));
    closed.get("additionalProperties") == Some(&Value::Bool(false))
        && !closed.contains_key("patternProperties")
        && walk::has_type(other, "object")
        && required(other).into_iter().any(|name| !knows(name))
}

fn members_of<'s>(schema: &'s Map<String, Value>, keyword: &str) -> Option<&'s Map<String, Value>> {
    schema.get(keyword).and_then(Value::as_object)
}

/// A number other than zero is less or greater.
fn split_nonzero(object: &mut Map<String, Value>) {
    let is_zero = |not: &Value| *not == json!({ "const": 0 });
    if !object.get("not").is_some_and(is_zero) {
        return;
    }
    match object.get("type").and_then(Value::as_str) {
        Some("integer") => {}
        None | Some("number") => return,
        // No value of another type is zero.
        Some(_) => {
            object.shift_remove("not");
            return;
        }
    }
    let bound = |keyword| object.get(keyword).and_then(Value::as_i64);
    let is_one_sided =
        bound("minimum").is_some_and(|least| least > 0) || bound("maximum").is_some_and(|most| most < 0);
    if is_one_sided {
        object.shift_remove("not");
    } else if !object.contains_key("anyOf") {
        object.shift_remove("not");
        let sides = json!([{ "type": "integer", "minimum": 1 }, { "type": "integer", "maximum": -1 }]);
        object.insert("anyOf".to_owned(), sides);
    }
}

/// Converts a list of types to a choice between schemas with one type each, with the keywords that apply to it.
fn split_types(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = object.get("type") else { return };
    let types: Vec<String> = types.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if types.len() < 2 {
        return;
    }
    let mut whole = Map::new();
    let mut arms: Vec<Map<String, Value>> =
        types.iter().map(|name| [("type".to_owned(), json!(name))].into_iter().collect()).collect();
    for (keyword, value) in std::mem::take(object) {
        if keyword == "type" {
            continue;
        }
        if merge::is_annotation(&keyword) {
            whole.insert(keyword, value);
            continue;
        }
        for (name, arm) in types.iter().zip(&mut arms) {
            if let Some(value) = keyword_for_type(&keyword, &value, name) {
                arm.insert(keyword.clone(), value);
            }
        }
    }
    arms.iter_mut().for_each(split_nonzero);
    // A type without constants.
    arms.retain(|arm| arm.get("enum") != Some(&json!([])));
    whole.insert("anyOf".to_owned(), arms.into_iter().map(Value::Object).collect());
    *object = whole;
}

/// Returns the value of the keyword for the type `name`.
fn keyword_for_type(keyword: &str, value: &Value, name: &str) -> Option<Value> {
    let kind = if name == "integer" { "number" } else { name };
    if let Some((about, _)) = ABOUT.iter().find(|(_, keywords)| keywords.contains(&keyword)) {
        return (*about == kind).then(|| value.clone());
    }
    match (keyword, value) {
        ("format", Value::String(format)) => {
            let about =
                if NUMBERS.iter().any(|number| format.starts_with(number)) { "number" } else { "string" };
            (about == kind).then(|| value.clone())
        }
        ("enum", Value::Array(values)) => {
            let is_of_type = |value: &&Value| match value {
                Value::Null => kind == "null",
                Value::Bool(_) => kind == "boolean",
                Value::Number(_) => kind == "number",
                Value::String(_) => kind == "string",
                Value::Array(_) => kind == "array",
                Value::Object(_) => kind == "object",
            };
            let values: Vec<&Value> = values.iter().filter(is_of_type).collect();
            // `null` alone needs no choice.
            (kind != "null" || values.is_empty()).then(|| json!(values))
        }
        _ => Some(value.clone()),
    }
}
