//! Parses keywords into rules.

use serde_json::{Map, Value};

use super::document::{SchemaDocument, is_annotation, is_known};
use super::node::{Bound, Id, JsonType, Nodes, PatternId, Properties, Rule};
use super::number::{Decimal, canonical, parse_size};
use super::pattern::Sets;

impl<'a> Nodes<'a> {
    /// Parses a schema of a document, and all schemas that it references. `side` identifies the document.
    pub(super) fn add(
        &mut self,
        side: usize,
        document: &SchemaDocument<'a>,
        root: &'a Value,
        sets: &mut Sets,
    ) -> Id {
        let mut parser = Parser { nodes: self, sets, side, document, pending: Vec::new() };
        let id = parser.schema_id(root);
        while let Some((id, schema)) = parser.pending.pop() {
            let rules = parser.parse(schema);
            parser.nodes.rules[id] = rules;
        }
        id
    }

    fn pattern_id(&mut self, pattern: &'a str, sets: &mut Sets) -> PatternId {
        *self.pattern_ids.entry(pattern).or_insert_with(|| {
            self.patterns.push((pattern, sets.parse_pattern(pattern)));
            self.patterns.len() - 1
        })
    }
}

struct Parser<'r, 'a> {
    nodes: &'r mut Nodes<'a>,
    sets: &'r mut Sets,
    side: usize,
    document: &'r SchemaDocument<'a>,
    /// Schemas with an id that are not yet parsed: a queue avoids recursion along references.
    pending: Vec<(Id, &'a Value)>,
}

impl<'a> Parser<'_, 'a> {
    fn schema_id(&mut self, schema: &'a Value) -> Id {
        let next = self.nodes.rules.len();
        let id = *self.nodes.addresses.entry((self.side, std::ptr::from_ref(schema))).or_insert(next);
        if id == next {
            self.nodes.rules.push(Vec::new());
            self.pending.push((id, schema));
        }
        id
    }

    fn parse(&mut self, schema: &'a Value) -> Vec<Rule<'a>> {
        if let Some(why) = self.document.unsupported() {
            return vec![self.opaque_rule(schema, why)];
        }
        match schema {
            Value::Bool(true) => Vec::new(),
            Value::Bool(false) => vec![Rule::Never],
            Value::Object(members) => {
                let mut rules = Vec::new();
                let only_reference =
                    self.document.ignores_siblings_of_references() && members.contains_key("$ref");
                for (key, value) in members.iter().filter(|(key, _)| !only_reference || *key == "$ref") {
                    let parsed = self.parse_keyword(members, key, value);
                    rules.extend(parsed.unwrap_or_else(|| vec![invalid_keyword(members, key, value)]));
                }
                rules
            }
            _ => vec![self.opaque_rule(schema, "the schema is neither an object nor a boolean")],
        }
    }

    /// Returns an opaque rule, which only equals rules of schemas with the same text whose references have equal
    /// targets.
    fn opaque_rule(&self, schema: &Value, why: &str) -> Rule<'a> {
        let text = match schema.as_object() {
            Some(_) => {
                format!("{} in {}", without_annotations(schema), without_annotations(self.document.root()))
            }
            None => canonical(schema),
        };
        Rule::Opaque { text, why: why.to_owned() }
    }

    fn schema_ids(&mut self, list: &'a Value) -> Option<Vec<Id>> {
        Some(list.as_array()?.iter().map(|part| self.schema_id(part)).collect())
    }

