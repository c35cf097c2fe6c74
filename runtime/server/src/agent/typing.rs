//! Converts the text of an argument to the type in the tool's schema.

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;

use super::router::RouteError;
use super::text::Pair;

/// The maximum depth of `$ref`s and alternatives to follow.
const DEPTH_LIMIT: usize = 8;

/// Builds the arguments of a call of `tool`. Strings are converted to the property's type; those that do not fit
/// remain strings, so that the argument check can report them.
///
/// Required parameters with only one possible value are filled in.
pub(super) fn arguments(
    tool: &ToolDefinition,
    pairs: &[&Pair<'_>],
) -> Result<Map<String, Value>, RouteError> {
    let schema = &tool.input_schema;
    let mut arguments = Map::new();
    for pair in pairs {
        let (name, property) = property(schema, pair.key);
        let value = value(schema, property, &pair.value, pair.quoted);
        match arguments.get_mut(name) {
            None => {
                arguments.insert(name.to_owned(), value);
            }
            // `item=1 item=2` is a list of two items.
            Some(Value::Array(list)) if allows(schema, property, "array", DEPTH_LIMIT) => match value {
                Value::Array(more) => list.extend(more),
                one => list.push(one),
            },
            Some(_) => return Err(RouteError::Repeated { parameter: name.to_owned() }),
        }
    }
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if let (false, Some(only)) = (arguments.contains_key(name), only_value(property(schema, name).1)) {
            arguments.insert(name.to_owned(), only.clone());
        }
    }
    Ok(arguments)
}

/// Finds the property that `key` refers to, ignoring case and treating `-` as `_`.
fn property<'a>(schema: &'a Value, key: &'a str) -> (&'a str, &'a Value) {
    const ANYTHING: &Value = &Value::Bool(true);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return (key, ANYTHING);
    };
    if let Some(property) = properties.get(key) {
        return (key, property);
    }
    let mut alike =
        properties.iter().filter(|(name, _)| super::router::fold(name) == super::router::fold(key));
    match (alike.next(), alike.next()) {
        (Some((name, property)), None) => (name, property),
        _ => (key, ANYTHING),
    }
}

fn only_value(property: &Value) -> Option<&Value> {
    let listed = || match property.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    property.get("const").or_else(listed)
}

fn value(root: &Value, property: &Value, text: &str, quoted: bool) -> Value {
    let allows = |kind: &str| allows(root, property, kind, DEPTH_LIMIT);
    if quoted && allows("string") {
        return text.into();
    }
    match serde_json::from_str::<Value>(text) {
        // `null` may be meant as a string if strings are allowed; a number is a number if numbers are allowed.
        Ok(Value::Null) if allows("string") => text.into(),
        Ok(value) if allows(kind_of(&value)) => value,
        _ if allows("array") && !allows("string") => {
            const ANYTHING: &Value = &Value::Bool(true);
            vec![self::value(root, property.get("items").unwrap_or(ANYTHING), text, quoted)].into()
        }
        _ => text.into(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether the schema accepts values of this type, according to its types and enumerated values.
fn allows(root: &Value, schema: &Value, kind: &str, depth: usize) -> bool {
    let Some(deeper) = depth.checked_sub(1) else { return false };
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    if schema.as_bool() == Some(false) {
        return false;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target.is_some_and(|target| allows(root, target, kind, deeper));
    }
    match schema.get("type") {
        Some(Value::String(name)) => return is(name),
        Some(Value::Array(names)) => return names.iter().filter_map(Value::as_str).any(is),
        _ => {}
    }
    if let Some(only) = schema.get("const") {
        return kind_of(only) == kind;
    }
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        return listed.iter().any(|value| kind_of(value) == kind);
    }
    let branches =
        ["anyOf", "oneOf", "allOf"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
    branches.is_none_or(|branches| branches.iter().any(|branch| allows(root, branch, kind, deeper)))
}
