//! Rewriting the keywords of a schema and of all schemas inside of it.
//!
//! A property may be called like a keyword, and a value in `default` or `enum` may look like a schema: neither is taken
//! for what it is not.

use serde_json::{Map, Value};
use toolwright_core::schema::keywords::{LIST, NAMED, ONE};

/// What becomes of a keyword.
pub(super) enum Rewrite {
    /// It stays, and the schemas in it are rewritten.
    Keep,
    Drop,
    /// Another value stands in its place, as it is.
    Into(Value),
}

/// The schema, with what `rewrite` makes of each keyword.
pub(super) fn rewritten(schema: &Value, rewrite: &impl Fn(&str, &Value) -> Rewrite) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut made = Map::new();
    for (keyword, value) in keywords {
        let value = match rewrite(keyword, value) {
            Rewrite::Drop => continue,
            Rewrite::Into(value) => value,
            Rewrite::Keep => match (keyword.as_str(), value) {
                (name, Value::Object(members)) if NAMED.contains(&name) => {
                    let members =
                        members.iter().map(|(name, schema)| (name.clone(), rewritten(schema, rewrite)));
                    members.collect::<Map<_, _>>().into()
                }
                // `items` is a list in older dialects.
                (name, Value::Array(schemas)) if LIST.contains(&name) || name == "items" => {
                    schemas.iter().map(|schema| rewritten(schema, rewrite)).collect()
                }
                (name, Value::Object(_)) if ONE.contains(&name) || name == "additionalItems" => {
                    rewritten(value, rewrite)
                }
                _ => value.clone(),
            },
        };
        made.insert(keyword.clone(), value);
    }
    Value::Object(made)
}