    /// Returns the rules of a keyword; `None` if its value is invalid.
    fn parse_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        key: &str,
        value: &'a Value,
    ) -> Option<Vec<Rule<'a>>> {
        let bound = |exclusive| Some(Bound { value: Decimal::from_value(value)?, exclusive });
        let one = match key {
            _ if is_annotation(key) => return Some(Vec::new()),
            "$ref" | "$dynamicRef" => Rule::Include(self.schema_id(self.document.resolve(value.as_str()?)?)),
            "allOf" => return Some(self.schema_ids(value)?.into_iter().map(Rule::Include).collect()),
            "anyOf" => Rule::AnyOf(self.schema_ids(value)?),
            "oneOf" => Rule::OneOf(self.schema_ids(value)?),
            "not" => Rule::Not(self.schema_id(value)),
            "if" => {
                let mut case = |key| schema.get(key).map(|case| self.schema_id(case));
                let (then, otherwise) = (case("then"), case("else"));
                Rule::Conditional { condition: self.schema_id(value), then, otherwise }
            }
            "type" => parse_type(value)?,
            "enum" => Rule::Enum(value.as_array()?.iter().collect()),
            "const" => Rule::Enum(vec![value]),
            "minimum" => Rule::Minimum(bound(false)?),
            "exclusiveMinimum" => Rule::Minimum(bound(true)?),
            "maximum" => Rule::Maximum(bound(false)?),
            "exclusiveMaximum" => Rule::Maximum(bound(true)?),
            "multipleOf" => {
                Rule::MultipleOf(Decimal::from_value(value).filter(|factor| factor.is_positive())?)
            }
            "minLength" => Rule::MinLength(parse_size(value)?),
            "maxLength" => Rule::MaxLength(parse_size(value)?),
            "pattern" => Rule::Pattern(self.nodes.pattern_id(value.as_str()?, self.sets)),
            "format" => Rule::Format(value.as_str()?),
            "minItems" => Rule::MinItems(parse_size(value)?),
            "maxItems" => Rule::MaxItems(parse_size(value)?),
            "uniqueItems" if value == &Value::Bool(false) => return Some(Vec::new()),
            "uniqueItems" => value.as_bool().map(|_| Rule::UniqueItems)?,
            "items" if self.document.is_older() && value.is_array() => {
                let rest = schema.get("additionalItems").map(|rest| self.schema_id(rest));
                Rule::Items { prefix: self.schema_ids(value)?, rest }
            }
            "additionalItems" if self.document.is_older() => return Some(Vec::new()),
            "items" if value.is_array() => return None,
            // Parsed together with `items`, if present.
            "prefixItems" if schema.contains_key("items") => return value.as_array().map(|_| Vec::new()),
            "prefixItems" => Rule::Items { prefix: self.schema_ids(value)?, rest: None },
            "items" => {
                let prefix =
                    schema.get("prefixItems").and_then(|prefix| self.schema_ids(prefix)).unwrap_or_default();
                Rule::Items { prefix, rest: Some(self.schema_id(value)) }
            }
            "contains" => {
                let min = schema.get("minContains").map_or(Some(1), parse_size)?;
                let max = match schema.get("maxContains") {
                    Some(max) => Some(parse_size(max)?),
                    None => None,
                };
                Rule::Contains { schema: self.schema_id(value), min, max }
            }
            "unevaluatedItems" => Rule::UnevaluatedItems(self.schema_id(value)),
            "minProperties" => Rule::MinProperties(parse_size(value)?),
            "maxProperties" => Rule::MaxProperties(parse_size(value)?),
            "required" => Rule::Required(strings(value)?),
            "properties" | "patternProperties" | "additionalProperties" => {
                return self.parse_properties(schema, key);
            }
            "propertyNames" => Rule::PropertyNames(self.schema_id(value)),
            "dependentRequired" => {
                let map = value.as_object()?;
                return map
                    .iter()
                    .map(|(name, needed)| Some(Rule::DependentRequired(name, strings(needed)?)))
                    .collect();
            }
            "dependentSchemas" => {
                let map = value.as_object()?;
                return Some(
                    map.iter()
                        .map(|(name, schema)| Rule::DependentSchema(name, self.schema_id(schema)))
                        .collect(),
                );
            }
            "dependencies" if self.document.is_older() => {
                let map = value.as_object()?;
                let of = |(name, needed): (&'a String, &'a Value)| match needed {
                    Value::Array(_) => Some(Rule::DependentRequired(name, strings(needed)?)),
                    _ => Some(Rule::DependentSchema(name, self.schema_id(needed))),
                };
                return map.iter().map(of).collect();
            }
            "unevaluatedProperties" => Rule::UnevaluatedProperties(self.schema_id(value)),
            "$recursiveRef" | "additionalItems" | "dependencies" => return None,
            // JSON Schema 2020-12 core §6.5: unknown keywords are ignored.
            _ if !is_known(key) => return Some(Vec::new()),
            // `then`, `minContains` and others are parsed with the keyword that they modify.
            _ => return Some(Vec::new()),
        };
        Some(vec![one])
    }

    /// Parses the three keywords about properties into one rule, when it reaches the first of them.
    fn parse_properties(&mut self, schema: &'a Map<String, Value>, key: &str) -> Option<Vec<Rule<'a>>> {
        const KEYS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];
        if KEYS.iter().find(|key| schema.contains_key(**key)) != Some(&key) {
            return Some(Vec::new());
        }
        let mut properties = Properties::default();
        for (name, part) in map_entries(schema, "properties")? {
            properties.named.push((name, self.schema_id(part)));
        }
        for (pattern, part) in map_entries(schema, "patternProperties")? {
            properties.patterns.push((self.nodes.pattern_id(pattern, self.sets), self.schema_id(part)));
        }
        properties.additional = schema.get("additionalProperties").map(|schema| self.schema_id(schema));
        Some(vec![Rule::Properties(properties)])
    }
}

