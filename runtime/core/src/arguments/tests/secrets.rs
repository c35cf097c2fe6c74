//! A canary value: a secret must not be repeated, whatever is invalid in it or near it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{field, lines, raw, read_by, reader_with};
use crate::arguments::{ArgumentErrors, ArgumentReader};
use crate::tool::{FieldMetadata, InputShape};

const CANARY: &str = "canary-4711";

const SECRET: &[FieldMetadata] =
    &[FieldMetadata { secret: true, aliases: &["pw"], schema: "{\"writeOnly\":true}", ..field("secret") }];

fn assert_silent(errors: &ArgumentErrors, what: &dyn std::fmt::Display) {
    for text in [errors.to_string(), format!("{errors:?}")] {
        assert!(!text.contains("canary") && !text.contains("4711"), "{what}: {text}");
    }
}

/// Any value with the canary somewhere in it.
fn canaries() -> Vec<Value> {
    vec![
        json!(CANARY),
        json!(4711),
        json!(-4711.5),
        json!([CANARY, CANARY]),
        json!({CANARY: 1}),
        json!({"a": CANARY}),
        json!({"a": {"b": [CANARY]}, "k": CANARY}),
        json!({"k": "x", "a": CANARY}),
        json!(json!({"a": CANARY}).to_string()),
    ]
}

/// Every kind of constraint, as the schema of a secret.
fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "boolean"}),
        json!({"type": "object", "required": ["b"], "properties": {"a": {"type": "null"}}}),
        json!({"type": "object", "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": {"type": "null"}}),
        json!({"type": "object", "patternProperties": {"c": {"type": "null"}}, "additionalProperties": false}),
        json!({"type": "object", "propertyNames": {"maxLength": 0}}),
        json!({"type": "object", "minProperties": 9}),
        json!({"type": "object", "dependentRequired": {"a": ["z"]}}),
        json!({"type": "object", "properties": {"a": {"properties": {"b": {"items": {"type": "null"}}}}}}),
        json!({"enum": [true]}),
        json!({"const": true}),
        json!({"pattern": "^$", "maximum": -1_000_000, "maxItems": 0, "maxProperties": 0}),
        json!({"format": "uuid", "multipleOf": 1000}),
        json!({"minLength": 99, "minimum": 1_000_000, "uniqueItems": true, "minItems": 3}),
        json!({"contains": {"type": "null"}, "items": {"type": "null"}}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
        json!({"oneOf": [{}, {}]}),
        json!({"oneOf": [{"properties": {"k": {"const": "x"}, "a": {"type": "null"}}, "required": ["k"]}, {"type": "null"}]}),
        json!({"allOf": [{"type": "null"}]}),
        json!({"not": {}}),
        json!({"if": {}, "then": {"type": "null"}}),
        json!({"$ref": "#/$defs/null"}),
        json!(false),
    ]
}

fn check(root: &Value, fields: &'static [FieldMetadata], arguments: &Value) {
    let reader = ArgumentReader::from_schema(root, fields, InputShape::Object, false).expect("a schema");
    for reader in [
        reader,
        ArgumentReader::from_schema(root, fields, InputShape::Object, false).expect("a schema").strict(),
    ] {
        // The type is strict too: its message about the whole must not be repeated either.
        if let Err(errors) = read_by::<Picky>(&reader, &arguments.to_string()) {
            assert_silent(&errors, &format_args!("{root} {arguments}"));
        } else {
            panic!("{root} takes {arguments}");
        }
    }
}

/// Rejects everything, with a message that repeats the input.
#[derive(Debug)]
struct Picky;

impl<'de> Deserialize<'de> for Picky {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Err(serde::de::Error::custom(format!("i do not like {value}")))
    }
}

