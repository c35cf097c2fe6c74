//! Splits objects whose text is known to be valid JSON. Nothing is parsed: strings are skipped with vector instructions,
//! so that a long text costs a small part of what a parser takes.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::value::RawValue;

/// The members of an object, in order. Duplicate members appear twice.
///
/// ```
/// use serde_json::value::RawValue;
/// use toolwright_core::json::Members;
///
/// let object: &RawValue = serde_json::from_str(r#"{"isError": true, "content": []}"#)?;
/// let is_error = Members::of(object).and_then(|members| members.value_of("isError"));
/// assert_eq!(is_error, Some("true"));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Members<'a> {
    text: &'a str,
    /// The end of the last member.
    at: usize,
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member<'a> {
    /// The name as JSON, with its quotation marks.
    pub quoted_name: &'a str,
    /// The value as JSON.
    pub value: &'a str,
}

impl<'a> Members<'a> {
    /// Returns the members; `None` if the value is not an object.
    pub fn of(value: &'a RawValue) -> Option<Self> {
        Self::of_text(value.get())
    }

    /// Returns the members in the text of a value, which must be valid JSON without whitespace around it; `None` if it is not
    /// an object.
    pub fn of_text(value: &'a str) -> Option<Self> {
        value.starts_with('{').then_some(Self { text: value, at: 1 })
    }

    /// Returns the members in the text of an object without its braces, which must be valid JSON; of any other text, some
    /// part or nothing.
    pub fn without_braces(members: &'a str) -> Self {
        Self { text: members, at: 0 }
    }

    /// Returns the value of the first member with this name.
    pub fn value_of(mut self, name: &str) -> Option<&'a str> {
        self.find(|member| member.is_named(name)).map(|member| member.value)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        Some(Member { quoted_name: self.next_value(b',')?, value: self.next_value(b':')? })
    }
}

impl<'a> Members<'a> {
    /// Returns the next value after whitespace and `separator`.
    fn next_value(&mut self, separator: u8) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let is_before = |byte: &u8| *byte == separator || byte.is_ascii_whitespace();
        let start = self.at + rest.iter().take_while(|byte| is_before(byte)).count();
        let end = start + value_end(&self.text.as_bytes()[start..])?;
        self.at = end;
        self.text.get(start..end)
    }
}

impl<'a> Member<'a> {
    /// Creates a member from JSON: `quoted_name` is a string with its quotation marks.
    pub fn new(quoted_name: &'a str, value: &'a str) -> Self {
        Self { quoted_name, value }
    }

    /// Returns the name with its escapes resolved. Escapes that do not form a string, lone surrogates, are left as they are.
    pub fn name(&self) -> Cow<'a, str> {
        let inner = self.inner_name();
        if !has_escapes(inner) {
            return Cow::Borrowed(inner);
        }
        serde_json::from_str(self.quoted_name).map_or(Cow::Borrowed(inner), Cow::Owned)
    }

    /// Returns whether this is the [`name`](Member::name).
    pub fn is_named(&self, name: &str) -> bool {
        let inner = self.inner_name();
        // Escapes are longer than what they stand for.
        match inner.len().cmp(&name.len()) {
            Ordering::Less => false,
            Ordering::Equal => inner == name && (!has_escapes(inner) || self.name() == name),
            Ordering::Greater => has_escapes(inner) && self.name() == name,
        }
    }

    /// Returns the name as JSON, without its quotation marks.
    pub(super) fn inner_name(&self) -> &'a str {
        let inner = self.quoted_name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        inner.unwrap_or(self.quoted_name)
    }
}

