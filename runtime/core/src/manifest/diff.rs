//! What differs between two manifests, by tool and property.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Manifest;
use crate::pointer::below;

/// One difference between two manifests. `Display` gives one line:
///
/// ```text
/// ~ get_order /inputSchema/properties/id/pattern: "^#W\\d{7}$" -> "^#W\\d{8}$"
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The tool; `None` for what belongs to the server.
    pub tool: Option<String>,
    /// Where in the tool or the document: a JSON Pointer (RFC 6901), empty for a tool as a whole. For a list of
    /// plain values it names the list.
    pub pointer: String,
    /// What happened there.
    pub difference: Difference,
}

/// What happened at one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Difference {
    /// Only the new manifest has it.
    Added(Value),
    /// Only the old manifest has it.
    Removed(Value),
    /// Both have it, with these values.
    Changed {
        /// The value in the old manifest.
        old: Value,
        /// The value in the new manifest.
        new: Value,
    },
}

/// Everything that differs: the server first, then the tools by name. Empty if the manifests say the same; the order
/// of an object's members says nothing.
pub fn diff(old: &Manifest, new: &Manifest) -> Vec<Change> {
    let mut changes = Changes { tool: None, found: Vec::new() };
    changes.compare(String::new(), &document_without_tools(old), &document_without_tools(new));

    let mut pairs: BTreeMap<&str, [Option<Value>; 2]> = BTreeMap::new();
    for (side, manifest) in [old, new].into_iter().enumerate() {
        for tool in &manifest.tools {
            pairs.entry(&tool.name).or_default()[side] = Some(serde_json::json!(tool));
        }
    }
    for (name, pair) in pairs {
        changes.tool = Some(name.to_owned());
        changes.compare_optional(String::new(), pair[0].as_ref(), pair[1].as_ref());
    }
    changes.found
}

fn document_without_tools(manifest: &Manifest) -> Value {
    let mut document = serde_json::json!(Manifest { tools: Vec::new(), ..manifest.clone() });
    if let Some(members) = document.as_object_mut() {
        members.remove("tools");
    }
    document
}

struct Changes {
    tool: Option<String>,
    found: Vec<Change>,
}

impl Changes {
    fn compare(&mut self, pointer: String, old: &Value, new: &Value) {
        match (old, new) {
            _ if old == new => {}
            (Value::Object(old), Value::Object(new)) => self.compare_members(&pointer, old, new),
            (Value::Array(old), Value::Array(new)) if are_plain(old) && are_plain(new) => {
                self.compare_plain_lists(pointer, old, new);
            }
            (Value::Array(old), Value::Array(new)) => {
                for index in 0..old.len().max(new.len()) {
                    self.compare_optional(format!("{pointer}/{index}"), old.get(index), new.get(index));
                }
            }
            _ => self.push(pointer, Difference::Changed { old: old.clone(), new: new.clone() }),
        }
    }

    fn compare_members(&mut self, pointer: &str, old: &Map<String, Value>, new: &Map<String, Value>) {
        let added = new.keys().filter(|key| !old.contains_key(*key));
        for key in old.keys().chain(added) {
            self.compare_optional(below(pointer, key), old.get(key), new.get(key));
        }
    }

    /// Lists such as `required` and `enum`: what came and what went says more than positions do.
    fn compare_plain_lists(&mut self, pointer: String, old: &[Value], new: &[Value]) {
        let before = self.found.len();
        for value in old.iter().filter(|value| !new.contains(value)) {
            self.push(pointer.clone(), Difference::Removed(value.clone()));
        }
        for value in new.iter().filter(|value| !old.contains(value)) {
            self.push(pointer.clone(), Difference::Added(value.clone()));
        }
        if self.found.len() == before {
            // The same values in another order or number.
            self.push(pointer, Difference::Changed { old: old.into(), new: new.into() });
        }
    }

    fn compare_optional(&mut self, pointer: String, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) => self.compare(pointer, old, new),
            (Some(old), None) => self.push(pointer, Difference::Removed(old.clone())),
            (None, Some(new)) => self.push(pointer, Difference::Added(new.clone())),
            (None, None) => {}
        }
    }

    fn push(&mut self, pointer: String, difference: Difference) {
        self.found.push(Change { tool: self.tool.clone(), pointer, difference });
    }
}

/// No objects and no lists among the values.
fn are_plain(values: &[Value]) -> bool {
    !values.iter().any(|value| value.is_object() || value.is_array())
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.difference {
            Difference::Added(_) => '+',
            Difference::Removed(_) => '-',
            Difference::Changed { .. } => '~',
        };
        write!(f, "{sign} ")?;
        match (&self.tool, self.pointer.as_str()) {
            // A whole tool: its definition is no news to whoever took it out or put it in.
            (Some(tool), "") => return write!(f, "{}", visible(tool)),
            (Some(tool), pointer) => write!(f, "{} {}: ", visible(tool), visible(pointer))?,
            (None, pointer) => write!(f, "{}: ", visible(pointer))?,
        }
        match &self.difference {
            Difference::Added(value) | Difference::Removed(value) => f.write_str(&shown(value)),
            Difference::Changed { old, new } => {
                let [old, new] = shown_change(old, new);
                write!(f, "{old} -> {new}")
            }
        }
    }
}

/// A value as one line shows it: a long one is cut, and what a terminal hides is written out.
pub fn shown(value: &Value) -> String {
    shortened(&value.to_string(), 0)
}

/// Two values as [`shown`]; long ones are cut around their first difference.
pub fn shown_change(old: &Value, new: &Value) -> [String; 2] {
    let [old, new] = [old.to_string(), new.to_string()];
    let start = common_start(&old, &new).saturating_sub(BEFORE_CHANGE);
    [shortened(&old, start), shortened(&new, start)]
}

/// How many characters of a value a line shows.
const SHOWN: usize = 72;

/// How many equal characters stand before the first difference when the start of a long value is cut off.
const BEFORE_CHANGE: usize = 16;

/// How many characters two texts share at their start.
fn common_start(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count()
}

/// The part of `text` that a line shows: all of it, or a window that begins at `start`.
fn shortened(text: &str, start: usize) -> String {
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

/// Writes out the characters that a terminal hides or obeys: a description that changed by one of them must not look
/// unchanged, and a line must not be able to rewrite the screen.
pub fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Control characters and the invisible ones of Unicode: soft hyphen, zero-width and direction marks, variation
/// selectors, tags.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}
