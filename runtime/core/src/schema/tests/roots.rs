//! Roots: which types can be the input of a tool, and how enums and flattened types are converted.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::tool::{Hints, SourceLocation, Tool, ToolMetadata};
use crate::toolset::Package;

use super::{Draft, InputShape, Profile, check, check_input, output};

/// Internal type used by the job runner.
#[derive(Deserialize, Serialize, JsonSchema)]
struct RunJobArgsV2 {
    /// Job number
    job: u32,
}

fn run_job() -> Value {
    json!({
        "type": "object",
        "properties": {
            "job": {
                "type": "integer",
                "minimum": 0,
                "maximum": 4_294_967_295_u32,
                "description": "Job number"
            }
        },
        "required": ["job"],
        "additionalProperties": false
    })
}

// As reported in modelcontextprotocol/rust-sdk#860.
#[test]
fn no_noise_at_the_root() {
    check_input::<RunJobArgsV2>("modelcontextprotocol/rust-sdk#860", &run_job());
    let mut open = run_job();
    open.as_object_mut().unwrap().remove("additionalProperties");
    check("modelcontextprotocol/rust-sdk#860, output", &output::<RunJobArgsV2>(Profile::Portable), &open);
}

#[test]
fn newtypes_of_a_struct_are_the_struct() {
    #[derive(Deserialize, JsonSchema)]
    struct Newtype(RunJobArgsV2);
    #[derive(Deserialize, JsonSchema)]
    #[serde(transparent)]
    struct Transparent {
        inner: Box<Newtype>,
    }
    check_input::<Newtype>("newtype", &run_job());
    check_input::<Transparent>("transparent", &run_job());
}

// As reported in modelcontextprotocol/rust-sdk#860.
#[test]
fn types_that_are_not_objects_are_rejected() {
    #[derive(Deserialize, JsonSchema)]
    enum Mixed {
        Stop,
        Go { far: bool },
    }
    #[derive(Deserialize, JsonSchema)]
    struct Pair(u8, u8);
    #[derive(Deserialize, JsonSchema)]
    enum Never {}
    fn problem<T: JsonSchema>() -> String {
        let draft = Draft::input::<T>(InputShape::Object);
        assert_eq!(draft.as_value()["type"], "object");
        draft.problem().expect("the type is no object").to_string()
    }
    let whole = "the arguments of a tool must be a JSON object, but serde deserializes ";
    for (problem, start) in [
        (problem::<String>(), "this type from a string; make it a struct"),
        (problem::<Vec<u8>>(), "this type from an array;"),
        (problem::<Option<u8>>(), "this type from an integer or a null;"),
        (problem::<Pair>(), "this type from an array;"),
        (problem::<Value>(), "this type from any JSON value;"),
        (problem::<Mixed>(), "one variant of this enum from a string; give the enum `#[serde(tag = \"…\")]`"),
    ] {
        assert!(problem.starts_with(&format!("{whole}{start}")), "{problem}");
    }
    assert!(problem::<Never>().contains("has no values"));
}

#[derive(Deserialize, JsonSchema)]
struct Text(String);

impl Tool for Text {
    type Arguments = Self;
    const NAME: &'static str = "text";
    const PACKAGE: Package = Package { name: "", version: "" };
    const METADATA: ToolMetadata = ToolMetadata {
        title: None,
        description: None,
        hints: Hints { read_only: None, destructive: None, idempotent: None, open_world: None },
        icons: &[],
        meta: None,
        scopes: &[],
        was: &[],
        tags: &[],
        context: None,
        task: None,
        allow_unknown: false,
        output: None,
        shape: InputShape::Object,
        fields: &[],
        source: SourceLocation { file: "", line: 0, column: 0 },
    };
}

#[test]
#[should_panic(
    expected = "the tool `text` cannot be registered: the arguments of a tool must be a JSON object, but"
)]
// As reported in modelcontextprotocol/rust-sdk#860.
fn the_definition_names_the_tool() {
    Text::definition();
}

