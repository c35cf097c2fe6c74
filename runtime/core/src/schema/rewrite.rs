//! Rewrites the keywords of a schema and its subschemas.
//!
//! A property may have the name of a keyword, and a value in `default` or `enum` may look like a schema:
//! neither is rewritten.

use serde_json::{Map, Value};

use super::keywords::{LIST, NAMED, ONE};

/// The treatment of a keyword.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewrite {
    /// Keep it, and rewrite the schemas inside.
    Keep,
    /// Remove it.
    Drop,
    /// Replace its value.
    Into(Value),
}

/// Rewrites each keyword of the schema with `rewrite`.
pub fn rewrite_keywords(schema: &Value, rewrite: &impl Fn(&str, &Value) -> Rewrite) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut made = Map::new();
    for (keyword, value) in keywords {
        let value = match rewrite(keyword, value) {
            Rewrite::Drop => continue,
            Rewrite::Into(value) => value,
            Rewrite::Keep => match (keyword.as_str(), value) {
                (name, Value::Object(members)) if NAMED.contains(&name) => {
                    let members = members
                        .iter()
                        .map(|(name, schema)| (name.clone(), rewrite_keywords(schema, rewrite)));
                    members.collect::<Map<_, _>>().into()
                }
                // `items` is a list in older dialects.
                (name, Value::Array(schemas)) if LIST.contains(&name) || name == "items" => {
                    schemas.iter().map(|schema| rewrite_keywords(schema, rewrite)).collect()
                }
                (name, Value::Object(_)) if ONE.contains(&name) || name == "additionalItems" => {
                    rewrite_keywords(value, rewrite)
                }
                _ => value.clone(),
            },
        };
        made.insert(keyword.clone(), value);
    }
    Value::Object(made)
}
