//! Types that are hard to read: recursive, untagged, tagged, flattened, with names that may be anything.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::{Subject, leaf_was_read};

/// All of them.
pub fn subjects() -> Vec<Subject> {
    vec![
        Subject::new::<Holder<Untagged>>("untagged"),
        Subject::new::<Holder<Shared>>("untagged with shared members"),
        Subject::new::<Holder<Internal>>("internally tagged"),
        Subject::new::<Holder<Adjacent>>("adjacently tagged"),
        Subject::new::<Holder<External>>("externally tagged"),
        Subject::new::<Holder<Flat>>("flattened"),
        Subject::new::<Sometimes>("flattened options"),
        Subject::new::<Maps>("maps"),
        Subject::new::<Rules>("rules"),
    ]
}

/// A leaf that counts how often serde reads one.
#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(with = "u8")]
struct Leaf(u8);

impl<'de> Deserialize<'de> for Leaf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        leaf_was_read();
        u8::deserialize(deserializer).map(Self)
    }
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Holder<T> {
    value: Option<T>,
    #[serde(default, alias = "others")]
    rest: Vec<T>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    And { and: Vec<Untagged> },
    Or { or: Vec<Untagged> },
    Not { not: Box<Untagged> },
    Is { field: String, is: Leaf },
    Pair(Leaf, Option<bool>),
    Word(Word),
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Shared {
    And { e: Box<Shared>, a: Leaf },
    Or { e: Box<Shared>, b: Leaf },
    Is { is: Leaf },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Internal {
    And {
        of: Vec<Internal>,
    },
    #[serde(alias = "no")]
    Not {
        of: Box<Internal>,
    },
    Is {
        is: Leaf,
    },
    Of(Named),
    #[serde(other)]
    Any,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op", content = "of")]
enum Adjacent {
    And(Vec<Adjacent>),
    Not(Box<Adjacent>),
    Is(Leaf),
    None,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum External {
    And(Vec<External>),
    Not(Box<External>),
    Is(Leaf),
    Named { a: Leaf, b: Option<Leaf> },
    None,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Flat {
    name: Option<String>,
    #[serde(flatten)]
    rest: FlatArm,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FlatArm {
    And { of: Vec<Flat> },
    Not { not: Box<Flat> },
    Is { is: Leaf },
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sometimes {
    id: Leaf,
    #[serde(flatten)]
    page: Option<Page>,
    #[serde(flatten)]
    named: Option<Named>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Page {
    #[serde(alias = "p")]
    page: Leaf,
    size: Leaf,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Named {
    first: String,
    last: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Maps {
    #[serde(default)]
    by_number: BTreeMap<u8, Maps>,
    #[serde(default)]
    by_name: BTreeMap<String, Named>,
    #[serde(default)]
    by_word: BTreeMap<Word, Leaf>,
    #[serde(default)]
    words: BTreeSet<Word>,
    nothing: Option<Nothing>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    Red,
    #[serde(alias = "verde")]
    Green,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Rules {
    #[schemars(regex(pattern = r"^[a-z]+\d?$"))]
    id: Option<String>,
    #[schemars(length(min = 1, max = 3))]
    #[serde(default = "one")]
    tags: Vec<Tag>,
    #[schemars(range(min = -1, max = 10))]
    amount: Option<f64>,
    whole: Option<i128>,
    any: Option<serde_json::Value>,
}

fn one() -> Vec<Tag> {
    vec![Tag { text: "ab".to_owned() }]
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Tag {
    #[schemars(length(min = 2, max = 4))]
    text: String,
}
