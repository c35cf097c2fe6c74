//! Schemas of types with serde attributes.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Profile, check, check_input, check_property, input, output};

fn uint32() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 })
}

// As reported in zed-industries/zed#48948.
#[test]
fn flatten_with_deny_unknown_fields() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct ListLogs {
        service: String,
        #[serde(flatten)]
        page: Paging,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Paging {
        page: u32,
        size: Option<u32>,
    }
    check_input::<ListLogs>(
        "zed-industries/zed#48948",
        &json!({
            "type": "object",
            "properties": { "service": { "type": "string" }, "page": uint32(), "size": uint32() },
            "required": ["service", "page"],
            "additionalProperties": false
        }),
    );
}

// As reported in zed-industries/zed#48948.
#[test]
fn flatten_of_an_enum_with_deny_unknown_fields() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Pay {
        amount: u32,
        #[serde(flatten)]
        how: How,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "how", rename_all = "lowercase")]
    enum How {
        Cash,
        Card { number: String },
    }
    check_input::<Pay>(
        "zed-industries/zed#48948",
        &json!({
            "type": "object",
            "properties": {
                "amount": uint32(),
                "how": { "type": "string", "enum": ["cash", "card"] },
                "number": { "type": "string" }
            },
            "required": ["amount", "how"],
            "additionalProperties": false
        }),
    );
}

// As reported in GREsau/schemars#532.
#[test]
fn default_with_skip_serializing() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct LoginAs {
        user: String,
        #[serde(default, skip_serializing)]
        secret: String,
    }
    let text = json!({ "type": "string" });
    check_input::<LoginAs>(
        "GREsau/schemars#532",
        &json!({
            "type": "object",
            "properties": { "user": text, "secret": { "type": "string", "writeOnly": true } },
            "required": ["user"],
            "additionalProperties": false
        }),
    );
    check(
        "GREsau/schemars#532, output",
        &output::<LoginAs>(Profile::Portable),
        &json!({ "type": "object", "properties": { "user": text }, "required": ["user"] }),
    );
}

// As reported in GREsau/schemars#235.
#[test]
fn maps_with_integer_keys() {
    #[derive(Deserialize, JsonSchema)]
    struct SetScores {
        scores: HashMap<i32, f64>,
    }
    let number = json!({ "type": "number" });
    check_property::<HashMap<u32, f64>>(
        "GREsau/schemars#235, unsigned",
        &json!({
            "type": "object",
            "additionalProperties": false,
            "patternProperties": { "^(0|[1-9][0-9]*)$": number }
        }),
    );
    check_property::<HashMap<i64, f64>>(
        "GREsau/schemars#235, signed",
        &json!({
            "type": "object",
            "additionalProperties": false,
            "patternProperties": { "^(0|-?[1-9][0-9]*)$": number }
        }),
    );
    let schema = input::<SetScores>();
    for (key, expected) in [
        ("7", true),
        ("-7", true),
        ("0", true),
        ("07", false),
        ("-0", false),
        ("x", false),
        ("", false),
        ("1.0", false),
    ] {
        let arguments = json!({ "scores": { key: 1.5 } });
        assert_eq!(jsonschema::is_valid(&schema, &arguments), expected, "GREsau/schemars#235: key {key:?}");
        assert_eq!(
            serde_json::from_value::<SetScores>(arguments).is_ok(),
            expected,
            "GREsau/schemars#235: key {key:?}"
        );
    }
}

// As reported in GREsau/schemars#273.
#[test]
fn rename_all_fields() {
    #[derive(Deserialize, JsonSchema)]
    struct Apply {
        change: Change,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
    enum Change {
        First {
            nested_attribute: String,
        },
        Second {
            #[serde(rename = "Other")]
            another: u8,
        },
    }
    check_property::<Change>(
        "GREsau/schemars#273",
        &json!({
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "kind": { "type": "string", "enum": ["first"] },
                        "nestedAttribute": { "type": "string" }
                    },
                    "required": ["kind", "nestedAttribute"],
                    "additionalProperties": false
                },
                {
                    "type": "object",
                    "properties": {
                        "kind": { "type": "string", "enum": ["second"] },
                        "Other": { "type": "integer", "minimum": 0, "maximum": 255 }
                    },
                    "required": ["kind", "Other"],
                    "additionalProperties": false
                }
            ]
        }),
    );
    assert!(serde_json::from_value::<Apply>(json!({ "change": { "kind": "second", "Other": 1 } })).is_ok());
}

