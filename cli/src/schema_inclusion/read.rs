//! Parses keywords into rules.

use serde_json::{Map, Value};

use super::document::{SchemaDocument, is_annotation, is_known};
use super::node::{Bound, Id, Kind, Members, Nodes, PatternId, Rule};
use super::number::{Decimal, canonical, size};
use super::pattern::Sets;

impl<'a> Nodes<'a> {
    /// Parses a schema of a document, and all schemas that it refers to. `side` identifies the document.
    pub(super) fn add(
        &mut self,
        side: usize,
        document: &SchemaDocument<'a>,
        root: &'a Value,
        sets: &mut Sets,
    ) -> Id {
        let mut reader = Reader { nodes: self, sets, side, document, waiting: Vec::new() };
        let id = reader.id(root);
        while let Some((id, schema)) = reader.waiting.pop() {
            let rules = reader.read(schema);
            reader.nodes.rules[id] = rules;
        }
        id
    }

    fn pattern_id(&mut self, pattern: &'a str, sets: &mut Sets) -> PatternId {
        *self.pattern_numbers.entry(pattern).or_insert_with(|| {
            self.patterns.push((pattern, sets.pattern(pattern)));
            self.patterns.len() - 1
        })
    }
}

struct Reader<'r, 'a> {
    nodes: &'r mut Nodes<'a>,
    sets: &'r mut Sets,
    side: usize,
    document: &'r SchemaDocument<'a>,
    /// Schemas with an id that are not parsed yet: a queue avoids recursion along references.
    waiting: Vec<(Id, &'a Value)>,
}

impl<'a> Reader<'_, 'a> {
    fn id(&mut self, schema: &'a Value) -> Id {
        let next = self.nodes.rules.len();
        let id = *self.nodes.addresses.entry((self.side, std::ptr::from_ref(schema))).or_insert(next);
        if id == next {
            self.nodes.rules.push(Vec::new());
            self.waiting.push((id, schema));
        }
        id
    }

    fn read(&mut self, schema: &'a Value) -> Vec<Rule<'a>> {
        if let Some(why) = self.document.odd() {
            return vec![self.opaque(schema, why)];
        }
        match schema {
            Value::Bool(true) => Vec::new(),
            Value::Bool(false) => vec![Rule::Never],
            Value::Object(members) => {
                let mut rules = Vec::new();
                let only_reference = self.document.references_stand_alone() && members.contains_key("$ref");
                for (key, value) in members.iter().filter(|(key, _)| !only_reference || *key == "$ref") {
                    let read = self.rule(members, key, value);
                    rules.extend(read.unwrap_or_else(|| vec![unread(members, key, value)]));
                }
                rules
            }
            _ => vec![self.opaque(schema, "the schema is neither an object nor a boolean")],
        }
    }

    /// Returns an opaque schema, which only equals schemas with the same text whose references have equal
    /// targets.
    fn opaque(&self, schema: &Value, why: &str) -> Rule<'a> {
        let text = match schema.as_object() {
            Some(_) => format!("{} in {}", bare(schema), bare(self.document.root())),
            None => canonical(schema),
        };
        Rule::Opaque { text, why: why.to_owned() }
    }

    fn ids(&mut self, list: &'a Value) -> Option<Vec<Id>> {
        Some(list.as_array()?.iter().map(|part| self.id(part)).collect())
    }

