//! Iterates over the subschemas of a schema.
//!
//! Names in `properties` are data, not keywords, and values of `default`, `const`, `enum` and `examples` are not
//! schemas. Neither is visited.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::pointer;

/// Keywords whose value is one subschema.
pub const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Keywords whose value is a list of subschemas.
pub const LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value maps names to subschemas.
pub const NAMED: &[&str] = &["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Calls `visit` with each direct subschema of `schema` and its keyword.
pub(crate) fn subschemas_mut(schema: &mut Map<String, Value>, mut visit: impl FnMut(&str, &mut Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Array(list) if LIST.contains(&keyword) => {
                for subschema in list {
                    visit(keyword, subschema);
                }
            }
            Value::Object(named) if NAMED.contains(&keyword) => {
                for subschema in named.values_mut() {
                    visit(keyword, subschema);
                }
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&keyword) => visit(keyword, value),
            _ => {}
        }
    }
}

/// Calls `visit` with each direct subschema of `schema` except the definitions.
pub(super) fn subschemas<'a>(schema: &'a Map<String, Value>, mut visit: impl FnMut(&'a Value)) {
    all_subschemas(schema, |keyword, subschema| {
        if !is_definitions(keyword) {
            visit(subschema);
        }
    });
}

/// Calls `visit` with each direct subschema of `schema`, including the definitions, and its keyword.
pub(crate) fn all_subschemas<'a>(schema: &'a Map<String, Value>, mut visit: impl FnMut(&str, &'a Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Array(list) if LIST.contains(&keyword) => list.iter().for_each(|one| visit(keyword, one)),
            Value::Object(named) if NAMED.contains(&keyword) => {
                named.values().for_each(|one| visit(keyword, one));
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&keyword) => visit(keyword, value),
            _ => {}
        }
    }
}

fn is_definitions(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}

/// Returns the definition that the `$ref` of `schema` refers to, if it is in this document.
pub(super) fn referenced_definition(schema: &Map<String, Value>) -> Option<Cow<'_, str>> {
    let pointer = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some(decode(pointer))
}

/// Decodes percent encoding, then the escapes of JSON Pointer (RFC 6901, sections 6 and 4).
pub(crate) fn decode(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains(['%', '~']) {
        return Cow::Borrowed(pointer);
    }
    Cow::Owned(pointer::name(&pointer::of_fragment(pointer)))
}

/// Returns the members of `schema`, after converting `true` to `{}` and `false` to `{"not": {}}`.
pub(super) fn as_object(schema: &mut Value) -> &mut Map<String, Value> {
    if !schema.is_object() {
        let mut object = Map::new();
        if *schema == Value::Bool(false) {
            object.insert("not".to_owned(), Value::Object(Map::new()));
        }
        *schema = Value::Object(object);
    }
    let Value::Object(object) = schema else { unreachable!("it was made an object just above") };
    object
}

/// Returns whether `schema` itself accepts values of the JSON type `name`.
pub(super) fn has_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(list)) => list.iter().any(|one| one == name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn names_of_definitions_are_decoded() {
        for (pointer, name) in [
            ("Order", "Order"),
            ("Map%3CA%2CB%3E", "Map<A,B>"),
            ("a~1b~0c", "a/b~c"),
            ("50%", "50%"),
            ("%zz", "%zz"),
            ("Gr%C3%B6%C3%9Fe", "Größe"),
        ] {
            assert_eq!(decode(pointer), name, "{pointer}");
        }
    }
}
