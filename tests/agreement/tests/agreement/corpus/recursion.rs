//! Types that hold themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct List {
    value: u8,
    next: Option<Box<List>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tree {
    label: Option<String>,
    children: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Named {
    named: BTreeMap<String, Named>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Folder {
    entries: Vec<Entry>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "lowercase")]
pub(crate) enum Entry {
    Folder { folder: Folder },
    File { size: u32 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expression {
    Number(i32),
    Sum(Vec<Expression>),
    Negated(Box<Expression>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Json {
    Flag(bool),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "list" => List,
        "tree" => Tree,
        "member that is a tree" => Maybe<Tree>,
        "through a map" => Named,
        "mutual" => Folder,
        "mutual, from the other side" => Field<Entry>,
        "expression" => Field<Expression>,
        "untagged JSON" => Field<Json>,
    }
}
