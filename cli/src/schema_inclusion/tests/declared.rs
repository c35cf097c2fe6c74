//! Finds undeclared members of a value independently of the tested implementation.

use serde_json::{Map, Value};

use super::super::is_annotation;

/// A document, and its schemas for one value.
#[derive(Clone)]
struct Side<'a> {
    document: &'a Value,
    schemas: Vec<&'a Value>,
}

/// Returns whether the value has a member, at any depth, that `new` lists in `properties` and `old` does not declare.
pub(crate) fn has_undeclared_names(old: &Value, new: &Value, value: &Value) -> bool {
    let side = |document| Side { document, schemas: vec![document] };
    has_undeclared(&side(old), &side(new), value)
}

fn has_undeclared(old: &Side<'_>, new: &Side<'_>, value: &Value) -> bool {
    let [old, new] = [old.with_in_place_subschemas(), new.with_in_place_subschemas()];
    if new.schemas.is_empty() {
        return false;
    }
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| {
            (new.lists(name) && !old.declares(name))
                || has_undeclared(&old.of_member(name), &new.of_member(name), member)
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .any(|(at, item)| has_undeclared(&old.of_item(at), &new.of_item(at), item)),
        _ => false,
    }
}

impl<'a> Side<'a> {
    fn with(&self, schemas: Vec<&'a Value>) -> Self {
        Self { document: self.document, schemas }
    }

    /// Returns these schemas and their subschemas for the same value.
    fn with_in_place_subschemas(&self) -> Self {
        let mut found: Vec<&Value> = Vec::new();
        let mut pending = self.schemas.clone();
        while let Some(schema) = pending.pop() {
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            found.push(schema);
            let Some(members) = schema.as_object() else { continue };
            for key in ["allOf", "anyOf", "oneOf"] {
                pending.extend(members.get(key).and_then(Value::as_array).into_iter().flatten());
            }
            pending.extend(members.get("not"));
            if let Some(condition) = members.get("if") {
                pending.push(condition);
                pending.extend(["then", "else"].iter().filter_map(|key| members.get(*key)));
            }
            pending.extend(map(schema, "dependentSchemas").map(|(_, part)| part));
            let targets = ["$ref", "$dynamicRef"].into_iter().filter_map(|key| members.get(key)?.as_str());
            pending.extend(targets.filter_map(|to| self.target(to)));
        }
        self.with(found)
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        match reference {
            "#anchor" => self.document.pointer("/$defs/x"),
            "#dynamic" => self.document.pointer("/$defs/y"),
            to => self.document.pointer(to.strip_prefix('#')?),
        }
    }

    fn lists(&self, name: &str) -> bool {
        self.schemas.iter().any(|schema| map(schema, "properties").any(|(own, _)| own == name))
    }

    fn declares(&self, name: &str) -> bool {
        let has = |list: Option<&Value>| {
            list.and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
        };
        self.lists(name)
            || self.schemas.iter().any(|schema| {
                map(schema, "patternProperties").any(|(pattern, _)| matches(pattern, name))
                    || ["additionalProperties", "unevaluatedProperties", "propertyNames"]
                        .iter()
                        .any(|key| schema.get(*key).is_some_and(is_rule))
                    || has(schema.get("required"))
                    || map(schema, "dependentRequired").any(|(own, needed)| own == name || has(Some(needed)))
                    || map(schema, "dependentSchemas").any(|(own, _)| own == name)
                    || values(schema).any(Value::is_object)
            })
    }

    fn of_member(&self, name: &str) -> Self {
        let inside = |schema: &&'a Value| {
            let named = map(schema, "properties").filter(|(own, _)| *own == name);
            let matching = map(schema, "patternProperties").filter(|(pattern, _)| matches(pattern, name));
            let rest = ["additionalProperties", "unevaluatedProperties"];
            let rest = rest.into_iter().filter_map(|key| schema.get(key));
            named.chain(matching).map(|(_, part)| part).chain(rest).collect::<Vec<_>>()
        };
        self.with(self.schemas.iter().flat_map(inside).collect())
    }

    fn of_item(&self, at: usize) -> Self {
        let inside = |schema: &&'a Value| {
            let prefix = schema.get("prefixItems").and_then(Value::as_array).and_then(|parts| parts.get(at));
            let item = prefix.or_else(|| schema.get("items"));
            let others = ["contains", "unevaluatedItems"].into_iter().filter_map(|key| schema.get(key));
            item.into_iter().chain(others).collect::<Vec<_>>()
        };
        self.with(self.schemas.iter().flat_map(inside).collect())
    }
}

fn map<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let members: Option<&Map<String, Value>> = schema.get(key).and_then(Value::as_object);
    members.into_iter().flatten().map(|(name, part)| (name.as_str(), part))
}

fn values(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.get("enum").and_then(Value::as_array).into_iter().flatten().chain(schema.get("const"))
}

/// Returns whether the schema has keywords that may reject a value.
fn is_rule(schema: &Value) -> bool {
    const NO_RULES: [&str; 6] = ["then", "else", "minContains", "maxContains", "$defs", "$anchor"];
    match schema {
        Value::Object(members) => {
            members.keys().any(|key| !is_annotation(key) && !NO_RULES.contains(&key.as_str()))
        }
        other => *other == Value::Bool(false),
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    jsonschema::is_valid(&serde_json::json!({"pattern": pattern}), &name.into())
}
