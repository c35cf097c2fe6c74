//! The cases SCH-01 to SCH-13 and MAN-01, each by its id.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Draft, InputShape, Profile, all_keys, check, check_input, input, input_with, output};

#[test]
fn sch_01_empty_struct() {
    /// Helper type.
    #[derive(Deserialize, JsonSchema)]
    struct PingBackend {}
    check_input::<PingBackend>(
        "SCH-01",
        &json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    );
}

#[test]
fn sch_02_unit_struct() {
    #[derive(Deserialize, JsonSchema)]
    struct Increment;
    let expected = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    for shape in [InputShape::Unit, InputShape::Object] {
        let draft = Draft::input::<Increment>(shape).with_fields(&[], false);
        check("SCH-02", &draft.finish(Profile::Portable), &expected);
    }
}

#[test]
fn sch_03_no_openapi_keywords() {
    #[derive(Deserialize, JsonSchema)]
    struct WatchCreate {
        target: String,
        selector: Option<String>,
        #[schemars(extend("exclusiveMinimum" = 0.5))]
        interval: Option<f64>,
    }
    for profile in [Profile::Portable, Profile::Faithful] {
        let schema = input_with::<WatchCreate>(&[], profile);
        for keyword in ["nullable", "example", "discriminator"] {
            assert!(!all_keys(&schema).contains(&keyword), "SCH-03: {keyword} in {schema:#}");
        }
        assert_eq!(schema["properties"]["interval"]["exclusiveMinimum"], json!(0.5));
    }
}

#[test]
fn sch_04_number_formats_become_bounds() {
    fn one() -> usize {
        1
    }
    #[derive(Deserialize, JsonSchema)]
    struct Introspect {
        type_name: String,
        #[serde(default = "one")]
        depth: usize,
        page: u64,
        weight: f32,
        big: i128,
        port: std::num::NonZeroU16,
    }
    check_input::<Introspect>(
        "SCH-04",
        &json!({
            "type": "object",
            "properties": {
                "type_name": { "type": "string" },
                "depth": { "type": "integer", "minimum": 0, "default": 1 },
                "page": { "type": "integer", "minimum": 0 },
                "weight": { "type": "number" },
                "big": { "type": "integer" },
                "port": { "type": "integer", "minimum": 1, "maximum": 65535 }
            },
            "required": ["type_name", "page", "weight", "big", "port"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn sch_05_enum_of_commands_is_one_object() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "op", rename_all = "snake_case")]
    enum Record {
        /// Makes a record.
        Create {
            name: String,
        },
        Delete {
            id: u32,
            force: bool,
        },
        Ping,
    }
    let expected = json!({
        "type": "object",
        "properties": {
            "op": {
                "type": "string",
                "enum": ["create", "delete", "ping"],
                "description": "`create`: Makes a record."
            },
            "name": { "type": "string" },
            "id": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
            "force": { "type": "boolean" }
        },
        "required": ["op"],
        "additionalProperties": false
    });
    check_input::<Record>("SCH-05", &expected);
    let faithful = input_with::<Record>(&[], Profile::Faithful);
    for choice in ["oneOf", "anyOf", "allOf", "$ref"] {
        assert_eq!(faithful.get(choice), None, "SCH-05");
    }
}

#[test]
fn sch_06_any_value_is_an_object_schema() {
    #[derive(Deserialize, JsonSchema)]
    struct Invoke {
        function: String,
        /// Handed on as it is.
        data: Value,
        plain: Value,
        extras: HashMap<String, Value>,
    }
    let schema = input::<Invoke>();
    assert_eq!(schema["properties"]["data"], json!({ "description": "Handed on as it is." }), "SCH-06");
    assert_eq!(schema["properties"]["plain"], json!({}), "SCH-06");
    assert_eq!(schema["properties"]["extras"], json!({ "type": "object", "additionalProperties": true }));
}

#[test]
fn sch_07_pair_of_equal_types_is_an_array() {
    #[derive(Deserialize, JsonSchema)]
    struct Drag {
        waypoints: Vec<(f64, f64)>,
    }
    assert_eq!(
        input::<Drag>()["properties"]["waypoints"]["items"],
        json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }),
        "SCH-07"
    );
}

