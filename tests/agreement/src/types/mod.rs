//! Types as data: what a generated type looks like, before it is Rust.

mod embellish;
mod excuse;
mod make;
mod names;
mod render;
mod shrink;
mod value;

use serde::{Deserialize, Serialize};

pub use excuse::EXCUSES;
pub use make::{Features, make};
pub use names::Style;
pub use render::render;
pub use shrink::shrink;
pub use value::{HUSHED, Writer};

/// A tool's type, with all types that it uses. The first definition is the tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The name of the tool, and of the module that holds the types.
    pub name: String,
    /// The types, the tool first.
    pub definitions: Vec<Definition>,
}

/// One struct or enum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name in Rust.
    pub name: String,
    /// Whether it has a type parameter `T`.
    pub is_generic: bool,
    /// Its doc comment.
    pub doc: Option<String>,
    /// `rename_all` of fields, or of variants.
    pub rename_all: Option<Style>,
    /// `rename_all_fields` of an enum.
    pub rename_fields: Option<Style>,
    /// `deny_unknown_fields`.
    pub is_closed: bool,
    /// `#[serde(default)]` on the struct itself.
    pub has_default: bool,
    /// What it is made of.
    pub shape: Shape,
}

/// What a type is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// `struct S { … }`
    Struct(Vec<Field>),
    /// `struct S(A, B);`
    Tuple(Vec<Field>),
    /// `struct S(A);`, with `transparent` or without.
    Newtype(Box<Field>, bool),
    /// `struct S;`
    Unit,
    /// An enum.
    Enum(Tagging, Vec<Variant>),
    /// A newtype that serde reads `from` another type and writes `into` it.
    From(Type),
    /// As [`Shape::From`], by `try_from`, which refuses nothing.
    TryFrom(Type),
}

/// How an enum shows which variant it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Tagging {
    /// `{"Variant": …}`
    External,
    /// `{"tag": "Variant", …}`
    Internal(String),
    /// `{"tag": "Variant", "content": …}`
    Adjacent(String, String),
    /// Not at all.
    Untagged,
}

/// One variant of an enum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name in Rust.
    pub name: String,
    /// Its doc comment.
    pub doc: Option<String>,
    /// `rename`
    pub rename: Option<String>,
    /// `alias`
    pub aliases: Vec<String>,
    /// What stands out about it.
    pub role: Role,
    /// What it holds.
    pub body: Body,
}

/// What stands out about a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Nothing.
    Plain,
    /// `#[serde(other)]`
    Other,
    /// `#[serde(untagged)]` in an enum that has tags.
    Untagged,
    /// `#[serde(skip)]`
    Skipped,
}

/// What a variant holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// Nothing.
    Unit,
    /// One value.
    Newtype(Box<Field>),
    /// Several values.
    Tuple(Vec<Field>),
    /// Named fields.
    Struct(Vec<Field>),
}

/// A field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name in Rust; unused where fields have none.
    pub name: String,
    /// Its type.
    pub of: Type,
    /// Its doc comment.
    pub doc: Option<String>,
    /// `rename`
    pub rename: Option<String>,
    /// `alias`
    pub aliases: Vec<String>,
    /// `default`
    pub default: Preset,
    /// `skip…`
    pub skip: Skip,
    /// `flatten`
    pub is_flat: bool,
    /// `with`, `deserialize_with`
    pub with: Option<With>,
    /// Bounds and the like.
    pub rule: Option<Rule>,
    /// Whether the bound is an attribute of ours, for the fields of a tool alone, or one of schemars.
    pub is_rule_ours: bool,
    /// `secret` or `credential`, for the fields of a tool alone.
    pub secrecy: Secrecy,
}

/// `default`, or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Preset {
    /// No default.
    None,
    /// `default`
    Plain,
    /// `default = "function"`; the function gives what this JSON text means.
    Function(String),
}

/// Which ways a field does not go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Skip {
    /// It goes both ways.
    Never,
    /// `skip`
    Both,
    /// `skip_deserializing`
    Reading,
    /// `skip_serializing`
    Writing,
    /// `skip_serializing_if`, for an `Option`.
    WritingNone,
}

/// Who may see a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Secrecy {
    /// Everyone.
    None,
    /// The caller; never part of the output of the call.
    Secret,
    /// The server alone, which sets it.
    Credential,
}

/// What reads and writes a field instead of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum With {
    /// A `u64` as a string of digits.
    Digits,
    /// An `Option<Option<T>>` that tells an absent member from a null one.
    Double,
}

/// A rule that the schema shows and serde does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Rule {
    /// Bounds of a number.
    Range(i64, i64),
    /// Bounds of the length of a text or list.
    Length(u64, u64),
    /// A pattern of a text, by its place in [`PATTERNS`].
    Pattern(usize),
    /// A pattern of each item of a list.
    ItemPattern(usize),
}

