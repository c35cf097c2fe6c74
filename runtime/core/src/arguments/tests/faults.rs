//! Types whose schema describes what serde never reads are rejected when the reader is created.

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
    made::<T>().expect_err("no call could succeed").to_string()
}

/// Types that are only used for schemas.
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
    #[serde(tag = "kind")]
    enum TagInTag { A { #[serde(flatten)] t: Option<Tagged> }, C }
    struct NeedsKeys { #[serde(flatten)] part: Option<KeysAndMore> }
    struct KeysAndMore { label: String, #[serde(flatten)] held: HeldKeys }
    #[serde(tag = "at", content = "of")]
    enum HeldKeys { Keys(BTreeMap<u16, bool>) }
    struct Nested { n: u8, #[serde(flatten)] inner: Inner }
    struct NestedBesideMap { #[serde(flatten)] one: Nested, #[serde(flatten)] rest: BTreeMap<String, bool> }
    struct TaggedBesideMap { #[serde(flatten)] t: Tagged, #[serde(flatten)] rest: BTreeMap<String, u8> }
    #[serde(untagged)]
    enum Words { Word { word: Option<String> }, Number { number: u8 } }
    struct LooseBesideOption {
        #[serde(flatten)] t: Words, #[serde(flatten)] rest: Option<BTreeMap<String, u8>>,
    }
    struct OptionBesideOption {
        #[serde(flatten)] t: Option<Words>, #[serde(flatten)] rest: Option<BTreeMap<String, u8>>,
    }
    struct MapBeforeStruct { #[serde(flatten)] rest: BTreeMap<String, u8>, #[serde(flatten)] inner: Inner }
    struct MapAfterStruct { text: String, #[serde(flatten)] inner: Inner, #[serde(flatten)] rest: BTreeMap<String, u8> }
    struct LooseBesideAnything { #[serde(flatten)] t: Words, #[serde(flatten)] rest: BTreeMap<String, serde_json::Value> }
    struct MapOfAnything { #[serde(flatten)] t: Tagged, #[serde(flatten)] rest: BTreeMap<String, serde_json::Value> }
    struct MapOfLikes { #[serde(flatten)] one: Counted, #[serde(flatten)] rest: BTreeMap<String, u8> }
    struct Counted { n: u8, #[serde(flatten)] more: Count }
    struct Count { m: u8 }
    #[serde(untagged)]
    enum MapOrStruct { Named { name: String, n: Option<bool> }, Map(BTreeMap<String, u8>) }
    struct HoldsMapOrStruct { one: MapOrStruct }
    #[serde(untagged)]
    enum Looser { Settings { with: Settings }, Anything { with: serde_json::Value } }
    struct HoldsLooser { one: Looser }
    struct Settings { size: Option<u8> }
    struct FlattensLooser { name: String, #[serde(flatten)] one: Looser }
    #[serde(untagged)]
    enum Deeper { Settings { with: Settings }, More { with: MoreSettings } }
    struct MoreSettings { size: Option<u8>, color: Option<String> }
    struct HoldsDeeper { one: Deeper }
    #[serde(untagged)]
    enum Ordered { More { with: MoreSettings }, Settings { with: Settings }, Text { with: String } }
    struct HoldsOrdered { one: Ordered }
    #[serde(deny_unknown_fields)]
    struct SignedOverTagged { token: String, #[serde(flatten)] t: Tagged }
    struct Signed { token: Percent, inner: Inner, #[serde(flatten)] t: Tagged }
}

/// Two fields or variants with one name, about which rustc warns.
mod alike {
    #![expect(
        dead_code,
        unreachable_patterns,
        reason = "read and dropped, and the pattern is what this is about"
    )]

    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema)]
    pub(super) struct Renamed {
        page: u8,
        #[serde(rename = "page")]
        number: Option<String>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    pub(super) struct HoldsAliased {
        below: Vec<Option<Aliased>>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Aliased {
        page: u8,
        #[serde(alias = "page", alias = "p")]
        number: Option<u8>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    pub(super) struct HoldsVariants {
        means: Variants,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    enum Variants {
        Cash,
        #[serde(rename = "Cash")]
        Card,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    pub(super) struct HoldsAliasedVariants {
        means: Option<AliasedVariants>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    enum AliasedVariants {
        Cash {
            a: u8,
        },
        #[serde(alias = "Cash")]
        Card,
    }
}

impl TryFrom<u8> for Percent {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, String> {
        Err(format!("{value} is never right"))
    }
}

#[test]
fn tools_that_serde_can_never_read_are_reported() {
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
        (refusal::<TagInTag>(), "two fields have the name `kind`"),
        (refusal::<NeedsKeys>(), "no map with integers or booleans as keys inside of an untagged"),
        (refusal::<NestedBesideMap>(), "to the map that is flattened beside it as well"),
        (refusal::<TaggedBesideMap>(), "`kind` of a flattened type to the map that is flattened beside it"),
        (refusal::<LooseBesideOption>(), "`word` of a flattened type to the map that is flattened beside it"),
        (
            refusal::<OptionBesideOption>(),
            "`word` of a flattened type to the map that is flattened beside it",
        ),
        (refusal::<MapBeforeStruct>(), "`name` of a flattened type to the map that is flattened beside it"),
        (refusal::<alike::Renamed>(), "two fields or variants have the name `page`"),
        (refusal::<alike::HoldsAliased>(), "two fields or variants have the name `page`"),
        (refusal::<alike::HoldsVariants>(), "two fields or variants have the name `Cash`"),
        (refusal::<alike::HoldsAliasedVariants>(), "two fields or variants have the name `Cash`"),
        (refusal::<HoldsLooser>(), "drops `name0`"),
        (refusal::<FlattensLooser>(), "drops `name0`"),
        (refusal::<HoldsDeeper>(), "drops `color`"),
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
    let error = made_with::<SignedOverTagged>(FIELDS).expect_err("no call could succeed").to_string();
    assert!(error.contains("`kind`, which belongs to a flattened type"), "{error}");
    made_with::<Signed>(FIELDS).expect("what its code refuses is for calls to find out");
}

#[test]
fn rejections_by_the_author_are_not_faults() {
    made::<ClosedOverStruct>().expect("serde reads it");
    made::<Layered>().expect("serde reads it");
    made::<Open>().expect("serde reads it");
    made::<MapAfterStruct>().expect("serde reads it");
    made::<MapOfAnything>().expect("serde reads it");
    made::<LooseBesideAnything>().expect("serde reads it");
    made::<MapOfLikes>().expect("serde reads it");
    made::<HoldsMapOrStruct>().expect("serde reads it");
    made::<HoldsOrdered>().expect("serde reads it");
    made::<Validated>().expect("what its code refuses is for calls to find out");
}

#[test]
fn a_fault_behind_the_address_of_a_socket_is_found() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Closed {
        at: std::net::SocketAddr,
        name: String,
        #[serde(flatten)]
        t: Option<Tagged>,
    }
    let shape = InputShape::Object;
    let draft = Draft::read_as::<Closed, Closed>(shape).with_fields(&[], false).with_type::<Closed>(shape);
    let reader = ArgumentReader::new(&draft, &[], shape, false).expect("a schema that can be enforced");
    let error = reader.check_type::<Closed>(&draft).expect_err("no call could be right").to_string();
    assert!(error.contains("remove `deny_unknown_fields` from the type that flattens it"), "{error}");
}
