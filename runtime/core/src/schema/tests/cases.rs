//! Schemas that other projects got wrong, each with its public report.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Draft, InputShape, Profile, all_keys, check, check_input, input, input_with, output};

// As reported in modelcontextprotocol/rust-sdk#303.
#[test]
fn empty_struct() {
    /// Helper type.
    #[derive(Deserialize, JsonSchema)]
    struct PingBackend {}
    check_input::<PingBackend>(
        "modelcontextprotocol/rust-sdk#303",
        &json!({ "type": "object", "properties": {}, "additionalProperties": false }),
    );
}

// As reported in modelcontextprotocol/rust-sdk#445.
#[test]
fn unit_struct() {
    #[derive(Deserialize, JsonSchema)]
    struct Increment;
    let expected = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    for shape in [InputShape::Unit, InputShape::Object] {
        let draft = Draft::input::<Increment>(shape).with_fields(&[], false);
        check("modelcontextprotocol/rust-sdk#445", &draft.finish(Profile::Portable), &expected);
    }
}

// As reported in MikkoParkkola/nab#61.
#[test]
fn no_openapi_keywords() {
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
            assert!(!all_keys(&schema).contains(&keyword), "MikkoParkkola/nab#61: {keyword} in {schema:#}");
        }
        assert_eq!(schema["properties"]["interval"]["exclusiveMinimum"], json!(0.5));
    }
}

// As reported in apollographql/apollo-mcp-server#245, google-gemini/gemini-cli#6948.
#[test]
fn number_formats_become_bounds() {
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
        "apollographql/apollo-mcp-server#245",
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

// As reported in eric-tramel/moraine#256, anomalyco/opencode#35516.
#[test]
fn enum_of_commands_is_one_object() {
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
    check_input::<Record>("eric-tramel/moraine#256", &expected);
    let faithful = input_with::<Record>(&[], Profile::Faithful);
    for choice in ["oneOf", "anyOf", "allOf", "$ref"] {
        assert_eq!(faithful.get(choice), None, "eric-tramel/moraine#256");
    }
}

// As reported in GaloyMoney/drua#230, inngest/inngest#3305.
#[test]
fn any_value_is_an_object_schema() {
    #[derive(Deserialize, JsonSchema)]
    struct Invoke {
        function: String,
        /// Forwarded unchanged.
        data: Value,
        plain: Value,
        extras: HashMap<String, Value>,
    }
    let schema = input::<Invoke>();
    assert_eq!(
        schema["properties"]["data"],
        json!({ "description": "Forwarded unchanged." }),
        "GaloyMoney/drua#230"
    );
    assert_eq!(schema["properties"]["plain"], json!({}), "GaloyMoney/drua#230");
    assert_eq!(schema["properties"]["extras"], json!({ "type": "object", "additionalProperties": true }));
}

// As reported in AlexGladkov/claude-in-mobile#57, hyperdxio/hyperdx#2925.
#[test]
fn pair_of_equal_types_is_an_array() {
    #[derive(Deserialize, JsonSchema)]
    struct Drag {
        waypoints: Vec<(f64, f64)>,
    }
    assert_eq!(
        input::<Drag>()["properties"]["waypoints"]["items"],
        json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }),
        "AlexGladkov/claude-in-mobile#57"
    );
}

// As reported in ScriptedAlchemy/agent-bundle#580.
#[test]
fn mixed_tuples_describe_their_items() {
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
        "ScriptedAlchemy/agent-bundle#580"
    );
}

// As reported in modelcontextprotocol/rust-sdk#354, PrefectHQ/fastmcp#2861.
#[test]
fn nested_enum_is_inlined() {
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
        "modelcontextprotocol/rust-sdk#354",
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

// As reported in hyperdxio/hyperdx#2967, kensho-technologies/kfinance#128.
#[test]
fn numeric_enum_is_left_alone() {
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
        "hyperdxio/hyperdx#2967"
    );
    assert_eq!(schema["properties"]["quarter"]["enum"], json!([1, 2, 3, 4]), "hyperdxio/hyperdx#2967");
}

// As reported in sbroenne/mcp-server-excel#607, router-for-me/CLIProxyAPI#4545.
#[test]
fn no_null_member_but_the_empty_one_stays() {
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
        "sbroenne/mcp-server-excel#607",
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

// As reported in NousResearch/hermes-agent#110530.
#[test]
fn arguments_named_like_keywords() {
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
        "NousResearch/hermes-agent#110530",
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

// As reported in modelcontextprotocol/php-sdk#298.
#[test]
fn no_default_of_null() {
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
        "modelcontextprotocol/php-sdk#298",
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
    assert!(jsonschema::is_valid(&faithful, &call), "modelcontextprotocol/php-sdk#298: {faithful:#}");
    assert_eq!(output::<Tag>(Profile::Portable)["properties"]["note"]["type"], json!(["string", "null"]));
}

// As reported in maximhq/bifrost#7170.
#[test]
fn defaults_in_one_order() {
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
            assert!(properties.contains(ports), "maximhq/bifrost#7170: {properties}");
            assert!(properties.contains(r#""default":["a","b","c"]"#), "maximhq/bifrost#7170: {properties}");
            assert!(properties.contains(r#""default":[3,1,2]"#), "maximhq/bifrost#7170: {properties}");
        }
    }
}
