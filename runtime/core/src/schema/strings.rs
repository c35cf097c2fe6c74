//! Joins enumerations of strings: constants become one `enum`, and their descriptions are listed in its
//! description.

use serde_json::{Map, Value, json};

/// The values of an enumeration in order, each with its description.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Strings {
    members: Vec<(String, Option<String>)>,
}

impl Strings {
    /// Returns the values of a schema that only accepts certain strings.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let schema = super::members(schema)?;
        if schema.get("type").and_then(Value::as_str) != Some("string") {
            return None;
        }
        let plain = |key: &String| {
            matches!(key.as_str(), "type" | "const" | "enum" | "title" | "description" | "deprecated")
        };
        if !schema.keys().all(plain) {
            return None;
        }
        let values: Vec<&str> = match (schema.get("const"), schema.get("enum")) {
            (Some(value), None) => vec![value.as_str()?],
            (None, Some(Value::Array(values))) => values.iter().map(Value::as_str).collect::<Option<_>>()?,
            _ => return None,
        };
        // A description of several values cannot become that of one.
        let text = description_of(schema);
        if values.len() != 1 && text.is_some() {
            return None;
        }
        Some(Self { members: values.into_iter().map(|value| (value.to_owned(), text.clone())).collect() })
    }

    /// Adds the values of `other` that are new.
    pub(super) fn extend(&mut self, other: Self) {
        for (value, text) in other.members {
            match self.members.iter_mut().find(|(known, _)| *known == value) {
                None => self.members.push((value, text)),
                Some((_, known)) => match (known.as_mut(), text) {
                    (Some(known), Some(text)) if *known != text => {
                        known.push_str("; ");
                        known.push_str(&text);
                    }
                    (None, text) => *known = text,
                    _ => {}
                },
            }
        }
    }

    /// Returns one schema for all values; `about` is the description of the enumeration as a whole.
    pub(super) fn into_schema(self, about: Option<&str>) -> Map<String, Value> {
        let mut lines: Vec<String> = about.map(str::to_owned).into_iter().collect();
        for (value, text) in &self.members {
            if let Some(text) = text {
                lines.push(format!("`{value}`: {text}"));
            }
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("string"));
        schema.insert(
            "enum".to_owned(),
            self.members.into_iter().map(|(value, _)| Value::String(value)).collect(),
        );
        if !lines.is_empty() {
            schema.insert("description".to_owned(), lines.join("\n").into());
        }
        schema
    }
}

/// Returns the author's description of a value.
fn description_of(schema: &Map<String, Value>) -> Option<String> {
    let text = |key| schema.get(key).and_then(Value::as_str);
    let mut explanation = match (text("title"), text("description")) {
        (Some(title), Some(description)) => format!("{title}: {description}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    };
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        explanation.push_str(if explanation.is_empty() { "deprecated" } else { " (deprecated)" });
    }
    (!explanation.is_empty()).then_some(explanation)
}
