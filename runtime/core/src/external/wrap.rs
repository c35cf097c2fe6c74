//! Wraps a schema in another one.

use serde_json::{Map, Value, json};

use crate::schema::walk;

/// Returns the schema of an object whose only member, `name`, is a value of `schema`. References keep their targets.
///
/// Definitions move to the new root, where clients look for them, unless the schema has its own URI (`$id`):
/// its references are relative to that, so it stays in one piece.
pub fn wrap(mut schema: Map<String, Value>, name: &str) -> Map<String, Value> {
    let dialect = schema.shift_remove("$schema");
    let mut definitions = None;
    if !schema.contains_key("$id") {
        redirect(&mut schema, &crate::pointer::below("/properties", name));
        definitions = schema.shift_remove("$defs");
    }
    let mut root = Map::new();
    root.extend(dialect.map(|dialect| ("$schema".to_owned(), dialect)));
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), json!({name: schema}));
    root.insert("required".to_owned(), json!([name]));
    root.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
    root
}

/// Redirects references, except those to definitions, below `place`.
fn redirect(schema: &mut Map<String, Value>, place: &str) {
    for keyword in ["$ref", "$dynamicRef"] {
        if let Some(Value::String(reference)) = schema.get_mut(keyword)
            && let Some(fragment) = reference.strip_prefix('#')
            // Anchors and definitions keep their names.
            && (fragment.is_empty() || fragment.starts_with('/'))
            && !fragment.starts_with("/$defs/")
        {
            *reference = format!("#{place}{fragment}");
        }
    }
    walk::subschemas_mut(schema, |_, below| {
        if let Value::Object(below) = below
            && !below.contains_key("$id")
        {
            redirect(below, place);
        }
    });
}
