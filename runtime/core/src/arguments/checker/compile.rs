//! Compiles a JSON schema into nodes.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::pointer::below;
use crate::schema::SchemaProblem;

use super::{
    Beyond, Checker, Contains, Exact, Format, InPlace, Location, Node, NodeId, ObjectRules, Pattern, ROOT,
    Types,
};

/// A schema that cannot be enforced.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the input schema{} cannot be enforced{}: {fault}", of_tool(*.tool), at(.pointer))]
#[non_exhaustive]
pub struct SchemaError {
    /// The tool, if known.
    pub tool: Option<&'static str>,
    /// JSON pointer to the invalid schema.
    pub pointer: String,
    /// The cause.
    pub fault: SchemaFault,
}

fn of_tool(tool: Option<&str>) -> String {
    tool.map(|tool| format!(" of the tool `{tool}`")).unwrap_or_default()
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(": at `{pointer}`") }
}

/// Why a schema cannot be enforced.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// A `pattern` or `patternProperties` name is not a regular expression that `regex-lite` supports.
    #[error("unsupported pattern `{pattern}`: {reason}; look-around and back-references are not supported")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The error of the pattern compiler.
        reason: String,
    },
    /// The type cannot be the input of a tool.
    #[error(transparent)]
    Input(SchemaProblem),
    /// Serde can never deserialize what the schema describes, so no call could succeed.
    #[error("no call could succeed: {0}")]
    Unreadable(String),
    /// Serde drops members of a variant of an untagged enum, because it selects an earlier variant.
    #[error("arguments would be lost: {0}")]
    Dropped(String),
    /// A `$ref` has no target; only `#` and `#/…` are supported.
    #[error("the reference `{0}` does not exist in this schema")]
    Reference(String),
}

impl Checker {
    /// Compiles `schema`.
    ///
    /// # Errors
    /// Returns the first pattern or reference that cannot be enforced.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        match Self::compile_leniently(schema) {
            (checker, None) => Ok(checker),
            (_, Some(error)) => Err(error),
        }
    }

    /// Compiles `schema` without unsupported constraints, and returns the first of them.
    pub(in crate::arguments) fn compile_leniently(schema: &Value) -> (Self, Option<SchemaError>) {
        let mut compiler = Compiler {
            root: schema,
            nodes: Vec::new(),
            pointers: Vec::new(),
            targets: HashMap::new(),
            error: None,
        };
        // The root can be referred to like any other schema, with `{"$ref": "#"}`.
        compiler.targets.insert("#".to_owned(), ROOT);
        compiler.add(schema, "");
        let anything = compiler.add(&Value::Bool(true), "");
        for id in compiler.targets.values() {
            compiler.nodes[id.0].shared = true;
        }
        let (nodes, pointers, error) = (compiler.nodes, compiler.pointers, compiler.error);
        let names =
            nodes.iter().flat_map(|node| &node.object.properties).map(|(name, _)| name.clone()).collect();
        let mut checker = Self { nodes, anything, pointers, names };
        checker.propagate_marks();
        (checker, error)
    }
}

impl Node {
    pub(in crate::arguments) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let object = &self.object;
        let array = &self.array;
        (self.in_place.nodes())
            .chain(object.properties.iter().map(|(_, id)| *id))
            .chain(object.patterns.iter().map(|(_, id)| *id))
            .chain(object.dependent_schemas.iter().map(|(_, id)| *id))
            .chain(object.additional)
            .chain(object.names)
            .chain(array.prefix.iter().copied())
            .chain(array.items)
            .chain(array.contains.iter().map(|contains| contains.node))
    }
}

struct Compiler<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    pointers: Vec<String>,
    /// The nodes that references lead to.
    targets: HashMap<String, NodeId>,
    error: Option<SchemaError>,
}

impl<'s> Compiler<'s> {
    /// Adds the node of `schema`, which is located at `pointer`.
    fn add(&mut self, schema: &'s Value, pointer: &str) -> NodeId {
        let id = NodeId(self.nodes.len());
        // Reserves the id first, since the node may refer to itself.
        self.nodes.push(Node::default());
        self.pointers.push(pointer.to_owned());
        self.nodes[id.0] = match schema {
            Value::Object(keywords) => self.node(keywords, pointer),
            Value::Bool(false) => Node { never: true, ..Node::default() },
            _ => Node::default(),
        };
        id
    }

