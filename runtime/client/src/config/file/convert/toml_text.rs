//! Formatting of JSON as TOML: a table for each server, and a line for each of its members.

use serde_json::{Map, Value};

/// Formats a file, whose members are objects of objects, or lists of objects.
pub(super) fn format_file(file: &Value, losses: &mut Vec<String>) -> String {
    let mut text = String::new();
    for (section, entries) in file.as_object().into_iter().flatten() {
        match entries {
            Value::Object(entries) if entries.is_empty() => push_line(&mut text, &format!("[{section}]")),
            Value::Object(entries) => {
                for (name, entry) in entries {
                    push_table(&format!("[{section}.{}]", format_key(name)), entry, &mut text, losses);
                }
            }
            Value::Array(entries) => {
                for entry in entries {
                    push_table(&format!("[[{section}]]"), entry, &mut text, losses);
                }
            }
            _ => {}
        }
    }
    text
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn push_table(header: &str, entry: &Value, text: &mut String, losses: &mut Vec<String>) {
    if !text.is_empty() {
        text.push('\n');
    }
    push_line(text, header);
    for (name, member) in entry.as_object().into_iter().flatten() {
        if let Some(value) = format_value(member, name, losses) {
            push_line(text, &format!("{} = {value}", format_key(name)));
        }
    }
}

/// Formats a value on one line; returns `None` for `null`, which TOML does not support.
fn format_value(member: &Value, name: &str, losses: &mut Vec<String>) -> Option<String> {
    Some(match member {
        Value::Null => {
            losses.push(format!("`{name}` is null, which TOML does not support: it is omitted"));
            return None;
        }
        Value::Bool(_) | Value::Number(_) => member.to_string(),
        Value::String(text) => format_string(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().filter_map(|item| format_value(item, name, losses)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => format_inline_table(members, losses),
    })
}

fn format_inline_table(members: &Map<String, Value>, losses: &mut Vec<String>) -> String {
    let members: Vec<_> = members
        .iter()
        .filter_map(|(name, member)| {
            Some(format!("{} = {}", format_key(name), format_value(member, name, losses)?))
        })
        .collect();
    if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
}

fn format_key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { format_string(name) }
}

/// Formats a basic string (TOML 1.0, "String"), whose escapes are those of JSON, except that DEL must be escaped.
fn format_string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}
