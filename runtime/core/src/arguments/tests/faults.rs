//! Types whose schema shows what serde never reads are refused when the reader is made.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::field;
use crate::arguments::{ArgumentReader, SchemaError};
use crate::metadata::{FieldMetadata, InputShape};
use crate::schema::Draft;

fn made<T: DeserializeOwned + JsonSchema>() -> Result<ArgumentReader, SchemaError> {
    made_with::<T>(&[])
}

fn made_with<T: DeserializeOwned + JsonSchema>(
    fields: &'static [FieldMetadata],
) -> Result<ArgumentReader, SchemaError> {
    let shape = InputShape::Object;
    let draft = Draft::input::<T>(shape).with_fields(fields, false).with_type::<T>(shape);
    ArgumentReader::new(&draft, fields, shape, false).and_then(|reader| reader.check_type::<T>(&draft))
}

fn refusal<T: DeserializeOwned + JsonSchema>() -> String {
    made::<T>().expect_err("no call could be right").to_string()
}

/// Types for schemas alone: nothing of them is looked at.
macro_rules! types {
    ($($(#[$attribute:meta])* $kind:ident $name:ident { $($body:tt)* })*) => {$(
        #[derive(Debug, Deserialize, JsonSchema)]
        $(#[$attribute])*
        #[expect(dead_code, reason = "read and dropped")]
        $kind $name { $($body)* }
    )*};
}

types! {
    #[serde(tag = "kind")]
    enum Tagged { A { a: u8 }, B }
    #[serde(untagged)]
    enum Loose { A { a: u8 }, B { b: u8 } }
    struct Inner { name: String }
    #[serde(deny_unknown_fields)]
    struct ClosedOverTagged { label: String, #[serde(flatten)] t: Tagged }
    #[serde(deny_unknown_fields)]
    struct ClosedOverLoose { label: String, #[serde(flatten)] t: Loose }
    struct SameName { name: String, #[serde(flatten)] inner: Inner }
    struct SameNameOtherType { name: u8, #[serde(flatten)] inner: Inner }
    struct SameNameBelow { things: Vec<SameNameOtherType> }
    struct FlatText { label: String, #[serde(flatten)] text: String }
    struct NamedAsTag { kind: String, #[serde(flatten)] t: Tagged }
    struct Holder { inside: Vec<ClosedOverTagged> }
    struct Layered { #[serde(flatten)] one: Layer }
    struct Layer { n: u8, #[serde(flatten)] two: Inner }
    #[serde(deny_unknown_fields)]
    struct ClosedOverLayers { label: String, #[serde(flatten)] one: Layer }
    #[serde(untagged)]
    enum Wide { A { wide: u128 }, B { b: u8 } }
    struct HoldsWide { wide: Wide }
    struct FlatKeys { label: String, #[serde(flatten)] keys: Keys }
    struct Keys { by_number: BTreeMap<u8, bool> }
    #[serde(deny_unknown_fields)]
    struct ClosedOverStruct { label: String, #[serde(flatten)] inner: Inner }
    struct Open { label: String, #[serde(flatten)] t: Option<Tagged>, loose: Option<Loose> }
    struct Validated { percent: Percent, keys: BTreeMap<u8, Percent> }
    #[serde(try_from = "u8")]
    struct Percent { value: u8 }
    #[serde(deny_unknown_fields)]
    struct SignedOverTagged { token: String, #[serde(flatten)] t: Tagged }
    struct Signed { token: Percent, inner: Inner, #[serde(flatten)] t: Tagged }
}

impl TryFrom<u8> for Percent {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, String> {
        Err(format!("{value} is never right"))
    }
}

#[test]
fn what_serde_never_reads_is_named() {
    for (error, words) in [
        (
            refusal::<ClosedOverTagged>(),
            "`kind`, which belongs to a flattened type; remove `deny_unknown_fields`",
        ),
        (
            refusal::<ClosedOverLoose>(),
            "`a`, which belongs to a flattened type; remove `deny_unknown_fields`",
        ),
        (refusal::<ClosedOverLayers>(), "which belongs to a flattened type; remove `deny_unknown_fields`"),
        (refusal::<Holder>(), "`kind`, which belongs to a flattened type; remove `deny_unknown_fields`"),
        (refusal::<SameName>(), "two fields have the name `name`"),
        (refusal::<SameNameOtherType>(), "two fields have the name `name`"),
        (refusal::<SameNameBelow>(), "two fields have the name `name`"),
        (refusal::<NamedAsTag>(), "two fields have the name `kind`"),
        (refusal::<FlatText>(), "no struct and no map"),
        (refusal::<HoldsWide>(), "no 128-bit integer inside of an untagged"),
        (refusal::<FlatKeys>(), "no map with integers or booleans as keys inside of an untagged"),
    ] {
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn tools_with_credentials_are_looked_at_too() {
    const FIELDS: &[FieldMetadata] = &[FieldMetadata { credential: true, ..field("token") }];
    let error = made_with::<SignedOverTagged>(FIELDS).expect_err("no call could be right").to_string();
    assert!(error.contains("`kind`, which belongs to a flattened type"), "{error}");
    made_with::<Signed>(FIELDS).expect("what its code refuses is for calls to find out");
}

#[test]
fn what_serde_reads_and_what_only_its_author_refuses_is_taken() {
    made::<ClosedOverStruct>().expect("serde reads it");
    made::<Layered>().expect("serde reads it");
    made::<Open>().expect("serde reads it");
    made::<Validated>().expect("what its code refuses is for calls to find out");
}