    fn node(&mut self, keywords: &'s Map<String, Value>, pointer: &str) -> Node {
        let mut node = Node {
            types: types(keywords),
            allowed: allowed(keywords),
            description: keywords.get("description").and_then(Value::as_str).map(Into::into),
            samples: samples_of(keywords),
            usual: usual_value(keywords),
            read_once: keywords.get(crate::schema::READ_ONCE).map(names).unwrap_or_default(),
            secrets: here_if(keywords.get("writeOnly") == Some(&Value::Bool(true))),
            ..Node::default()
        };
        self.compile_scalars(&mut node, keywords, pointer);
        self.compile_array(&mut node, keywords, pointer);
        self.compile_object(&mut node.object, keywords, pointer);
        node.in_place = self.compile_in_place(keywords, pointer);
        node.beyond_serde = Beyond::of(&node, keywords);
        node
    }

    fn compile_scalars(&mut self, node: &mut Node, keywords: &'s Map<String, Value>, pointer: &str) {
        let number = |key: &str| keywords.get(key).and_then(Exact::of_value);
        node.number.minimum = number("minimum");
        node.number.maximum = number("maximum");
        node.number.exclusive_minimum = number("exclusiveMinimum");
        node.number.exclusive_maximum = number("exclusiveMaximum");
        node.number.multiple_of = number("multipleOf");
        node.string.min_length = count(keywords, "minLength");
        node.string.max_length = count(keywords, "maxLength");
        node.string.format = keywords.get("format").and_then(Value::as_str).and_then(Format::named);
        if let Some(pattern) = keywords.get("pattern").and_then(Value::as_str) {
            node.string.pattern = self.compile_pattern(pattern, pointer);
        }
    }

    fn compile_array(&mut self, node: &mut Node, keywords: &'s Map<String, Value>, pointer: &str) {
        node.array.min_items = count(keywords, "minItems");
        node.array.max_items = count(keywords, "maxItems");
        node.array.unique = keywords.get("uniqueItems") == Some(&Value::Bool(true));
        node.array.prefix = self.compile_list(keywords, "prefixItems", pointer);
        node.array.items = self.compile_one(keywords, "items", pointer);
        if node.array.max_items.is_some_and(|max| max <= node.array.prefix.len() as u64) {
            // A tuple has no items beyond its prefix.
            node.array.items = None;
        }
        node.array.contains = self.compile_one(keywords, "contains", pointer).map(|node| Contains {
            node,
            min: count(keywords, "minContains").unwrap_or(1),
            max: count(keywords, "maxContains"),
        });
    }

    fn compile_object(&mut self, object: &mut ObjectRules, keywords: &'s Map<String, Value>, pointer: &str) {
        object.properties = self.compile_named(keywords, "properties", pointer);
        for (pattern, node) in self.compile_named(keywords, "patternProperties", pointer) {
            if let Some(regex) = self.compile_pattern(&pattern, pointer) {
                object.patterns.push((regex, node));
            }
        }
        object.additional = self.compile_one(keywords, "additionalProperties", pointer);
        object.names = self.compile_one(keywords, "propertyNames", pointer);
        let unevaluated = keywords.get("unevaluatedProperties");
        object.sealed = unevaluated == Some(&Value::Bool(false));
        let is_closed = object.sealed || keywords.get("additionalProperties") == Some(&Value::Bool(false));
        object.denies_unknown = is_closed && !keywords.contains_key(CLOSED_BY_US);
        let positions = 0..object.properties.len();
        object.spellings = positions.map(|at| (object.properties[at].0.clone(), at)).collect();
        object.spellings.sort_unstable();
        let required = keywords.get("required").map(names).unwrap_or_default();
        object.required = required
            .into_iter()
            .map(|name| {
                let at = object.position(&name);
                (name, at)
            })
            .collect();
        for (name, NodeId(property)) in &object.properties {
            if !object.requires(name) {
                self.hide_null(NodeId(*property));
            }
        }
        if let Some(Value::Object(dependents)) = keywords.get("dependentRequired") {
            object.dependent_required =
                dependents.iter().map(|(name, list)| (name.as_str().into(), names(list))).collect();
        }
        object.dependent_schemas = self.compile_named(keywords, "dependentSchemas", pointer);
        object.min_properties = count(keywords, "minProperties");
        object.max_properties = count(keywords, "maxProperties");
    }