/// Returns the string in the text of a value, which must be valid JSON without whitespace around it; `None` for other values and for
/// lone surrogates.
///
/// ```
/// use toolwright_core::json::string;
///
/// assert_eq!(string(r#""a\tb""#).as_deref(), Some("a\tb"));
/// assert_eq!(string("7"), None);
/// ```
#[inline]
pub fn string(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if has_escapes(inner) {
        return serde_json::from_str(text).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

pub(super) fn has_escapes(name: &str) -> bool {
    memchr::memchr(b'\\', name.as_bytes()).is_some()
}

/// Returns the length of the JSON value at the start of `text`; `None` if there is none, or its end is missing. A value that
/// is not valid JSON may have any length.
pub fn value_end(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'{' | b'[' => container_end(text),
        b'"' => Some(string_end(text, 1)? + 1),
        _ => {
            let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
            Some(text.iter().position(is_end).unwrap_or(text.len())).filter(|end| *end > 0)
        }
    }
}

fn container_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            b'"' => at = string_end(text, at + 1)?,
            _ => {}
        }
        at += 1;
    }
}

/// Returns the position of the closing quotation mark of the string whose contents start at `at`.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    // Most strings are too short for a search to pay off.
    const SHORT: usize = 24;
    let short = (at + SHORT).min(text.len());
    while at < short {
        match text[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::{Members, value_end};
    use crate::json::each_member;

    fn members(text: &str) -> Option<Vec<(String, String)>> {
        let value: &RawValue = serde_json::from_str(text).unwrap();
        let members = Members::of(value)?;
        Some(members.map(|member| (member.name().into_owned(), member.value.to_owned())).collect())
    }

    fn parsed(text: &str) -> Option<Vec<(String, String)>> {
        let mut members = Vec::new();
        let read = each_member(text, |name, value| {
            members.push((name.into_owned(), value.get().to_owned()));
            Ok(())
        });
        read.ok().map(|()| members)
    }

    #[test]
    fn members_are_those_of_the_parser() {
        let long = "x".repeat(60);
        for text in [
            "{}",
            " { } ",
            r#"{"a\u0062": 1e400, "ab":"\ud800", "" : [ {} ], "é":2}"#,
            r#"{"a":{"b":"}\"]"},"\"":["]",{"x":[]}],"c":null , "d":-1.5e3}"#,
            r#"{"a":1,"a":2}"#,
            "[]",
            "7",
            r#""{}""#,
            "null",
            &format!(r#"{{"{long}\\":"{long}\"{long}","b":true}}"#),
        ] {
            assert_eq!(members(text), parsed(text), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_no_string_is_left_as_it_is() {
        assert_eq!(members(r#"{"\ud800":1}"#), Some(vec![(r"\ud800".to_owned(), "1".to_owned())]));
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        let text = r#"{"ab":1,"\u0061b":2,"a\\b":3,"\ud800":4,"abc":5,"é":6,"":7}"#;
        let found = |name: &str| -> Vec<_> {
            let members = Members::of_text(text).unwrap();
            members.filter(|member| member.is_named(name)).map(|member| member.value).collect()
        };
        for (name, values) in [
            ("ab", &["1", "2"][..]),
            (r"a\b", &["3"]),
            (r"a\\b", &[]),
            (r"\ud800", &["4"]),
            ("abc", &["5"]),
            ("é", &["6"]),
            ("", &["7"]),
            ("b", &[]),
        ] {
            assert_eq!(found(name), values, "{name}");
        }
    }

    #[test]
    fn incomplete_values_have_no_end() {
        for text in ["", "{", "[1,", r#"{"a"#, r#""a\"#, r#"{"a":"b\""#, "}", ",1"] {
            assert_eq!(value_end(text.as_bytes()), None, "{text}");
        }
        for (text, end) in [("1,2", 1), ("{}}", 2), (r#""a" "#, 3), ("true", 4), ("[[]]]", 4)] {
            assert_eq!(value_end(text.as_bytes()), Some(end), "{text}");
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Into::into),
            any::<f64>().prop_map(Into::into),
            "[\"\\\\a-c{}\\[\\]:, ü\u{1}]{0,40}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            let name = "[\"\\\\a{}ü]{0,3}";
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
                prop::collection::btree_map(name, inner, 0..5)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_object_is_split_as_it_is_parsed(value in json(), is_spaced: bool) {
            let text = if is_spaced { format!("{value:#}") } else { value.to_string() };
            prop_assert_eq!(members(&text), parsed(&text));
        }

        #[test]
        fn any_text_is_split_without_a_panic(text in ".{0,60}") {
            value_end(text.as_bytes());
        }
    }
}
