//! JSON that every peer can read, whatever the values are made of.
//!
//! A [`RawValue`](serde_json::value::RawValue) is copied as it is, and what others wrote may hold anything that JSON
//! allows: line ends, which end a message where messages are lines; repeated names, of which each parser takes
//! another; numbers, escapes and nesting that parsers refuse, together with the message around them. So whatever leaves a
//! server is written by [`append`], which reads each raw value on its way: line ends go, and what parsers do not agree
//! on is a [`JsonFault`] (RFC 7493, "I-JSON": sections 2.1 to 2.3).

mod decimal;
mod members;

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

/// How many levels of arrays and objects a message has at most: what `serde_json` reads, and most other parsers.
pub const MAX_DEPTH: usize = 127;

/// How many levels one value may have that becomes a part of a message; the rest of [`MAX_DEPTH`] is for what
/// surrounds it.
pub const MAX_VALUE_DEPTH: usize = 100;

/// Why a value is not JSON that every peer can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonFault {
    /// It is not JSON at all, or has a lone surrogate or a number outside of the range of 64-bit floats.
    #[error("is not JSON that every client can read: {0}")]
    Unreadable(String),
    /// Two members of one object have the same name.
    #[error("has the member {0:?} twice in one object")]
    Repeated(String),
    /// There are more levels of arrays and objects than a message may have.
    #[error("is nested too deeply: at most {0} levels of arrays and objects can be sent here")]
    TooDeep(usize),
    /// The `Serialize` of the value has failed, or the value has no form in JSON.
    #[error("cannot be written as JSON: {0}")]
    Unwritable(String),
}

/// Appends `value` on one line. `outer` is the number of arrays and objects around it.
///
/// # Errors
/// [`JsonFault`]; nothing is appended then.
pub fn append(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized), outer: usize) -> Result<(), JsonFault> {
    let start = out.len();
    let guard = Guard { depth: outer };
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, guard)).map_err(|error| {
        out.truncate(start);
        if error.is_io() {
            // Writing to memory does not fail: it is the guard that has refused.
            match io::Error::from(error).downcast::<JsonFault>() {
                Ok(fault) => fault,
                Err(error) => JsonFault::Unwritable(error.to_string()),
            }
        } else {
            JsonFault::Unwritable(error.to_string())
        }
    })
}

/// The JSON text as it may be sent: without line ends. `levels` is how many levels it may have.
///
/// # Errors
/// [`JsonFault`] where parsers would refuse it, or read it in different ways.
pub fn tidy(text: &str, levels: usize) -> Result<Cow<'_, str>, JsonFault> {
    check(text, levels)?;
    Ok(match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(compact(text)),
    })
}

/// JSON without white space between its parts. Numbers and strings stay as they are written.
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

/// Reads a text to its end without keeping anything of it.
fn check(text: &str, levels: usize) -> Result<(), JsonFault> {
    let fault = Cell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Levels { left: levels, all: levels, fault: &fault }.deserialize(&mut reader);
    read.and_then(|()| reader.end()).map_err(|error| {
        let error = error.to_string();
        // The limit of `serde_json` comes before ours where both are the same.
        let is_too_deep = error.starts_with("recursion limit exceeded");
        let unread = || if is_too_deep { JsonFault::TooDeep(levels) } else { JsonFault::Unreadable(error) };
        fault.take().unwrap_or_else(unread)
    })
}

/// Reads one value of so many levels.
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
            None => Err(self.refuse(JsonFault::TooDeep(self.all))),
        }
    }

    fn refuse<E: serde::de::Error>(self, fault: JsonFault) -> E {
        let error = E::custom(&fault);
        self.fault.set(Some(fault));
        error
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

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let below = self.below()?;
        let mut names = HashSet::new();
        while let Some(Name(name)) = members.next_key_seed(AnyName)? {
            members.next_value_seed(below)?;
            if let Some(repeated) = names.replace(name) {
                return Err(self.refuse(JsonFault::Repeated(start_of(&repeated))));
            }
        }
        Ok(())
    }
}

/// Enough of a name to find it by; a fault must not become a way to repeat megabytes.
pub(crate) fn start_of(name: &str) -> String {
    const MAX_CHARS: usize = 60;
    match name.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// The name of a member, without its escapes.
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

/// Writes compact JSON, counts levels, and reads what is raw.
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

    /// With the feature `arbitrary_precision` of `serde_json`, which any crate may turn on, a number is a text as well.
    fn write_number_str<W: ?Sized + io::Write>(&mut self, writer: &mut W, number: &str) -> io::Result<()> {
        self.write_raw_fragment(writer, number)
    }
}

#[cfg(test)]
mod tests;
