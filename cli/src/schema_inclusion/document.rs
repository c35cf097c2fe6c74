//! A schema with the targets of its references.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

/// The root of a schema, which `#` refers to.
#[derive(Debug)]
pub(crate) struct SchemaDocument<'a> {
    root: &'a Value,
    /// Why the schema is not supported, if so.
    odd: Option<&'static str>,
    /// The schemas with names for references.
    anchors: HashMap<&'a str, &'a Value>,
    is_older: bool,
    is_before_2019: bool,
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
/// Keywords that older dialects lack or define differently.
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

impl<'a> SchemaDocument<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        let dialect = root
            .get("$schema")
            .and_then(Value::as_str)
            .unwrap_or("https://json-schema.org/draft/2020-12/schema");
        let dialect = dialect.trim_end_matches('#');
        let has = |names: &[&str]| names.iter().any(|name| dialect.contains(name));
        let is_before_2019 = has(&["draft-06", "draft-07"]);
        let is_older = is_before_2019 || has(&["2019-09"]);
        let is_current = dialect == "https://json-schema.org/draft/2020-12/schema";
        let mut odd = (!is_older && !is_current).then_some("its `$schema` is none that is known");
        let mut anchors = HashMap::new();
        let mut is_root = true;
        each_schema(root, &mut |schema, value| {
            if schema.contains_key("$id") && !is_root && refers(schema) {
                odd = odd.or(Some("it has an `$id` inside, which changes what references mean"));
            }
            if is_older && schema.keys().any(|key| NEWER.contains(&key.as_str())) {
                odd = odd.or(Some("it mixes keywords of two dialects of JSON Schema"));
            }
            is_root = false;
            for key in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = schema.get(key).and_then(Value::as_str) {
                    anchors.entry(anchor).or_insert(value);
                }
            }
        });
        Self { root, odd, anchors, is_older, is_before_2019 }
    }

    /// Returns why the schema is not supported, if so.
    pub(super) fn odd(&self) -> Option<&'static str> {
        self.odd
    }

    pub(super) fn root(&self) -> &'a Value {
        self.root
    }

    /// Returns whether it uses a dialect before 2020-12.
    pub(super) fn is_older(&self) -> bool {
        self.is_older
    }

    /// Returns whether siblings of a reference are ignored, as up to draft 7.
    pub(super) fn references_stand_alone(&self) -> bool {
        self.is_before_2019
    }

    /// Returns the target of a `$ref`; `None` if it is outside of the document. In a document with one resource,
    /// `$dynamicRef` has the same target (JSON Schema 2020-12 core §8.2.3.2).
    pub(crate) fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let own = self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let rest = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
        if rest.is_empty() {
            return (!reference.is_empty()).then_some(self.root);
        }
        let fragment = percent_decode(rest.strip_prefix('#')?)?;
        match &*fragment {
            "" => Some(self.root),
            pointer if pointer.starts_with('/') => self.root.pointer(pointer),
            anchor => self.anchors.get(anchor).copied(),
        }
    }
}

/// Returns whether a schema contains a reference or an anchor.
fn refers(schema: &Map<String, Value>) -> bool {
    schema.iter().any(|(key, value)| {
        matches!(key.as_str(), "$ref" | "$dynamicRef" | "$anchor" | "$dynamicAnchor" | "$recursiveRef")
            || match value {
                Value::Object(members) => refers(members),
                Value::Array(items) => items.iter().filter_map(Value::as_object).any(refers),
                _ => false,
            }
    })
}

/// Returns whether a keyword constrains nothing: unknown keywords are ignored, and annotations are for readers
/// (JSON Schema 2020-12 core §6.5 and validation §9).
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

/// The kind of a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// A map of schemas.
    Map,
    /// No schemas.
    Nothing,
}

/// Returns the kind of a keyword's value.
pub(crate) fn holds(key: &str) -> Holds {
    match key {
        _ if SINGLE.contains(&key) => Holds::Schema,
        _ if LISTS.contains(&key) => Holds::List,
        _ if MAPS.contains(&key) => Holds::Map,
        _ => Holds::Nothing,
    }
}

/// Returns whether JSON Schema defines the keyword.
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

/// Visits each schema object in `value`, including itself; members of a `properties` map are not keywords.
fn each_schema<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Map<String, Value>, &'a Value)) {
    let Value::Object(schema) = value else { return };
    visit(schema, value);
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

/// Decodes RFC 3986 §2.1; `None` if the encoding is invalid.
fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
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