    /// Removes `null` from the schema of an optional member: it means that the member is omitted, so errors need
    /// not mention it.
    fn hide_null(&mut self, NodeId(id): NodeId) {
        let is_null = |nodes: &[Node], NodeId(arm): NodeId| nodes[arm].types == Some(Types::NULL);
        let node = &self.nodes[id];
        let of_type = node.types.is_some_and(|types| types.has(Types::NULL) && types != Types::NULL);
        let without = |arms: &[NodeId]| -> Option<Vec<NodeId>> {
            let others: Vec<NodeId> =
                arms.iter().copied().filter(|arm| !is_null(&self.nodes, *arm)).collect();
            (!others.is_empty() && others.len() < arms.len()).then_some(others)
        };
        let (any_of, one_of) = (without(&node.in_place.any_of), without(&node.in_place.one_of));
        let node = &mut self.nodes[id];
        node.nullable = of_type || any_of.is_some() || one_of.is_some();
        if of_type {
            node.types = node.types.map(|types| types.without(Types::NULL));
            if let Some(allowed) = &mut node.allowed {
                allowed.retain(|value| !value.is_null());
            }
        }
        for (others, into) in [(any_of, 0), (one_of, 1)] {
            let Some(others) = others else { continue };
            let parts = &mut node.in_place;
            let arms = if into == 0 { &mut parts.any_of } else { &mut parts.one_of };
            if let [only] = others[..] {
                arms.clear();
                parts.all_of.push(only);
            } else {
                *arms = others;
            }
        }
    }

    fn compile_in_place(&mut self, keywords: &'s Map<String, Value>, pointer: &str) -> InPlace {
        let reference = keywords.get("$ref").and_then(Value::as_str);
        InPlace {
            reference: reference.and_then(|reference| self.resolve_reference(reference, pointer)),
            all_of: self.compile_list(keywords, "allOf", pointer),
            any_of: self.compile_list(keywords, "anyOf", pointer),
            one_of: self.compile_list(keywords, "oneOf", pointer),
            not: self.compile_one(keywords, "not", pointer),
            condition: self.compile_one(keywords, "if", pointer).map(|test| {
                (
                    test,
                    self.compile_one(keywords, "then", pointer),
                    self.compile_one(keywords, "else", pointer),
                )
            }),
        }
    }

    /// Returns the node that a reference leads to.
    fn resolve_reference(&mut self, reference: &str, pointer: &str) -> Option<NodeId> {
        if let Some(id) = self.targets.get(reference) {
            return Some(*id);
        }
        let root = self.root;
        let Some(schema) = reference.strip_prefix('#').and_then(|rest| root.pointer(rest)) else {
            self.report(pointer, SchemaFault::Reference(reference.to_owned()));
            return None;
        };
        let id = NodeId(self.nodes.len());
        self.targets.insert(reference.to_owned(), id);
        self.add(schema, &reference[1..]);
        Some(id)
    }

    fn compile_one(&mut self, keywords: &'s Map<String, Value>, key: &str, pointer: &str) -> Option<NodeId> {
        keywords.get(key).map(|schema| self.add(schema, &format!("{pointer}/{key}")))
    }

    fn compile_list(&mut self, keywords: &'s Map<String, Value>, key: &str, pointer: &str) -> Vec<NodeId> {
        let Some(Value::Array(list)) = keywords.get(key) else { return Vec::new() };
        list.iter()
            .enumerate()
            .map(|(at, schema)| self.add(schema, &format!("{pointer}/{key}/{at}")))
            .collect()
    }