/// Returns a rule for a keyword with an invalid value, identified by the keyword and its related ones.
fn invalid_keyword<'a>(schema: &Map<String, Value>, key: &str, value: &Value) -> Rule<'a> {
    let related = related(key).iter().filter_map(|key| Some((*key, schema.get(*key)?)));
    let related: Vec<_> = related.map(|(key, value)| format!("{key}:{}", canonical(value))).collect();
    let why = match key {
        "$ref" | "$dynamicRef" => format!("the reference {value} leads out of the schema"),
        _ => format!("`{key}` is invalid"),
    };
    Rule::Opaque { text: format!("{key}:{} {}", canonical(value), related.join(" ")), why }
}

/// Returns the entries of a keyword whose value is an object: none if it is absent, `None` if it has another type.
fn map_entries<'a>(schema: &'a Map<String, Value>, key: &str) -> Option<Vec<(&'a str, &'a Value)>> {
    match schema.get(key) {
        Some(map) => Some(map.as_object()?.iter().map(|(name, part)| (name.as_str(), part)).collect()),
        None => Some(Vec::new()),
    }
}

/// Returns the keywords that affect what this one means.
fn related(key: &str) -> &'static [&'static str] {
    match key {
        "items" => &["prefixItems", "additionalItems"],
        "contains" => &["minContains", "maxContains"],
        "properties" | "patternProperties" | "additionalProperties" => {
            &["properties", "patternProperties", "additionalProperties"]
        }
        _ => &[],
    }
}

/// Returns the canonical text of a schema without its annotations.
fn without_annotations(schema: &Value) -> String {
    match schema {
        Value::Object(members) => {
            let affects_references =
                |key: &str| matches!(key, "$defs" | "definitions" | "$id" | "$anchor" | "$schema");
            let members: Map<_, _> = members
                .iter()
                .filter(|(key, value)| {
                    // A member may have the name of an annotation; its value is then a schema.
                    !is_annotation(key) || affects_references(key) || value.is_object() || value.is_boolean()
                })
                .map(|(key, value)| (key.clone(), Value::from(without_annotations(value))))
                .collect();
            canonical(&members.into())
        }
        Value::Array(items) => canonical(&items.iter().map(without_annotations).map(Value::from).collect()),
        other => canonical(other),
    }
}

fn strings(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

fn parse_type<'a>(value: &Value) -> Option<Rule<'a>> {
    let names = match value {
        Value::String(_) => std::slice::from_ref(value),
        Value::Array(names) => names,
        _ => return None,
    };
    let mut types = Vec::new();
    let mut only_integers = true;
    for name in names {
        types.push(match name.as_str()? {
            "null" => JsonType::Null,
            "boolean" => JsonType::Boolean,
            "integer" => JsonType::Number,
            "number" => {
                only_integers = false;
                JsonType::Number
            }
            "string" => JsonType::String,
            "array" => JsonType::Array,
            "object" => JsonType::Object,
            _ => return None,
        });
    }
    types.sort_unstable();
    types.dedup();
    only_integers &= types.contains(&JsonType::Number);
    Some(Rule::Types { types, only_integers })
}
