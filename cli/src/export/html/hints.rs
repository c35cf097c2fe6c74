//! The hints of a tool, and what else concerns its callers, as labels with an icon.

use std::fmt::Write as _;

use serde_json::Value;
use toolwright_core::definition::{ToolDefinition, meta_keys, scopes_in};

use super::text::{code, escape};

/// A label: its class, icon and text.
type Label = (&'static str, &'static str, &'static str);

const DESTRUCTIVE: Label = ("destructive", "danger", "Destructive");
/// Without the hint, clients have to assume it (2026-07-28, schema `ToolAnnotations`).
const UNSTATED: Label = ("unstated", "danger", "May be destructive");

/// Whether a tool may destroy something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Danger {
    /// Its hints say so.
    Stated,
    /// Its hints do not exclude it.
    Possible,
    /// Its hints exclude it.
    Excluded,
}

pub(super) fn danger(tool: &ToolDefinition) -> Danger {
    let hints = tool.annotations.as_ref();
    let is_read_only = hints.and_then(|hints| hints.read_only_hint) == Some(true);
    match hints.and_then(|hints| hints.destructive_hint) {
        Some(true) => Danger::Stated,
        None if !is_read_only => Danger::Possible,
        _ => Danger::Excluded,
    }
}

/// Writes the labels of a tool.
pub(super) fn write(text: &mut String, tool: &ToolDefinition) {
    let mut labels: Vec<Label> = Vec::new();
    let danger = danger(tool);
    match danger {
        Danger::Stated => labels.push(DESTRUCTIVE),
        Danger::Possible => labels.push(UNSTATED),
        Danger::Excluded => {}
    }
    if let Some(hints) = &tool.annotations {
        let stated = [
            (hints.read_only_hint, ("read-only", "eye", "Read-only"), ("writes", "pen", "Writes")),
            (hints.destructive_hint, DESTRUCTIVE, ("plain", "shield", "Destroys nothing")),
            (
                hints.idempotent_hint,
                ("idempotent", "repeat", "Idempotent"),
                ("plain", "once", "Not idempotent"),
            ),
            (hints.open_world_hint, ("open-world", "globe", "Open world"), ("plain", "home", "Closed world")),
        ];
        let stated =
            stated.into_iter().filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no }));
        labels.extend(stated.filter(|label| *label != DESTRUCTIVE));
    }
    let labels = labels.into_iter().map(|(class, icon, words)| label(class, icon, words));
    // Writing to a string cannot fail.
    _ = writeln!(text, "<ul class=\"hints\">{}</ul>", labels.chain(facts(tool)).collect::<String>());
}

/// Returns the labels of what `_meta` says: scopes, tasks, tags and former names.
fn facts(tool: &ToolDefinition) -> Vec<String> {
    let meta = tool.meta.as_ref();
    let strings = |key: &str| {
        let list = meta.and_then(|meta| meta.get(key)).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(code).collect::<Vec<_>>()
    };
    let mut facts: Vec<_> = scopes_in(meta)
        .iter()
        .map(|scope| label("scope", "key", &format!("Scope {}", code(scope))))
        .collect();
    match meta.and_then(|meta| meta.get(meta_keys::TASK)).and_then(Value::as_str) {
        Some("required") => facts.push(label("plain", "clock", "Always a task")),
        Some("optional") => facts.push(label("plain", "clock", "May become a task")),
        _ => {}
    }
    facts.extend(strings(meta_keys::TAGS).iter().map(|tag| label("plain", "tag", tag)));
    facts.extend(
        strings(meta_keys::WAS).iter().map(|name| label("plain", "tag", &format!("Formerly {name}"))),
    );
    if let Some(context) = meta.and_then(|meta| meta.get(meta_keys::CONTEXT)).and_then(Value::as_str) {
        facts.push(label("plain", "home", &format!("Only in {}", code(context))));
    }
    facts
}

/// Returns the mark of a destructive tool in the menu; empty for others.
pub(super) fn mark(tool: &ToolDefinition) -> String {
    match danger(tool) {
        Danger::Stated => format!(
            "<span class=\"mark\">{}<span class=\"hidden\"> destructive</span></span>",
            icon("danger")
        ),
        _ => String::new(),
    }
}

/// Counts the destructive tools for the summary of a server.
pub(super) fn destructive_count(tools: &[ToolDefinition]) -> Option<String> {
    let count = tools.iter().filter(|tool| danger(tool) == Danger::Stated).count();
    (count > 0)
        .then(|| format!("<li class=\"danger\">{}<strong>{count}</strong> destructive</li>", icon("danger")))
}

/// Returns a label; `words` is HTML.
fn label(class: &str, symbol: &str, words: &str) -> String {
    format!("<li class=\"{class}\">{}{words}</li>", icon(symbol))
}

fn icon(name: &str) -> String {
    format!("<svg aria-hidden=\"true\"><use href=\"#i-{}\"></use></svg>", escape(name))
}