#[test]
fn sch_08_mixed_tuple_says_what_items_are() {
    #[derive(Deserialize, JsonSchema)]
    struct Mark {
        #[schemars(extend("items" = false))]
        place: (u32, String),
    }
    assert_eq!(
        input::<Mark>()["properties"]["place"],
        json!({
            "type": "array",
            "prefixItems": [
                { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
                { "type": "string" }
            ],
            "items": {
                "anyOf": [
                    { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
                    { "type": "string" }
                ]
            },
            "minItems": 2,
            "maxItems": 2
        }),
        "SCH-08"
    );
}

#[test]
fn sch_09_nested_enum_is_inlined() {
    /// Any button of a mouse.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Button {
        Left,
        Right,
        Middle,
    }
    #[derive(Deserialize, JsonSchema)]
    struct MoveTo {
        /// Which button to hold
        button: Button,
    }
    check_input::<MoveTo>(
        "SCH-09",
        &json!({
            "type": "object",
            "properties": {
                "button": {
                    "type": "string",
                    "enum": ["left", "right", "middle"],
                    "description": "Which button to hold"
                }
            },
            "required": ["button"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn sch_10_numeric_enum_is_left_alone() {
    #[derive(Deserialize, JsonSchema)]
    struct Quantile {
        #[schemars(extend("enum" = [0.5, 0.9, 0.99]))]
        level: f64,
        #[schemars(extend("enum" = [1, 2, 3, 4]))]
        quarter: Option<u8>,
    }
    let schema = input::<Quantile>();
    assert_eq!(
        schema["properties"]["level"],
        json!({ "type": "number", "enum": [0.5, 0.9, 0.99] }),
        "SCH-10"
    );
    assert_eq!(schema["properties"]["quarter"]["enum"], json!([1, 2, 3, 4]), "SCH-10");
}

#[test]
fn sch_11_no_null_member_but_the_empty_one_stays() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Fast,
        /// Takes longer.
        Deep,
    }
    #[derive(Deserialize, JsonSchema)]
    enum Scope {
        #[serde(rename = "")]
        Unset,
        #[serde(rename = "all")]
        All,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Search {
        query: String,
        /// How to search.
        mode: Option<Mode>,
        scope: Scope,
    }
    check_input::<Search>(
        "SCH-11",
        &json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "mode": {
                    "type": "string",
                    "enum": ["fast", "deep"],
                    "description": "How to search.\n`deep`: Takes longer."
                },
                "scope": { "type": "string", "enum": ["", "all"] }
            },
            "required": ["query", "scope"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn sch_12_arguments_named_like_keywords() {
    #[derive(Deserialize, JsonSchema)]
    struct SetFile {
        file_id: String,
        properties: BTreeMap<String, String>,
        r#type: String,
        required: bool,
        items: Vec<String>,
        #[serde(rename = "$ref")]
        reference: Option<String>,
        r#enum: Option<bool>,
        r#const: Value,
        default: Option<u8>,
        #[serde(rename = "anyOf")]
        any_of: Vec<bool>,
    }
    let text = json!({ "type": "string" });
    check_input::<SetFile>(
        "SCH-12",
        &json!({
            "type": "object",
            "properties": {
                "file_id": text,
                "properties": { "type": "object", "additionalProperties": { "type": "string" } },
                "type": text,
                "required": { "type": "boolean" },
                "items": { "type": "array", "items": text },
                "$ref": text,
                "enum": { "type": "boolean" },
                "const": {},
                "default": { "type": "integer", "minimum": 0, "maximum": 255 },
                "anyOf": { "type": "array", "items": { "type": "boolean" } }
            },
            "required": ["file_id", "properties", "type", "required", "items", "const", "anyOf"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn sch_13_no_default_of_null() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "UPPERCASE")]
    enum Colour {
        Red,
        Blue,
    }
    #[derive(Deserialize, Serialize, JsonSchema, Default)]
    struct Style {
        colour: Option<Colour>,
        wide: bool,
    }
    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Tag {
        file: String,
        #[serde(default)]
        colour: Option<Colour>,
        #[serde(default)]
        note: Option<String>,
        #[serde(default)]
        style: Style,
    }
    let colour = json!({ "type": "string", "enum": ["RED", "BLUE"] });
    check_input::<Tag>(
        "SCH-13",
        &json!({
            "type": "object",
            "properties": {
                "file": { "type": "string" },
                "colour": colour,
                "note": { "type": "string" },
                "style": {
                    "type": "object",
                    "properties": { "colour": colour, "wide": { "type": "boolean" } },
                    "required": ["wide"],
                    "default": { "wide": false },
                    "additionalProperties": false
                }
            },
            "required": ["file"],
            "additionalProperties": false
        }),
    );
    let call = json!({ "file": "a.txt", "colour": null, "note": null });
    let faithful = input_with::<Tag>(&[], Profile::Faithful);
    assert!(jsonschema::is_valid(&faithful, &call), "SCH-13: {faithful:#}");
    assert_eq!(output::<Tag>(Profile::Portable)["properties"]["note"]["type"], json!(["string", "null"]));
}

#[test]
fn man_01_defaults_in_one_order() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(default)]
    struct Settings {
        ports: HashMap<String, HashSet<i32>>,
        names: HashSet<String>,
        order: Vec<u8>,
    }
    impl Default for Settings {
        fn default() -> Self {
            let ports =
                ["http", "admin", "metrics"].map(|name| (name.to_owned(), HashSet::from([80, -1, 9, 443])));
            Self {
                ports: ports.into(),
                names: ["b", "a", "c"].map(str::to_owned).into(),
                order: vec![3, 1, 2],
            }
        }
    }
    for _ in 0..20 {
        for profile in [Profile::Portable, Profile::Faithful] {
            let properties = input_with::<Settings>(&[], profile)["properties"].to_string();
            let ports = r#""default":{"admin":[-1,9,80,443],"http":[-1,9,80,443],"metrics":[-1,9,80,443]}"#;
            assert!(properties.contains(ports), "MAN-01: {properties}");
            assert!(properties.contains(r#""default":["a","b","c"]"#), "MAN-01: {properties}");
            assert!(properties.contains(r#""default":[3,1,2]"#), "MAN-01: {properties}");
        }
    }
}
