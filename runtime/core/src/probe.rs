//! Queries a type by deserializing values with an error type that records problems, even those that serde
//! recovers from.
//!
//! A schema does not contain serde's aliases, `other`, and the errors that a flattened `Option` swallows. The
//! type reveals them when it deserializes sample values, which are then dropped.

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
pub(crate) struct ProbeResult {
    pub(crate) is_read: bool,
    /// The errors in order, including those that serde recovered from.
    pub(crate) errors: Vec<ReadError>,
}

impl ProbeResult {
    pub(crate) fn has(&self, error: &ReadError) -> bool {
        self.errors.contains(error)
    }

    /// Returns how often the error occurred.
    pub(crate) fn count(&self, error: &ReadError) -> usize {
        self.errors.iter().filter(|one| *one == error).count()
    }

    /// Returns whether the value was read, with no errors that `before` does not have.
    pub(crate) fn is_as_good_as(&self, before: &Self) -> bool {
        // Another variant of an untagged enum may reject the original name too.
        let is_known = |error: &ReadError| {
            matches!(error, ReadError::Unknown(_)) || before.errors.iter().any(|known| known.is_like(error))
        };
        self.is_read && self.errors.len() <= before.errors.len() && self.errors.iter().all(is_known)
    }

    /// Returns all error messages.
    pub(crate) fn message(&self) -> String {
        self.errors.iter().map(ReadError::message).collect::<Vec<_>>().join("; ")
    }
}

/// One error of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadError {
    Missing(String),
    Repeated(String),
    Unknown(String),
    Other(String),
}

impl ReadError {
    /// Returns the message of an error about a value; empty for errors about the names of members.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Other(words) => words,
            Self::Missing(_) | Self::Repeated(_) | Self::Unknown(_) => "",
        }
    }

    /// Returns whether it is the same error, possibly about another value.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    /// Returns what identifies the error, without the value.
    fn identity(&self) -> (u8, &str, &str) {
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

/// Prefix of the name of a duplicate member: a [`Value`] contains each name once.
pub(crate) const DUPLICATE: char = '\u{2}';

/// Deserializes `value` as `T`. A panic counts as failure.
pub(crate) fn probe<T: DeserializeOwned>(value: &Value) -> ProbeResult {
    ERRORS.with_borrow_mut(Vec::clear);
    let is_read =
        catch_unwind(AssertUnwindSafe(|| T::deserialize(ProbeDeserializer(value)).is_ok())).unwrap_or(false);
    ProbeResult { is_read, errors: ERRORS.take() }
}

/// Serde's errors about 128-bit integers that it cannot read from a buffer.
pub(crate) const NO_WIDE_INTEGER: [&str; 2] = ["u128 is not supported", "i128 is not supported"];

/// A string that no type accepts, and that is ignored if no member needs it.
pub(crate) const UNREADABLE: &str = "\u{1}unread";

/// The names that a type passes to serde: those of the fields of a struct, or of the variants of an enum,
/// including aliases.
pub(crate) type Names = &'static [&'static str];

/// Returns the names that the type passes to serde for `place`, a value that `read` deserializes. `None` if
/// there are none, as for a struct with flattened fields, or several lists.
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
    static ERRORS: RefCell<Vec<ReadError>> = const { RefCell::new(Vec::new()) };
    /// The value whose names are requested; only compared, never dereferenced.
    static PLACE: Cell<*const Value> = const { Cell::new(std::ptr::null()) };
    static NAMES: RefCell<Vec<Names>> = const { RefCell::new(Vec::new()) };
}

fn record_names(place: &Value, names: Names) {
    if std::ptr::eq(place, PLACE.get()) {
        NAMES.with_borrow_mut(|lists| lists.push(names));
    }
}

/// An error type that records every error in a thread-local list.
#[derive(Debug)]
struct RecordedError;

