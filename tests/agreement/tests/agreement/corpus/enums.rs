//! Enums in all representations, as a member and as the root.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::corpus::structs::Point;
use test_agreement::case::{Case, Field, Maybe};
use test_agreement::cases;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum Plain {
    First,
    #[serde(rename = "2nd")]
    Second,
}

/// With a text for each variant.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Documented {
    /// Quick.
    VeryFast,
    /// Thorough.
    VerySlow,
    Plain,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum External {
    Nothing,
    Number(u32),
    Pair(u8, String),
    Struct { name: String, on: Option<bool> },
    Optional(Option<u8>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum Internal {
    First {
        nested_attribute: String,
    },
    Second {
        #[serde(rename = "Other")]
        another: u8,
        more: Option<u8>,
    },
    Point(Point),
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
pub(crate) enum InternalClosed {
    A { x: u8 },
    B,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    Text(String),
    Pair(u8, u8),
    Struct { flag: bool },
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Line(u32),
    Range(u32, u32),
    Name(String),
    Mark {
        name: String,
        #[serde(default)]
        line: u32,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum NullOr {
    Null,
    Number(u8),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WithOther {
    Known,
    #[serde(untagged)]
    Text(String),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Commands {
    Create { name: String },
    Delete { id: u32, force: bool },
    Ping,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum ExternalRoot {
    Name(String),
    Flag { on: bool },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum UntaggedRoot {
    Id { id: u32 },
    Name { name: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlattenEnum {
    amount: u32,
    #[serde(flatten)]
    how: How,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "lowercase")]
pub(crate) enum How {
    Cash,
    Card { number: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum Single {
    /// There is but one.
    Only,
}

pub(crate) fn cases() -> Vec<Case> {
    cases! {
        "unit variants" => Field<Plain>,
        "Option of unit variants" => Maybe<Plain>,
        "documented variants" => Field<Documented>,
        "Option of documented variants" => Maybe<Documented>,
        "Vec<Option<Documented>>" => Field<Vec<Option<Documented>>>,
        "single variant" => Field<Single>,
        "externally tagged" => Field<External>,
        "Option of externally tagged" => Maybe<External>,
        "internally tagged" => Field<Internal>,
        "internally tagged, closed" => Field<InternalClosed>,
        "adjacently tagged" => Field<Adjacent>,
        "untagged" => Field<Untagged>,
        "Option of untagged" => Maybe<Untagged>,
        "untagged with null" => Field<NullOr>,
        "untagged variant" => Field<WithOther>,
        "internally tagged as the root" => Commands,
        "adjacently tagged as the root" => Adjacent,
        "externally tagged as the root" => ExternalRoot,
        "untagged as the root" => UntaggedRoot,
        "flattened enum" => FlattenEnum,
        "nested flattened enum" => Field<FlattenEnum>,
    }
}
