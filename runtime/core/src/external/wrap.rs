//! A schema inside another one.

use serde_json::{Map, Value, json};

use crate::schema::walk;

/// The schema of an object whose one member, `name`, is a value of `schema`; references lead to where they did.
///
/// Definitions move to the new root, where clients look for them, unless the schema has an address of its own (`$id`):
/// references count from there, and so all of it stays together.
pub fn wrapped(mut schema: Map<String, Value>, name: &str) -> Map<String, Value> {
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

/// Has references to anything but definitions lead below `place`.
fn redirect(schema: &mut Map<String, Value>, place: &str) {
    for keyword in ["$ref", "$dynamicRef"] {
        if let Some(Value::String(reference)) = schema.get_mut(keyword)
            && let Some(fragment) = reference.strip_prefix('#')
            // Names of anchors stay, and so do definitions.
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
