//! Changes of one tool, outside of its schemas.

use serde_json::{Map, Value};
use toolwright_core::definition::{is_within, meta_keys};
use toolwright_core::pointer::segment;

use super::schema::{self, Way};
use super::{Author, pairs, strings};
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
    for (key, before, after) in pairs(old, new) {
        if before == after {
            continue;
        }
        let told = tool.changes.len();
        let pointer = format!("/{}", segment(key));
        match key {
            "name" => {}
            "title" => tool.text("tool-title-changed", &pointer, before, after),
            "description" => tool.text("tool-description-changed", &pointer, before, after),
            "icons" => tool.push("tool-icons-changed", &pointer, before, after),
            "inputSchema" => tool.schemas(Way::Input, before, after),
            "outputSchema" => tool.schemas(Way::Output, before, after),
            "annotations" => tool.annotations(before, after),
            "_meta" => tool.meta(before, after),
            "execution" => tool.execution(before, after),
            _ => tool.text("tool-member-changed", &pointer, before, after),
        }
        if tool.changes.len() == told && key != "name" {
            // Another order, or a form that the protocol does not have.
            let id = if key == "_meta" { "tool-meta-changed" } else { "tool-member-changed" };
            tool.text(id, &pointer, before, after);
        }
    }
    strings::report_hidden(Part::Tool, name, Some(old), new, tool.changes);
}

/// The former names of a tool.
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
        self.changes.push(Change::new(id, Part::Tool, self.name, pointer).values(old, new));
    }

    fn text(&mut self, id: &str, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        strings::compare(id, Part::Tool, self.name, pointer, old, new, self.changes);
    }

    fn schemas(&mut self, way: Way, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) => schema::compare(way, self.name, old, new, self.changes),
            (Some(_), None) if way == Way::Output => {
                self.push("output-schema-removed", "/outputSchema", None, None);
            }
            (None, Some(_)) if way == Way::Output => {
                self.push("output-schema-added", "/outputSchema", None, None);
            }
            // A tool without a schema takes anything; a server must not send one (2026-07-28, schema `Tool`).
            (old, new) => {
                let anything = Value::Bool(true);
                schema::compare(
                    way,
                    self.name,
                    old.unwrap_or(&anything),
                    new.unwrap_or(&anything),
                    self.changes,
                );
            }
        }
    }

    /// The hints by what they mean: left out, each has a default (2026-07-28, schema `ToolAnnotations`).
    fn annotations(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let empty = Map::new();
        let [before, after] = [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        let is = |side: &Map<String, Value>, key: &str, default: bool| {
            side.get(key).and_then(Value::as_bool).unwrap_or(default)
        };
        let was_read_only = is(before, "readOnlyHint", false);
        let is_read_only = is(after, "readOnlyHint", false);
        for (key, before_value, after_value) in pairs(before, after) {
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
                    self.text("tool-title-changed", &pointer, before_value, after_value);
                    continue;
                }
            };
            let [was, is] = [is(before, key, default), is(after, key, default)];
            // These two mean something only for a tool that changes data.
            let is_moot =
                matches!(key, "destructiveHint" | "idempotentHint") && (is_read_only || was_read_only);
            let id = match () {
                () if was == is || is_moot => "hint-stated",
                () if is == dangerous => id,
                () if self.author == Author::Stranger => "hint-claimed",
                () => "hint-safer",
            };
            self.push(id, &pointer, before_value, after_value);
        }
    }

    fn meta(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let lists = [
            (meta_keys::SCOPES, "tool-scope-added", "tool-scope-removed"),
            (meta_keys::WAS, "tool-former-name-added", "tool-former-name-removed"),
        ];
        for (key, added, removed) in lists {
            let pointer = format!("/_meta/{}", segment(key));
            let [before, after] = [old, new].map(|meta| strings_in(meta, key));
            for gone in before.iter().filter(|one| !after.contains(one)) {
                self.push(removed, &pointer, Some(&Value::from(*gone)), None);
            }
            for come in after.iter().filter(|one| !before.contains(one)) {
                self.push(added, &pointer, None, Some(&Value::from(*come)));
            }
        }
        let empty = Map::new();
        let [before, after] = [old, new].map(|value| value.and_then(Value::as_object).unwrap_or(&empty));
        for (key, before, after) in pairs(before, after) {
            let pointer = format!("/_meta/{}", segment(key));
            match key {
                meta_keys::SCOPES | meta_keys::WAS => {}
                _ if before == after => {}
                meta_keys::CONTEXT => self.context(&pointer, before, after),
                _ => self.text("tool-meta-changed", &pointer, before, after),
            }
        }
    }

    fn context(&mut self, pointer: &str, old: Option<&Value>, new: Option<&Value>) {
        let path = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let is_seen = match (path(old), path(new)) {
            (_, None) => true,
            (Some(old), Some(new)) => is_within(&old, &new),
            (None, Some(_)) => false,
        };
        let id = if is_seen { "tool-context-widened" } else { "tool-context-narrowed" };
        self.push(id, pointer, old, new);
    }

    /// Whether a call may or must run as a task (2025-11-25, schema `ToolExecution`).
    fn execution(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let support = |value: Option<&Value>| {
            value
                .and_then(|value| value.get("taskSupport"))
                .and_then(Value::as_str)
                .unwrap_or("forbidden")
                .to_owned()
        };
        let is_kept = match (support(old).as_str(), support(new).as_str()) {
            (old, new) if old == new => true,
            ("forbidden" | "required", "optional") => true,
            _ => false,
        };
        let id = if is_kept { "tool-member-changed" } else { "tool-execution-changed" };
        self.push(id, "/execution", old, new);
    }
}