// As reported in GREsau/schemars#115.
#[test]
fn default_without_serialize() {
    fn mode() -> Mode {
        Mode::Train
    }
    #[derive(Deserialize, JsonSchema)]
    struct Plan {
        #[serde(default)]
        stops: Vec<Stop>,
        #[serde(default = "mode")]
        mode: Mode,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Stop {
        city: String,
    }
    #[derive(Deserialize, JsonSchema)]
    enum Mode {
        Car,
        Train,
    }
    check_input::<Plan>(
        "GREsau/schemars#115",
        &json!({
            "type": "object",
            "properties": {
                "stops": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "city": { "type": "string" } },
                        "required": ["city"],
                        "additionalProperties": false
                    }
                },
                "mode": { "type": "string", "enum": ["Car", "Train"] }
            },
            "additionalProperties": false
        }),
    );
}

// As reported in Kilerd/gotcha#37.
#[test]
fn newtype_and_tuple_variants() {
    #[derive(Deserialize, JsonSchema)]
    struct SetValue {
        value: Scalar,
    }
    #[derive(Deserialize, JsonSchema)]
    enum Scalar {
        Number(u32),
        Pair(u8, String),
        Nothing,
    }
    let schema = input::<SetValue>();
    check(
        "Kilerd/gotcha#37",
        &schema["properties"]["value"],
        &json!({
            "anyOf": [
                { "type": "string", "enum": ["Nothing"] },
                {
                    "type": "object",
                    "properties": { "Number": uint32() },
                    "required": ["Number"],
                    "additionalProperties": false
                },
                {
                    "type": "object",
                    "properties": {
                        "Pair": {
                            "type": "array",
                            "prefixItems": [
                                { "type": "integer", "minimum": 0, "maximum": 255 },
                                { "type": "string" }
                            ],
                            "items": {
                                "anyOf": [
                                    { "type": "integer", "minimum": 0, "maximum": 255 },
                                    { "type": "string" }
                                ]
                            },
                            "minItems": 2,
                            "maxItems": 2
                        }
                    },
                    "required": ["Pair"],
                    "additionalProperties": false
                }
            ]
        }),
    );
    for value in [json!({ "Number": 5 }), json!({ "Pair": [1, "a"] }), json!("Nothing")] {
        let arguments = json!({ "value": value });
        assert!(jsonschema::is_valid(&schema, &arguments), "Kilerd/gotcha#37: {arguments}");
        assert!(serde_json::from_value::<SetValue>(arguments).is_ok(), "Kilerd/gotcha#37");
    }
}

// As reported in GREsau/schemars#27, Kilerd/gotcha#48.
#[test]
fn skipped_fields() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Resize {
        width: u32,
        #[serde(skip)]
        cache: u8,
        #[serde(skip_deserializing)]
        computed: u32,
    }
    check_input::<Resize>(
        "GREsau/schemars#27",
        &json!({
            "type": "object",
            "properties": { "width": uint32() },
            "required": ["width"],
            "additionalProperties": false
        }),
    );
    let mut computed = uint32();
    computed["default"] = json!(0);
    computed["readOnly"] = json!(true);
    check(
        "GREsau/schemars#27, output",
        &output::<Resize>(Profile::Portable),
        &json!({
            "type": "object",
            "properties": { "width": uint32(), "computed": computed },
            "required": ["width", "computed"]
        }),
    );
}

// As reported in Kilerd/gotcha#37, meawoppl/rust-code-agent-sdks#210.
#[test]
fn untagged_enum_keeps_every_arm_in_order() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Place {
        Line(u32),
        Range(u32, u32),
        Name(String),
        Mark {
            name: String,
            #[serde(default)]
            line: u32,
        },
    }
    let mut line = uint32();
    line["default"] = json!(0);
    check_property::<Place>(
        "Kilerd/gotcha#37",
        &json!({
            "anyOf": [
                uint32(),
                { "type": "array", "items": uint32(), "minItems": 2, "maxItems": 2 },
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "name": { "type": "string" }, "line": line },
                    "required": ["name"],
                    "additionalProperties": false
                }
            ]
        }),
    );
}

#[test]
fn defaults_have_no_member_that_their_variant_does_not_read() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(default)]
    struct Job {
        state: State,
        outcome: Outcome,
    }
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(tag = "is")]
    enum State {
        Waiting {
            count: u8,
        },
        Running {
            #[serde(skip_deserializing)]
            count: u8,
        },
    }
    #[derive(Deserialize, Serialize, JsonSchema)]
    enum Outcome {
        Failed {
            #[serde(skip_deserializing)]
            count: u8,
            reason: String,
        },
        Done {
            count: u8,
        },
    }
    impl Default for Job {
        fn default() -> Self {
            let outcome = Outcome::Failed { count: 1, reason: "none".to_owned() };
            Self { state: State::Running { count: 1 }, outcome }
        }
    }
    let properties = &input::<Job>()["properties"];
    assert_eq!(properties["state"]["default"], json!({ "is": "Running" }));
    assert_eq!(properties["outcome"]["default"], json!({ "Failed": { "reason": "none" } }));
}
