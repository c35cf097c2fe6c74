//! Sequences, sets, maps, tuples, and std types that serde writes as objects.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::ops::{Bound, Range, RangeInclusive};
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Left,
    Right,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DocumentedSide {
    /// To the left.
    Left,
    Right,
}

/// A set without an order, which is written in one all the same, so that two readings can be compared.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Words {
    #[serde(serialize_with = "in_order")]
    value: HashSet<String>,
}

fn in_order<S: Serializer>(words: &HashSet<String>, writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_seq(words.iter().collect::<BTreeSet<_>>())
}

/// Maps with `bool` keys are missing: `serde_json` 1.0.154 reads a key that starts with a letter outside ASCII from
/// the middle of that letter, and panics.
pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "Vec<u8>" => Field<Vec<u8>>,
        "Vec<Option<u8>>" => Field<Vec<Option<u8>>>,
        "Vec<Vec<bool>>" => Field<Vec<Vec<bool>>>,
        "Option<Vec<String>>" => Maybe<Vec<String>>,
        "VecDeque" => Field<VecDeque<bool>>,
        "LinkedList" => Field<LinkedList<bool>>,
        "[u8; 0]" => Field<[u8; 0]>,
        "[u8; 3]" => Field<[u8; 3]>,
        "(f64, f64)" => Field<(f64, f64)>,
        "(u32, String)" => Field<(u32, String)>,
        "(bool,)" => Field<(bool,)>,
        "(u8, Option<String>)" => Field<(u8, Option<String>)>,
        "BTreeMap<String, (u8, Option<bool>)>" => Field<BTreeMap<String, (u8, Option<bool>)>>,
        "Vec<(String, Option<u8>)>" => Field<Vec<(String, Option<u8>)>>,
        "BTreeSet<u8>" => Field<BTreeSet<u8>>,
        "HashSet<String>" => Words,
        "HashMap<String, u8>" => Field<HashMap<String, u8>>,
        "BTreeMap<String, Option<u8>>" => Field<BTreeMap<String, Option<u8>>>,
        "BTreeMap<u64, f64>" => Field<BTreeMap<u64, f64>>,
        "BTreeMap<i64, bool>" => Field<BTreeMap<i64, bool>>,
        "BTreeMap<u8, bool>" => Field<BTreeMap<u8, bool>>,
        "BTreeMap<Side, bool>" => Field<BTreeMap<Side, bool>>,
        "BTreeMap<Documented, bool>" => Field<BTreeMap<DocumentedSide, bool>>,
        "BTreeMap<bool, u8>" => Field<BTreeMap<bool, u8>>,
        "Option<HashMap<bool, HashMap<u8, bool>>>" => Maybe<HashMap<bool, HashMap<u8, bool>>>,
        "BTreeMap<char, bool>" => Field<BTreeMap<char, bool>>,
        "BTreeMap<Uuid, bool>" => Field<BTreeMap<uuid::Uuid, bool>>,
        "BTreeMap<NaiveDate, bool>" => Field<BTreeMap<chrono::NaiveDate, bool>>,
        "BTreeMap<IpAddr, bool>" => Field<BTreeMap<std::net::IpAddr, bool>>,
        "BTreeMap<NonZeroU8, bool>" => Field<BTreeMap<std::num::NonZeroU8, bool>>,
        "BTreeMap<String, BTreeMap<String, Side>>" => Field<BTreeMap<String, BTreeMap<String, Side>>>,
        "Value" => Field<Value>,
        "Option<Value>" => Maybe<Value>,
        "Map" => Field<Map<String, Value>>,
        "Vec<Value>" => Field<Vec<Value>>,
        "Map as the root" => Map<String, Value>,
        "BTreeMap<String, u8> as the root" => BTreeMap<String, u8>,
        "Duration" => Field<Duration>,
        "Option<Duration>" => Maybe<Duration>,
        "SystemTime" => Field<SystemTime>,
        "Range" => Field<Range<u8>>,
        "RangeInclusive" => Field<RangeInclusive<u8>>,
        "Bound" => Field<Bound<u8>>,
        "Result" => Field<Result<u8, String>>,
    }
}