#[test]
fn a_secret_is_never_repeated_in_errors() {
    for schema in schemas() {
        for canary in canaries() {
            // Marked by the field, by the schema, below another value, and in an arm.
            let defs = json!({"null": {"type": "null"}});
            let mut marked = schema.clone();
            if let Some(keywords) = marked.as_object_mut() {
                keywords.insert("writeOnly".to_owned(), true.into());
            } else {
                marked = json!({"writeOnly": true, "allOf": [schema]});
            }
            let root = json!({"type": "object", "properties": {"secret": schema}, "$defs": defs});
            check(&root, SECRET, &json!({"secret": canary}));
            check(&root, SECRET, &json!({"pw": canary}));
            let root = json!({"type": "object", "properties": {"s": marked}, "$defs": defs});
            check(&root, &[], &json!({"s": canary}));
            let root =
                json!({"type": "object", "properties": {"o": {"properties": {"s": marked}}}, "$defs": defs});
            check(&root, &[], &json!({"o": {"s": canary}}));
            let text = json!({"s": canary}).to_string();
            check(&root, &[], &json!({"o": text}));
            let arms = json!({"anyOf": [{"type": "null"}, marked]});
            let root = json!({"type": "object", "properties": {"s": arms}, "$defs": defs});
            check(&root, &[], &json!({"s": canary}));
        }
    }
}

#[test]
fn an_unknown_name_does_not_show_its_value() {
    let root = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    for canary in canaries() {
        check(&root, SECRET, &json!({"b": canary}));
    }
}

#[test]
fn arguments_that_are_no_object_are_not_repeated() {
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Login {
        secret: String,
    }
    let reader = reader_with::<Login>(SECRET);
    for text in [json!(CANARY), json!([CANARY]), json!(4711)] {
        assert_silent(&read_by::<Login>(&reader, &text.to_string()).unwrap_err(), &text);
    }
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Account {
    user: String,
    #[serde(flatten)]
    secrets: Secrets,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Secrets {
    #[serde(deserialize_with = "picky")]
    #[schemars(with = "String", extend("writeOnly" = true, "examples" = ["canary-4711"]))]
    token: String,
}

fn picky<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "canary-4711" { Err(serde::de::Error::custom(format!("bad token {text}"))) } else { Ok(text) }
}

#[test]
fn type_errors_about_flattened_secrets_are_withheld() {
    let reader = reader_with::<Account>(&[]);
    let errors = read_by::<Account>(&reader, r#"{"user":"u","token":"canary-4711"}"#).unwrap_err();
    assert_silent(&errors, &"flattened");
    assert_eq!(lines(&errors), ["arguments: the tool does not accept this value"]);
    // The author's example of a secret may be a real one.
    assert_eq!(errors.example(), Some(&json!({"user": "text", "token": "text"})));
}

#[test]
fn a_credential_is_never_repeated() {
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Fetch {
        url: String,
        key: u8,
    }
    const FIELDS: &[FieldMetadata] = &[FieldMetadata { credential: true, ..field("key") }];
    let reader = reader_with::<Fetch>(FIELDS);
    for value in canaries() {
        for text in
            [r#"{"url":"u"}"#.to_owned(), "{}".to_owned(), json!({"url": 1, "key": value}).to_string()]
        {
            let bound = [("key".to_owned(), raw(&value.to_string()))];
            assert_silent(&reader.read::<Fetch>(Some(&raw(&text)), &bound).unwrap_err(), &text);
        }
    }
}

#[test]
fn what_is_wrong_twice_in_a_secret_is_said_once() {
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "read and dropped")]
    struct Keys {
        secret: Vec<Key>,
    }
    #[derive(Debug, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "read and dropped")]
    enum Key {
        Empty,
        Long { bits: u16 },
    }
    let reader = reader_with::<Keys>(SECRET);
    let text = r#"{"secret":[{"kind":"Empty","a":1},{"kind":"Empty","a":2}]}"#;
    let errors = read_by::<Keys>(&reader, text).unwrap_err();
    assert_eq!(lines(&errors), [r#"/secret: unknown name; known are "kind""#]);
}