#[test]
fn members_that_differ_between_variants_are_choices() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "by", rename_all = "lowercase")]
    enum Find {
        Id { value: u8, deep: bool },
        Name { value: String, deep: bool },
    }
    check_input::<Find>(
        "differing members",
        &json!({
            "type": "object",
            "properties": {
                "by": { "type": "string", "enum": ["id", "name"] },
                "value": {
                    "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 255 }, { "type": "string" }]
                },
                "deep": { "type": "boolean" }
            },
            "required": ["by", "value", "deep"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn enums_in_every_representation_are_one_object() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Untagged {
        Name { name: String },
        Job(RunJobArgsV2),
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Name(String),
        Nothing,
    }
    #[derive(Deserialize, JsonSchema)]
    enum External {
        Name(String),
        Flag { on: bool },
    }
    let job = &run_job()["properties"]["job"];
    check_input::<Untagged>(
        "untagged",
        &json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "job": job },
            "additionalProperties": false
        }),
    );
    check_input::<Adjacent>(
        "adjacent",
        &json!({
            "type": "object",
            "properties": {
                "t": { "type": "string", "enum": ["Name", "Nothing"] },
                "c": { "type": "string" }
            },
            "required": ["t"],
            "additionalProperties": false
        }),
    );
    check_input::<External>(
        "external",
        &json!({
            "type": "object",
            "properties": {
                "Name": { "type": "string" },
                "Flag": {
                    "type": "object",
                    "properties": { "on": { "type": "boolean" } },
                    "required": ["on"],
                    "additionalProperties": false
                }
            },
            "additionalProperties": false
        }),
    );
}

#[test]
fn flattened_enums_and_options_are_merged() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "unit", rename_all = "lowercase")]
    enum Amount {
        Weight { grams: u8 },
        Count { pieces: u8 },
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "when", rename_all = "lowercase")]
    enum Time {
        Now,
        Later { hours: u8 },
    }
    #[derive(Deserialize, JsonSchema)]
    struct Order {
        item: String,
        #[serde(flatten)]
        amount: Amount,
        #[serde(flatten)]
        time: Option<Time>,
        #[serde(flatten)]
        job: Option<RunJobArgsV2>,
    }
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    check_input::<Order>(
        "flattened",
        &json!({
            "type": "object",
            "properties": {
                "item": { "type": "string" },
                "job": run_job()["properties"]["job"],
                "unit": { "type": "string", "enum": ["weight", "count"] },
                "grams": byte,
                "pieces": byte,
                "when": { "type": "string", "enum": ["now", "later"] },
                "hours": byte
            },
            "required": ["item", "unit"],
            "additionalProperties": false
        }),
    );
}

#[test]
fn flattened_maps_keep_the_root_open() {
    #[derive(Deserialize, JsonSchema)]
    struct Numbers {
        name: String,
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Anything {
        name: String,
        #[serde(flatten)]
        rest: serde_json::Map<String, Value>,
    }
    let mut expected = json!({
        "type": "object",
        "properties": { "name": { "type": "string" } },
        "required": ["name"],
        "additionalProperties": { "type": "integer", "minimum": 0, "maximum": 255 }
    });
    check_input::<Numbers>("open map of numbers", &expected);
    expected["additionalProperties"] = json!(true);
    check_input::<Anything>("open map of anything", &expected);
}

#[test]
fn an_enum_with_an_arm_of_itself_ends() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Shape {
        Circle { radius: u8 },
        Framed(Box<Shape>),
    }
    let schema = super::input::<Shape>();
    assert_eq!(schema["properties"]["radius"]["type"], "integer");
}

#[test]
fn outputs_are_of_any_type() {
    for (schema, expected) in [
        (output::<String>(Profile::Portable), json!({ "type": "string" })),
        (output::<()>(Profile::Portable), json!({ "type": "null" })),
        (output::<Value>(Profile::Portable), json!({})),
        (output::<Option<u8>>(Profile::Portable), {
            json!({ "type": ["integer", "null"], "minimum": 0, "maximum": 255 })
        }),
        (output::<Vec<bool>>(Profile::Portable), json!({ "type": "array", "items": { "type": "boolean" } })),
    ] {
        check("output", &schema, &expected);
    }
}
