//! What derived code asks the compiler: rules about types, which a derive cannot see, and about the tools of a set
//! together.
//!
//! Each function here is called in a constant and panics where a rule is broken: that is a compile error at the
//! place of the call, with the panic's text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::path::PathBuf;

use serde_json::value::RawValue;

use crate::arguments;
use crate::definition::ToolDefinition;
use crate::link::{LinkedTool, LinkedToolset};
use crate::tool::{SourceLocation, Tool};
use crate::toolset::{DecodeError, Toolset};

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
    /// A type of somebody else's.
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

/// The arguments of a tool, or of a variant of it, are an object.
#[track_caller]
pub const fn expect_object(kind: Kind) {
    if !matches!(kind, Kind::Unknown | Kind::Map) {
        refuse(
            Text::new("the arguments of a tool are an object, and this is ")
                .and(kind.words())
                .and("; give it a name, as in `struct Tool { name: Type }`"),
        );
    }
}

/// `key` bounds text.
#[track_caller]
pub const fn expect_text(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Text | Kind::Unknown) {
        refuse(bound_of("text", key, kind));
    }
}

/// `key` bounds a number.
#[track_caller]
pub const fn expect_number(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Unknown) && !kind.is_number() {
        refuse(bound_of("a number", key, kind));
    }
}

/// `key` bounds a list.
#[track_caller]
pub const fn expect_list(key: &str, kind: Kind) {
    if !matches!(kind, Kind::List | Kind::Unknown) {
        refuse(bound_of("a list", key, kind));
    }
}

/// An example has the type of its field.
#[track_caller]
pub const fn expect_example(kind: Kind, example: Kind) {
    let fits = match example {
        // A map's keys are not looked at: no literal stands for a map.
        _ if matches!(kind, Kind::Unknown) => true,
        Kind::Integer => kind.is_number(),
        Kind::Number => matches!(kind, Kind::Number),
        Kind::Text => matches!(kind, Kind::Text),
        Kind::Boolean => matches!(kind, Kind::Boolean),
        Kind::List => matches!(kind, Kind::List),
        _ => false,
    };
    if !fits {
        refuse(
            Text::new("this example is ")
                .and(example.words())
                .and(", and the field is ")
                .and(kind.words())
                .and("; write an example that the field takes"),
        );
    }
}

/// A value in a header is text, a safe integer or a boolean (2026-07-28, server/tools "x-mcp-header"). `bounded`
/// says whether the field's own bounds keep it at or above -(2^53-1), and at or below 2^53-1.
#[track_caller]
pub const fn expect_header(kind: Kind, bounded: (bool, bool)) {
    let text = match kind {
        Kind::Text | Kind::Integer | Kind::Boolean | Kind::Unknown => return,
        Kind::LongUnsigned if bounded.1 => return,
        Kind::LongInteger if bounded.0 && bounded.1 => return,
        Kind::LongUnsigned => Text::new(
            "an integer in a header must stay in the range that every client reads exactly; \
             add `maximum = 9007199254740991`, a smaller one, or use a smaller type such as `u32`",
        ),
        Kind::LongInteger => Text::new(
            "an integer in a header must stay in the range that every client reads exactly; \
             add `minimum = -9007199254740991, maximum = 9007199254740991`, or use a smaller type such as `i32`",
        ),
        Kind::Number | Kind::List | Kind::Map | Kind::Unit => {
            Text::new("a header holds text, an integer or a boolean, and this field is ")
                .and(kind.words())
                .and("; remove `header`")
        }
    };
    refuse(text);
}

/// The type of a variant is a tool.
pub const fn expect_tool<T: Tool>() {}

/// A variant's tool, as far as it is one: `Slot::<T>::NAMES` and the rest are of `T` where `T` is a tool, and of
/// [`NoTool`] otherwise, so that [`expect_tool`] is the only one to complain.
#[derive(Debug)]
pub struct Slot<T>(PhantomData<T>);

impl<T: Tool> Slot<T> {
    /// The names that call the tool.
    pub const NAMES: Names = Names { now: T::NAME, was: T::METADATA.was };
    /// The names of its arguments.
    pub const ARGUMENT_NAMES: &'static [&'static str] = T::ARGUMENT_NAMES;

    /// Adds the tool's definition.
    pub fn define(definitions: &mut Vec<ToolDefinition>) {
        definitions.push(T::definition());
    }

    /// Reads the arguments, if `name` calls the tool.
    pub fn decode(name: &str, arguments: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        let called = name == T::NAME || T::METADATA.was.contains(&name);
        called.then(|| arguments::decode::<T>(arguments).map_err(DecodeError::Arguments))
    }
}

/// What [`Slot`] offers for a type that is no tool.
pub trait NoTool<T> {
    /// No name.
    const NAMES: Names = Names { now: "", was: &[] };
    /// No arguments.
    const ARGUMENT_NAMES: &'static [&'static str] = &[];

    /// Adds nothing.
    fn define(_: &mut Vec<ToolDefinition>) {}

    /// Reads nothing.
    fn decode(_: &str, _: Option<&RawValue>) -> Option<Result<T, DecodeError>> {
        None
    }
}

