//! Small changes to a value, so that it is often just wrong.

use serde_json::{Value, json};

use crate::choices::Choices;
use crate::generate::anything;

/// Changes one place of `value`.
///
/// # Panics
/// Never: the place is one that was counted.
pub fn mutate(value: &mut Value, choices: &mut Choices<'_>) {
    let places = count(value);
    let place = choices.below(places);
    change(at(value, &mut { place }).expect("a place that was counted"), choices);
}

/// The number of values in `value`, itself among them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(object) => object.values().map(count).sum(),
        _ => 0,
    }
}

/// The value at the place that `steps` counts down to.
fn at<'v>(value: &'v mut Value, steps: &mut usize) -> Option<&'v mut Value> {
    if *steps == 0 {
        return Some(value);
    }
    *steps -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| at(item, steps)),
        Value::Object(object) => object.values_mut().find_map(|member| at(member, steps)),
        _ => None,
    }
}

fn change(value: &mut Value, choices: &mut Choices<'_>) {
    if choices.once_in(4) {
        *value = anything(choices, 1);
        return;
    }
    match value {
        Value::Null => *value = json!(0),
        Value::Bool(flag) => *value = choices.pick(&[json!(flag.to_string()), json!(1), json!(null)]).clone(),
        Value::Number(number) => {
            let changed = match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => match choices.below(4) {
                    0 => json!(whole.saturating_add(1)),
                    1 => json!(whole.saturating_sub(1)),
                    2 => json!(whole.to_string()),
                    _ => json!(whole.saturating_neg()),
                },
                (None, Some(float)) => json!(float + 0.5),
                (None, None) => json!(0),
            };
            *value = changed;
        }
        Value::String(text) => match choices.below(3) {
            0 => text.push('x'),
            1 => {
                text.pop();
            }
            _ => *text = text.to_uppercase(),
        },
        Value::Array(items) => match choices.below(4) {
            0 => items.push(anything(choices, 1)),
            1 => {
                items.pop();
            }
            2 => items.extend(items.first().cloned()),
            _ => *value = json!({ "0": items }),
        },
        Value::Object(object) => match choices.below(4) {
            0 => {
                object.insert("unknown".to_owned(), anything(choices, 1));
            }
            1 | 2 if !object.is_empty() => {
                let at = choices.below(object.len());
                let name = object.keys().nth(at).cloned().unwrap_or_default();
                let member = object.remove(&name).unwrap_or_default();
                if choices.once_in(3) {
                    object.insert(format!("{name}s"), member);
                }
            }
            _ => *value = json!(object.values().collect::<Vec<_>>()),
        },
    }
}
