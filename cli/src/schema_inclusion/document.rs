//! A schema document, which resolves its references.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

/// The root of a schema, which `#` refers to.
#[derive(Debug)]
pub(crate) struct SchemaDocument<'a> {
    root: &'a Value,
    /// Why the schema is unsupported, if it is.
    unsupported: Option<&'static str>,
    /// The schemas with an anchor.
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
/// Keywords whose value is an array of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
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
        let mut unsupported = (!is_older && !is_current).then_some("its `$schema` is unknown");
        let mut anchors = HashMap::new();
        let mut is_root = true;
        visit_schemas(root, &mut |schema, value| {
            if schema.contains_key("$id") && !is_root && contains_references(schema) {
                unsupported =
                    unsupported.or(Some("a subschema has an `$id`, which changes what references mean"));
            }
            if is_older && schema.keys().any(|key| NEWER.contains(&key.as_str())) {
                unsupported = unsupported.or(Some("it mixes keywords of two dialects of JSON Schema"));
            }
            is_root = false;
            for key in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = schema.get(key).and_then(Value::as_str) {
                    anchors.entry(anchor).or_insert(value);
                }
            }
        });
        Self { root, unsupported, anchors, is_older, is_before_2019 }
    }

    /// Returns why the schema is unsupported, if it is.
    pub(super) fn unsupported(&self) -> Option<&'static str> {
        self.unsupported
    }

    pub(super) fn root(&self) -> &'a Value {
        self.root
    }

    /// Returns whether the dialect is older than 2020-12.
    pub(super) fn is_older(&self) -> bool {
        self.is_older
    }

    /// Returns whether the siblings of `$ref` are ignored, as up to draft 7.
    pub(super) fn ignores_siblings_of_references(&self) -> bool {
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
fn contains_references(schema: &Map<String, Value>) -> bool {
    schema.iter().any(|(key, value)| {
        matches!(key.as_str(), "$ref" | "$dynamicRef" | "$anchor" | "$dynamicAnchor" | "$recursiveRef")
            || match value {
                Value::Object(members) => contains_references(members),
                Value::Array(items) => items.iter().filter_map(Value::as_object).any(contains_references),
                _ => false,
            }
    })
}

/// Returns whether a keyword is an annotation, which constrains nothing
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
pub(crate) enum ValueKind {
    /// A schema.
    Schema,
    /// An array of schemas.
    Array,
    /// An object of schemas.
    Object,
    /// Anything else.
    Other,
}

/// Returns the kind of a keyword's value.
pub(crate) fn value_kind(key: &str) -> ValueKind {
    match key {
        _ if SINGLE.contains(&key) => ValueKind::Schema,
        _ if LISTS.contains(&key) => ValueKind::Array,
        _ if MAPS.contains(&key) => ValueKind::Object,
        _ => ValueKind::Other,
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

/// Visits the schema and all its subschemas, except boolean ones.
fn visit_schemas<'a>(value: &'a Value, visit: &mut dyn FnMut(&'a Map<String, Value>, &'a Value)) {
    let Value::Object(schema) = value else { return };
    visit(schema, value);
    for (key, value) in schema {
        let key = key.as_str();
        match value {
            Value::Array(list) if LISTS.contains(&key) => {
                for part in list {
                    visit_schemas(part, visit);
                }
            }
            Value::Object(map) if MAPS.contains(&key) => {
                for part in map.values() {
                    visit_schemas(part, visit);
                }
            }
            _ if SINGLE.contains(&key) => visit_schemas(value, visit),
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
