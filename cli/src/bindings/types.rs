//! Converts schemas to types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::choice::MAX_VARIANTS;
use super::module::{Module, Point, What};
use super::names::pascal;
use super::reference::{OMITTED, inline_references, join, resolve};

/// Maximum nesting of types; deeper ones are `serde_json::Value`.
const DEPTH_LIMIT: usize = 32;

/// The type of a value without a known structure.
pub(super) const ANY: &str = "serde_json::Value";

/// Keywords with constraints beyond the structure of a value: they do not affect the type, and the schema is
/// written out.
const RULES: [&str; 12] = [
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// The role of a schema in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The arguments. `is_open`: unknown members are accepted everywhere.
    Input { is_open: bool },
    /// The structured content.
    Output,
}

impl Side {
    /// The location of the schema in the definition.
    pub(super) const fn place(self) -> &'static str {
        match self {
            Self::Input { .. } => "/inputSchema",
            Self::Output => "/outputSchema",
        }
    }
}

/// The type of a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    /// The type, without an `Option` for `null`.
    pub(super) text: String,
    /// Whether `null` is accepted as well.
    pub(super) is_nullable: bool,
    /// Whether the schema of the type equals the original, except for `beside`.
    pub(super) is_exact: bool,
    /// Keywords that the schema of the type lacks.
    pub(super) beside: Map<String, Value>,
}

impl Shape {
    pub(super) fn of(text: impl Into<String>, beside: Map<String, Value>) -> Self {
        Self { text: text.into(), is_nullable: false, is_exact: true, beside }
    }

    /// Whether the type expresses everything in the schema.
    pub(super) fn is_whole(&self) -> bool {
        self.is_exact && !self.is_nullable && self.beside.is_empty()
    }
}

/// Generates the types of one schema.
pub(super) struct Types<'a> {
    pub(super) module: &'a mut Module,
    pub(super) tool: &'a str,
    /// The whole schema, which references refer to.
    pub(super) root: &'a Value,
    pub(super) side: Side,
    /// The name of the root type.
    pub(super) name: String,
    /// The types of reference targets.
    references: BTreeMap<String, Shape>,
    /// The references being resolved.
    open: Vec<String>,
    depth: usize,
    /// The headers of arguments, in lower case: names of headers are case-insensitive.
    pub(super) headers: BTreeSet<String>,
}

impl<'a> Types<'a> {
    pub(super) fn new(
        module: &'a mut Module,
        tool: &'a str,
        root: &'a Value,
        side: Side,
        name: &str,
    ) -> Self {
        let name = name.to_owned();
        Self {
            module,
            tool,
            root,
            side,
            name,
            references: BTreeMap::new(),
            open: Vec::new(),
            depth: 0,
            headers: BTreeSet::new(),
        }
    }

    pub(super) fn point(&mut self, pointer: &str, what: What) {
        self.module.points.push(Point { tool: self.tool.to_owned(), pointer: pointer.to_owned(), what });
    }

    pub(super) fn differs(&mut self, pointer: &str, how: impl Into<String>) {
        self.point(pointer, What::Differs(how.into()));
    }

    pub(super) fn untyped(&mut self, at: &str, why: &'static str) -> Shape {
        self.point(at, What::Untyped(why));
        Shape { is_exact: false, ..Shape::of(ANY, Map::new()) }
    }

    /// Returns the schema for a function of the module, without references. If that is not possible, any value
    /// is accepted.
    pub(super) fn written_out(&mut self, schema: &Value, at: &str) -> String {
        let whole = inline_references(schema, self.root, &mut self.module.nodes_left).unwrap_or_else(|| {
            self.differs(
                at,
                "the schema refers to itself or to somewhere else, or is too large, so that any value is allowed",
            );
            Value::Bool(true)
        });
        self.module.schema_function(&whole)
    }

