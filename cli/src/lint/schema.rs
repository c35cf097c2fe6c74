//! The schemas inside a schema, as one list.

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

/// One schema.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// JSON pointer into the definition.
    pub(super) pointer: String,
    pub(super) schema: &'a Value,
    /// The index of the parent node; `None` for the root.
    pub(super) parent: Option<usize>,
    /// The keyword of the parent that contains it; empty for the root.
    pub(super) keyword: &'static str,
    /// The name under `properties`.
    pub(super) property: Option<&'a str>,
    /// The number of enclosing objects and arrays: 0 for the root, 1 for an argument.
    pub(super) depth: usize,
    /// Whether it is reachable from the root through `properties` only.
    pub(super) is_plain_member: bool,
}

/// Keywords with a map of schemas.
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords with a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords with one schema. `items` may be a list in old drafts.
const SINGLES: [&str; 11] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];

impl<'a> Node<'a> {
    /// Returns the keywords; empty for `true` and `false`.
    pub(super) fn keywords(&self) -> Option<&'a Map<String, Value>> {
        self.schema.as_object()
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.schema.get(keyword)
    }

    /// Returns the types in `type`; empty if absent.
    pub(super) fn types(&self) -> Vec<&'a str> {
        types(self.schema)
    }

    /// Returns the values of `enum`.
    pub(super) fn values(&self) -> &'a [Value] {
        self.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns every schema below `root`, parents before their children.
pub(super) fn nodes<'a>(pointer: &str, root: &'a Value) -> Vec<Node<'a>> {
    let mut nodes = vec![Node {
        pointer: pointer.to_owned(),
        schema: root,
        parent: None,
        keyword: "",
        property: None,
        depth: 0,
        is_plain_member: true,
    }];
    let mut next = 0;
    while next < nodes.len() {
        add_children(&mut nodes, next);
        next += 1;
    }
    nodes
}

fn add_children(nodes: &mut Vec<Node<'_>>, parent: usize) {
    let Some(keywords) = nodes[parent].keywords() else { return };
    for keyword in MAPS {
        for (name, schema) in keywords.get(keyword).and_then(Value::as_object).into_iter().flatten() {
            let pointer = below(&below(&nodes[parent].pointer, keyword), name);
            let property = (keyword == "properties").then_some(name.as_str());
            add(nodes, parent, keyword, pointer, schema, property);
        }
    }
    for keyword in LISTS.into_iter().chain(["items"]) {
        for (index, schema) in
            keywords.get(keyword).and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            let pointer = below(&below(&nodes[parent].pointer, keyword), &index.to_string());
            add(nodes, parent, keyword, pointer, schema, None);
        }
    }
    for keyword in SINGLES {
        if let Some(schema) = keywords.get(keyword).filter(|schema| !schema.is_array()) {
            let pointer = below(&nodes[parent].pointer, keyword);
            add(nodes, parent, keyword, pointer, schema, None);
        }
    }
}

fn add<'a>(
    nodes: &mut Vec<Node<'a>>,
    parent: usize,
    keyword: &'static str,
    pointer: String,
    schema: &'a Value,
    property: Option<&'a str>,
) {
    let above = &nodes[parent];
    let is_deeper = matches!(
        keyword,
        "properties" | "patternProperties" | "items" | "prefixItems" | "additionalProperties"
    );
    let depth = above.depth + usize::from(is_deeper);
    let is_plain_member = above.is_plain_member && property.is_some();
    nodes.push(Node { pointer, schema, parent: Some(parent), keyword, property, depth, is_plain_member });
}

/// Returns the JSON Schema type of `value`.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the types in `type`; empty if absent.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the target of a local `$ref`, if it exists.
pub(super) fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(reference.strip_prefix('#')?)
}