/// Patterns, each with texts that match it.
pub const PATTERNS: &[(&str, &[&str])] = &[
    (r"^#W\d{7}$", &["#W0000001", "#W1234567"]),
    ("^[a-z]+$", &["a", "abc"]),
    ("^[a-z]{2,4}$", &["ab", "abcd"]),
    ("^(red|green)$", &["red", "green"]),
];

/// A type where it is used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// A type that is written as one word.
    Leaf(Leaf),
    /// `Option<…>`
    Option(Box<Type>),
    /// `Box<…>`
    Boxed(Box<Type>),
    /// `Vec<…>`
    List(Box<Type>),
    /// `BTreeSet<…>`
    Set(Box<Type>),
    /// `[…; n]`
    Array(Box<Type>, usize),
    /// `(…, …)`
    Tuple(Vec<Type>),
    /// `BTreeMap<…, …>`
    Map(Box<Type>, Box<Type>),
    /// The set or map inside as one of `std` that has no order.
    Hashed(Box<Type>),
    /// A definition by its place, with its argument if it is generic.
    Named(usize, Option<Box<Type>>),
    /// The type parameter of the definition.
    Parameter,
}

macro_rules! leaves {
    ($($name:ident: $rust:literal, $default:literal, $key:literal, [$($sample:literal),+];)+) => {
        /// Types that are written as one word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each is the Rust type of its name")]
        pub enum Leaf { $($name),+ }

        impl Leaf {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The type in Rust.
            pub fn rust(self) -> &'static str {
                match self { $(Self::$name => $rust),+ }
            }

            /// Whether the type has a `Default`.
            pub fn has_default(self) -> bool {
                match self { $(Self::$name => $default),+ }
            }

            /// Whether the type can be a key of a map.
            pub fn is_key(self) -> bool {
                match self { $(Self::$name => $key),+ }
            }

            /// Values as JSON.
            pub fn samples(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($sample),+]),+ }
            }
        }
    };
}

leaves! {
    Bool: "bool", true, false, ["false", "true"];
    U8: "u8", true, true, ["1", "0", "255"];
    U16: "u16", true, true, ["1", "0", "65535"];
    U32: "u32", true, true, ["1", "0", "4294967295"];
    U64: "u64", true, true, ["1", "0", "9007199254740991"];
    Usize: "usize", true, false, ["1", "0", "7"];
    U128: "u128", true, false, ["1", "0", "7"];
    I8: "i8", true, true, ["1", "-128", "127"];
    I16: "i16", true, true, ["1", "-300", "300"];
    I32: "i32", true, true, ["1", "-1", "70000"];
    I64: "i64", true, true, ["1", "-1", "9007199254740991"];
    I128: "i128", true, false, ["1", "-1", "7"];
    NonZeroU8: "NonZeroU8", false, true, ["1", "255"];
    NonZeroI32: "NonZeroI32", false, true, ["1", "-1"];
    F32: "f32", true, false, ["1.5", "0.25", "-2.0", "3"];
    F64: "f64", true, false, ["1.5", "0.25", "-2.0", "3"];
    String: "String", true, true, ["\"a\"", "\"\"", "\"1\"", "\"abc\"", "\"null\"", "\"é𝄞\""];
    BoxStr: "Box<str>", true, false, ["\"a\"", "\"\""];
    Char: "char", false, true, ["\"a\"", "\"é\"", "\"𝄞\""];
    Unit: "()", true, false, ["null"];
    Value: "Value", true, false, ["1", "\"a\"", "{\"a\":[1,null]}", "[]", "true", "1.5"];
    Path: "PathBuf", true, false, ["\"/tmp/a\"", "\"\""];
    Instant: "DateTime<Utc>", true, false, ["\"2026-07-28T12:30:00Z\"", "\"2024-02-29T23:59:59.5+02:00\""];
    Date: "NaiveDate", true, true, ["\"2026-07-28\"", "\"2024-02-29\""];
    Time: "NaiveTime", true, false, ["\"12:30:00\"", "\"23:59:59.5\""];
    LocalTime: "NaiveDateTime", true, false, ["\"2026-07-28T12:30:00\""];
    Weekday: "Weekday", false, false, ["\"Mon\"", "\"Sun\""];
    Uuid: "Uuid", true, true, ["\"67e55044-10b1-426f-9247-bb680e5fe0c8\"", "\"00000000-0000-4000-8000-000000000000\""];
    Url: "Url", false, false, ["\"https://example.com/\"", "\"mailto:a@b.example\""];
    Decimal: "Decimal", true, false, ["\"1.25\"", "\"-3\"", "2", "0.5"];
    Bytes: "Bytes", true, false, ["[1,255]", "[]"];
    Ipv4: "Ipv4Addr", false, true, ["\"127.0.0.1\""];
    Ipv6: "Ipv6Addr", false, true, ["\"::1\""];
    Ip: "IpAddr", false, true, ["\"127.0.0.1\"", "\"::1\""];
    Socket: "SocketAddr", false, false, ["\"127.0.0.1:80\"", "\"[::1]:80\""];
    Duration: "Duration", true, false, ["{\"secs\":1,\"nanos\":0}"];
    Version: "Version", false, false, ["\"1.2.3\"", "\"1.0.0-rc.1\""];
    Timestamp: "Timestamp", true, false, ["\"2026-07-28T12:30:00Z\""];
    Zoned: "Zoned", true, false, ["\"2026-07-28T12:30:00+02:00[+02:00]\""];
    CivilTime: "civil::Time", true, false, ["\"12:30:00\""];
}

