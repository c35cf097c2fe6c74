//! A parsed JSON text in which each value has an id, so that facts about it can be stored in maps.
//!
//! Numbers keep their text, because their meaning depends on the type: `u128` or `f64`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::scan::{string_end, value_end};

/// Maximum nesting depth, the same as that of `serde_json`.
pub(super) const MAX_NESTING: usize = 127;

/// The values of a text, by id.
#[derive(Debug)]
pub(super) struct Doc<'t> {
    values: Vec<Json<'t>>,
}

/// The id of a value in its [`Doc`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(u32);

/// One value.
#[derive(Debug, Clone)]
pub(super) enum Json<'t> {
    Null,
    Bool(bool),
    Number(Cow<'t, str>),
    Text(Cow<'t, str>),
    Array(Vec<ValueId>),
    /// The members in order, including duplicates.
    Object(Vec<(Cow<'t, str>, ValueId)>),
}

/// A replacement for a value.
#[derive(Debug, Clone)]
pub(super) enum Edit {
    /// The member is omitted.
    Omit,
    /// Another number.
    Number(String),
    /// Another value.
    Replace(ValueId),
}

/// Why a text cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unreadable {
    TooDeep,
    Because(String),
}

impl<'t> Doc<'t> {
    /// Parses `text`; the id is that of the root value.
    pub(super) fn parse(text: &'t str) -> Result<(Self, ValueId), Unreadable> {
        let mut doc = Self { values: Vec::with_capacity(text.len() / 8 + 1) };
        let whole = doc.add(text)?;
        Ok((doc, whole))
    }

    /// Converts a value that is already parsed.
    pub(super) fn of(value: &Value) -> (Self, ValueId) {
        let mut doc = Self { values: Vec::new() };
        let whole = doc.add_value(value);
        (doc, whole)
    }

    /// Parses `text` and adds its values.
    pub(super) fn add_owned(&mut self, text: &str) -> Result<ValueId, Unreadable> {
        let (inner, ValueId(whole)) = Doc::parse(text)?;
        let offset = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let moved = |ValueId(id)| ValueId(id.saturating_add(offset));
        self.values.extend(inner.values.into_iter().map(|value| match value {
            Json::Null => Json::Null,
            Json::Bool(flag) => Json::Bool(flag),
            Json::Number(number) => Json::Number(Cow::Owned(number.into_owned())),
            Json::Text(text) => Json::Text(Cow::Owned(text.into_owned())),
            Json::Array(items) => Json::Array(items.into_iter().map(moved).collect()),
            Json::Object(members) => Json::Object(
                members.into_iter().map(|(name, id)| (Cow::Owned(name.into_owned()), moved(id))).collect(),
            ),
        }));
        Ok(ValueId(whole + offset))
    }

    /// Removes the members for which `is_meant` returns true, and returns their names.
    pub(super) fn remove_members(
        &mut self,
        ValueId(id): ValueId,
        is_meant: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let mut removed = Vec::new();
        if let Json::Object(members) = &mut self.values[id as usize] {
            members.retain(|(name, _)| {
                let stays = !is_meant(name);
                if !stays {
                    removed.push(name.clone().into_owned());
                }
                stays
            });
        }
        removed
    }

    /// Adds a string.
    pub(super) fn add_text(&mut self, text: String) -> ValueId {
        self.push(Json::Text(Cow::Owned(text)))
    }

    pub(super) fn get(&self, ValueId(id): ValueId) -> &Json<'t> {
        &self.values[id as usize]
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Writes the value with `edits` applied.
    pub(super) fn write(&self, id: ValueId, edits: &HashMap<ValueId, Edit>, text: &mut String) {
        match edits.get(&id) {
            Some(Edit::Number(number)) => return text.push_str(number),
            Some(Edit::Replace(other)) => return self.write(*other, edits, text),
            Some(Edit::Omit) | None => {}
        }
        match self.get(id) {
            Json::Null => text.push_str("null"),
            Json::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Json::Number(number) => text.push_str(number),
            Json::Text(content) => write_text(content, text),
            Json::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    self.write(*item, edits, text);
                }
                text.push(']');
            }
            Json::Object(members) => {
                let mut first = true;
                text.push('{');
                for (name, member) in members {
                    if matches!(edits.get(member), Some(Edit::Omit)) {
                        continue;
                    }
                    if !std::mem::take(&mut first) {
                        text.push(',');
                    }
                    write_text(name, text);
                    text.push(':');
                    self.write(*member, edits, text);
                }
                text.push('}');
            }
        }
    }

    fn push(&mut self, value: Json<'t>) -> ValueId {
        let id = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.push(value);
        ValueId(id)
    }

    fn add(&mut self, text: &'t str) -> Result<ValueId, Unreadable> {
        let start = text.len() - text.trim_start_matches(is_space).len();
        let (id, _) = self.value(text, start, MAX_NESTING)?;
        Ok(id)
    }

    /// Parses the value at `at`; returns its id and the index after its end.
    fn value(&mut self, text: &'t str, at: usize, nesting: usize) -> Result<(ValueId, usize), Unreadable> {
        let bytes = text.as_bytes();
        let value = match bytes.get(at) {
            Some(b'{') => return self.object(text, at, nesting.checked_sub(1).ok_or(Unreadable::TooDeep)?),
            Some(b'[') => return self.array(text, at, nesting.checked_sub(1).ok_or(Unreadable::TooDeep)?),
            Some(b'"') => {
                let (content, end) = string(text, at)?;
                return Ok((self.push(Json::Text(content)), end));
            }
            Some(b'n') => Json::Null,
            Some(b't') => Json::Bool(true),
            Some(b'f') => Json::Bool(false),
            Some(_) => {
                let end = value_end(bytes, at).unwrap_or(bytes.len());
                let number = text.get(at..end).filter(|number| !number.is_empty()).ok_or_else(unreadable)?;
                return Ok((self.push(Json::Number(Cow::Borrowed(number))), end));
            }
            None => return Err(unreadable()),
        };
        let end = value_end(bytes, at).unwrap_or(bytes.len());
        Ok((self.push(value), end))
    }

    fn array(&mut self, text: &'t str, at: usize, nesting: usize) -> Result<(ValueId, usize), Unreadable> {
        let id = self.push(Json::Null);
        let bytes = text.as_bytes();
        let mut items = Vec::new();
        let mut at = skip(bytes, at + 1);
        while *bytes.get(at).ok_or_else(unreadable)? != b']' {
            let (item, end) = self.value(text, at, nesting)?;
            items.push(item);
            at = skip(bytes, end);
        }
        self.values[id.0 as usize] = Json::Array(items);
        Ok((id, at + 1))
    }

    fn object(&mut self, text: &'t str, at: usize, nesting: usize) -> Result<(ValueId, usize), Unreadable> {
        let id = self.push(Json::Null);
        let bytes = text.as_bytes();
        let mut members = Vec::new();
        let mut at = skip(bytes, at + 1);
        while *bytes.get(at).ok_or_else(unreadable)? != b'}' {
            let (name, end) = string(text, at)?;
            let (member, end) = self.value(text, skip(bytes, end), nesting)?;
            members.push((name, member));
            at = skip(bytes, end);
        }
        self.values[id.0 as usize] = Json::Object(members);
        Ok((id, at + 1))
    }

    fn add_value(&mut self, value: &Value) -> ValueId {
        let id = self.push(Json::Null);
        let made = match value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Number(number) => Json::Number(Cow::Owned(number.to_string())),
            Value::String(text) => Json::Text(Cow::Owned(text.clone())),
            Value::Array(items) => Json::Array(items.iter().map(|item| self.add_value(item)).collect()),
            Value::Object(members) => Json::Object(
                members
                    .iter()
                    .map(|(name, member)| (Cow::Owned(name.clone()), self.add_value(member)))
                    .collect(),
            ),
        };
        self.values[id.0 as usize] = made;
        id
    }
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// Skips white space, commas and colons of a text that is known to be valid JSON.
fn skip(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':')) {
        at += 1;
    }
    at
}

