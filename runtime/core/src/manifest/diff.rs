//! Differences between two manifests, by definition and property.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::meaning::Place;
use super::visible::visible;
use super::{Kind, Manifest, entry};
use crate::pointer::below;

/// One difference between two manifests. `Display` formats it on one line:
///
/// ```text
/// ~ get_order /inputSchema/properties/id/pattern: "^#W\\d{7}$" -> "^#W\\d{8}$"
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The definition; `None` for the server.
    pub of: Option<Named>,
    /// JSON Pointer (RFC 6901) into the definition or the document, empty for a whole definition. For an array
    /// of scalars, it points to the array.
    pub pointer: String,
    /// The difference at this location.
    pub difference: Difference,
}

/// A tool, prompt, resource or template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Named {
    /// The list.
    pub kind: Kind,
    /// The name or URI.
    pub name: String,
}

/// A difference at one location.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Difference {
    /// Only in the new manifest.
    Added(Value),
    /// Only in the old manifest.
    Removed(Value),
    /// In both, with different values.
    Changed {
        /// The value in the old manifest.
        old: Value,
        /// The value in the new manifest.
        new: Value,
    },
}

/// Compares two manifests: first the server, then tools, prompts, resources and templates by name. The result
/// is empty if they are equivalent: numbers are compared by value, and order only if it is significant.
pub fn diff(old: &Manifest, new: &Manifest) -> Vec<Change> {
    let mut changes = Changes { of: None, found: Vec::new() };
    changes.compare(Place::Data, String::new(), &document_without_lists(old), &document_without_lists(new));
    for kind in Kind::ALL {
        let [before, after] = [old, new].map(|manifest| manifest.entries(kind));
        // An empty list differs from a missing one.
        let member = format!("/{}", kind.member());
        let none = || Value::Array(Vec::new());
        match (&before, &after) {
            (None, Some(entries)) if entries.is_empty() => changes.push(member, Difference::Added(none())),
            (Some(entries), None) if entries.is_empty() => changes.push(member, Difference::Removed(none())),
            _ => {}
        }
        let mut pairs: BTreeMap<String, [Option<Value>; 2]> = BTreeMap::new();
        for (side, entries) in [before, after].into_iter().enumerate() {
            for entry in entries.into_iter().flatten() {
                let name = kind.name_of(&entry).unwrap_or_default().to_owned();
                pairs.entry(name).or_default()[side] = Some(Value::Object(entry));
            }
        }
        for (name, pair) in pairs {
            changes.of = Some(Named { kind, name });
            changes.compare_optional(Place::of(kind), String::new(), pair[0].as_ref(), pair[1].as_ref());
        }
        changes.of = None;
    }
    changes.found
}

fn document_without_lists(manifest: &Manifest) -> Value {
    let mut document = entry(manifest);
    document.retain(|member, _| Kind::ALL.iter().all(|kind| kind.member() != member));
    Value::Object(document)
}

struct Changes {
    of: Option<Named>,
    found: Vec<Change>,
}

impl Changes {
    fn compare(&mut self, place: Place, pointer: String, old: &Value, new: &Value) {
        match (old, new) {
            _ if place.are_equivalent(old, new) => {}
            (Value::Object(old), Value::Object(new)) => self.compare_members(place, &pointer, old, new),
            (Value::Array(old), Value::Array(new)) if are_plain(old) && are_plain(new) => {
                self.compare_plain_lists(place, pointer, old, new);
            }
            (Value::Array(old), Value::Array(new)) => {
                for index in 0..old.len().max(new.len()) {
                    let pointer = format!("{pointer}/{index}");
                    self.compare_optional(place.item(), pointer, old.get(index), new.get(index));
                }
            }
            _ => self.push(pointer, Difference::Changed { old: old.clone(), new: new.clone() }),
        }
    }

    fn compare_members(
        &mut self,
        place: Place,
        pointer: &str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) {
        let added = new.keys().filter(|key| !old.contains_key(*key));
        for key in old.keys().chain(added) {
            self.compare_optional(place.member(key), below(pointer, key), old.get(key), new.get(key));
        }
    }

    /// Compares arrays such as `required` and `enum`: added and removed values are more informative than positions.
    fn compare_plain_lists(&mut self, place: Place, pointer: String, old: &[Value], new: &[Value]) {
        let before = self.found.len();
        let has = |list: &[Value], value: &Value| {
            list.iter().any(|other| place.item().are_equivalent(other, value))
        };
        for value in old.iter().filter(|value| !has(new, value)) {
            self.push(pointer.clone(), Difference::Removed(value.clone()));
        }
        for value in new.iter().filter(|value| !has(old, value)) {
            self.push(pointer.clone(), Difference::Added(value.clone()));
        }
        if self.found.len() == before {
            // Only the order or the number of repetitions differs.
            self.push(pointer, Difference::Changed { old: old.into(), new: new.into() });
        }
    }

    fn compare_optional(&mut self, place: Place, pointer: String, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) => self.compare(place, pointer, old, new),
            (Some(old), None) => self.push(pointer, Difference::Removed(old.clone())),
            (None, Some(new)) => self.push(pointer, Difference::Added(new.clone())),
            (None, None) => {}
        }
    }

    fn push(&mut self, pointer: String, difference: Difference) {
        self.found.push(Change { of: self.of.clone(), pointer, difference });
    }
}

/// Returns whether no value is an object or array.
fn are_plain(values: &[Value]) -> bool {
    !values.iter().any(|value| value.is_object() || value.is_array())
}

/// Formats as `get_order` for a tool, `prompt review` for others.
impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind != Kind::Tools {
            write!(f, "{} ", self.kind.one())?;
        }
        f.write_str(&visible(&self.name))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.difference {
            Difference::Added(_) => '+',
            Difference::Removed(_) => '-',
            Difference::Changed { .. } => '~',
        };
        write!(f, "{sign} ")?;
        match (&self.of, self.pointer.as_str()) {
            // The contents of an added or removed definition need not be repeated.
            (Some(named), "") => return write!(f, "{named}"),
            (Some(named), pointer) => write!(f, "{named} {}: ", visible(pointer))?,
            (None, pointer) => write!(f, "{}: ", visible(pointer))?,
        }
        match &self.difference {
            Difference::Added(value) | Difference::Removed(value) => f.write_str(&format_value(value)),
            Difference::Changed { old, new } => {
                let [old, new] = format_change(old, new);
                write!(f, "{old} -> {new}")
            }
        }
    }
}

/// Formats a value on one line: long values are truncated, hidden characters escaped.
pub fn format_value(value: &Value) -> String {
    shorten(&value.to_string(), 0)
}

/// Formats two values like [`format_value`]; long ones are shortened around their first difference.
pub fn format_change(old: &Value, new: &Value) -> [String; 2] {
    let [old, new] = [old.to_string(), new.to_string()];
    let start = common_start(&old, &new).saturating_sub(BEFORE_CHANGE);
    [shorten(&old, start), shorten(&new, start)]
}

/// Maximum number of characters of a value on a line.
const SHOWN: usize = 72;

/// Number of equal characters before the first difference if the start of a long value is cut off.
const BEFORE_CHANGE: usize = 16;

/// Returns the number of leading characters that both strings share.
fn common_start(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count()
}

/// Returns the part of `text` that fits on a line, starting at `start`.
fn shorten(text: &str, start: usize) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return visible(text);
    }
    let start = start.min(length - SHOWN);
    let window: String = text.chars().skip(start).take(SHOWN).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + SHOWN < length { "…" } else { "" };
    format!("{before}{}{after}", visible(&window))
}
