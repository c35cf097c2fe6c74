//! Examples for many schemas, checked by a full validator.

use serde_json::{Value, json};

use super::example;

#[test]
fn examples_fit_their_schema() {
    for (schema, expected) in [
        (json!({"type": "object", "properties": {"a": {"type": "string"}}}), json!({})),
        (json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}), json!({"a": "text"})),
        (member(&json!({"type": "string", "examples": ["x"], "default": "y"})), json!({"a": "x"})),
        (member(&json!({"type": "string", "default": "y"})), json!({"a": "y"})),
        (member(&json!({"type": "string", "examples": [5, "x"]})), json!({"a": "x"})),
        (member(&json!({"enum": [null, "b", "c"]})), json!({"a": "b"})),
        (member(&json!({"const": null})), json!({"a": null})),
        (member(&json!({"type": "integer"})), json!({"a": 1})),
        (member(&json!({"type": "integer", "minimum": 5})), json!({"a": 5})),
        (member(&json!({"type": "integer", "maximum": -3})), json!({"a": -3})),
        (member(&json!({"type": "integer", "exclusiveMinimum": 5})), json!({"a": 6})),
        (member(&json!({"type": "integer", "exclusiveMaximum": 0})), json!({"a": -1})),
        (member(&json!({"type": "integer", "minimum": 20, "multipleOf": 7})), json!({"a": 21})),
        (member(&json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1})), json!({"a": 0.5})),
        (member(&json!({"type": "number", "minimum": 0.5, "maximum": 0.5})), json!({"a": 0.5})),
        (member(&json!({"type": "boolean"})), json!({"a": false})),
        (member(&json!({"type": "null"})), json!({"a": null})),
        (member(&json!({"type": ["null", "integer"]})), json!({"a": 1})),
        (member(&json!({"type": "string", "minLength": 6})), json!({"a": "textte"})),
        (member(&json!({"type": "string", "maxLength": 2})), json!({"a": "te"})),
        (member(&json!({"type": "string", "format": "date"})), json!({"a": "2026-07-28"})),
        (member(&json!({"type": "string", "pattern": "^#W\\d{7}$"})), json!({"a": "#W0000000"})),
        (member(&json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 5})), json!({"a": "aaaaa"})),
        (
            member(
                &json!({"type": "string", "format": "uri", "writeOnly": true, "examples": ["https://me:pw@x/"]}),
            ),
            json!({"a": "https://example.com/"}),
        ),
        (member(&json!({"type": "array"})), json!({"a": []})),
        (
            member(&json!({"type": "array", "items": {"type": "integer"}, "minItems": 2})),
            json!({"a": [1, 1]}),
        ),
        (
            member(
                &json!({"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": true}),
            ),
            json!({"a": [1, 2, 3]}),
        ),
        (
            member(
                &json!({"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2, "uniqueItems": true}),
            ),
            json!({"a": ["x", "y"]}),
        ),
        (
            member(
                &json!({"prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "type": "array"}),
            ),
            json!({"a": ["text", 1]}),
        ),
        (member(&json!({"type": "array", "contains": {"const": 5}})), json!({"a": [5]})),
        (
            member(&json!({"anyOf": [{"type": "array", "minItems": 1}, {"type": "string"}]})),
            json!({"a": [0]}),
        ),
        (member(&json!({"oneOf": [{"const": "x"}, {"const": "y"}]})), json!({"a": "x"})),
        (member(&json!({"allOf": [{"minimum": 3}, {"maximum": 3}], "type": "integer"})), json!({"a": 3})),
        (
            member(&json!({"type": "object", "minProperties": 2})),
            json!({"a": {"name0": "text", "0": "text"}}),
        ),
        (
            member(&json!({"type": "object", "required": ["k"], "oneOf": [
                {"properties": {"k": {"const": "x"}, "n": {"type": "integer"}}, "required": ["n"]},
                {"properties": {"k": {"const": "y"}}}]})),
            json!({"a": {"k": "x", "n": 1}}),
        ),
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {}, "b": {"type": "null"}},
                "dependentRequired": {"a": ["b"]}}),
            json!({"a": "text", "b": null}),
        ),
        // Secrets are generated, never copied.
        (
            member(&json!({"type": "string", "writeOnly": true, "examples": ["real"], "default": "real"})),
            json!({"a": "text"}),
        ),
        (
            member(&json!({"type": "object", "examples": [{"s": "real"}], "required": ["s"],
                "properties": {"s": {"type": "string", "writeOnly": true}}})),
            json!({"a": {"s": "text"}}),
        ),
        // Recursion ends at the first arm that does.
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/e"}}, "$defs": {"e": {"anyOf": [
                {"type": "object", "required": ["e"], "properties": {"e": {"$ref": "#/$defs/e"}}}, {"type": "null"}]}}}),
            json!({"a": {"e": {"e": null}}}),
        ),
    ] {
        let made = example(&schema);
        let referee = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
        assert!(referee.is_valid(&made), "{schema} {made}");
        assert_eq!(made, expected, "{schema}");
    }
}

/// An object that requires a member of this schema.
fn member(schema: &Value) -> Value {
    json!({"type": "object", "required": ["a"], "properties": {"a": schema}, "additionalProperties": false})
}

#[test]
fn unsatisfiable_schemas_have_an_empty_example() {
    for schema in [
        member(&json!(false)),
        member(&json!({"type": "string", "pattern": "(?i)^b$"})),
        member(&json!({"type": "string", "minLength": 1_000_000})),
        member(&json!({"type": "array", "minItems": 1_000_000})),
        member(&json!({"minProperties": 1_000_000, "type": "object"})),
        member(&json!({"type": "integer", "minimum": 5, "maximum": 4})),
    ] {
        assert_eq!(example(&schema), json!({}), "{schema}");
    }
}