    fn compile_named(
        &mut self,
        keywords: &'s Map<String, Value>,
        key: &str,
        pointer: &str,
    ) -> Vec<(Box<str>, NodeId)> {
        let Some(Value::Object(members)) = keywords.get(key) else { return Vec::new() };
        members
            .iter()
            .map(|(name, schema)| {
                (name.as_str().into(), self.add(schema, &below(&format!("{pointer}/{key}"), name)))
            })
            .collect()
    }

    fn compile_pattern(&mut self, pattern: &str, pointer: &str) -> Option<Pattern> {
        match Pattern::new(pattern) {
            Ok(regex) => Some(regex),
            Err(error) => {
                let (pattern, reason) = (pattern.to_owned(), error);
                self.report(pointer, SchemaFault::Pattern { pattern, reason });
                None
            }
        }
    }

    fn report(&mut self, pointer: &str, fault: SchemaFault) {
        self.error.get_or_insert_with(|| SchemaError { tool: None, pointer: pointer.to_owned(), fault });
    }
}

fn here_if(is_here: bool) -> Location {
    if is_here { Location::Here } else { Location::Nowhere }
}

/// Marks an object that was closed here, not by `deny_unknown_fields`. Never part of a published schema.
pub(in crate::arguments) const CLOSED_BY_US: &str = crate::schema::CLOSED_BY_US;

pub(super) fn types(keywords: &Map<String, Value>) -> Option<Types> {
    match keywords.get("type")? {
        Value::String(name) => Types::named(name),
        Value::Array(list) => {
            let types = list.iter().filter_map(Value::as_str).filter_map(Types::named);
            Some(types.fold(Types::NONE, Types::or))
        }
        _ => None,
    }
}

pub(super) fn allowed(keywords: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(only) = keywords.get("const") {
        return Some(vec![only.clone()]);
    }
    keywords.get("enum").and_then(Value::as_array).cloned()
}

fn samples_of(keywords: &Map<String, Value>) -> Vec<Value> {
    let mut samples = keywords.get("examples").and_then(Value::as_array).cloned().unwrap_or_default();
    samples.extend(keywords.get("default").filter(|default| !default.is_null()).cloned());
    samples
}

fn usual_value(keywords: &Map<String, Value>) -> Option<&'static str> {
    // The type may validate formats that are not checked here.
    let format = keywords.get("format").and_then(Value::as_str).unwrap_or_default();
    let of_format = UNCHECKED.iter().find(|(name, _)| *name == format).map(|(_, sample)| *sample);
    // Patterns by this library, for which a string generated from the pattern may be invalid for the type.
    let pattern = keywords.get("pattern").and_then(Value::as_str);
    of_format.or_else(|| crate::schema::sample_of(pattern?))
}

/// Strings for formats that are only annotations.
const UNCHECKED: [(&str, &str); 5] = [
    ("uri", "https://example.com/"),
    ("iri", "https://example.com/"),
    ("email", "user@example.com"),
    ("hostname", "example.com"),
    ("duration", "P1D"),
];

pub(super) fn names(list: &Value) -> Vec<Box<str>> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
}

fn count(keywords: &Map<String, Value>, key: &str) -> Option<u64> {
    let value = keywords.get(key)?;
    // `2.0` is a valid count (2020-12 validation, 6.3.1).
    value.as_u64().or_else(|| match Exact::of_value(value)? {
        Exact::Whole(whole) => u64::try_from(whole).ok(),
        Exact::Fraction(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Checker;

    #[test]
    fn unsupported_keywords_are_reported() {
        let error =
            Checker::compile(&json!({"properties": {"a/b": {"pattern": "(?=a)"}}})).expect_err("look-ahead");
        assert!(error.to_string().contains("at `/properties/a~1b`: unsupported pattern `(?=a)`"), "{error}");
        let error = Checker::compile(&json!({"items": {"$ref": "#/$defs/none"}})).expect_err("no target");
        assert!(error.to_string().contains("at `/items`: the reference `#/$defs/none`"), "{error}");
    }
}
