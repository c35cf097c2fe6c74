//! Schemas and values of JSON: what they have, and the same values written otherwise.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Numbers up to here are exact for every reader of JSON (RFC 8259, section 6); no bound beyond is shown.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether a form beside others takes members that it does not list.
pub(super) fn has_open_arm(schema: &Value) -> bool {
    let is_open = |arm: &Value| {
        let says = |keyword| arm.get(keyword).is_some();
        let takes_more = arm.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false));
        takes_more || !["type", "enum", "const", "anyOf", "oneOf", "$ref"].into_iter().any(says)
    };
    match schema {
        Value::Object(object) => {
            let arms = ["anyOf", "oneOf"].into_iter().filter_map(|choice| object.get(choice)?.as_array());
            arms.flatten().any(is_open) || object.values().any(has_open_arm)
        }
        Value::Array(parts) => parts.iter().any(has_open_arm),
        _ => false,
    }
}

pub(super) fn collect_required(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            let listed = object.get("required").and_then(Value::as_array).into_iter().flatten();
            names.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            object.values().for_each(|part| collect_required(part, names));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_required(part, names)),
        _ => {}
    }
}

/// The number of values in `value`.
pub(super) fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// `value` with each part that is no object or array replaced.
fn replaced(value: &Value, by: &impl Fn(&Value) -> Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| replaced(item, by)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), replaced(member, by)))
            .collect::<Map<_, _>>()
            .into(),
        other => by(other),
    }
}

/// `value` with all its objects turned around.
pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Object(members) => members
            .iter()
            .rev()
            .map(|(name, member)| (name.clone(), reversed(member)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// `1` as `1.0`.
pub(super) fn with_fractions(value: &Value) -> Value {
    replaced(value, &|part| match part.as_f64().filter(|_| !part.is_f64()) {
        Some(number) if number.abs() < EXACT => json!(number),
        _ => part.clone(),
    })
}

/// `1.0` as `1`.
pub(super) fn with_whole_numbers(value: &Value) -> Value {
    replaced(value, &|part| match part.as_f64().filter(|_| part.is_f64()) {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and smaller than 2^53")]
        Some(number) if number.fract() == 0.0 && number.abs() < EXACT => json!(number as i64),
        _ => part.clone(),
    })
}

/// Whether an array somewhere in `value` was read as an object: serde's derive also reads a struct from an array of
/// its members in order. Nothing shows that, and no rule of the schema is evaded by it.
pub(super) fn is_read_by_position(value: &Value, written: Option<&Value>) -> bool {
    match (value, written) {
        (Value::Array(_), Some(Value::Object(_))) => true,
        (Value::Array(items), Some(Value::Array(others))) => {
            items.iter().zip(others).any(|(item, other)| is_read_by_position(item, Some(other)))
        }
        (Value::Object(members), Some(Value::Object(others))) => {
            members.iter().any(|(name, member)| is_read_by_position(member, others.get(name)))
        }
        _ => false,
    }
}

/// Whether a number somewhere in `value` is larger than what every reader of JSON holds exactly: it may be out of
/// the range of an `i64` or `u64`, for which the schema shows no bound.
pub(super) fn has_inexact_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > EXACT),
        Value::Object(object) => object.values().any(has_inexact_number),
        Value::Array(items) => items.iter().any(has_inexact_number),
        _ => false,
    }
}

/// Pointers to all members of all objects in `value`.
pub(super) fn collect_members(value: &Value, pointer: &str, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                collect_members(member, &pointer, pointers);
                pointers.push(pointer);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_members(item, &format!("{pointer}/{index}"), pointers);
            }
        }
        _ => {}
    }
}

pub(super) fn collect_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                names.extend(properties.keys().cloned());
            }
            for member in object.values() {
                collect_names(member, names);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_names(item, names);
            }
        }
        _ => {}
    }
}
