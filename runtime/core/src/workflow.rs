//! Additions of a workflow to the definitions of its commands: the standard parameters `command` and
//! `workitem_path`, and all five annotations.

use serde_json::{Value, json};

use crate::protocol::ToolDefinition;

/// Adds the standard parameters and the annotations.
pub(crate) fn complete(definition: &mut ToolDefinition) {
    let name = definition.name.clone();
    if let Some(properties) = definition.input_schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(
            "command".to_owned(),
            json!({"type": "string", "enum": [name], "description": "The command to run: the name of this tool."}),
        );
        properties.insert(
            "workitem_path".to_owned(),
            json!({
                "type": "string",
                "description": "The context to run the command in, such as `orders/42`; the active one if left out.",
            }),
        );
    }
    if let Some(schema) = definition.input_schema.as_object_mut() {
        let required = schema.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.push("command".into());
        }
    }
    let annotations = definition.annotations.get_or_insert_default();
    let title = definition.title.clone().unwrap_or_else(|| title_of(&name));
    annotations.title.get_or_insert(title);
    annotations.read_only_hint.get_or_insert(false);
    annotations.destructive_hint.get_or_insert(false);
    annotations.idempotent_hint.get_or_insert(false);
    annotations.open_world_hint.get_or_insert(true);
}

/// Converts `cancel_pending_order` to `Cancel Pending Order`.
fn title_of(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}
