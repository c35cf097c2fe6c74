//! Asking a type what it reads: serde, with an error that remembers what was wrong even where serde goes on.
//!
//! A schema says nothing of serde's aliases, of `other`, and of what a flattened `Option` swallows. The type itself does,
//! when it is given values to read. What it makes of them is dropped.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// The outcome of deserializing one value.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) is_read: bool,
    /// What was wrong on the way, in order; also where the value was read all the same.
    pub(crate) told: Vec<Told>,
}

impl Answer {
    pub(crate) fn has(&self, told: &Told) -> bool {
        self.told.contains(told)
    }

    /// How often this was said.
    pub(crate) fn count(&self, told: &Told) -> usize {
        self.told.iter().filter(|one| *one == told).count()
    }

    /// Whether the value was read, and nothing more was wrong with it than with the one of `before`.
    pub(crate) fn is_as_good_as(&self, before: &Self) -> bool {
        // What another variant of an untagged enum does not know, it would refuse by its own name as well.
        let is_known = |told: &Told| {
            matches!(told, Told::Unknown(_)) || before.told.iter().any(|known| known.is_like(told))
        };
        self.is_read && self.told.len() <= before.told.len() && self.told.iter().all(is_known)
    }

    /// Why it was not read: all problems.
    pub(crate) fn words(&self) -> String {
        self.told.iter().map(Told::words).collect::<Vec<_>>().join("; ")
    }
}

/// One thing that was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Missing(String),
    Repeated(String),
    Unknown(String),
    Other(String),
}

impl Told {
    /// What was said of a value; of the names of members nothing.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Other(words) => words,
            Self::Missing(_) | Self::Repeated(_) | Self::Unknown(_) => "",
        }
    }

    /// Whether the same was said, if of another value.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.sort() == other.sort()
    }

    /// What was said, but for the value that it was said of.
    fn sort(&self) -> (u8, &str, &str) {
        match self {
            Self::Missing(name) => (0, name, ""),
            Self::Repeated(name) => (1, name, ""),
            Self::Unknown(name) => (2, name, ""),
            Self::Other(words) => match words.rsplit_once(", expected ") {
                Some((got, expected)) => (3, got.split([':', '`']).next().unwrap_or_default(), expected),
                None => (4, words, ""),
            },
        }
    }
}

/// Before the name of a member that comes a second time: a [`Value`] has each name once.
pub(crate) const AGAIN: char = '\u{2}';

/// Lets `T` read `value`. A type that panics has not read it.
pub(crate) fn probe<T: DeserializeOwned>(value: &Value) -> Answer {
    TOLD.with_borrow_mut(Vec::clear);
    let is_read = catch_unwind(AssertUnwindSafe(|| T::deserialize(Probed(value)).is_ok())).unwrap_or(false);
    Answer { is_read, told: TOLD.take() }
}

/// What serde says of an integer of 128 bits that it would have to read from a copy.
pub(crate) const NO_WIDE_INTEGER: [&str; 2] = ["u128 is not supported", "i128 is not supported"];

/// A text that is read by no type, and passed over where nobody wants it.
pub(crate) const UNREADABLE: &str = "\u{1}unread";

/// The names that a type gives serde for what it reads from one place: those of the fields of a struct, or of the variants
/// of an enum, other names of them included.
pub(crate) type Names = &'static [&'static str];

/// The names that are given for `place`, a value in what `read` lets a type read. `None` where there are none, as for a
/// struct that flattens another, and where there are several lists.
pub(crate) fn names_of(place: &Value, read: impl FnOnce()) -> Option<Names> {
    NAMES.with_borrow_mut(Vec::clear);
    PLACE.set(place);
    read();
    PLACE.set(std::ptr::null());
    match NAMES.take()[..] {
        [only] => Some(only),
        _ => None,
    }
}

thread_local! {
    static TOLD: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
    /// The place of which the names are wanted; compared and never followed.
    static PLACE: Cell<*const Value> = const { Cell::new(std::ptr::null()) };
    static NAMES: RefCell<Vec<Names>> = const { RefCell::new(Vec::new()) };
}

fn note_names(place: &Value, names: Names) {
    if std::ptr::eq(place, PLACE.get()) {
        NAMES.with_borrow_mut(|lists| lists.push(names));
    }
}

/// The error that remembers: what it was made of is kept, whatever becomes of it.
#[derive(Debug)]
struct Remembered;

impl Remembered {
    fn of(told: Told) -> Self {
        TOLD.with_borrow_mut(|all| all.push(told));
        Self
    }
}

impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value was not read")
    }
}

impl std::error::Error for Remembered {}

impl Error for Remembered {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self::of(Told::Other(message.to_string()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(Told::Missing(field.to_owned()))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::of(Told::Repeated(field.to_owned()))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::of(Told::Unknown(field.to_owned()))
    }
}

/// A value that is read with [`Remembered`] as the error.
#[derive(Clone, Copy)]
struct Probed<'v>(&'v Value);

