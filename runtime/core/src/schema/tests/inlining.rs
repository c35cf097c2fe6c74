//! Which definitions are kept.
#![expect(dead_code, reason = "the types are read by schemars only")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Profile, all_keys, check, input, output};

#[derive(Deserialize, JsonSchema)]
struct Tree {
    label: Label,
    left: Option<Box<Tree>>,
    named: BTreeMap<String, Tree>,
}

/// What a tree is called.
#[derive(Deserialize, JsonSchema)]
struct Label {
    text: String,
}

fn label() -> Value {
    json!({
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"],
        "additionalProperties": false,
        "description": "What a tree is called."
    })
}

#[test]
fn recursive_types_stay_definitions_except_the_root() {
    let reference = json!({ "$ref": "#/$defs/Tree" });
    let properties = json!({
        "label": label(),
        "left": reference,
        "named": { "type": "object", "additionalProperties": reference }
    });
    check(
        "recursive",
        &input::<Tree>(),
        &json!({
            "type": "object",
            "properties": properties,
            "required": ["label", "named"],
            "additionalProperties": false,
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": properties,
                    "required": ["label", "named"],
                    "additionalProperties": false
                }
            }
        }),
    );
}

#[test]
fn mutual_recursion_leaves_nothing_dangling() {
    #[derive(Deserialize, JsonSchema)]
    struct Folder {
        entries: Vec<Entry>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Entry {
        Folder(Folder),
        File { label: Label },
    }
    // Outputs stay open, since later versions may write more members.
    let mut open = label();
    open.as_object_mut().expect("an object").remove("additionalProperties");
    for (schema, label) in [(input::<Folder>(), label()), (output::<Folder>(Profile::Portable), open)] {
        assert_references_resolve(&schema);
        assert_eq!(schema["$defs"]["Entry"]["anyOf"][1]["properties"]["label"], label);
    }
}

#[test]
fn a_fields_own_description_wins() {
    #[derive(Deserialize, JsonSchema)]
    struct Outer {
        /// The field's own text.
        here: Label,
        plain: Label,
        /// Also its own.
        maybe: Option<Label>,
    }
    let schema = input::<Outer>();
    assert_eq!(schema["properties"]["here"]["description"], "The field's own text.");
    assert_eq!(schema["properties"]["plain"]["description"], "What a tree is called.");
    assert_eq!(schema["properties"]["maybe"]["description"], "Also its own.");
    assert!(!all_keys(&schema).contains(&"$defs"));
}

/// A type whose schema doubles with each level.
macro_rules! doubling {
    ($($outer:ident of $inner:ident),+) => {
        $(
            #[derive(Deserialize, JsonSchema)]
            struct $outer {
                one: $inner,
                two: $inner,
                side: Side,
            }
        )+
    };
}

#[derive(Deserialize, JsonSchema)]
enum Side {
    Left,
    Right,
}

doubling!(D0 of Label, D1 of D0, D2 of D1, D3 of D2, D4 of D3, D5 of D4, D6 of D5, D7 of D6, D8 of D7, D9 of D8, D10 of D9);

#[test]
fn large_schemas_keep_repeated_definitions() {
    let small = input::<D3>();
    assert_eq!(small.get("$defs"), None);
    let large = input::<D10>();
    assert_references_resolve(&large);
    assert!(large["$defs"].as_object().unwrap().contains_key("D5"));
    let text = large.to_string();
    assert!(text.len() < 10_000, "{} bytes", text.len());
    assert!(!text.contains("#/$defs/Side"), "small definitions are always put in place");
}

#[test]
fn names_of_generics_are_found() {
    #[derive(Deserialize, JsonSchema)]
    #[schemars(rename = "Page<{T}>/~ü")]
    struct Page<T> {
        items: Vec<T>,
        next: Option<Box<Page<T>>>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct List {
        page: Page<u8>,
        label: Label,
    }
    #[derive(Deserialize, JsonSchema)]
    #[schemars(rename = "Page_uint8____")]
    struct SameName {
        again: Vec<SameName>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Both {
        page: Page<u8>,
        other: SameName,
    }
    for schema in [input::<List>(), input::<Page<String>>(), input::<Both>()] {
        assert_references_resolve(&schema);
        for name in schema["$defs"].as_object().unwrap().keys() {
            assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'), "{name}");
        }
    }
    assert_eq!(input::<Both>()["$defs"].as_object().unwrap().len(), 2);
}

#[test]
fn a_dangling_reference_has_no_effect() {
    #[derive(Deserialize, JsonSchema)]
    struct ByHand {
        #[schemars(schema_with = "nowhere")]
        value: Value,
    }
    fn nowhere(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "$ref": "#/$defs/Nowhere", "description": "Anything." })
    }
    assert_eq!(input::<ByHand>()["properties"]["value"], json!({ "description": "Anything." }));
}

#[track_caller]
fn assert_references_resolve(schema: &Value) {
    let mut found = 0;
    visit(schema, &mut found);
    assert!(found > 0, "no reference in {schema:#}");
    jsonschema::validator_for(schema).expect("a schema that can be compiled");
}

fn visit(value: &Value, found: &mut usize) {
    match value {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                assert!(reference.starts_with("#/$defs/"), "{reference}");
                *found += 1;
            }
            for member in object.values() {
                visit(member, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                visit(item, found);
            }
        }
        _ => {}
    }
}
