//! JSON as TOML, the way a person writes it: a table for each server, one line for each of its members.

use serde_json::{Map, Value};

/// The text of a file: its members are objects of objects, or lists of objects.
pub(super) fn write(file: &Value, losses: &mut Vec<String>) -> String {
    let mut text = String::new();
    for (section, entries) in file.as_object().into_iter().flatten() {
        match entries {
            Value::Object(entries) if entries.is_empty() => line(&mut text, &format!("[{section}]")),
            Value::Object(entries) => {
                for (name, entry) in entries {
                    table(&format!("[{section}.{}]", key(name)), entry, &mut text, losses);
                }
            }
            Value::Array(entries) => {
                for entry in entries {
                    table(&format!("[[{section}]]"), entry, &mut text, losses);
                }
            }
            _ => {}
        }
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn table(head: &str, entry: &Value, text: &mut String, losses: &mut Vec<String>) {
    if !text.is_empty() {
        text.push('\n');
    }
    line(text, head);
    for (name, member) in entry.as_object().into_iter().flatten() {
        if let Some(member) = value(member, name, losses) {
            line(text, &format!("{} = {member}", key(name)));
        }
    }
}

/// A value on one line; nothing for `null`, which TOML does not have.
fn value(member: &Value, name: &str, losses: &mut Vec<String>) -> Option<String> {
    Some(match member {
        Value::Null => {
            losses.push(format!("`{name}` is null, which TOML does not have: it is left out"));
            return None;
        }
        Value::Bool(_) | Value::Number(_) => member.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().filter_map(|item| value(item, name, losses)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => inline(members, losses),
    })
}

fn inline(members: &Map<String, Value>, losses: &mut Vec<String>) -> String {
    let members: Vec<_> = members
        .iter()
        .filter_map(|(name, member)| Some(format!("{} = {}", key(name), value(member, name, losses)?)))
        .collect();
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
}

fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { string(name) }
}

/// A basic string (TOML 1.0, "String"): JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}
