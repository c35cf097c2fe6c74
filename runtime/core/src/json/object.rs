//! An object that is parsed once, however often it is searched and forwarded.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, MapAccess, Visitor};

use super::split::has_escapes;
use super::{JsonFault, Levels, MAX_VALUE_DEPTH, Member, Members, check, compact, has_line_break};

/// An object as JSON text on one line that every peer can parse (see [`tidy`](super::tidy)), with at most
/// [`MAX_VALUE_DEPTH`] levels.
///
/// ```
/// use toolwright_core::json::TidyObject;
///
/// let object = TidyObject::parse("{\"isError\": true,\n \"content\": []}".to_owned())?;
/// assert_eq!(object.member("isError"), Some("true"));
/// assert_eq!(object.as_str(), r#"{"isError":true,"content":[]}"#);
///
/// let fault = TidyObject::parse(r#"{"a": 1, "a": 2}"#.to_owned()).unwrap_err();
/// assert_eq!(fault.to_string(), r#"has the duplicate member "a""#);
/// # Ok::<_, toolwright_core::json::JsonFault>(())
/// ```
#[derive(Debug, Clone)]
pub struct TidyObject {
    text: String,
    members: Vec<Place>,
}

/// Where a member is in the text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The name, without its quotation marks.
    name: Range<usize>,
    /// Whether the name has escapes.
    is_escaped: bool,
    value: Range<usize>,
}

impl TidyObject {
    /// Parses the text of an object.
    ///
    /// # Errors
    /// [`JsonFault`] if it is not an object, or if parsers would reject the text or interpret it differently.
    pub fn parse(text: String) -> Result<Self, JsonFault> {
        if !text.trim_ascii_start().starts_with('{') {
            return Err(JsonFault::NotObject);
        }
        let mut names = NamePlaces { text: &text, places: Some(Vec::new()) };
        check(&text, MAX_VALUE_DEPTH, |reader, levels| {
            reader.deserialize_map(Outermost { levels, names: &mut names })
        })?;
        let places = names.places;
        if has_line_break(&text) {
            let text = compact(&text);
            return Ok(Self { members: split(&text), text });
        }
        let members = places.map_or_else(|| split(&text), |names| places_of(&text, &names));
        Ok(Self { text, members })
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text as a string of its own.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Returns the value of a member as JSON, if there is one.
    pub fn member(&self, name: &str) -> Option<&str> {
        let is_named = |place: &&Place| {
            if place.is_escaped {
                self.member_at(place).is_some_and(|member| member.is_named(name))
            } else {
                self.text.as_bytes().get(place.name.clone()) == Some(name.as_bytes())
            }
        };
        self.text.get(self.members.iter().find(is_named)?.value.clone())
    }

    /// Returns the members in order.
    pub fn members(&self) -> impl Iterator<Item = Member<'_>> {
        self.members.iter().filter_map(|place| self.member_at(place))
    }

    fn member_at(&self, place: &Place) -> Option<Member<'_>> {
        let quoted_name = self.text.get(place.name.start.checked_sub(1)?..place.name.end + 1)?;
        Some(Member { quoted_name, value: self.text.get(place.value.clone())? })
    }
}

/// Returns the places of the members of an object, which is valid JSON.
fn split(text: &str) -> Vec<Place> {
    let members = Members::of_text(text.trim_ascii()).into_iter().flatten();
    let place = |member: Member<'_>| {
        let inner = member.inner_name();
        Some(Place {
            name: place_in(text, inner)?,
            is_escaped: has_escapes(inner),
            value: place_in(text, member.value)?,
        })
    };
    members.filter_map(place).collect()
}

/// Returns the same for an object whose names, in order, are at these places: a value is what is between two names, without
/// separators.
fn places_of(text: &str, names: &[Range<usize>]) -> Vec<Place> {
    let bytes = text.as_bytes();
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    // The closing brace, in place of a further name.
    let end = text.trim_ascii_end().len().saturating_sub(1);
    let nexts = names.iter().skip(1).map(|next| next.start - 1).chain([end]);
    let place = |(name, next): (&Range<usize>, usize)| {
        let between = bytes.get(name.end + 1..next)?;
        let before = between.iter().take_while(|byte| **byte == b':' || is_space(byte)).count();
        let after = between.iter().rev().take_while(|byte| **byte == b',' || is_space(byte)).count();
        let value = name.end + 1 + before..next - after;
        Some(Place { name: name.clone(), is_escaped: false, value })
    };
    names.iter().zip(nexts).filter_map(place).collect()
}

