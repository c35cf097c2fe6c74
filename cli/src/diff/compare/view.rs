//! Schemas as the comparison sees them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::keywords::Group;
use crate::schema_inclusion::{SchemaDocument, is_annotation, is_known};

/// How deep schemas are compared member by member, and how many references are followed in a row.
pub(super) const MAX_DEPTH: usize = 64;

/// The keywords of a schema; those beside a reference stand for those of what it leads to.
pub(super) type View<'a> = BTreeMap<&'a str, &'a Value>;

/// What a schema says about the members of objects.
pub(super) struct Members<'a> {
    pub(super) properties: Option<&'a Map<String, Value>>,
    pub(super) required: BTreeSet<&'a str>,
    /// Whether other members are allowed; `None` if there is a rule for them.
    pub(super) is_open: Option<bool>,
}

impl<'a> Members<'a> {
    pub(super) fn of(view: &View<'a>) -> Self {
        let required = view.get("required").and_then(|names| names.as_array()).into_iter().flatten();
        Self {
            properties: view.get("properties").and_then(|map| map.as_object()),
            required: required.filter_map(Value::as_str).collect(),
            is_open: match view.get("additionalProperties") {
                None => Some(true),
                Some(Value::Bool(is_open)) => Some(*is_open),
                Some(Value::Object(rule)) if rule.keys().all(|key| is_annotation(key)) => Some(true),
                Some(_) => None,
            },
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        let properties = self.properties.into_iter().flat_map(Map::keys).map(String::as_str);
        properties.chain(self.required.iter().copied())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.schema(name).is_some() || self.required.contains(name)
    }

    pub(super) fn schema(&self, name: &str) -> Option<&'a Value> {
        self.properties.and_then(|map| map.get(name))
    }
}

/// The target of a reference with only annotations beside it; else the schema itself.
pub(super) fn follow_reference<'a>(document: &SchemaDocument<'a>, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_DEPTH {
        let Some(members) = schema.as_object() else { break };
        let is_alone = members.keys().all(|key| key == "$ref" || is_annotation(key) || !is_known(key));
        let target = members.get("$ref").and_then(Value::as_str).filter(|_| is_alone);
        let Some(target) = target.and_then(|to| document.resolve(to)) else { break };
        schema = target;
    }
    schema
}

pub(super) fn view<'a>(schema: &'a Value, target: &'a Value) -> Option<View<'a>> {
    let mut view: View<'a> = target.as_object()?.iter().map(|(key, value)| (key.as_str(), value)).collect();
    if !std::ptr::eq(schema, target) {
        let beside = schema.as_object()?.iter().filter(|(key, _)| *key != "$ref");
        view.extend(beside.map(|(key, value)| (key.as_str(), value)));
    }
    Some(view)
}

pub(super) fn object(view: &View<'_>) -> Value {
    Value::Object(view.iter().map(|(key, value)| ((*key).to_owned(), (*value).clone())).collect())
}

pub(super) fn differs(group: &Group, old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(_), Value::Object(_)) => group.keywords.iter().any(|key| old.get(key) != new.get(key)),
        // A boolean schema stands for all rules.
        _ => group.name == "rules",
    }
}

/// The keywords of one group.
pub(super) fn part(group: &Group, schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let own = members.iter().filter(|(key, _)| group.keywords.contains(&key.as_str()));
    Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// The keywords with the type that they are beside.
pub(super) fn with_type(part: &Value, schema: &Value) -> Value {
    let mut part = part.clone();
    if let (Value::Object(part), Some(own)) = (&mut part, schema.get("type")) {
        part.insert("type".to_owned(), own.clone());
    }
    part
}
