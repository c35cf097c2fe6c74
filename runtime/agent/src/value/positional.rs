//! Reads single fields of records whose members are numbered, as in columns of structs.

use serde_json::{Map, Value};
use toolwright_core::json::MAX_VALUE_DEPTH;

use super::error::ValueError;

/// The fields of a record, each of which is read at most once.
pub(super) struct Fields {
    fields: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(fields: Map<String, Value>) -> Self {
        Self { fields }
    }

    /// Takes a field; `null` counts as missing.
    pub(super) fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.remove(field).filter(|value| !value.is_null())
    }

    /// Whether the field is present, even if it is `null`.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Takes a required string field.
    pub(super) fn text(&mut self, field: &'static str, what: &str) -> Result<String, ValueError> {
        match self.take(field) {
            Some(Value::String(text)) => Ok(text),
            None => Err(ValueError::Field { field, what: format!("the {what} is missing") }),
            Some(_) => Err(ValueError::Field { field, what: format!("the {what} is not a string") }),
        }
    }

    /// Takes an optional string field.
    pub(super) fn optional_text(
        &mut self,
        field: &'static str,
        what: &str,
    ) -> Result<Option<String>, ValueError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(ValueError::Field { field, what: format!("the {what} is not a string or null") }),
        }
    }

    /// Takes a JSON Schema: an object, or a JSON string of one. A missing field and an empty string
    /// are `None`.
    pub(super) fn schema(&mut self, field: &'static str) -> Result<Option<Map<String, Value>>, ValueError> {
        let wrong = |what: String| ValueError::Field { field, what };
        let schema = match self.take(field) {
            None => return Ok(None),
            Some(Value::String(text)) if text.is_empty() => return Ok(None),
            Some(Value::String(text)) => serde_json::from_str(&text)
                .map_err(|error| wrong(format!("the schema is not valid JSON: {error}")))?,
            Some(schema) => schema,
        };
        if depth(&schema) > MAX_VALUE_DEPTH {
            return Err(wrong(format!("the schema is nested more than {MAX_VALUE_DEPTH} levels deep")));
        }
        match schema {
            Value::Object(schema) => Ok(Some(schema)),
            _ => Err(wrong("the schema is not a JSON object".to_owned())),
        }
    }

    /// Takes a port index; a missing one is -1, and `null` is `None`.
    pub(super) fn index(&mut self, field: &'static str) -> Result<Option<i32>, ValueError> {
        if !self.has(field) {
            return Ok(Some(super::NO_PORT));
        }
        let Some(value) = self.take(field) else { return Ok(None) };
        let index = value.as_i64().and_then(|index| i32::try_from(index).ok());
        index.map(Some).ok_or_else(|| ValueError::Field {
            field,
            what: "the index of the message port is not a 32-bit integer".to_owned(),
        })
    }
}

/// The nesting depth of arrays and objects. Parsed JSON has at most 128 levels.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}
