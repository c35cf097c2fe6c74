//! Structs with every attribute of serde.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::corpus::collections::Side;
use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Point {
    x: i32,
    y: i32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Newtype(Point);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Transparent {
    inner: Newtype,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Pair(u8, String);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renamed {
    long_name: String,
    #[serde(rename = "type")]
    kind: Side,
    #[serde(rename(serialize = "written", deserialize = "read"))]
    both_ways: Option<bool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Defaults {
    #[serde(default)]
    plain: u8,
    #[serde(default = "seven")]
    by_function: u8,
    #[serde(default)]
    list: Vec<String>,
    #[serde(default)]
    option: Option<Side>,
}

fn seven() -> u8 {
    7
}

#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct DefaultsOfAll {
    is_first: bool,
    second_text: String,
    third: Option<Box<u8>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Skips {
    kept: u8,
    #[serde(skip)]
    #[expect(dead_code, reason = "what is skipped both ways is read by nobody")]
    never: u8,
    #[serde(skip_deserializing)]
    only_written: u8,
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "read by serde and never written")]
    only_read: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    sometimes: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Closed {
    a: u8,
    b: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Aliases {
    #[serde(alias = "colour", alias = "tint")]
    color: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Paging {
    page: u32,
    size: Option<u32>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlattenClosed {
    service: String,
    #[serde(flatten)]
    page: Paging,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenTwice {
    name: String,
    #[serde(flatten)]
    page: Paging,
    #[serde(flatten)]
    point: Newtype,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenOption {
    name: String,
    #[serde(flatten)]
    page: Option<Paging>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenMap {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenAnything {
    name: String,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Nested {
    flat: FlattenOption,
    closed: Closed,
    open: FlattenMap,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Generic<A, B> {
    a: A,
    b: Option<B>,
    both: Vec<(A, B)>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct WithModule {
    /// Seconds, written as text.
    #[serde(with = "as_text")]
    #[schemars(with = "String", regex(pattern = "^(0|[1-9][0-9]*)$"))]
    seconds: u64,
}

mod as_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    pub(super) fn serialize<S: Serializer>(seconds: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(seconds)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct DeserializeWith {
    #[serde(default, deserialize_with = "widened")]
    #[schemars(with = "Option<u8>")]
    wide: Option<u16>,
}

fn widened<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    Ok(Option::<u8>::deserialize(deserializer)?.map(u16::from))
}

#[derive(Serialize, Deserialize, JsonSchema, Clone)]
#[serde(try_from = "u8", into = "u8")]
pub(crate) struct Percent(u8);

impl TryFrom<u8> for Percent {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, String> {
        if value <= 100 { Ok(Self(value)) } else { Err(format!("{value} % is more than all")) }
    }
}

impl From<Percent> for u8 {
    fn from(percent: Percent) -> Self {
        percent.0
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct KeywordNames {
    properties: BTreeMap<String, String>,
    r#type: String,
    required: bool,
    items: Vec<String>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
    r#enum: Option<Side>,
    r#const: Value,
    default: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Remote {
    pointer: Box<Point>,
    text: Box<str>,
    cell: RefCell<u8>,
}

/// Serde gives each of the two all members that no field has.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenTwoMaps {
    name: String,
    #[serde(flatten)]
    first: HashMap<String, u8>,
    #[serde(flatten)]
    second: BTreeMap<String, u8>,
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = cases! {
        "empty struct" => Empty,
        "struct" => Point,
        "newtype" => Newtype,
        "transparent" => Transparent,
        "nested unit struct" => Field<Unit>,
        "nested tuple struct" => Field<Pair>,
        "rename" => Renamed,
        "default" => Defaults,
        "default on the struct" => DefaultsOfAll,
        "skip" => Skips,
        "deny_unknown_fields" => Closed,
        "alias" => Aliases,
        "flatten, closed" => FlattenClosed,
        "flatten twice" => FlattenTwice,
        "flatten Option" => FlattenOption,
        "flatten map" => FlattenMap,
        "flatten two maps" => FlattenTwoMaps,
        "flatten anything" => FlattenAnything,
        "nested structs" => Nested,
        "Vec of structs" => Field<Vec<Point>>,
        "Option of a struct" => Maybe<Closed>,
        "generic" => Generic<u8, Side>,
        "generic of generic" => Generic<String, Generic<bool, Point>>,
        "with" => WithModule,
        "deserialize_with" => DeserializeWith,
        "try_from" => Field<Percent>,
        "names of keywords" => KeywordNames,
        "pointers" => Remote,
    };
    cases.push(Case::of::<Unit>("unit struct").unit());
    cases.push(Case::of::<Paging>("allow_unknown").allow_unknown());
    cases.push(Case::of::<FlattenOption>("flatten Option, allow_unknown").allow_unknown());
    cases.push(Case::of::<FlattenMap>("flatten map, allow_unknown").allow_unknown());
    cases
}
