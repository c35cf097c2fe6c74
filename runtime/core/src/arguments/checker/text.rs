//! JSON that is sent as a string, and messages about choices.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::check::{Check, Mode};
use super::{Node, NodeId, Types};
use crate::arguments::doc::{Edit, Json, ValueId, without_position};
use crate::arguments::problem::{ProblemKind, quote};
use crate::suggest;

impl Check<'_, '_, '_> {
    /// Returns the value of a string with JSON text, if the schema only accepts objects or arrays. Any other
    /// string is returned unchanged.
    pub(super) fn parse_embedded_json(&mut self, node: &Node, value: ValueId) -> ValueId {
        if !self.reads_text(node) {
            return value;
        }
        let Json::Text(text) = self.doc.get(value) else { return value };
        if !text.trim_start().starts_with(['{', '[']) {
            return value;
        }
        let inner = if let Some(known) = self.inner.get(&value) {
            *known
        } else {
            let text = text.clone().into_owned();
            let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            let inner = if is_json { self.doc.add_owned(&text).ok() } else { None };
            self.inner.insert(value, inner);
            inner
        };
        let Some(inner) = inner.filter(|inner| node.reach.has(self.types_of(*inner))) else { return value };
        if self.findings.is_some() {
            self.edits.insert(value, Edit::Replace(inner));
        }
        inner
    }

    /// Returns whether JSON text is parsed here.
    fn reads_text(&self, node: &Node) -> bool {
        self.from_text
            && self.mode == Mode::SchemaWithText
            && node.reach != Types::NONE
            && Types::COMPOSITE.has(node.reach)
    }

    /// Reports a value of the wrong type.
    pub(super) fn report_type(&mut self, id: NodeId, node: &Node, value: ValueId) -> bool {
        if self.findings.is_none() {
            return false;
        }
        let is_hidden = self.secret.is_some() || node.contains_secret();
        let reason = match self.doc.get(value) {
            Json::Text(text) if !is_hidden && self.reads_text(node) => json_error(text),
            _ => None,
        };
        let Some(reason) = reason else {
            return self.report_value(ProblemKind::Type, node, value, |checker| checker.describe(id));
        };
        let expected = self.checker.describe(id);
        self.report(ProblemKind::Type, || {
            format!("expected {expected}; got a string that is not valid JSON: {reason}")
        })
    }

    /// Reports a value that is not one of the allowed values.
    pub(super) fn report_choice(&mut self, node: &Node, allowed: &[Value], value: ValueId) -> bool {
        let near = self.suggest(allowed, value);
        self.report_with(
            ProblemKind::Choice,
            node,
            value,
            |_| super::describe::format_choices(allowed),
            &near,
        )
    }

    /// Returns `; did you mean …?` for a string that is similar to an allowed value.
    pub(super) fn suggest(&self, allowed: &[Value], value: ValueId) -> String {
        const MAX_TEXT: usize = 128;
        const MIN_TEXT: usize = 3;
        let Json::Text(text) = self.doc.get(value) else { return String::new() };
        if self.secret.is_some() || !(MIN_TEXT..=MAX_TEXT).contains(&text.len()) {
            return String::new();
        }
        let nearest = suggest::nearest(text, allowed.iter().filter_map(Value::as_str));
        nearest.map_or_else(String::new, |nearest| format!("; did you mean {}?", quote(nearest)))
    }
}

/// Returns why a string that looks like JSON is invalid; `None` if it does not look like JSON or is valid.
fn json_error(text: &str) -> Option<String> {
    let start = text.trim_start();
    if start.starts_with("```") {
        return Some("it is in a code fence; send the value itself".to_owned());
    }
    if !start.starts_with(['{', '[']) {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    if error.is_eof() {
        return Some(format!("it ends too early, after {} characters", text.chars().count()));
    }
    let message = error.to_string();
    let reason = match without_position(&message) {
        "trailing characters" => "the value is over, and more text follows",
        other => other,
    };
    Some(format!("line {}, column {}: {reason}", error.line(), error.column()))
}
