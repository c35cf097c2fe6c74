//! What serde is queried about: keys of maps, and tuples whose last items have a default.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU8;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schema::{Draft, Profile};
use crate::tool::InputShape;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Holder<T> {
    value: T,
    /// Serde reads it differently from here on.
    other: Option<Tagged>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "read and dropped")]
enum Tagged {
    Plans { plans: BTreeMap<Plan, u8> },
}

#[derive(Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Plan {
    /// All of it.
    Gold,
    Free,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Short(u8, #[serde(default)] Option<String>, #[serde(default)] bool);

fn schema_of<T: JsonSchema + DeserializeOwned>() -> Value {
    let draft = Draft::read_as::<Holder<T>, Holder<T>>(InputShape::Object);
    draft.with_fields(&[], false).finish(Profile::Portable)
}

#[track_caller]
fn check_keys<K: JsonSchema + DeserializeOwned + Ord>(taken: &[&str], refused: &[&str]) {
    let schema = schema_of::<BTreeMap<K, bool>>();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    let call = |key: &str| json!({ "value": { key: true } });
    for (keys, expected) in [(taken, true), (refused, false)] {
        for key in keys {
            let call = call(key);
            assert_eq!(validator.is_valid(&call), expected, "{call}: {schema}");
            assert_eq!(serde_json::from_value::<Holder<BTreeMap<K, bool>>>(call).is_ok(), expected, "{key}");
        }
    }
}

#[test]
fn map_schemas_restrict_their_keys() {
    check_keys::<String>(&["", "a", "no such key"], &[]);
    check_keys::<Plan>(&["gold", "free"], &["Gold", "silver", ""]);
    check_keys::<char>(&["a", "é", "1"], &["", "ab"]);
    check_keys::<u8>(&["0", "255"], &["256", "-1", "01", "", "x"]);
    check_keys::<NonZeroU8>(&["1", "255"], &["0", "256", "-1"]);
    check_keys::<i16>(&["0", "-32768", "32767"], &["32768", "-32769", "-0", "+1"]);
    check_keys::<u64>(&["0", "18446744073709551615"], &["18446744073709551616", "-1", "1.0"]);
    check_keys::<Ipv4Addr>(&["127.0.0.1"], &["::1", "localhost"]);
    check_keys::<IpAddr>(&["127.0.0.1", "::1"], &["localhost", ""]);
}

#[test]
fn keys_are_learned_in_every_part_of_a_type() {
    let schema = schema_of::<Vec<(bool, BTreeMap<Plan, Vec<BTreeMap<char, u8>>>)>>();
    let value = &schema["properties"]["value"]["items"]["prefixItems"][1];
    assert_eq!(value["propertyNames"]["enum"], json!(["gold", "free"]), "{schema:#}");
    assert_eq!(value["additionalProperties"]["items"]["propertyNames"]["maxLength"], 1, "{schema:#}");
    let plans = &schema["properties"]["other"]["anyOf"][0]["properties"]["plans"];
    assert_eq!(plans["propertyNames"]["enum"], json!(["gold", "free"]), "{schema:#}");
}

/// It is only read if all its members are present, which the schema does not express.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Flattened {
    #[serde(flatten)]
    part: Option<Part>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Part {
    name: String,
    plans: [BTreeMap<Plan, u8>; 2],
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "at", content = "what")]
#[expect(dead_code, reason = "read and dropped")]
enum Place {
    Machine(u8, [BTreeMap<Ipv4Addr, u8>; 2]),
}

#[test]
fn keys_are_learned_in_a_flattened_option_that_needs_more() {
    let draft = Draft::read_as::<Flattened, Flattened>(InputShape::Object).with_fields(&[], false);
    let schema = draft.finish(Profile::Portable);
    let names = |pointer: &str| schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer} of {schema:#}"));
    assert_eq!(names("/properties/plans/items/propertyNames/enum"), &json!(["gold", "free"]));
    assert_eq!(names("/properties/what/prefixItems/1/items/propertyNames/format"), "ipv4");
}

#[test]
fn tuples_with_optional_items_have_min_items() {
    let schema = schema_of::<Short>();
    let value = &schema["properties"]["value"];
    assert_eq!((&value["minItems"], &value["maxItems"]), (&json!(1), &json!(3)), "{schema:#}");
    for (call, expected) in [(json!([1]), true), (json!([1, "a"]), true), (json!([]), false)] {
        let call = json!({ "value": call });
        assert_eq!(jsonschema::is_valid(&schema, &call), expected, "{call}");
        assert_eq!(serde_json::from_value::<Holder<Short>>(call).is_ok(), expected);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Empty {}

/// A type with a hand-written schema.
#[derive(Deserialize)]
#[expect(dead_code, reason = "read and dropped")]
struct ByHand(serde_json::Map<String, Value>);

impl JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

#[test]
fn only_structs_without_fields_are_closed() {
    let is_closed = |schema: Value, pointer: &str| {
        let node = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer} of {schema:#}"));
        node.get("additionalProperties") == Some(&Value::Bool(false))
    };
    assert!(is_closed(schema_of::<Empty>(), "/properties/value"));
    assert!(is_closed(schema_of::<Option<Empty>>(), "/properties/value"));
    assert!(is_closed(schema_of::<Vec<Empty>>(), "/properties/value/items"));
    assert!(!is_closed(schema_of::<ByHand>(), "/properties/value"));
    assert!(!is_closed(schema_of::<serde_json::Map<String, Value>>(), "/properties/value"));
}
