//! Merges two schemas that both apply.

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::loss::InTool;

/// Lower bounds, of which the larger applies, and upper bounds, of which the smaller applies.
const LOWER: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/// Adds the keywords of `more`. What cannot be merged is recorded at `pointer`, the location of `keywords`.
pub(super) fn merge(
    losses: &mut InTool<'_>,
    pointer: &str,
    keywords: &mut Map<String, Value>,
    more: &Map<String, Value>,
) {
    for (keyword, value) in more {
        let Some(own) = keywords.get_mut(keyword) else {
            keywords.insert(keyword.clone(), value.clone());
            continue;
        };
        if own != value && !joins(losses, &below(pointer, keyword), keyword, own, value) {
            losses
                .add(below(pointer, keyword), format!("two values of `{keyword}` apply, so one is removed"));
        }
    }
}

/// Merges two values of a keyword; false if no value expresses both.
fn joins(losses: &mut InTool<'_>, pointer: &str, keyword: &str, own: &mut Value, value: &Value) -> bool {
    if LOWER.contains(&keyword) || UPPER.contains(&keyword) {
        let (Some(left), Some(right)) = (own.as_f64(), value.as_f64()) else { return false };
        if (LOWER.contains(&keyword) && right > left) || (UPPER.contains(&keyword) && right < left) {
            *own = value.clone();
        }
        return true;
    }
    match (keyword, own, value) {
        ("description", Value::String(own), Value::String(more)) => {
            if own.trim().is_empty() {
                own.clone_from(more);
            } else if !more.trim().is_empty() && !own.contains(more.as_str()) {
                *own = format!("{} {}", own.trim(), more.trim());
            }
            true
        }
        ("type", own, value) => {
            let is_either = |name: &str| own == name || value == name;
            let is_integer = is_either("integer") && is_either("number");
            if is_integer {
                *own = "integer".into();
            }
            is_integer
        }
        ("enum", Value::Array(own), Value::Array(more)) => {
            own.retain(|choice| more.contains(choice));
            true
        }
        ("required", Value::Array(own), Value::Array(more)) => {
            let new: Vec<_> = more.iter().filter(|name| !own.contains(name)).cloned().collect();
            own.extend(new);
            true
        }
        ("properties" | "$defs" | "definitions", Value::Object(own), Value::Object(more)) => {
            for (name, schema) in more {
                match own.get(name) {
                    None => _ = own.insert(name.clone(), schema.clone()),
                    Some(known) if known == schema => {}
                    Some(_) => {
                        losses.add(
                            below(pointer, name),
                            format!("two schemas apply to `{name}`, so one is removed"),
                        );
                    }
                }
            }
            true
        }
        // Titles are for people, and the outer one is more specific. A schema that accepts everything adds nothing.
        ("title", ..) | ("additionalProperties" | "unevaluatedProperties", _, Value::Bool(true)) => true,
        ("additionalProperties" | "unevaluatedProperties", own @ Value::Bool(true), value) => {
            *own = value.clone();
            true
        }
        ("uniqueItems" | "writeOnly" | "deprecated" | "readOnly", own, value) => {
            *own = (*own == Value::Bool(true) || *value == Value::Bool(true)).into();
            true
        }
        _ => false,
    }
}
