//! The JSON form of a Rust type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::path::PathBuf;

/// The JSON form of a Rust type, as far as it is known at compile time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// An integer that every JSON parser represents exactly.
    Integer,
    /// An integer beyond 2^53 in both directions.
    LongInteger,
    /// An unsigned integer beyond 2^53.
    LongUnsigned,
    /// A floating-point number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An array.
    List,
    /// An object with any keys.
    Map,
    /// `null`.
    Unit,
    /// A type of another crate or of the user.
    Unknown,
}

/// `KindOf::<T>::KIND` is the kind of `T`: an inherent constant for known types, which takes precedence over
/// the constant of [`UnknownKind`].
#[derive(Debug)]
pub struct KindOf<T: ?Sized>(PhantomData<T>);

/// The kind of all other types.
pub trait UnknownKind {
    /// Always [`Kind::Unknown`].
    const KIND: Kind = Kind::Unknown;
}

impl<T: ?Sized> UnknownKind for KindOf<T> {}

macro_rules! kinds {
    ($($kind:ident: $([$($parameter:tt)*] $type:ty),+;)+) => {$($(
        impl<$($parameter)*> KindOf<$type> {
            /// The kind of this type.
            pub const KIND: Kind = Kind::$kind;
        }
        impl<$($parameter)*> KindOf<Option<$type>> {
            /// The kind of this type.
            pub const KIND: Kind = Kind::$kind;
        }
    )+)+};
}
kinds! {
    Text: [] String, [] &'static str, [] Box<str>, ['a] Cow<'a, str>, [] char, [] PathBuf;
    Integer: [] i8, [] i16, [] i32, [] u8, [] u16, [] u32;
    LongInteger: [] i64, [] i128, [] isize;
    LongUnsigned: [] u64, [] u128, [] usize;
    Number: [] f32, [] f64;
    Boolean: [] bool;
    List: [T] Vec<T>, [T] Box<[T]>, [T] VecDeque<T>, [T] LinkedList<T>, [T] BinaryHeap<T>, [T] BTreeSet<T>,
        [T, S] HashSet<T, S>, [T, const N: usize] [T; N], [A, B] (A, B), [A, B, C] (A, B, C);
    Map: [K, V, S] HashMap<K, V, S>, [K, V] BTreeMap<K, V>;
    Unit: [] ();
}

impl Kind {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Integer | Self::LongInteger | Self::LongUnsigned => "an integer",
            Self::Number => "a floating-point number",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Unit => "`()`",
            Self::Unknown => "another type",
        }
    }

    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::LongInteger | Self::LongUnsigned | Self::Number)
    }

    /// Suggests keys for a field of this kind.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::Text => "use `pattern`, `format`, `min_length` or `max_length`",
            Self::Integer | Self::LongInteger | Self::LongUnsigned | Self::Number => {
                "use `minimum` or `maximum`"
            }
            Self::List => "use `min_items` or `max_items`, and for the items `#[schemars(inner(…))]`",
            Self::Boolean | Self::Map | Self::Unit | Self::Unknown => "remove the key",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, KindOf, UnknownKind as _};

    type Alias = Option<u64>;
    struct Foreign;

    #[test]
    fn kinds_are_seen_through_aliases_and_options() {
        assert_eq!(KindOf::<Alias>::KIND, Kind::LongUnsigned);
        assert_eq!(KindOf::<std::option::Option<Vec<Foreign>>>::KIND, Kind::List);
        assert_eq!(KindOf::<String>::KIND, Kind::Text);
        assert_eq!(KindOf::<Foreign>::KIND, Kind::Unknown);
        assert_eq!(KindOf::<Option<Foreign>>::KIND, Kind::Unknown);
    }
}
