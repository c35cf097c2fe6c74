//! Schemas combined with the targets of their references.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::keywords::Group;
use crate::schema_inclusion::{SchemaDocument, is_annotation, is_known};

/// Maximum depth of schemas that are compared keyword by keyword, and maximum number of consecutive references.
pub(super) const MAX_DEPTH: usize = 64;

/// The keywords of a schema; siblings of `$ref` override those of its target.
pub(super) type View<'a> = BTreeMap<&'a str, &'a Value>;

/// The keywords about properties.
pub(super) struct ObjectKeywords<'a> {
    pub(super) properties: Option<&'a Map<String, Value>>,
    pub(super) required: BTreeSet<&'a str>,
    /// Whether unlisted members are allowed; `None` if a schema applies to them.
    pub(super) is_open: Option<bool>,
}

impl<'a> ObjectKeywords<'a> {
    pub(super) fn from_view(view: &View<'a>) -> Self {
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

/// Returns the target of a reference without siblings other than annotations, or else the schema itself.
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

pub(super) fn combine<'a>(schema: &'a Value, target: &'a Value) -> Option<View<'a>> {
    let mut view: View<'a> = target.as_object()?.iter().map(|(key, value)| (key.as_str(), value)).collect();
    if !std::ptr::eq(schema, target) {
        let siblings = schema.as_object()?.iter().filter(|(key, _)| *key != "$ref");
        view.extend(siblings.map(|(key, value)| (key.as_str(), value)));
    }
    Some(view)
}

pub(super) fn to_schema(view: &View<'_>) -> Value {
    Value::Object(view.iter().map(|(key, value)| ((*key).to_owned(), (*value).clone())).collect())
}

pub(super) fn differs(group: &Group, old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(_), Value::Object(_)) => group.keywords.iter().any(|key| old.get(key) != new.get(key)),
        // A boolean schema replaces all keywords.
        _ => group.name == "rules",
    }
}

/// Returns the keywords of one group.
pub(super) fn select(group: &Group, schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let own = members.iter().filter(|(key, _)| group.keywords.contains(&key.as_str()));
    Value::Object(own.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Returns the keywords together with the `type` of the schema.
pub(super) fn with_type(keywords: &Value, schema: &Value) -> Value {
    let mut keywords = keywords.clone();
    if let (Value::Object(keywords), Some(own)) = (&mut keywords, schema.get("type")) {
        keywords.insert("type".to_owned(), own.clone());
    }
    keywords
}
