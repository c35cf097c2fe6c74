//! Compares the members of two definitions of a tool.

use serde_json::{Map, Value};
use toolwright_core::definition::{is_within, meta_keys};
use toolwright_core::pointer::segment;

use super::schema::{self, Direction};
use super::{Author, strings, zip_members};
use crate::diff::change::{Change, Part};

/// Compares two definitions of one tool.
pub(super) fn compare(
    name: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    author: Author,
    changes: &mut Vec<Change>,
) {
    if old == new {
        return;
    }
    let mut tool = ToolComparison { name, author, changes };
    for (key, before, after) in zip_members(old, new) {
        if before == after {
            continue;
        }
        let count = tool.changes.len();
        let pointer = format!("/{}", segment(key));
        match key {
            "name" => {}
            "title" => tool.compare_member("tool-title-changed", &pointer, before, after),
            "description" => tool.compare_member("tool-description-changed", &pointer, before, after),
            "icons" => tool.push("tool-icons-changed", &pointer, before, after),
            "inputSchema" => tool.compare_schemas(Direction::Input, before, after),
            "outputSchema" => tool.compare_schemas(Direction::Output, before, after),
            "annotations" => tool.compare_annotations(before, after),
            "_meta" => tool.compare_meta(before, after),
            "execution" => tool.compare_execution(before, after),
            _ => tool.compare_member("tool-member-changed", &pointer, before, after),
        }
        if tool.changes.len() == count && key != "name" {
            // The order differs, or the value is not valid in the protocol.
            let id = if key == "_meta" { "tool-meta-changed" } else { "tool-member-changed" };
            tool.compare_member(id, &pointer, before, after);
        }
    }
    strings::report_hidden(Part::Tool, name, Some(old), new, tool.changes);
}

/// Returns the former names of a tool.
pub(super) fn former_names(tool: &Map<String, Value>) -> impl Iterator<Item = &str> {
    strings_in(tool.get("_meta"), meta_keys::WAS).into_iter()
}

fn strings_in<'a>(meta: Option<&'a Value>, key: &str) -> Vec<&'a str> {
    let list = meta.and_then(|meta| meta.get(key)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

struct ToolComparison<'f> {
    name: &'f str,
    author: Author,
    changes: &'f mut Vec<Change>,
}

impl ToolComparison<'_> {
    fn push(&mut self, id: &str, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        self.changes.push(Change::new(id, Part::Tool, self.name, pointer).with_values(old, new));
    }

    fn compare_member(&mut self, id: &str, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        strings::compare(id, Part::Tool, self.name, pointer, old, new, self.changes);
    }

    fn compare_schemas(&mut self, direction: Direction, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) => schema::compare(direction, self.name, old, new, self.changes),
            (Some(_), None) if direction == Direction::Output => {
                self.push("output-schema-removed", "/outputSchema", None, None);
            }
            (None, Some(_)) if direction == Direction::Output => {
                self.push("output-schema-added", "/outputSchema", None, None);
            }
            // A tool without a schema accepts anything; a server must not send one (2026-07-28, schema `Tool`).
            (old, new) => {
                let anything = Value::Bool(true);
                schema::compare(
                    direction,
                    self.name,
                    old.unwrap_or(&anything),
                    new.unwrap_or(&anything),
                    self.changes,
                );
            }
        }
    }

    /// Compares the hints with their defaults (2026-07-28, schema `ToolAnnotations`).
    fn compare_annotations(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let empty = Map::new();
        let [before, after] = [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        let is = |side: &Map<String, Value>, key: &str, default: bool| {
            side.get(key).and_then(Value::as_bool).unwrap_or(default)
        };
        let was_read_only = is(before, "readOnlyHint", false);
        let is_read_only = is(after, "readOnlyHint", false);
        for (key, before_value, after_value) in zip_members(before, after) {
            if before_value == after_value {
                continue;
            }
            let pointer = format!("/annotations/{}", segment(key));
            let (default, dangerous, id) = match key {
                "readOnlyHint" => (false, false, "read-only-dropped"),
                "destructiveHint" => (true, true, "destructive-added"),
                "idempotentHint" => (false, false, "idempotent-dropped"),
                "openWorldHint" => (true, true, "open-world-added"),
                _ => {
                    self.compare_member("tool-title-changed", &pointer, before_value, after_value);
                    continue;
                }
            };
            let [was, is] = [is(before, key, default), is(after, key, default)];
            // These two only apply to tools that are not read-only.
            let is_irrelevant =
                matches!(key, "destructiveHint" | "idempotentHint") && (is_read_only || was_read_only);
            let id = match () {
                () if was == is || is_irrelevant => "hint-stated",
                () if is == dangerous => id,
                () if self.author == Author::ThirdParty => "hint-claimed",
                () => "hint-safer",
            };
            self.push(id, &pointer, before_value, after_value);
        }
    }

    fn compare_meta(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let lists = [
            (meta_keys::SCOPES, "tool-scope-added", "tool-scope-removed"),
            (meta_keys::WAS, "tool-former-name-added", "tool-former-name-removed"),
        ];
        for (key, added, removed) in lists {
            let pointer = format!("/_meta/{}", segment(key));
            let [before, after] = [old, new].map(|meta| strings_in(meta, key));
            for former in before.iter().filter(|one| !after.contains(one)) {
                self.push(removed, &pointer, Some(&Value::from(*former)), None);
            }
            for added_value in after.iter().filter(|one| !before.contains(one)) {
                self.push(added, &pointer, None, Some(&Value::from(*added_value)));
            }
        }
        let empty = Map::new();
        let [before, after] = [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        for (key, before, after) in zip_members(before, after) {
            let pointer = format!("/_meta/{}", segment(key));
            match key {
                meta_keys::SCOPES | meta_keys::WAS => {}
                _ if before == after => {}
                meta_keys::CONTEXT => self.compare_context(&pointer, before, after),
                _ => self.compare_member("tool-meta-changed", &pointer, before, after),
            }
        }
    }

    fn compare_context(&mut self, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        let path = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let is_widened = match (path(old), path(new)) {
            (_, None) => true,
            (Some(old), Some(new)) => is_within(&old, &new),
            (None, Some(_)) => false,
        };
        let id = if is_widened { "tool-context-widened" } else { "tool-context-narrowed" };
        self.push(id, pointer, old, new);
    }

    /// Compares whether a call may or must run as a task (2025-11-25, schema `ToolExecution`).
    fn compare_execution(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let support = |value: Option<&Value>| {
            value
                .and_then(|value| value.get("taskSupport"))
                .and_then(Value::as_str)
                .unwrap_or("forbidden")
                .to_owned()
        };
        let is_compatible = match (support(old).as_str(), support(new).as_str()) {
            (old, new) if old == new => true,
            ("forbidden" | "required", "optional") => true,
            _ => false,
        };
        let id = if is_compatible { "tool-member-changed" } else { "tool-execution-changed" };
        self.push(id, "/execution", old, new);
    }
}