impl<T> NoTool<T> for Slot<T> {}

/// The arguments of a type that the derive has refused. There are none, so that nothing else about the type is
/// reported.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub enum Refused {}

/// The registration of a tool.
pub const fn linked_tool<T: Tool>() -> LinkedTool {
    LinkedTool { name: T::NAME, package: T::PACKAGE, source: T::METADATA.source, definition: T::definition }
}

/// The registration of a toolset.
pub const fn linked_toolset<T: Toolset>(source: SourceLocation) -> LinkedToolset {
    LinkedToolset { package: T::PACKAGE, metadata: T::METADATA, source, definitions: T::definitions }
}

/// The names that call a tool.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The present one; empty for a type that is no tool.
    pub now: &'static str,
    /// The former ones.
    pub was: &'static [&'static str],
}

/// A variant of a toolset, for the rules between tools.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// The name of the variant.
    pub variant: &'static str,
    /// The names that call its tool.
    pub names: Names,
}

/// The variant at `index` claims no name that an earlier one has. Dispatch takes the first that matches, so the
/// later tool would never run.
#[track_caller]
pub const fn expect_free_name(claims: &[Claim], index: usize) {
    let later = claims[index];
    let mut earlier = 0;
    while earlier < index {
        let first = claims[earlier];
        if let Some(name) = common_name(first.names, later.names) {
            refuse(
                Text::new("the tool name `")
                    .and(name)
                    .and("` is taken by the variant `")
                    .and(first.variant)
                    .and("`, so the tool of `")
                    .and(later.variant)
                    .and("` would never run; give one of the two another name with `#[mcp(name = \"…\")]`"),
            );
        }
        earlier += 1;
    }
}

/// No argument of a tool has the name of a parameter that `workflow` adds to all tools (F-05).
#[track_caller]
pub const fn expect_free_arguments(arguments: &[&str], variant: &str) {
    let mut index = 0;
    while index < arguments.len() {
        let name = arguments[index];
        if same(name, "command") || same(name, "workitem_path") {
            refuse(
                Text::new("`workflow` adds the parameter `")
                    .and(name)
                    .and("` to every tool, and the tool of `")
                    .and(variant)
                    .and("` has a field of that name; rename the field, or remove `workflow`"),
            );
        }
        index += 1;
    }
}

impl Kind {
    const fn words(self) -> &'static str {
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

    const fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::LongInteger | Self::LongUnsigned | Self::Number)
    }

    /// What bounds a field of this kind.
    const fn advice(self) -> &'static str {
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

const fn bound_of(what: &str, key: &str, kind: Kind) -> Text {
    Text::new("`")
        .and(key)
        .and("` bounds ")
        .and(what)
        .and(", and this field is ")
        .and(kind.words())
        .and("; ")
        .and(kind.advice())
}

const fn common_name(first: Names, later: Names) -> Option<&'static str> {
    if first.now.is_empty() || later.now.is_empty() {
        return None;
    }
    if same(first.now, later.now) || contains(first.was, later.now) {
        return Some(later.now);
    }
    if contains(later.was, first.now) {
        return Some(first.now);
    }
    let mut index = 0;
    while index < later.was.len() {
        if contains(first.was, later.was[index]) {
            return Some(later.was[index]);
        }
        index += 1;
    }
    None
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut index = 0;
    while index < names.len() {
        if same(names[index], name) {
            return true;
        }
        index += 1;
    }
    false
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[track_caller]
const fn refuse(text: Text) {
    panic!("{}", text.as_str());
}

/// Text that is put together in a constant, where nothing can be allocated.
struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    const fn new(text: &str) -> Self {
        Self { bytes: [0; 1024], length: 0 }.and(text)
    }

    /// Appends `text` if it fits.
    const fn and(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.length + text.len() > self.bytes.len() {
            return self;
        }
        let mut index = 0;
        while index < text.len() {
            self.bytes[self.length + index] = text[index];
            index += 1;
        }
        self.length += text.len();
        self
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, KindOf, Names, Text, UnknownKind as _, common_name};

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

    #[test]
    fn former_names_are_names() {
        let names = |now, was| Names { now, was };
        assert_eq!(common_name(names("a", &[]), names("a", &[])), Some("a"));
        assert_eq!(common_name(names("a", &["b"]), names("b", &[])), Some("b"));
        assert_eq!(common_name(names("a", &[]), names("b", &["a"])), Some("a"));
        assert_eq!(common_name(names("a", &["x", "y"]), names("b", &["z", "y"])), Some("y"));
        assert_eq!(common_name(names("a", &["c"]), names("b", &["d"])), None);
    }

    #[test]
    fn text_that_does_not_fit_is_left_out_whole() {
        let long = "x".repeat(1020);
        assert_eq!(Text::new(&long).and("12345").and("ä").as_str().len(), 1022);
    }
}
