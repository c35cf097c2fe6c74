//! Generated types that once failed, made smaller and kept, each with values about which schema, call and serde differed.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use test_agreement::case::Case;
use test_agreement::cases;

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "null of a flattened variant" => NullVariant,
        "null beside a flattened map" => NullBesideMap,
        "null beside an optional flattened map" => NullBesideOptionalMap,
        "untagged addresses" => Addresses,
        "untagged numbers" => Numbers,
        "enum below a flattened option" => DeepEnum,
        "flattened enum beside a map" => EnumAndMap,
        "default that is not read" => Unread,
        "other beside a map" => OtherBesideMap,
        "other at a merged root" => OtherAtRoot,
        "other in a flattened option" => OtherSwallowed,
        "members of other variants" => Untagged,
        "unit in a flattened option" => OptionalUnit,
        "alias of a variant with a flattened enum" => AliasOfFlattened,
        "empty variant of an untagged enum" => Empty,
        "keys in a flattened option that needs more" => Machines,
        "short tuples at every depth" => Steps,
    }
}

/// Arguments for the cases of these names, as JSON.
pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("null of a flattened variant", r#"{"id":1,"Card":null}"#),
    ("null of a flattened variant", r#"{"id":1,"Cash":{"amount":1},"Card":null}"#),
    ("null beside a flattened map", r#"{"is":"Cash","a":1,"page":null}"#),
    ("null beside a flattened map", r#"{"is":"Cash","a":null}"#),
    ("null beside an optional flattened map", r#"{"op":"Card","name":null}"#),
    ("null beside an optional flattened map", r#"{"op":"Card","a":1,"name":null}"#),
    ("untagged addresses", r#"{"y":"127.0.0.1"}"#),
    ("untagged addresses", r#"{"y":"127.0.0.1:80"}"#),
    ("untagged addresses", r#"{"y":"text"}"#),
    ("untagged numbers", r#"{"y":{"n":256}}"#),
    ("untagged numbers", r#"{"y":{"n":65536}}"#),
    ("enum below a flattened option", r#"{"y":1,"kinds":[{"note":"many","parts":[["7"," "]]}]}"#),
    ("flattened enum beside a map", r#"{"one":{"Card":{"kind":1},"Cash":{"y":1}}}"#),
    ("flattened enum beside a map", r#"{"one":{"Cash":7,"Card":{"kind":1}}}"#),
    ("default that is not read", r#"{"part":{"note":1}}"#),
    ("other beside a map", r#"{"is":"null","unknown":false}"#),
    ("other at a merged root", r#"{"kind":"Card","name":"Nothingx"}"#),
    ("other in a flattened option", r#"{"op":"ByName","with":{"address":"0"}}"#),
    ("members of other variants", r#"{"name":1,"y":0}"#),
    ("unit in a flattened option", r#"{"mark":null}"#),
    ("unit in a flattened option", r#"{"text":"a"}"#),
    ("alias of a variant with a flattened enum", r#"{"op":"Many","Fast":[1,1.5]}"#),
    ("empty variant of an untagged enum", r#"{"y":{"is":"Many","note":[1.0,0.0]}}"#),
    ("empty variant of an untagged enum", r#"{"y":{"is":"ByName","x":"false"}}"#),
    ("keys in a flattened option that needs more", r#"{"count":[],"kind":"Many","of":[{"x":1},{}]}"#),
    ("keys in a flattened option that needs more", r#"{"count":[],"kind":"Many","of":[{"::1":1},{}]}"#),
    ("short tuples at every depth", r#"{"op":"Run","with":[[],[{"op":"Run","with":[[1]]}]]}"#),
];

#[derive(Serialize, Deserialize, JsonSchema)]
struct NullVariant {
    id: u8,
    #[serde(flatten)]
    page: Box<Means>,
    list: Option<Vec<BTreeMap<String, NullVariant>>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
enum Means {
    Cash { amount: u8 },
    Card(Option<[u8; 3]>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is")]
enum NullBesideMap {
    Cash {
        #[serde(flatten)]
        counts: BTreeMap<String, u8>,
    },
    Card {
        page: Option<String>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum NullBesideOptionalMap {
    Cash {
        name: Option<String>,
    },
    Card {
        #[serde(flatten)]
        name: Option<BTreeMap<String, u8>>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Addresses {
    #[serde(flatten)]
    name: Address,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Address {
    Machine { y: Option<IpAddr> },
    Port { y: SocketAddr },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Numbers {
    y: Number,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Number {
    Small { n: u8 },
    Large { n: u16 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct DeepEnum {
    #[serde(flatten)]
    limit_to: Option<Inner>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Inner {
    y: u64,
    kinds: Option<Vec<Kinds>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Kinds {
    note: Kind,
    parts: Option<Vec<Vec<Kind>>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Many,
    ByName,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct EnumAndMap {
    one: EnumBesideMap,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct EnumBesideMap {
    #[serde(flatten)]
    name: Variants,
    #[serde(flatten)]
    page: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Variants {
    Card { kind: u8 },
    Cash { y: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Unread {
    part: Part,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Part {
    #[serde(rename = "note~", skip_deserializing)]
    unread: u8,
    note: u8,
}

impl Default for Unread {
    fn default() -> Self {
        Self { part: Part { unread: 1, note: 2 } }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is")]
enum OtherBesideMap {
    Cash {
        #[serde(flatten)]
        name: Option<BTreeMap<String, bool>>,
    },
    #[serde(other)]
    Card,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum OtherAtRoot {
    Card { name: Word },
    Nothing { name: Option<Vec<u8>> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Word {
    Card,
    Nothing,
    #[serde(other)]
    Many,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OtherSwallowed {
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "with")]
enum Place {
    ByName {
        address: Ipv4Addr,
    },
    #[serde(other)]
    Fast,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Untagged {
    name: u8,
    #[serde(flatten)]
    page: Option<Forms>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Forms {
    Text {
        y: String,
        kind_of: (String, u32),
    },
    Number {
        y: Option<u8>,
        #[serde(default)]
        kind_of: i32,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct OptionalUnit {
    #[serde(flatten)]
    name: Option<Marked>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Marked {
    text: String,
    mark: (),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum AliasOfFlattened {
    Nothing,
    #[serde(alias = "also")]
    Many {
        #[serde(flatten)]
        y: Option<Manner>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Manner {
    Fast([Value; 2]),
    Slow { by: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {
    y: Tagged,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is")]
enum Tagged {
    Many {
        note: Option<[u64; 2]>,
    },
    ByName {
        #[serde(flatten)]
        count: BTreeMap<String, bool>,
    },
    #[serde(untagged)]
    Fast {},
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Machines {
    #[serde(flatten)]
    state: Option<Counted>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Counted {
    #[serde(flatten)]
    note: Addressed,
    count: Vec<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "of")]
enum Addressed {
    Many([BTreeMap<Ipv6Addr, f64>; 2]),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Steps {
    #[serde(flatten)]
    limit_to: Option<Step>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "with")]
enum Step {
    Stop,
    Run(Vec<u8>, #[serde(default)] Vec<Step>),
}
