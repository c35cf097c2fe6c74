//! JSON that every peer can parse, whatever its values contain.
//!
//! A [`RawValue`](serde_json::value::RawValue) is copied as is, and text from elsewhere may contain anything
//! that JSON allows: line breaks, which end a message on line-based transports; duplicate names, which parsers
//! resolve differently; numbers, escapes and nesting that parsers reject together with the whole message.
//! Everything that leaves a server is therefore written by [`append`], which parses each raw value: it removes
//! line breaks and reports everything that parsers disagree on as a [`JsonFault`] (RFC 7493, "I-JSON": sections
//! 2.1 to 2.3).

mod decimal;
mod members;
mod object;
mod split;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::io;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::ser::Formatter;

pub use decimal::Decimal;
pub use members::each_member;
pub use object::TidyObject;
pub use split::{Member, Members, string, value_end};

/// Maximum nesting depth of a message: the limit of `serde_json` and most other parsers.
pub const MAX_DEPTH: usize = 127;

/// Maximum nesting depth of one value inside a message; the rest of [`MAX_DEPTH`] is for the members around it.
pub const MAX_VALUE_DEPTH: usize = 100;

/// Why a value is not JSON that every peer can parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonFault {
    /// Invalid JSON, a lone surrogate, or a number outside of the range of 64-bit floats.
    #[error("is not JSON that every client can parse: {0}")]
    Unreadable(String),
    /// An object has two members with the same name.
    #[error("has the duplicate member {0:?}")]
    DuplicateName(String),
    /// The text is not an object, although only an object is allowed.
    #[error("is not an object")]
    NotObject,
    /// The nesting is too deep.
    #[error("is nested too deeply: at most {0} levels of arrays and objects are allowed here")]
    TooDeep(usize),
    /// The `Serialize` implementation of the value failed, or the value cannot be represented.
    #[error("cannot be serialized as JSON: {0}")]
    Unwritable(String),
}

/// Appends `value` on one line. `outer` is the number of enclosing arrays and objects.
///
/// # Errors
/// [`JsonFault`]; nothing is appended in this case.
pub fn append(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized), outer: usize) -> Result<(), JsonFault> {
    let start = out.len();
    let guard = Guard { depth: outer };
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, guard)).map_err(|error| {
        out.truncate(start);
        if error.is_io() {
            // Writing to memory cannot fail, so the error is that of the guard.
            match io::Error::from(error).downcast::<JsonFault>() {
                Ok(fault) => fault,
                Err(error) => JsonFault::Unwritable(error.to_string()),
            }
        } else {
            JsonFault::Unwritable(error.to_string())
        }
    })
}

/// Returns the JSON text without line breaks. `levels` is the maximum nesting depth.
///
/// # Errors
/// [`JsonFault`] if parsers would reject the text or interpret it differently.
pub fn tidy(text: &str, levels: usize) -> Result<Cow<'_, str>, JsonFault> {
    check(text, levels, |reader, levels| levels.deserialize(reader))?;
    Ok(if has_line_break(text) { Cow::Owned(compact(text)) } else { Cow::Borrowed(text) })
}

fn has_line_break(text: &str) -> bool {
    memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some()
}

/// Removes whitespace between tokens. Numbers and strings are not changed.
fn compact(text: &str) -> String {
    let (mut is_string, mut is_escaped) = (false, false);
    text.chars()
        .filter(|character| {
            if is_string {
                is_string = is_escaped || *character != '"';
                is_escaped = !is_escaped && *character == '\\';
                return true;
            }
            is_string = *character == '"';
            !character.is_ascii_whitespace()
        })
        .collect()
}

/// A parser of a text.
type Reader<'de> = serde_json::Deserializer<serde_json::de::StrRead<'de>>;