impl Type {
    /// The leaf.
    pub fn leaf(leaf: Leaf) -> Self {
        Self::Leaf(leaf)
    }

    /// `Option` of this type.
    #[must_use]
    pub fn optional(self) -> Self {
        Self::Option(Box::new(self))
    }

    /// The types directly inside.
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::Leaf(_) | Self::Parameter | Self::Named(_, None) => Vec::new(),
            Self::Option(one)
            | Self::Boxed(one)
            | Self::List(one)
            | Self::Set(one)
            | Self::Array(one, _)
            | Self::Hashed(one)
            | Self::Named(_, Some(one)) => vec![one],
            Self::Map(key, value) => vec![key, value],
            Self::Tuple(items) => items.iter().collect(),
        }
    }
}

impl Field {
    /// A field without attributes.
    pub fn new(name: &str, of: Type) -> Self {
        Self {
            name: name.to_owned(),
            of,
            doc: None,
            rename: None,
            aliases: Vec::new(),
            default: Preset::None,
            skip: Skip::Never,
            is_flat: false,
            with: None,
            rule: None,
            is_rule_ours: false,
            secrecy: Secrecy::None,
        }
    }

    /// Whether it is an `Option` that serde may leave out.
    pub fn is_option(&self) -> bool {
        matches!(self.of, Type::Option(_)) && self.with.is_none()
    }

    /// Whether serde reads it at all.
    pub fn is_read(&self) -> bool {
        !matches!(self.skip, Skip::Both | Skip::Reading)
    }

    /// Whether callers send it.
    pub fn is_sent(&self) -> bool {
        self.is_read() && self.secrecy != Secrecy::Credential
    }
}

impl Body {
    /// The fields.
    pub fn fields(&self) -> &[Field] {
        match self {
            Self::Unit => &[],
            Self::Newtype(field) => std::slice::from_ref(field),
            Self::Tuple(fields) | Self::Struct(fields) => fields,
        }
    }

    /// The fields, to be changed.
    pub fn fields_mut(&mut self) -> &mut [Field] {
        match self {
            Self::Unit => &mut [],
            Self::Newtype(field) => std::slice::from_mut(field),
            Self::Tuple(fields) | Self::Struct(fields) => fields,
        }
    }
}

impl Definition {
    /// All fields, those of variants too.
    pub fn fields(&self) -> Vec<&Field> {
        match &self.shape {
            Shape::Struct(fields) | Shape::Tuple(fields) => fields.iter().collect(),
            Shape::Newtype(field, _) => vec![field],
            Shape::Enum(_, variants) => variants.iter().flat_map(|variant| variant.body.fields()).collect(),
            Shape::Unit | Shape::From(_) | Shape::TryFrom(_) => Vec::new(),
        }
    }

    /// The types that it uses directly.
    pub fn uses(&self) -> Vec<&Type> {
        match &self.shape {
            Shape::From(via) | Shape::TryFrom(via) => vec![via],
            _ => self.fields().into_iter().map(|field| &field.of).collect(),
        }
    }

    /// The types that it uses directly, to be changed.
    pub fn uses_mut(&mut self) -> Vec<&mut Type> {
        match &mut self.shape {
            Shape::Unit => Vec::new(),
            Shape::From(via) | Shape::TryFrom(via) => vec![via],
            Shape::Newtype(field, _) => vec![&mut field.of],
            Shape::Struct(fields) | Shape::Tuple(fields) => {
                fields.iter_mut().map(|field| &mut field.of).collect()
            }
            Shape::Enum(_, variants) => {
                let fields = variants.iter_mut().flat_map(|variant| variant.body.fields_mut());
                fields.map(|field| &mut field.of).collect()
            }
        }
    }

    /// Whether it is an enum of unit variants alone, which can be a key and an item of a set.
    pub fn is_plain_enum(&self) -> bool {
        matches!(&self.shape, Shape::Enum(Tagging::External, variants)
            if variants.iter().all(|variant| variant.body == Body::Unit && variant.role != Role::Untagged))
    }
}

impl Model {
    /// Whether `wanted` holds for a type that is used somewhere, or for a part of one.
    pub fn uses(&self, wanted: impl Fn(&Type) -> bool) -> bool {
        let mut next: Vec<&Type> = self.definitions.iter().flat_map(Definition::uses).collect();
        while let Some(one) = next.pop() {
            if wanted(one) {
                return true;
            }
            next.extend(one.inner());
        }
        false
    }
}