fn unreadable() -> Unreadable {
    Unreadable::Because("it ends too early".to_owned())
}

/// Parses the string that opens at `at`; returns its content and the index after its end.
pub(super) fn string(text: &str, at: usize) -> Result<(Cow<'_, str>, usize), Unreadable> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'"') {
        return Err(unreadable());
    }
    let close = string_end(bytes, at).ok_or_else(unreadable)?;
    let content = text.get(at + 1..close).ok_or_else(unreadable)?;
    if !content.contains('\\') {
        return Ok((Cow::Borrowed(content), close + 1));
    }
    match serde_json::from_str(&text[at..=close]) {
        Ok(content) => Ok((Cow::Owned(content), close + 1)),
        Err(error) => Err(Unreadable::Because(without_position(&error.to_string()).to_owned())),
    }
}

/// Returns the message without the line and column that `serde_json` appends.
pub(super) fn without_position(message: &str) -> &str {
    match message.rsplit_once(" at line ") {
        Some((text, position)) if position.starts_with(|first: char| first.is_ascii_digit()) => text,
        _ => message,
    }
}

fn write_text(content: &str, text: &mut String) {
    text.push_str(&serde_json::to_string(content).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::{Doc, Edit, Json, MAX_NESTING, Unreadable};

    fn written(text: &str) -> String {
        let (doc, whole) = Doc::parse(text).expect(text);
        let mut written = String::new();
        doc.write(whole, &HashMap::new(), &mut written);
        written
    }

    #[test]
    fn documents_round_trip() {
        for text in [
            "null",
            "true",
            "-1.50e+3",
            "\"a\\nb\"",
            "[]",
            "{}",
            r#"[1,[2,{"a":null}],"x"]"#,
            r#"{"a":1,"a":2}"#,
        ] {
            assert_eq!(written(text), text);
        }
        assert_eq!(written(" { \"a\" :\t[ 1 , \"\\u0062\" ] }\n"), r#"{"a":[1,"b"]}"#);
        let value = json!({"a": [1, 2.5, "é", null, true, {}]});
        let (doc, whole) = Doc::of(&value);
        let mut text = String::new();
        doc.write(whole, &HashMap::new(), &mut text);
        assert_eq!(text, value.to_string());
    }

    #[test]
    fn edits_replace_and_leave_out() {
        let (mut doc, whole) = Doc::parse(r#"{"a":1.0,"b":null,"c":"[2]"}"#).expect("JSON");
        let Json::Object(members) = doc.get(whole).clone() else { panic!("an object") };
        let inner = doc.add_owned("[2]").expect("JSON");
        let edits = HashMap::from([
            (members[0].1, Edit::Number("1".to_owned())),
            (members[1].1, Edit::Omit),
            (members[2].1, Edit::Replace(inner)),
        ]);
        let mut text = String::new();
        doc.write(whole, &edits, &mut text);
        assert_eq!(text, r#"{"a":1,"c":[2]}"#);
    }

    #[test]
    fn unreadable_text_is_an_error_without_panic() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Doc::parse(&nested(MAX_NESTING)).is_ok());
        assert_eq!(Doc::parse(&nested(MAX_NESTING + 1)).expect_err("deep"), Unreadable::TooDeep);
        for text in [
            "",
            " ",
            "{",
            "[",
            "[1",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{1",
            "[}",
            "{\"a\":]",
            "\"",
            "\"\\ud800\"",
            "{\"\\ud800\":1}",
        ] {
            assert!(matches!(Doc::parse(text), Err(Unreadable::Because(_))), "{text}");
        }
    }
}