/// Returns the place of a part of `text` in bytes; `None` if it is not in its memory.
fn place_in(text: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let place = start..start.checked_add(part.len())?;
    (place.end <= text.len()).then_some(place)
}

/// The places of the names of an object.
struct NamePlaces<'t> {
    text: &'t str,
    /// `None` if a name has escapes: then it is not a part of the text.
    places: Option<Vec<Range<usize>>>,
}

impl NamePlaces<'_> {
    fn add(&mut self, name: &str) {
        match (&mut self.places, place_in(self.text, name)) {
            (Some(places), Some(place)) => places.push(place),
            (places, _) => *places = None,
        }
    }
}

/// Validates the outermost object, and notes the places of its names.
struct Outermost<'a, 't> {
    levels: Levels<'a>,
    names: &'a mut NamePlaces<'t>,
}

impl<'de> Visitor<'de> for Outermost<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        self.levels.check_members(members, |name| self.names.add(name))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{TidyObject, split};
    use crate::json::{JsonFault, MAX_VALUE_DEPTH};

    fn object(text: &str) -> TidyObject {
        TidyObject::parse(text.to_owned()).unwrap()
    }

    #[test]
    fn members_are_found_however_they_are_written() {
        for text in [
            r#"{"a":1,"b":{"a":2},"c":[",",{"b":3}]}"#,
            r#" { "a" : 1 , "b" :{"a":2} ,"c": [",",{"b":3}] } "#,
            "{\"a\":1,\r\n\"b\":{\"a\":2},\n\"c\":[\",\",{\"b\":3}]}\n",
            r#"{"\u0061":1,"b":{"a":2},"c":[",",{"b":3}]}"#,
        ] {
            let object = object(text);
            let found = ["a", "b", "c", "d", ""].map(|name| object.member(name));
            let expected = [Some("1"), Some(r#"{"a":2}"#), Some(r#"[",",{"b":3}]"#), None, None];
            assert_eq!(found, expected, "{text}");
            let names: Vec<_> = object.members().map(|member| member.name().into_owned()).collect();
            assert_eq!(names, ["a", "b", "c"], "{text}");
            assert!(!object.as_str().contains(['\n', '\r']), "{text}");
        }
        assert_eq!(object("{}").members().count(), 0);
        assert_eq!(object(r#"{"":"","a,:":":,"}"#).member("a,:"), Some("\":,\""));
    }

    #[test]
    fn what_parsers_disagree_on_is_rejected() {
        for text in ["", "7", "[{}]", "null", r#""{}""#] {
            assert_eq!(TidyObject::parse(text.to_owned()).unwrap_err(), JsonFault::NotObject, "{text}");
        }
        for text in
            ["{", "{}{}", r#"{"a":1e400}"#, r#"{"\ud800":1}"#, r#"{"a":"\ud800"}"#, "{1:2}", "{\"a\":\"\n\"}"]
        {
            let fault = TidyObject::parse(text.to_owned()).unwrap_err();
            assert!(matches!(fault, JsonFault::Unreadable(_)), "{text}: {fault}");
        }
        for text in [r#"{"a":1,"\u0061":1}"#, r#"{"b":[{"a":1,"a":1}]}"#] {
            let fault = TidyObject::parse(text.to_owned()).unwrap_err();
            assert_eq!(fault, JsonFault::DuplicateName("a".to_owned()), "{text}");
        }
        let nested = |levels: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(levels), "]".repeat(levels));
        assert!(TidyObject::parse(nested(MAX_VALUE_DEPTH - 1)).is_ok());
        let fault = TidyObject::parse(nested(MAX_VALUE_DEPTH)).unwrap_err();
        assert_eq!(fault, JsonFault::TooDeep(MAX_VALUE_DEPTH));
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_splitter(
            members in prop::collection::btree_map("[a-c\",:\\\\ ü{}]{0,4}", "[a-c\",:\\\\ ü{}\n]{0,30}", 0..6),
            is_spaced: bool,
        ) {
            let value = serde_json::json!(members);
            let text = if is_spaced { value.to_string().replace(r#"":""#, r#"" : ""#) } else { value.to_string() };
            let object = object(&text);
            prop_assert_eq!(&object.members, &split(&text));
            for (name, member) in &members {
                let member = serde_json::json!(member).to_string();
                prop_assert!(is_spaced || object.member(name) == Some(member.as_str()));
            }
        }
    }
}
