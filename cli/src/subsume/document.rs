//! A schema with everything that its references may lead to.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The root of a schema: what `#` means in its references.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    root: &'a Value,
    /// Why nothing can be said about this schema, if that is so.
    odd: Option<&'static str>,
}

/// Keywords whose value is a schema.
const SINGLE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a map to schemas.
const MAPS: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that older dialects do not have, or read in another way.
const NEWER: [&str; 10] = [
    "$dynamicRef",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicAnchor",
    "contentSchema",
];
/// Keywords of older dialects alone.
const OLDER: [&str; 3] = ["$recursiveRef", "additionalItems", "dependencies"];

impl<'a> Document<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        let dialect = root
            .get("$schema")
            .and_then(Value::as_str)
            .unwrap_or("https://json-schema.org/draft/2020-12/schema");
        let dialect = dialect.trim_end_matches('#');
        let is_older = ["draft-06", "draft-07", "2019-09"].iter().any(|older| dialect.contains(older));
        let is_current = dialect == "https://json-schema.org/draft/2020-12/schema";
        let mut odd = (!is_older && !is_current).then_some("its `$schema` is none that is known");
        let mut is_root = true;
        each_schema(root, &mut |schema| {
            odd = odd.or_else(|| oddity(schema, is_root, is_older));
            is_root = false;
        });
        Self { root, odd }
    }

    /// Why nothing can be said about this schema, if that is so.
    pub(super) fn odd(&self) -> Option<&'static str> {
        self.odd
    }

    /// What a `$ref` leads to. `None` for one out of this document.
    pub(crate) fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let pointer = percent_decoded(reference.strip_prefix('#')?)?;
        if pointer.is_empty() { Some(self.root) } else { self.root.pointer(&pointer) }
    }

    /// The definitions, where each reference leads into one of them.
    pub(super) fn definitions(&self) -> Option<[Option<&'a Value>; 2]> {
        let mut plain = true;
        each_schema(self.root, &mut |schema| {
            let reference = schema.get("$ref").map(|reference| reference.as_str().unwrap_or_default());
            plain &=
                reference.is_none_or(|to| to.starts_with("#/$defs/") || to.starts_with("#/definitions/"));
        });
        plain.then(|| ["$defs", "definitions"].map(|key| self.root.get(key)))
    }
}

fn oddity(schema: &Map<String, Value>, is_root: bool, is_older: bool) -> Option<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
    if schema.contains_key("$id") && !is_root {
        return Some("it has an `$id` inside, which changes what references mean");
    }
    if has(&["$dynamicRef", "$recursiveRef"]) {
        return Some("it has a dynamic reference");
    }
    if schema.get("items").is_some_and(Value::is_array) {
        return Some("its `items` is a list, as in older dialects of JSON Schema");
    }
    if is_older && has(&NEWER) {
        return Some("it mixes keywords of two dialects of JSON Schema");
    }
    if has(&OLDER) {
        return Some("it has keywords of older dialects of JSON Schema");
    }
    // Up to draft 7, what stands beside a reference does not count.
    let is_annotation =
        |key: &String| is_annotation(key) || key == "$ref" || MAPS[..2].contains(&key.as_str());
    if is_older && schema.contains_key("$ref") && !schema.keys().all(is_annotation) {
        return Some("it has rules beside a `$ref`, which older dialects of JSON Schema leave out");
    }
    None
}

/// Whether a keyword says nothing about which values are accepted: JSON Schema 2020-12 core §6.5 and validation §9
/// leave out what is unknown, and keep these for readers.
pub(crate) fn is_annotation(key: &str) -> bool {
    matches!(
        key,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$schema"
            | "$id"
            | "$anchor"
            | "$defs"
            | "definitions"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
    )
}

/// Whether a keyword is one of JSON Schema's.
pub(crate) fn is_known(key: &str) -> bool {
    is_annotation(key)
        || SINGLE.contains(&key)
        || LISTS.contains(&key)
        || MAPS.contains(&key)
        || matches!(
            key,
            "$ref"
                | "type"
                | "enum"
                | "const"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minLength"
                | "maxLength"
                | "pattern"
                | "format"
                | "minItems"
                | "maxItems"
                | "uniqueItems"
                | "minContains"
                | "maxContains"
                | "required"
                | "minProperties"
                | "maxProperties"
                | "dependentRequired"
                | "$dynamicRef"
                | "$dynamicAnchor"
        )
}

/// The rule for members that `schema` does not name: `unevaluatedProperties` says the same as `additionalProperties`
/// where no other keyword of the schema evaluates members.
pub(super) fn rule_for_others(schema: &Map<String, Value>) -> Option<&Value> {
    let evaluates = ["$ref", "allOf", "anyOf", "dependentSchemas", "if", "not", "oneOf"];
    let unevaluated = || {
        schema.get("unevaluatedProperties").filter(|_| !evaluates.iter().any(|key| schema.contains_key(*key)))
    };
    schema.get("additionalProperties").or_else(unevaluated)
}

/// Visits each schema in `value` that is an object, itself first; members of a `properties` map are no keywords (SCH-12).
fn each_schema<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Map<String, Value>)) {
    let Value::Object(schema) = value else { return };
    visit(schema);
    for (key, value) in schema {
        let key = key.as_str();
        match value {
            Value::Array(list) if LISTS.contains(&key) => {
                for part in list {
                    each_schema(part, visit);
                }
            }
            Value::Object(map) if MAPS.contains(&key) => {
                for part in map.values() {
                    each_schema(part, visit);
                }
            }
            _ if SINGLE.contains(&key) => each_schema(value, visit),
            _ => {}
        }
    }
}

/// RFC 3986 §2.1; `None` for what is not encoded right.
fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit =
            |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(rest.next())? * 16 + digit(rest.next())?);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
