//! Compares prompts, resources and resource templates.

use serde_json::{Map, Value};
use toolwright_core::pointer::segment;

use super::{strings, zip_members};
use crate::diff::change::{Change, Part};
use crate::source::Entries;

pub(super) fn compare_prompts(old: &Entries, new: &Entries, changes: &mut Vec<Change>) {
    compare_entries(Part::Prompt, "prompt", old, new, changes, |name, old, new, changes| {
        for (key, before, after) in zip_members(old, new) {
            match key {
                "arguments" => {
                    let before_arguments = changes.len();
                    compare_arguments(name, before, after, changes);
                    if changes.len() == before_arguments {
                        // The order differs, or the value is not valid in the protocol.
                        compare_member(
                            Part::Prompt,
                            "prompt-text-changed",
                            name,
                            key,
                            before,
                            after,
                            changes,
                        );
                    }
                }
                _ => compare_member(Part::Prompt, "prompt-text-changed", name, key, before, after, changes),
            }
        }
    });
}

/// Compares resources by URI, or templates by URI template.
pub(super) fn compare_resources(
    part: Part,
    word: &str,
    old: &Entries,
    new: &Entries,
    changes: &mut Vec<Change>,
) {
    compare_entries(part, word, old, new, changes, |name, old, new, changes| {
        for (key, before, after) in zip_members(old, new) {
            let id = if key == "mimeType" { "type" } else { "text" };
            compare_member(part, &format!("{word}-{id}-changed"), name, key, before, after, changes);
        }
    });
}

fn compare_entries(
    part: Part,
    word: &str,
    old: &Entries,
    new: &Entries,
    changes: &mut Vec<Change>,
    compare: impl Fn(&str, &Map<String, Value>, &Map<String, Value>, &mut Vec<Change>),
) {
    for (name, before) in old {
        match new.get(name) {
            Some(after) => {
                compare(name, before, after, changes);
                strings::report_hidden(part, name, Some(before), after, changes);
            }
            None => changes.push(Change::new(&format!("{word}-removed"), part, name, "")),
        }
    }
    for (name, entry) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        changes.push(Change::new(&format!("{word}-added"), part, name, ""));
        strings::report_hidden(part, name, None, entry, changes);
    }
}

fn compare_member(
    part: Part,
    id: &str,
    name: &str,
    key: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    changes: &mut Vec<Change>,
) {
    strings::compare(id, part, name, &format!("/{}", segment(key)), old, new, changes);
}

fn compare_arguments(name: &str, old: Option<&Value>, new: Option<&Value>, changes: &mut Vec<Change>) {
    let [old, new] = [old, new].map(index_by_name);
    for (argument, before, after) in zip_members(&old, &new) {
        let pointer = format!("/arguments/{}", segment(argument));
        let required = |value: Option<&Value>| {
            value.and_then(|value| value.get("required")).and_then(Value::as_bool).unwrap_or(false)
        };
        let id = match (before, after) {
            (Some(_), Some(_)) => match (required(before), required(after)) {
                (false, true) => Some("prompt-argument-required"),
                (true, false) => Some("prompt-argument-optional"),
                _ => None,
            },
            (Some(_), None) => Some("prompt-argument-removed"),
            _ if required(after) => Some("prompt-argument-added-required"),
            _ => Some("prompt-argument-added"),
        };
        changes.extend(id.map(|id| Change::new(id, Part::Prompt, name, &pointer)));
        if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
            for (key, before, after) in zip_members(before, after).filter(|(key, ..)| *key != "required") {
                let pointer = format!("{pointer}/{}", segment(key));
                strings::compare("prompt-text-changed", Part::Prompt, name, &pointer, before, after, changes);
            }
        }
    }
}

/// Returns a list of named objects as a map.
fn index_by_name(list: Option<&Value>) -> Map<String, Value> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| Some((entry.get("name")?.as_str()?.to_owned(), entry.clone()))).collect()
}