impl<'de> IntoDeserializer<'de, Remembered> for Probed<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Probed<'de> {
    type Error = Remembered;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) if text == UNREADABLE => Err(Remembered::custom("nobody reads this")),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Probed))),
            Value::Object(members) => visitor.visit_map(MapDeserializer::new(
                members
                    .iter()
                    .map(|(name, member)| (Key(name.strip_prefix(AGAIN).unwrap_or(name)), Probed(member))),
            )),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Remembered> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, Remembered> {
        note_names(self.0, fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: Names,
        visitor: V,
    ) -> Result<V::Value, Remembered> {
        note_names(self.0, variants);
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, content: &Value::Null }),
            Value::Object(members) => visitor.visit_enum(Variant::of(members)?),
            _ => Err(Remembered::invalid_type(Unexpected::Other("another value"), &"a variant")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The name of a member, which may be that of an integer, as `serde_json` reads it.
#[derive(Clone, Copy)]
struct Key<'v>(&'v str);

impl<'de> IntoDeserializer<'de, Remembered> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Reads the key as a number where it is one.
macro_rules! number_keys {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
            if let Ok(number) = self.0.parse::<u64>() {
                return visitor.visit_u64(number);
            }
            match self.0.parse::<i64>() {
                Ok(number) => visitor.visit_i64(number),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Remembered;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        match self.0.parse() {
            Ok(flag) => visitor.visit_bool(flag),
            Err(_) => visitor.visit_borrowed_str(self.0),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Remembered> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Remembered> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Remembered> {
        StrDeserializer::new(self.0).deserialize_enum(name, variants, visitor)
    }

    number_keys!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum: its name, and what it holds.
struct Variant<'v> {
    name: &'v str,
    content: &'v Value,
}

impl<'v> Variant<'v> {
    fn of(members: &'v Map<String, Value>) -> Result<Self, Remembered> {
        let mut members = members.iter();
        match (members.next(), members.next()) {
            (Some((name, content)), None) => Ok(Self { name, content }),
            _ => Err(Remembered::custom("an object with one member names a variant")),
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Remembered;
    type Variant = Probed<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Probed<'de>), Remembered> {
        Ok((seed.deserialize(Key(self.name))?, Probed(self.content)))
    }
}

impl<'de> VariantAccess<'de> for Probed<'de> {
    type Error = Remembered;

    fn unit_variant(self) -> Result<(), Remembered> {
        if self.0.is_null() { Ok(()) } else { Err(Remembered::custom("a unit variant holds nothing")) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Remembered> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Remembered> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: Names, visitor: V) -> Result<V::Value, Remembered> {
        note_names(self.0, fields);
        self.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::{Told, names_of, probe};

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only what it reads matters")]
    struct Outer {
        name: String,
        kind: Option<Kind>,
        by_number: Option<BTreeMap<u8, bool>>,
        #[serde(flatten)]
        paging: Option<Paging>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only what it reads matters")]
    enum Kind {
        Plain,
        Held(u8),
        Named { a: u8 },
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only what it reads matters")]
    struct Paging {
        #[serde(alias = "p")]
        page: u8,
    }

    #[test]
    fn types_accept_the_same_values_as_from_text() {
        for (value, is_read) in [
            (json!({"name": "a"}), true),
            (json!({"name": 1}), false),
            (json!({"name": "a", "kind": null}), true),
            (json!({"name": "a", "kind": "plain"}), true),
            (json!({"name": "a", "kind": {"held": 1}}), true),
            (json!({"name": "a", "kind": {"named": {"a": 1}}}), true),
            (json!({"name": "a", "kind": "other"}), false),
            (json!({"name": "a", "kind": 5}), false),
        ] {
            assert_eq!(probe::<Outer>(&value).is_read, is_read, "{value}");
        }
    }

    #[test]
    fn swallowed_errors_are_recorded() {
        assert!(probe::<Outer>(&json!({"name": "a"})).has(&Told::Missing("page".to_owned())));
        let twice = probe::<Outer>(&json!({"name": "a", "page": 1, "p": 2}));
        assert!(twice.is_read && twice.has(&Told::Repeated("page".to_owned())), "{twice:?}");
        let again = probe::<Outer>(&json!({"name": "a", "page": 1, "\u{2}page": 1}));
        assert!(again.is_read && again.has(&Told::Repeated("page".to_owned())), "{again:?}");
        let fits = probe::<Outer>(&json!({"name": "a", "p": 2}));
        assert!(fits.is_read && fits.told.is_empty(), "{fits:?}");
    }
    #[test]
    fn names_are_recorded_where_serde_receives_them() {
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only what it reads matters")]
        struct Holder {
            kind: Kind,
            paging: Paging,
            outer: Outer,
        }
        let outer = json!({"name": "a"});
        let value = json!({"kind": "plain", "paging": {"page": 1}, "outer": outer});
        let names = |pointer: &str| {
            let place = value.pointer(pointer).expect("a place");
            names_of(place, || assert!(probe::<Holder>(&value).is_read))
        };
        assert_eq!(names(""), Some(&["kind", "paging", "outer"][..]));
        assert_eq!(names("/kind"), Some(&["plain", "held", "named"][..]));
        assert_eq!(names("/paging"), Some(&["p", "page"][..]));
        assert_eq!(names("/outer"), None, "it flattens another");
        assert_eq!(names("/outer/name"), None);
    }
}
