//! The check of the text before serde reads it has the same result as the walk over every value.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{field, read_by};
use crate::arguments::ArgumentReader;
use crate::schema::Draft;
use crate::tool::{FieldMetadata, InputShape};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Return {
    #[schemars(regex(pattern = r"^#W\d+$"))]
    order: String,
    #[schemars(length(min = 1, max = 3))]
    items: Vec<Item>,
    #[schemars(range(min = 0, max = 100))]
    amount: Option<f64>,
    #[serde(default)]
    by_number: BTreeMap<u8, Item>,
    #[serde(default)]
    notes: BTreeMap<String, Item>,
    #[serde(default)]
    nothing: Nothing,
    #[serde(default)]
    step: i32,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Item {
    #[schemars(length(min = 2, max = 4))]
    name: String,
    pair: Option<(u8, String)>,
}

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
struct Nothing {}

const FIELDS: &[FieldMetadata] = &[FieldMetadata { schema: r#"{"multipleOf":5}"#, ..field("step") }];

fn reader_of<T: DeserializeOwned + JsonSchema>(fields: &'static [FieldMetadata]) -> ArgumentReader {
    let shape = InputShape::Object;
    let draft = Draft::read_as::<T, T>(shape).with_fields(fields, false).with_type::<T>(shape);
    ArgumentReader::new(&draft, fields, shape, false).expect("a schema that can be enforced")
}

/// Returns whether the arguments are accepted, and checks that both paths agree.
fn is_read(reader: &ArgumentReader, text: &str) -> bool {
    let read = read_by::<Return>(reader, text);
    let facts = reader.facts.get().expect("asked by the first call");
    assert!(facts.is_plain, "the text is looked at first");
    let by_schema = reader.read_by_schema::<Return>(text, &[], facts);
    assert_eq!(read.as_ref().ok(), by_schema.as_ref().ok(), "{text}");
    read.is_ok()
}

#[test]
fn rules_hold_on_the_short_way_too() {
    let reader = reader_of::<Return>(FIELDS);
    let whole = |order: &str, items: &str, more: &str| {
        is_read(&reader, &format!(r#"{{"order":{order},"items":{items}{more}}}"#))
    };
    let item = r#"[{"name":"ab"}]"#;
    for order in [r##""#W1""##, r#""\u0023W12""#, r##""#\u0057\u0031""##] {
        assert!(whole(order, item, ""), "{order}");
    }
    for order in [r##""#W""##, r#""x#W1""#, r#""""#, "1", "null", r##"["#W1"]"##] {
        assert!(!whole(order, item, ""), "{order}");
    }
    for (takes, items) in [
        (true, r#"[{"name":"ab"},{"name":"abcd"},{"name":"éééé"}]"#),
        (true, r#"[ {"name" : "a\u0062" , "pair":[1,"x"]} ]"#),
        (true, r#"[{"name":"ab","pair":null}]"#),
        (false, "[]"),
        (false, r#"[{"name":"ab"},{"name":"ab"},{"name":"ab"},{"name":"ab"}]"#),
        (false, r#"[{"name":"a"}]"#),
        (false, r#"[{"name":"abcde"}]"#),
        (false, r#"[{"name":"ab","nam":"ab"}]"#),
        (false, r#"[["ab"]]"#),
        (false, r#"[{"name":"ab","pair":[1]}]"#),
    ] {
        assert_eq!(whole(r##""#W1""##, items, ""), takes, "{items}");
    }
    for (takes, more) in [
        (true, r#""amount":0"#),
        (true, r#""amount":1e2"#),
        (true, r#""amount":null"#),
        (false, r#""amount":-0.5"#),
        (false, r#""amount":100.5"#),
        (false, r#""amount":1e400"#),
        (false, r#""amount":"1""#),
        (true, r#""step":-15"#),
        (true, r#""step":20.0"#),
        (false, r#""step":21"#),
        (true, r#""by_number":{"1":{"name":"ab"}}"#),
        (false, r#""by_number":{"1":{"name":"ab","nam":"ab"}}"#),
        (false, r#""by_number":{"1":{"name":"a"}}"#),
        (false, r#""by_number":{"300":{"name":"ab"}}"#),
        (true, r#""notes":{"any":{"name":"ab"}}"#),
        (false, r#""notes":{"any":{"name":"ab","nam":1}}"#),
        (false, r#""notes":{"any":{"name":"abcde"}}"#),
        (true, r#""nothing":{}"#),
        (false, r#""nothing":[]"#),
        (false, r#""nothing":{"a":1}"#),
        (false, r#""amount":1,"amount":2"#),
    ] {
        assert_eq!(whole(r##""#W1""##, item, &format!(",{more}")), takes, "{more}");
    }
}

/// Reads any number, whatever its schema says.
#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(with = "u8")]
struct AnyNumber(f64);

impl<'de> Deserialize<'de> for AnyNumber {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

/// Reads any whole number.
#[derive(Debug, PartialEq, JsonSchema)]
#[schemars(with = "i32")]
struct AnyWhole(i64);

impl<'de> Deserialize<'de> for AnyWhole {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self)
    }
}

#[test]
fn lenient_number_types_are_validated_by_the_schema() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Set {
        any: AnyNumber,
        whole: AnyWhole,
    }
    let reader = reader_of::<Set>(&[]);
    let read = |any: &str, whole: &str| {
        read_by::<Set>(&reader, &format!(r#"{{"any":{any},"whole":{whole}}}"#)).map_err(|errors| {
            let pointers = errors.problems().iter().map(|problem| problem.pointer.clone());
            pointers.collect::<Vec<_>>()
        })
    };
    assert_eq!(
        read("255", "-2147483648"),
        Ok(Set { any: AnyNumber(255.0), whole: AnyWhole(-2_147_483_648) })
    );
    for any in ["1.5", "256", "-1"] {
        assert_eq!(read(any, "1"), Err(vec!["/any".to_owned()]), "{any}");
    }
    for whole in ["2147483648", "-2147483649"] {
        assert_eq!(read("1", whole), Err(vec!["/whole".to_owned()]), "{whole}");
    }
}