impl RecordedError {
    fn of(error: ReadError) -> Self {
        ERRORS.with_borrow_mut(|all| all.push(error));
        Self
    }
}

impl fmt::Display for RecordedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value was not read")
    }
}

impl std::error::Error for RecordedError {}

impl Error for RecordedError {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self::of(ReadError::Other(message.to_string()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(ReadError::Missing(field.to_owned()))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::of(ReadError::Repeated(field.to_owned()))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::of(ReadError::Unknown(field.to_owned()))
    }
}

/// A deserializer for a value, with [`RecordedError`] as error type.
#[derive(Clone, Copy)]
struct ProbeDeserializer<'v>(&'v Value);

impl<'de> IntoDeserializer<'de, RecordedError> for ProbeDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for ProbeDeserializer<'de> {
    type Error = RecordedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) if text == UNREADABLE => Err(RecordedError::custom("nobody reads this")),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(ProbeDeserializer)))
            }
            Value::Object(members) => {
                visitor.visit_map(MapDeserializer::new(members.iter().map(|(name, member)| {
                    (Key(name.strip_prefix(DUPLICATE).unwrap_or(name)), ProbeDeserializer(member))
                })))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: Names,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        record_names(self.0, fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: Names,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        record_names(self.0, variants);
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, content: &Value::Null }),
            Value::Object(members) => visitor.visit_enum(Variant::of(members)?),
            _ => Err(RecordedError::invalid_type(Unexpected::Other("another value"), &"a variant")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The name of a member, which may represent an integer, as in `serde_json`.
#[derive(Clone, Copy)]
struct Key<'v>(&'v str);

impl<'de> IntoDeserializer<'de, RecordedError> for Key<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Deserializes the key as a number, if it is one.
macro_rules! number_keys {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
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
    type Error = RecordedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        match self.0.parse() {
            Ok(flag) => visitor.visit_bool(flag),
            Err(_) => visitor.visit_borrowed_str(self.0),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RecordedError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RecordedError> {
        StrDeserializer::new(self.0).deserialize_enum(name, variants, visitor)
    }

    number_keys!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum: its name and content.
struct Variant<'v> {
    name: &'v str,
    content: &'v Value,
}

impl<'v> Variant<'v> {
    fn of(members: &'v Map<String, Value>) -> Result<Self, RecordedError> {
        let mut members = members.iter();
        match (members.next(), members.next()) {
            (Some((name, content)), None) => Ok(Self { name, content }),
            _ => Err(RecordedError::custom("an object with one member names a variant")),
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = RecordedError;
    type Variant = ProbeDeserializer<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, ProbeDeserializer<'de>), RecordedError> {
        Ok((seed.deserialize(Key(self.name))?, ProbeDeserializer(self.content)))
    }
}

impl<'de> VariantAccess<'de> for ProbeDeserializer<'de> {
    type Error = RecordedError;

    fn unit_variant(self) -> Result<(), RecordedError> {
        if self.0.is_null() { Ok(()) } else { Err(RecordedError::custom("a unit variant holds nothing")) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, RecordedError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, RecordedError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: Names, visitor: V) -> Result<V::Value, RecordedError> {
        record_names(self.0, fields);
        self.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::{ReadError, names_of, probe};

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
        assert!(probe::<Outer>(&json!({"name": "a"})).has(&ReadError::Missing("page".to_owned())));
        let twice = probe::<Outer>(&json!({"name": "a", "page": 1, "p": 2}));
        assert!(twice.is_read && twice.has(&ReadError::Repeated("page".to_owned())), "{twice:?}");
        let again = probe::<Outer>(&json!({"name": "a", "page": 1, "\u{2}page": 1}));
        assert!(again.is_read && again.has(&ReadError::Repeated("page".to_owned())), "{again:?}");
        let fits = probe::<Outer>(&json!({"name": "a", "p": 2}));
        assert!(fits.is_read && fits.errors.is_empty(), "{fits:?}");
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
