//! What a type looks like in JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::path::PathBuf;

/// What a type looks like in JSON, as far as it is known without running anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A whole number that JSON numbers hold exactly.
    Integer,
    /// A whole number beyond 2^53 in both directions.
    LongInteger,
    /// A whole number beyond 2^53, never negative.
    LongUnsigned,
    /// A number with a fraction.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An array.
    List,
    /// An object with any keys.
    Map,
    /// `null`.
    Unit,
    /// A type of someone else's.
    Unknown,
}

/// `KindOf::<T>::KIND` is the kind of `T`: an inherent constant for the types that are known here, which goes
/// before the constant of [`UnknownKind`].
#[derive(Debug)]
pub struct KindOf<T: ?Sized>(PhantomData<T>);

/// The kind of every other type.
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
            Self::Text => "text",
            Self::Integer | Self::LongInteger | Self::LongUnsigned => "an integer",
            Self::Number => "a number with a fraction",
            Self::Boolean => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Unit => "`()`",
            Self::Unknown => "something else",
        }
    }

    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::LongInteger | Self::LongUnsigned | Self::Number)
    }

    /// What bounds a field of this kind.
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
