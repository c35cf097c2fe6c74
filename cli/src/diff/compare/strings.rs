//! Strings that models and people read, in definitions of every kind.

use serde_json::{Map, Value};
use toolwright_core::manifest::is_hidden;
use toolwright_core::pointer::segment;

use crate::diff::change::{Change, Part};

/// Reports a member that differs.
pub(super) fn compare(
    id: &str,
    part: Part,
    name: &str,
    pointer: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    changes: &mut Vec<Change>,
) {
    if old != new {
        changes.push(Change::new(id, part, name, pointer).values(old, new));
    }
}

/// Reports every string of a definition that has new characters that people do not see. The names of
/// members are strings as well: models read them.
pub(super) fn report_hidden(
    part: Part,
    name: &str,
    old: Option<&Map<String, Value>>,
    new: &Map<String, Value>,
    changes: &mut Vec<Change>,
) {
    let mut before = Vec::new();
    if let Some(old) = old {
        each_of_object(old, "", &mut |pointer, text| keep_hidden(&mut before, pointer, text));
    }
    let mut after = Vec::new();
    each_of_object(new, "", &mut |pointer, text| keep_hidden(&mut after, pointer, text));
    // A string in its former place is known, and so is one that moved; each old string explains one new one.
    for is_explained in [is_in_its_place, is_moved] {
        after.retain(|text| match before.iter().position(|known| is_explained(known, text)) {
            Some(at) => {
                before.swap_remove(at);
                false
            }
            None => true,
        });
    }
    for HiddenString { pointer, text, .. } in after {
        let change = Change::new("hidden-characters-added", part, name, &pointer);
        changes.push(change.values(None, Some(&Value::from(text))));
    }
}

/// A string with characters that people do not see.
struct HiddenString {
    pointer: String,
    text: String,
    /// Those characters.
    characters: String,
}

fn keep_hidden(found: &mut Vec<HiddenString>, pointer: &str, text: &str) {
    let characters: String = text
        .chars()
        .filter(|character| is_hidden(*character) && !matches!(character, '\n' | '\t' | '\r'))
        .collect();
    if !characters.is_empty() {
        found.push(HiddenString { pointer: pointer.to_owned(), text: text.to_owned(), characters });
    }
}

fn is_in_its_place(old: &HiddenString, new: &HiddenString) -> bool {
    old.pointer == new.pointer && old.characters == new.characters
}

fn is_moved(old: &HiddenString, new: &HiddenString) -> bool {
    old.text == new.text
}

/// Visits every string in a value with its JSON Pointer, and the names of members.
pub(super) fn each<'v>(value: &'v Value, pointer: &str, visit: &mut dyn FnMut(&str, &'v str)) {
    match value {
        Value::String(text) => visit(pointer, text),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                each(item, &format!("{pointer}/{at}"), visit);
            }
        }
        Value::Object(members) => each_of_object(members, pointer, visit),
        _ => {}
    }
}

fn each_of_object<'v>(members: &'v Map<String, Value>, pointer: &str, visit: &mut dyn FnMut(&str, &'v str)) {
    for (name, member) in members {
        let pointer = format!("{pointer}/{}", segment(name));
        visit(&pointer, name);
        each(member, &pointer, visit);
    }
}
