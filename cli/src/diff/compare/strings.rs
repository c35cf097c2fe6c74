//! Compares strings that models and people read, in definitions of every kind.

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
        changes.push(Change::new(id, part, name, pointer).with_values(old, new));
    }
}

/// Reports every string of a definition with new hidden characters, including the names of members, which models read.
pub(super) fn report_hidden(
    part: Part,
    name: &str,
    old: Option<&Map<String, Value>>,
    new: &Map<String, Value>,
    changes: &mut Vec<Change>,
) {
    let mut before = Vec::new();
    if let Some(old) = old {
        visit_members(old, "", &mut |pointer, text| collect_hidden(&mut before, pointer, text));
    }
    let mut after = Vec::new();
    visit_members(new, "", &mut |pointer, text| collect_hidden(&mut after, pointer, text));
    // A string at the same location or with the same text is not new; each old string explains one new one.
    for is_explained in [is_unmoved, is_moved] {
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
        changes.push(change.with_values(None, Some(&Value::from(text))));
    }
}

/// A string with hidden characters.
struct HiddenString {
    pointer: String,
    text: String,
    /// The hidden characters.
    characters: String,
}

fn collect_hidden(found: &mut Vec<HiddenString>, pointer: &str, text: &str) {
    let characters: String = text
        .chars()
        .filter(|character| is_hidden(*character) && !matches!(character, '\n' | '\t' | '\r'))
        .collect();
    if !characters.is_empty() {
        found.push(HiddenString { pointer: pointer.to_owned(), text: text.to_owned(), characters });
    }
}

fn is_unmoved(old: &HiddenString, new: &HiddenString) -> bool {
    old.pointer == new.pointer && old.characters == new.characters
}

fn is_moved(old: &HiddenString, new: &HiddenString) -> bool {
    old.text == new.text
}

/// Visits every string in a value and every name of a member, with its JSON Pointer.
pub(super) fn visit<'v>(value: &'v Value, pointer: &str, visitor: &mut dyn FnMut(&str, &'v str)) {
    match value {
        Value::String(text) => visitor(pointer, text),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                visit(item, &format!("{pointer}/{at}"), visitor);
            }
        }
        Value::Object(members) => visit_members(members, pointer, visitor),
        _ => {}
    }
}

fn visit_members<'v>(members: &'v Map<String, Value>, pointer: &str, visitor: &mut dyn FnMut(&str, &'v str)) {
    for (name, member) in members {
        let pointer = format!("{pointer}/{}", segment(name));
        visitor(&pointer, name);
        visit(member, &pointer, visitor);
    }
}