    /// Returns the description of a schema, or else that of its reference target.
    pub(super) fn description<'s>(&'s self, mut schema: &'s Value) -> Option<String> {
        for _ in 0..DEPTH_LIMIT {
            if let Some(description) = schema.get("description") {
                return description.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
            }
            schema = resolve(schema.get("$ref")?.as_str()?, self.root)?;
        }
        None
    }

    pub(super) fn is_described(&self, schema: &Value) -> bool {
        self.description(schema).is_some()
    }

    /// Returns the type of a schema; `wanted` is the name for a generated one.
    pub(super) fn shape(&mut self, schema: &Value, at: &str, wanted: &str) -> Shape {
        match schema {
            Value::Bool(true) => Shape::of(ANY, Map::new()),
            Value::Object(_) if self.depth == DEPTH_LIMIT => self.untyped(at, "it is nested too deeply"),
            Value::Object(_) if self.module.types_left == 0 => {
                self.untyped(at, "the server has too many types")
            }
            Value::Object(keywords) => {
                self.module.types_left -= 1;
                self.depth += 1;
                let shape = self.of_keywords(keywords.clone(), at, wanted);
                self.depth -= 1;
                shape
            }
            _ => self.untyped(at, "no value fits"),
        }
    }

    fn of_keywords(&mut self, mut keywords: Map<String, Value>, at: &str, wanted: &str) -> Shape {
        for keyword in OMITTED.iter().chain(&["description"]) {
            keywords.shift_remove(*keyword);
        }
        if let Some(Value::String(reference)) = keywords.shift_remove("$ref") {
            return self.of_reference(&reference, keywords, at);
        }
        let ruled: Vec<&str> =
            RULES.into_iter().filter(|rule| keywords.shift_remove(*rule).is_some()).collect();
        let mut shape =
            match ["anyOf", "oneOf", "allOf"].into_iter().find(|word| keywords.contains_key(*word)) {
                Some(combinator) => {
                    let branches = keywords.shift_remove(combinator).unwrap_or_default();
                    self.of_branches(combinator, &branches, keywords, at, wanted)
                }
                None => self.of_type(keywords, at, wanted),
            };
        shape.is_exact &= ruled.is_empty();
        shape
    }

    fn of_reference(&mut self, reference: &str, beside: Map<String, Value>, at: &str) -> Shape {
        if self.open.iter().any(|other| other == reference) {
            return self.untyped(at, "its schema refers to itself");
        }
        let Some(target) = resolve(reference, self.root).cloned() else {
            return self.untyped(at, "its schema refers to somewhere else");
        };
        if let (false, Some(known)) = (beside.is_empty(), target.as_object()) {
            // Descriptions next to the reference need no separate type.
            let is_text = |keyword: &String| {
                matches!(keyword.as_str(), "title" | "default" | "examples" | "deprecated")
            };
            if !beside.keys().all(is_text) {
                let Some(whole) = join(known.clone(), &beside) else {
                    return self.untyped(at, "the siblings of the reference contradict it");
                };
                self.open.push(reference.to_owned());
                let shape = self.shape(&whole.into(), at, &self.name_of(reference));
                self.open.pop();
                return shape;
            }
        }
        let mut shape = if let Some(known) = self.references.get(reference) {
            known.clone()
        } else {
            self.open.push(reference.to_owned());
            let shape = self.shape(&target, at, &self.name_of(reference));
            self.open.pop();
            self.references.insert(reference.to_owned(), shape.clone());
            shape
        };
        shape.beside.extend(beside);
        shape
    }

    fn name_of(&self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or_default();
        format!("{}{}", self.name, pascal(last, "Part"))
    }

    fn of_branches(
        &mut self,
        combinator: &str,
        branches: &Value,
        rest: Map<String, Value>,
        at: &str,
        wanted: &str,
    ) -> Shape {
        let all = branches.as_array().map(Vec::as_slice).unwrap_or_default();
        let place = |index: usize| below(&below(at, combinator), &index.to_string());
        let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
        let takes_null = combinator != "allOf" && all.iter().any(is_null);
        let others: Vec<(usize, &Value)> =
            all.iter().enumerate().filter(|(_, branch)| !takes_null || !is_null(branch)).collect();
        let mut shape = match others.as_slice() {
            [] => self.untyped(at, "no value fits"),
            [(index, one)] => match one.as_object().and_then(|one| join(one.clone(), &rest)) {
                Some(whole) => self.shape(&whole.into(), &place(*index), wanted),
                None => self.untyped(at, "its rules contradict each other"),
            },
            _ if combinator == "allOf" => {
                let whole =
                    others.iter().try_fold(rest, |whole, (_, branch)| join(whole, branch.as_object()?));
                match whole.filter(|whole| !whole.contains_key("$ref")) {
                    Some(whole) => self.shape(&whole.into(), at, wanted),
                    None => self.untyped(at, "several schemas apply to it"),
                }
            }
            several => {
                let branches: Vec<(String, &Value)> =
                    several.iter().map(|(index, branch)| (place(*index), *branch)).collect();
                self.union(&branches, rest, at, wanted)
            }
        };
        shape.is_nullable |= takes_null;
        shape
    }

    fn of_type(&mut self, mut keywords: Map<String, Value>, at: &str, wanted: &str) -> Shape {
        let kinds: Vec<String> = match keywords.get("type") {
            Some(Value::String(kind)) => vec![kind.clone()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => implied(&keywords).map(str::to_owned).into_iter().collect(),
        };
        let is_nullable = kinds.len() > 1 && kinds.iter().any(|kind| kind == "null");
        let others: Vec<&str> =
            kinds.iter().map(String::as_str).filter(|kind| !is_nullable || *kind != "null").collect();
        if is_nullable && let Some(Value::Array(values)) = keywords.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        let says_type = keywords.shift_remove("type").is_some();
        let mut shape = match others.as_slice() {
            [kind] => self.of_kind(kind, keywords, at, wanted),
            // The structure is unconstrained.
            [] if keywords.keys().all(|keyword| is_note(keyword)) => Shape::of(ANY, keywords),
            [] => self.untyped(at, "its type is not said"),
            several => {
                let branches: Vec<Value> = several
                    .iter()
                    .map(|kind| {
                        let own = keywords.iter().filter(|(keyword, _)| applies(keyword, kind));
                        let own = own.map(|(keyword, value)| (keyword.clone(), value.clone()));
                        Value::Object(
                            std::iter::once(("type".to_owned(), (*kind).into())).chain(own).collect(),
                        )
                    })
                    .collect();
                let notes = keywords.iter().filter(|(keyword, _)| is_note(keyword));
                let notes = notes.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
                let branches: Vec<(String, &Value)> =
                    branches.iter().map(|branch| (at.to_owned(), branch)).collect();
                if keywords.contains_key("enum") || keywords.contains_key("const") {
                    self.untyped(at, "its values are of several types")
                } else {
                    self.union(&branches, notes, at, wanted)
                }
            }
        };
        // A constraint on values of one type accepts all others.
        shape.is_exact &= says_type || shape.text == ANY;
        shape.is_nullable |= is_nullable;
        shape
    }

    fn of_kind(&mut self, kind: &str, mut keywords: Map<String, Value>, at: &str, wanted: &str) -> Shape {
        match kind {
            "string" => {
                let values = match (keywords.get("const"), keywords.get("enum")) {
                    (Some(value), _) => Some(vec![value.clone()]),
                    (None, Some(Value::Array(values))) => Some(values.clone()),
                    _ => None,
                };
                match values {
                    Some(values)
                        if (1..=MAX_VARIANTS).contains(&values.len())
                            && values.iter().all(Value::is_string) =>
                    {
                        let distinct: BTreeSet<_> = values.iter().filter_map(Value::as_str).collect();
                        if distinct.len() == values.len() {
                            return self.names(&values, without(keywords, &["enum", "const"]), wanted);
                        }
                        Shape::of("String", keywords)
                    }
                    _ => Shape::of("String", keywords),
                }
            }
            "integer" => {
                let is_natural = ["minimum", "exclusiveMinimum"].iter().any(|bound| {
                    keywords.get(*bound).and_then(Value::as_f64).is_some_and(|bound| bound >= 0.0)
                });
                if is_natural && keywords.get("minimum").and_then(Value::as_u64) == Some(0) {
                    keywords.shift_remove("minimum");
                }
                Shape::of(if is_natural { "u64" } else { "i64" }, keywords)
            }
            "number" => Shape::of("f64", keywords),
            "boolean" => Shape::of("bool", keywords),
            "null" => Shape::of("()", keywords),
            "array" => self.list(keywords, at, wanted),
            "object" => {
                keywords.shift_remove("type");
                self.object(keywords, at, wanted)
            }
            _ => self.untyped(at, "its type is not a JSON type"),
        }
    }

    fn list(&mut self, mut keywords: Map<String, Value>, at: &str, wanted: &str) -> Shape {
        let is_tuple =
            keywords.contains_key("prefixItems") || keywords.get("items").is_some_and(Value::is_array);
        if is_tuple {
            self.point(at, What::Untyped("each place of the list has a schema of its own"));
            return Shape { is_exact: false, ..Shape::of(format!("Vec<{ANY}>"), Map::new()) };
        }
        let item = match keywords.shift_remove("items") {
            Some(items) => {
                let shape = self.shape(&items, &below(at, "items"), &format!("{wanted}Item"));
                let says_more = self.is_described(&items);
                Shape { is_exact: shape.is_exact && !says_more, ..shape }
            }
            None => Shape::of(ANY, Map::new()),
        };
        let is_exact = item.is_whole();
        let text = if item.is_nullable { format!("Option<{}>", item.text) } else { item.text };
        Shape { is_exact, ..Shape::of(format!("Vec<{text}>"), keywords) }
    }
}

pub(super) fn without(mut keywords: Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    for name in names {
        keywords.shift_remove(*name);
    }
    keywords
}

/// Keywords that do not affect the structure of a value.
fn is_note(keyword: &str) -> bool {
    matches!(keyword, "title" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly")
        || keyword.starts_with("x-")
}

/// Returns whether a constraint applies to values of this type.
fn applies(keyword: &str, kind: &str) -> bool {
    match keyword {
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding" | "contentMediaType" => {
            kind == "string"
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "number" | "integer")
        }
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" => kind == "array",
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties" => kind == "object",
        _ => false,
    }
}

/// Returns the type that a schema without `type` implies.
pub(super) fn implied(keywords: &Map<String, Value>) -> Option<&'static str> {
    let has = |keyword: &str| keywords.contains_key(keyword);
    let values = keywords.get("const").map(std::slice::from_ref);
    let values = values.or_else(|| keywords.get("enum")?.as_array().map(Vec::as_slice));
    if let Some(values) = values {
        return values.iter().all(Value::is_string).then_some("string");
    }
    if has("properties") || has("additionalProperties") {
        return Some("object");
    }
    has("items").then_some("array")
}
