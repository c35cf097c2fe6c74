//! Iterates over the members of an object: names as strings, values as JSON text.
//!
//! Code that checks a call and code that runs it thus read the same text: values that one of them could not
//! parse are still present, and duplicate members appear twice.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Passes each member of the object `text` to `each`, in order. Values are skipped without being parsed, so
/// this takes time linear in the length of the text and no memory.
///
/// # Errors
/// Returns an error if the text is not an object or a name is not a valid string (a lone surrogate is not), or
/// the first error of `each`.
pub fn each_member<'a>(
    text: &'a str,
    each: impl FnMut(Cow<'a, str>, &'a RawValue) -> Result<(), &'static str>,
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Members(each).deserialize(&mut deserializer)?;
    deserializer.end()
}

struct Members<F>(F);

impl<'de, F> DeserializeSeed<'de> for Members<F>
where
    F: FnMut(Cow<'de, str>, &'de RawValue) -> Result<(), &'static str>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F> Visitor<'de> for Members<F>
where
    F: FnMut(Cow<'de, str>, &'de RawValue) -> Result<(), &'static str>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some((Name(name), value)) = members.next_entry()? {
            (self.0)(name, value).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::each_member;

    fn members(text: &str) -> Option<Vec<(String, String)>> {
        let mut members = Vec::new();
        let read = each_member(text, |name, value| {
            members.push((name.into_owned(), value.get().to_owned()));
            Ok(())
        });
        read.ok().map(|()| members)
    }

    #[test]
    fn members_have_their_names_as_strings_and_values_as_text() {
        let text = r#"{"a\u0062": 1e400, "ab":"\ud800", "" : [ {} ], "é":2}"#;
        let expected = [("ab", "1e400"), ("ab", r#""\ud800""#), ("", "[ {} ]"), ("é", "2")];
        assert_eq!(members(text), Some(expected.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec()));
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members(&deep).map(|members| members.len()), Some(1));
    }

    #[test]
    fn non_objects_and_invalid_names_are_rejected() {
        for text in ["1", "[]", r#""{}""#, "null", "", "{", "{}{}", r#"{"\ud800":1}"#, r#"{"a":}"#, "{1:2}"] {
            assert_eq!(members(text), None, "{text}");
        }
    }
}
