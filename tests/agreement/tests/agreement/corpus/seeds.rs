//! More generated types that once failed, found with other seeds; see `kept`.

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use test_agreement::case::Case;
use test_agreement::cases;
use url::Url;

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "null beside an empty closed variant" => EmptyVariant,
        "written and not read in a variant" => WrittenOnly,
        "flattened option in a recursive variant" => DeepOption,
        "keys tell untagged variants apart" => ByKeys,
        "alias beside a map of anything" => AliasAndMap,
        "address in a flattened untagged enum" => Located,
        "flattened option in one variant of many" => OneOption,
        "dates in an untagged enum" => Dates,
        "variant of any JSON" => AnyJson,
        "default that its variant does not read" => Preset,
        "keys beside an enum in an untagged one" => Stocked,
        "flattened enum in a recursive type" => Nest,
    }
}

/// Arguments for the cases of these names, as JSON.
pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("null beside an empty closed variant", r#"{"op":"Many","name":null,"y":0}"#),
    ("null beside an empty closed variant", r#"{"op":"Many","y":0,"name":null}"#),
    ("written and not read in a variant", r#"{"list":[{"op":"Many"}]}"#),
    ("written and not read in a variant", r#"{"list":[{"op":"Many","y":0},{"op":"Many","y":1}]}"#),
    ("flattened option in a recursive variant", r#"{"op":"Cash","next":{"op":"Cash","kind":1}}"#),
    ("flattened option in a recursive variant", r#"{"op":"Cash","y":1,"next":{"op":"Cash","y":1,"kind":1}}"#),
    ("keys tell untagged variants apart", r#"{"y":{"place":{"place":[]}}}"#),
    ("keys tell untagged variants apart", r#"{"y":{"place":{"::1":[]}}}"#),
    ("alias beside a map of anything", r#"{"limit":"Nothing","a":1}"#),
    ("address in a flattened untagged enum", r#"{"page":1,"at":"https://example.com/"}"#),
    ("address in a flattened untagged enum", r#"{"page":1,"y":[1]}"#),
    ("flattened option in one variant of many", r#"{"is":"Rest","parts":false}"#),
    ("flattened option in one variant of many", r#"{"is":"Part","parts":1}"#),
    ("dates in an untagged enum", r#"{"y":{"y":{"y":"+2026-07-28"}}}"#),
    ("dates in an untagged enum", r#"{"y":{"y":"soon"}}"#),
    ("variant of any JSON", r#"{"name":[[{"y":[]},256,{"y":{"0":[]}}],-1,false]}"#),
    ("default that its variant does not read", r#"{"name":{"op":"Nothing"}}"#),
    ("keys beside an enum in an untagged one", r#"{"by":{"Red":1}}"#),
    ("keys beside an enum in an untagged one", r#"{"by":{"other":1}}"#),
    (
        "flattened enum in a recursive type",
        r#"{"inner":{"inner":{"inner":{"Tit":"a"},"Owl":1},"Tit":"a"},"Owl":1}"#,
    ),
];

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum EmptyVariant {
    Cash {
        name: u8,
    },
    Many {
        #[serde(flatten)]
        name: Closed,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, untagged)]
enum Closed {
    Empty {},
    Numbered { y: Option<i16> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct WrittenOnly {
    list: Vec<Written>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Written {
    Card {
        y: u8,
    },
    Many {
        #[serde(skip_deserializing)]
        y: u8,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum DeepOption {
    Cash {
        #[serde(flatten)]
        part: Option<Part>,
        next: Option<Box<DeepOption>>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Part {
    y: u8,
    kind: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ByKeys {
    y: Keyed,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Keyed {
    Many { place: BTreeMap<Ipv6Addr, Vec<String>> },
    ByName { place: Option<Vec<()>> },
    Slow { place: Option<Box<Keyed>> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct AliasAndMap {
    #[serde(flatten)]
    rest: Option<BTreeMap<String, Value>>,
    limit: Option<Limit>,
    next: Option<Box<AliasAndMap>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Limit {
    Number,
    #[serde(alias = "also")]
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Located {
    #[serde(flatten)]
    place: Place,
    page: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Place {
    At {
        at: Url,
    },
    Nothing {
        #[serde(default)]
        y: Vec<u8>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is")]
enum OneOption {
    Part {
        #[serde(flatten)]
        part: Option<Counted>,
    },
    Rest {
        #[serde(flatten)]
        rest: Option<BTreeMap<String, Value>>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Counted {
    count: u8,
    parts: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Dates {
    y: Option<Dated>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Dated {
    Day { y: Option<NaiveDate> },
    Text { y: Option<String> },
    Deeper { y: Option<Box<Dated>> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct AnyJson {
    name: Option<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    List(Vec<Tree>),
    Node { y: Vec<Tree> },
    Anything(Value),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Preset {
    name: Stored,
}

impl Default for Preset {
    fn default() -> Self {
        Self { name: Stored::Nothing { y: 0 } }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Stored {
    Card {
        y: String,
    },
    Nothing {
        #[serde(skip_deserializing)]
        y: u8,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Stocked {
    by: Stock,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, untagged)]
enum Stock {
    All(Shelf),
    Counted(BTreeMap<Color, i8>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Shelf {
    Upper,
    Lower,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
enum Color {
    Red,
    Green,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Nest {
    inner: Option<Box<Nest>>,
    #[serde(flatten)]
    bird: Bird,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Bird {
    Owl(u8),
    Tit(String),
}