/// Validates a text without building values. `read` reads its only value, with the given levels.
fn check<'de>(
    text: &'de str,
    levels: usize,
    read: impl FnOnce(&mut Reader<'de>, Levels<'_>) -> serde_json::Result<()>,
) -> Result<(), JsonFault> {
    let fault = Cell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = read(&mut reader, Levels { left: levels, all: levels, fault: &fault });
    read.and_then(|()| reader.end()).map_err(|error| {
        let error = error.to_string();
        // `serde_json` reports its own limit first if both are the same.
        let is_too_deep = error.starts_with("recursion limit exceeded");
        let unread = || if is_too_deep { JsonFault::TooDeep(levels) } else { JsonFault::Unreadable(error) };
        fault.take().unwrap_or_else(unread)
    })
}

/// Validates one value up to a nesting depth.
#[derive(Clone, Copy)]
struct Levels<'f> {
    left: usize,
    all: usize,
    fault: &'f Cell<Option<JsonFault>>,
}

impl Levels<'_> {
    fn below<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => Err(self.reject(JsonFault::TooDeep(self.all))),
        }
    }

    fn reject<E: serde::de::Error>(self, fault: JsonFault) -> E {
        let error = E::custom(&fault);
        self.fault.set(Some(fault));
        error
    }

    /// Validates the members of an object, and passes each name to `each`.
    fn check_members<'de, A: MapAccess<'de>>(
        self,
        mut members: A,
        mut each: impl FnMut(&str),
    ) -> Result<(), A::Error> {
        let below = self.below()?;
        let mut names = Names::default();
        while let Some(Name(name)) = members.next_key_seed(AnyName)? {
            each(&name);
            members.next_value_seed(below)?;
            if let Some(repeated) = names.insert(name) {
                return Err(self.reject(JsonFault::DuplicateName(truncate_name(&repeated))));
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Levels<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Levels<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let below = self.below()?;
        while items.next_element_seed(below)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        self.check_members(members, |_| {})
    }
}

/// The names of an object's members so far. Most objects have a few, which are compared without a hash and an allocation.
#[derive(Default)]
struct Names<'de> {
    few: [Option<Cow<'de, str>>; 8],
    more: HashSet<Cow<'de, str>>,
}

impl<'de> Names<'de> {
    /// Adds a name; returns it if it is there already.
    fn insert(&mut self, name: Cow<'de, str>) -> Option<Cow<'de, str>> {
        for few in &mut self.few {
            match few {
                Some(there) if *there == name => return Some(name),
                Some(_) => {}
                None => {
                    *few = Some(name);
                    return None;
                }
            }
        }
        self.more.replace(name)
    }
}

/// Truncates a name: an error must not repeat megabytes.
pub(crate) fn truncate_name(name: &str) -> String {
    const MAX_CHARS: usize = 60;
    match name.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// A member name with its escapes resolved.
struct Name<'de>(Cow<'de, str>);

struct AnyName;

impl<'de> DeserializeSeed<'de> for AnyName {
    type Value = Name<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Name<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for AnyName {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

/// Writes compact JSON, counts nesting levels, and validates raw values.
struct Guard {
    depth: usize,
}

impl Guard {
    #[inline]
    fn enter(&mut self) -> io::Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(too_deep()) } else { Ok(()) }
    }
}

#[cold]
fn too_deep() -> io::Error {
    io::Error::other(JsonFault::TooDeep(MAX_DEPTH))
}

impl Formatter for Guard {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.enter()?;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.enter()?;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let text = tidy(fragment, MAX_DEPTH.saturating_sub(self.depth)).map_err(io::Error::other)?;
        writer.write_all(text.as_bytes())
    }

    /// With the `arbitrary_precision` feature of `serde_json`, which any crate may enable, a number is a string
    /// as well.
    fn write_number_str<W: ?Sized + io::Write>(&mut self, writer: &mut W, number: &str) -> io::Result<()> {
        self.write_raw_fragment(writer, number)
    }
}

#[cfg(test)]
mod tests;
