//! The effect of field attributes on a schema.
#![expect(dead_code, reason = "the types are read by schemars only")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Draft, FIELD, FieldMetadata, InputShape, Profile, check, input_with};

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Number(u64),
    Text(String),
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    children: Vec<Node>,
}

#[derive(Deserialize, JsonSchema)]
struct Fields {
    /// From the doc comment.
    name: Option<String>,
    count: u32,
    wide: u8,
    id: Id,
    anything: Value,
    tree: Node,
    token: String,
    password: String,
}

const FIELDS: &[FieldMetadata] = &[
    FieldMetadata {
        name: "name",
        schema: r#"{"pattern":"^a","examples":["ab"],"description":"By attribute.","x-mcp-header":"Name"}"#,
        ..FIELD
    },
    FieldMetadata { name: "count", schema: r#"{"minimum":-5,"maximum":10}"#, ..FIELD },
    FieldMetadata { name: "wide", schema: r#"{"minimum":1,"maximum":1000}"#, ..FIELD },
    FieldMetadata { name: "id", schema: r#"{"pattern":"^W"}"#, ..FIELD },
    FieldMetadata { name: "anything", schema: r#"{"maxLength":3}"#, ..FIELD },
    FieldMetadata { name: "tree", schema: r#"{"minProperties":1}"#, ..FIELD },
    FieldMetadata { name: "token", credential: true, ..FIELD },
    FieldMetadata { name: "password", secret: true, ..FIELD },
];

#[test]
fn attributes_are_merged_and_only_tighten() {
    let schema = input_with::<Fields>(FIELDS, Profile::Portable);
    check(
        "attributes",
        &schema,
        &json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "pattern": "^a",
                    "examples": ["ab"],
                    "description": "By attribute.",
                    "x-mcp-header": "Name"
                },
                "count": { "type": "integer", "minimum": 0, "maximum": 10 },
                "wide": { "type": "integer", "minimum": 1, "maximum": 255 },
                "id": {
                    "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }],
                    "pattern": "^W"
                },
                "anything": { "maxLength": 3 },
                "tree": { "$ref": "#/$defs/Node", "minProperties": 1 },
                "password": { "type": "string", "writeOnly": true }
            },
            "required": ["count", "wide", "id", "anything", "tree", "password"],
            "additionalProperties": false,
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
                    "required": ["children"],
                    "additionalProperties": false
                }
            }
        }),
    );
}

#[test]
fn attributes_constrain_in_both_profiles() {
    for profile in [Profile::Portable, Profile::Faithful] {
        let schema = input_with::<Fields>(FIELDS, profile);
        let good = json!({
            "name": "abc", "count": 10, "wide": 1, "id": "W1", "anything": "abc",
            "tree": { "children": [] }, "password": "p"
        });
        assert!(jsonschema::is_valid(&schema, &good), "{profile:?}: {schema:#}");
        for (member, bad) in [
            ("name", json!("b")),
            ("count", json!(11)),
            ("wide", json!(0)),
            ("id", json!("V1")),
            ("anything", json!("abcd")),
            ("tree", json!({})),
            ("token", json!("sent by the caller")),
        ] {
            let mut arguments = good.clone();
            arguments[member] = bad;
            assert!(!jsonschema::is_valid(&schema, &arguments), "{profile:?}: {member}");
        }
    }
}

#[test]
fn the_draft_keeps_rust_formats() {
    let draft = Draft::input::<Fields>(InputShape::Object).with_fields(FIELDS, false);
    let properties = &draft.as_value()["properties"];
    let count = json!({ "type": "integer", "format": "uint32", "minimum": 0, "maximum": 10 });
    assert_eq!(properties["count"], count);
    assert_eq!(properties["id"]["anyOf"][0], json!({ "type": "integer", "format": "uint64", "minimum": 0 }));
}

#[test]
fn allow_unknown_leaves_the_root_open() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Closed {}
    let open = Draft::input::<Node>(InputShape::Object).with_fields(&[], true).finish(Profile::Portable);
    assert_eq!(open.get("additionalProperties"), None);
    let closed = Draft::input::<Closed>(InputShape::Object).with_fields(&[], true).finish(Profile::Portable);
    assert_eq!(closed["additionalProperties"], json!(false));
}

#[test]
fn the_last_required_credential_leaves_no_empty_list() {
    #[derive(Deserialize, JsonSchema)]
    struct Only {
        token: String,
    }
    let fields = [FieldMetadata { name: "token", credential: true, ..FIELD }];
    let expected = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    for profile in [Profile::Portable, Profile::Faithful] {
        let mut schema = input_with::<Only>(&fields, profile);
        // Faithful keeps the definition that schemars wrote.
        schema.as_object_mut().unwrap().remove("$defs");
        check("credential", &schema, &expected);
    }
}

#[test]
fn attributes_without_effect_are_rejected() {
    #[derive(Deserialize, JsonSchema)]
    struct Post {
        labels: Option<Vec<String>>,
        note: String,
        anything: Value,
    }
    let problem = |name, schema| {
        let fields = [FieldMetadata { name, schema, ..FIELD }];
        let draft = Draft::input::<Post>(InputShape::Object).with_fields(&fields, false);
        draft.problem().map(ToString::to_string)
    };
    for (name, schema, expected) in [
        (
            "labels",
            r#"{"pattern":"^a"}"#,
            "`pattern` on the field `labels` has no effect, because its values have the type array;",
        ),
        (
            "note",
            r#"{"title":"Note","maximum":3}"#,
            "`maximum` on the field `note` has no effect, because its values have the type string;",
        ),
    ] {
        let problem = problem(name, schema).expect("a problem");
        assert!(problem.starts_with(expected), "{problem}");
    }
    for (name, schema) in [
        ("labels", r#"{"minItems":1,"examples":[["a"]]}"#),
        ("note", r#"{"pattern":"^a","format":"email"}"#),
        ("anything", r#"{"pattern":"^a","minimum":3}"#),
    ] {
        assert_eq!(problem(name, schema), None);
    }
}