    /// Returns the rules of a keyword; `None` if its value is invalid.
    fn rule(&mut self, schema: &'a Map<String, Value>, key: &str, value: &'a Value) -> Option<Vec<Rule<'a>>> {
        let bound = |open| Some(Bound { at: Decimal::of_value(value)?, open });
        let one = match key {
            _ if is_annotation(key) => return Some(Vec::new()),
            "$ref" | "$dynamicRef" => Rule::Also(self.id(self.document.resolve(value.as_str()?)?)),
            "allOf" => return Some(self.ids(value)?.into_iter().map(Rule::Also).collect()),
            "anyOf" => Rule::Any(self.ids(value)?),
            "oneOf" => Rule::One(self.ids(value)?),
            "not" => Rule::Not(self.id(value)),
            "if" => {
                let mut case = |key| schema.get(key).map(|case| self.id(case));
                let (then, other) = (case("then"), case("else"));
                Rule::Cases { when: self.id(value), then, other }
            }
            "type" => kinds(value)?,
            "enum" => Rule::Values(value.as_array()?.iter().collect()),
            "const" => Rule::Values(vec![value]),
            "minimum" => Rule::Low(bound(false)?),
            "exclusiveMinimum" => Rule::Low(bound(true)?),
            "maximum" => Rule::High(bound(false)?),
            "exclusiveMaximum" => Rule::High(bound(true)?),
            "multipleOf" => Rule::Multiple(Decimal::of_value(value).filter(|factor| factor.is_positive())?),
            "minLength" => Rule::Shortest(size(value)?),
            "maxLength" => Rule::Longest(size(value)?),
            "pattern" => Rule::Pattern(self.nodes.pattern_id(value.as_str()?, self.sets)),
            "format" => Rule::Format(value.as_str()?),
            "minItems" => Rule::FewestItems(size(value)?),
            "maxItems" => Rule::MostItems(size(value)?),
            "uniqueItems" if value == &Value::Bool(false) => return Some(Vec::new()),
            "uniqueItems" => value.as_bool().map(|_| Rule::Unique)?,
            "items" if self.document.is_older() && value.is_array() => {
                let rest = schema.get("additionalItems").map(|rest| self.id(rest));
                Rule::Items { prefix: self.ids(value)?, rest }
            }
            "additionalItems" if self.document.is_older() => return Some(Vec::new()),
            "items" if value.is_array() => return None,
            // Parsed together with `items`, if present.
            "prefixItems" if schema.contains_key("items") => return value.as_array().map(|_| Vec::new()),
            "prefixItems" => Rule::Items { prefix: self.ids(value)?, rest: None },
            "items" => {
                let prefix =
                    schema.get("prefixItems").and_then(|prefix| self.ids(prefix)).unwrap_or_default();
                Rule::Items { prefix, rest: Some(self.id(value)) }
            }
            "contains" => {
                let least = schema.get("minContains").map_or(Some(1), size)?;
                let most = match schema.get("maxContains") {
                    Some(most) => Some(size(most)?),
                    None => None,
                };
                Rule::Contains { what: self.id(value), least, most }
            }
            "unevaluatedItems" => Rule::UnevaluatedItems(self.id(value)),
            "minProperties" => Rule::FewestMembers(size(value)?),
            "maxProperties" => Rule::MostMembers(size(value)?),
            "required" => Rule::Required(texts(value)?),
            "properties" | "patternProperties" | "additionalProperties" => {
                return self.members(schema, key);
            }
            "propertyNames" => Rule::Names(self.id(value)),
            "dependentRequired" => {
                let map = value.as_object()?;
                return map.iter().map(|(name, needed)| Some(Rule::Needs(name, texts(needed)?))).collect();
            }
            "dependentSchemas" => {
                let map = value.as_object()?;
                return Some(map.iter().map(|(name, schema)| Rule::Entails(name, self.id(schema))).collect());
            }
            "dependencies" if self.document.is_older() => {
                let map = value.as_object()?;
                let of = |(name, what): (&'a String, &'a Value)| match what {
                    Value::Array(_) => Some(Rule::Needs(name, texts(what)?)),
                    _ => Some(Rule::Entails(name, self.id(what))),
                };
                return map.iter().map(of).collect();
            }
            "unevaluatedProperties" => Rule::UnevaluatedMembers(self.id(value)),
            "$recursiveRef" | "additionalItems" | "dependencies" => return None,
            // JSON Schema 2020-12 core §6.5: unknown keywords are ignored.
            _ if !is_known(key) => return Some(Vec::new()),
            // `then`, `minContains` and the like are parsed with the keyword that they belong to.
            _ => return Some(Vec::new()),
        };
        Some(vec![one])
    }

    /// The three keywords about members form one rule, which is created for the first of them.
    fn members(&mut self, schema: &'a Map<String, Value>, key: &str) -> Option<Vec<Rule<'a>>> {
        const KEYS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];
        if KEYS.iter().find(|key| schema.contains_key(**key)) != Some(&key) {
            return Some(Vec::new());
        }
        let mut members = Members::default();
        for (name, part) in map(schema, "properties")? {
            members.named.push((name, self.id(part)));
        }
        for (pattern, part) in map(schema, "patternProperties")? {
            members.matching.push((self.nodes.pattern_id(pattern, self.sets), self.id(part)));
        }
        members.others = schema.get("additionalProperties").map(|others| self.id(others));
        Some(vec![Rule::Members(members)])
    }
}

/// Returns a rule for a keyword with an invalid value, including the keywords that it depends on.
fn unread<'a>(schema: &Map<String, Value>, key: &str, value: &Value) -> Rule<'a> {
    let related = related(key).iter().filter_map(|key| Some((*key, schema.get(*key)?)));
    let related: Vec<_> = related.map(|(key, value)| format!("{key}:{}", canonical(value))).collect();
    let why = match key {
        "$ref" | "$dynamicRef" => format!("the reference {value} leads out of the schema"),
        _ => format!("`{key}` cannot be read"),
    };
    Rule::Opaque { text: format!("{key}:{} {}", canonical(value), related.join(" ")), why }
}

/// Returns the members of a map in a schema; empty if it is absent, `None` if it has another type.
fn map<'a>(schema: &'a Map<String, Value>, key: &str) -> Option<Vec<(&'a str, &'a Value)>> {
    match schema.get(key) {
        Some(map) => Some(map.as_object()?.iter().map(|(name, part)| (name.as_str(), part)).collect()),
        None => Some(Vec::new()),
    }
}

/// Returns the keywords that one depends on.
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

/// Returns the text of a schema without annotations.
fn bare(schema: &Value) -> String {
    match schema {
        Value::Object(members) => {
            let is_said = |key: &str| matches!(key, "$defs" | "definitions" | "$id" | "$anchor" | "$schema");
            let members: Map<_, _> = members
                .iter()
                .filter(|(key, value)| {
                    // A member may have the name of an annotation; its value is then a schema.
                    !is_annotation(key) || is_said(key) || value.is_object() || value.is_boolean()
                })
                .map(|(key, value)| (key.clone(), Value::from(bare(value))))
                .collect();
            canonical(&members.into())
        }
        Value::Array(items) => canonical(&items.iter().map(bare).map(Value::from).collect()),
        other => canonical(other),
    }
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Value::as_str).collect()
}

fn kinds<'a>(value: &Value) -> Option<Rule<'a>> {
    let names = match value {
        Value::String(_) => std::slice::from_ref(value),
        Value::Array(names) => names,
        _ => return None,
    };
    let mut kinds = Vec::new();
    let mut whole = true;
    for name in names {
        kinds.push(match name.as_str()? {
            "null" => Kind::Null,
            "boolean" => Kind::Boolean,
            "integer" => Kind::Number,
            "number" => {
                whole = false;
                Kind::Number
            }
            "string" => Kind::Text,
            "array" => Kind::List,
            "object" => Kind::Object,
            _ => return None,
        });
    }
    kinds.sort_unstable();
    kinds.dedup();
    whole &= kinds.contains(&Kind::Number);
    Some(Rule::Kinds { kinds, whole })
}
