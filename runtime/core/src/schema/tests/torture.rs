//! A struct with everything that other derives get wrong.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Profile, check, check_input, output};

/// Arguments of the torture.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Torture {
    /// Who it is about.
    user_name: String,
    #[serde(rename = "type")]
    kind: Kind,
    maybe_colour: Option<Colour>,
    shape: Shape,
    tree: Option<Box<Node>>,
    #[serde(default)]
    retries: u8,
    #[serde(skip)]
    cache: u64,
    counts: HashMap<String, u64>,
    huge: u128,
    pair: (i32, String),
    #[serde(default = "Limits::strict")]
    limits: Limits,
    #[serde(alias = "nick")]
    nick_name: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    DeepRed,
    LightBlue,
}

/// A colour.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Colour {
    /// Like wine.
    DeepRed,
    /// Like the sky.
    LightBlue,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Node {
    value: i64,
    next: Option<Box<Node>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Limits {
    max_depth: u16,
}

impl Limits {
    fn strict() -> Self {
        Self { max_depth: 3 }
    }
}

#[test]
fn torture_input() {
    check_input::<Torture>(
        "torture",
        &json!({
            "type": "object",
            "properties": {
                "userName": { "type": "string", "description": "Who it is about." },
                "type": { "type": "string", "enum": ["deep-red", "light-blue"] },
                "maybeColour": {
                    "type": "string",
                    "enum": ["deep-red", "light-blue"],
                    "description": "A colour.\n`deep-red`: Like wine.\n`light-blue`: Like the sky."
                },
                "shape": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {
                                "shape": { "type": "string", "enum": ["circle"] },
                                "radius": { "type": "number" }
                            },
                            "required": ["shape", "radius"],
                            "additionalProperties": false
                        },
                        {
                            "type": "object",
                            "properties": { "shape": { "type": "string", "enum": ["point"] } },
                            "required": ["shape"],
                            "additionalProperties": false
                        }
                    ]
                },
                "tree": { "$ref": "#/$defs/Node" },
                "retries": { "type": "integer", "minimum": 0, "maximum": 255, "default": 0 },
                "counts": { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
                "huge": { "type": "integer", "minimum": 0 },
                "pair": {
                    "type": "array",
                    "prefixItems": [
                        { "type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647 },
                        { "type": "string" }
                    ],
                    "items": {
                        "anyOf": [
                            { "type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647 },
                            { "type": "string" }
                        ]
                    },
                    "minItems": 2,
                    "maxItems": 2
                },
                "limits": {
                    "type": "object",
                    "properties": { "maxDepth": { "type": "integer", "minimum": 0, "maximum": 65_535 } },
                    "required": ["maxDepth"],
                    "default": { "maxDepth": 3 },
                    "additionalProperties": false
                },
                "nickName": { "type": "string" }
            },
            "required": ["userName", "type", "shape", "counts", "huge", "pair"],
            "additionalProperties": false,
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": { "value": { "type": "integer" }, "next": { "$ref": "#/$defs/Node" } },
                    "required": ["value"],
                    "additionalProperties": false
                }
            }
        }),
    );
}

#[test]
fn torture_output_requires_members_always_written() {
    let schema = output::<Torture>(Profile::Portable);
    assert_eq!(
        schema["required"],
        json!([
            "userName",
            "type",
            "maybeColour",
            "shape",
            "tree",
            "retries",
            "counts",
            "huge",
            "pair",
            "limits",
            "nickName"
        ])
    );
    check(
        "nullable enum",
        &schema["properties"]["maybeColour"],
        &json!({
            "anyOf": [
                {
                    "type": "string",
                    "enum": ["deep-red", "light-blue"],
                    "description": "A colour.\n`deep-red`: Like wine.\n`light-blue`: Like the sky."
                },
                { "type": "null" }
            ]
        }),
    );
    assert_eq!(
        schema["properties"]["tree"],
        json!({ "anyOf": [{ "$ref": "#/$defs/Node" }, { "type": "null" }] })
    );
    assert_eq!(schema["$defs"]["Node"]["required"], json!(["value", "next"]));
}
