//! The format for Gemini, which is a subset of OpenAPI.

use serde_json::json;
use toolwright_core::manifest::Manifest;

use super::{hard, json_of, losses, of, parameter, rules, with};
use crate::export::Format;

#[test]
fn gemini_gets_one_type_each_and_no_references() {
    let recursive = json!({
        "manifestVersion": 1,
        "server": {"name": "shop", "version": "1.0.0"},
        "tools": [{"name": "find", "inputSchema": {
            "type": "object",
            "properties": {"top": {"$ref": "#/$defs/Node", "description": "The top."}},
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        }}],
    });
    let document = of(Manifest::from_json(&recursive.to_string()).unwrap());
    assert_eq!(
        losses(document.clone(), Format::Gemini),
        ["find /inputSchema/properties/top/properties/next/$ref: `#/$defs/Node` is not followed further"]
    );
    rules::gemini(&json_of(document, Format::Gemini));
    assert_eq!(parameter(hard(), Format::Gemini, "maybe"), json!({"nullable": true, "type": "INTEGER"}));
    assert_eq!(parameter(hard(), Format::Gemini, "above"), json!({"type": "INTEGER", "minimum": 1}));
    assert_eq!(parameter(hard(), Format::Gemini, "either"), json!({"type": "STRING", "nullable": true}));
}

#[test]
fn gemini_says_each_bound_that_it_can_say() {
    for (schema, expected, what) in [
        (
            json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 9}),
            json!({"minimum": 1, "maximum": 9}),
            "",
        ),
        (json!({"type": "integer", "exclusiveMinimum": 0, "minimum": 5}), json!({"minimum": 5}), ""),
        (json!({"type": "integer", "exclusiveMinimum": 7, "minimum": 5}), json!({"minimum": 8}), ""),
        (json!({"type": "integer", "exclusiveMinimum": 5, "minimum": 5}), json!({"minimum": 6}), ""),
        (
            json!({"type": "integer", "exclusiveMaximum": 10, "minimum": 5}),
            json!({"minimum": 5, "maximum": 9}),
            "",
        ),
        (json!({"type": "integer", "exclusiveMaximum": 10, "maximum": 10}), json!({"maximum": 9}), ""),
        (json!({"type": "integer", "exclusiveMaximum": 10, "maximum": 3}), json!({"maximum": 3}), ""),
        (
            json!({"type": ["integer", "null"], "exclusiveMinimum": -1}),
            json!({"nullable": true, "minimum": 0}),
            "",
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": 2.5, "exclusiveMaximum": 4.5}),
            json!({"minimum": 3, "maximum": 4}),
            "",
        ),
        (
            json!({"type": "integer", "minimum": 0.5, "exclusiveMaximum": 4.0}),
            json!({"minimum": 1, "maximum": 3}),
            "",
        ),
        (json!({"type": "integer", "const": 4}), json!({"minimum": 4, "maximum": 4}), ""),
        (json!({"type": "integer", "enum": [3, 1, 2]}), json!({"minimum": 1, "maximum": 3}), ""),
        (
            json!({"type": "integer", "enum": [1, 5]}),
            json!({"minimum": 1, "maximum": 5}),
            "/enum: `enum` becomes its smallest",
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0}),
            json!({"minimum": 0}),
            "/exclusiveMinimum: `exclusiveMinimum` becomes `minimum`",
        ),
        (json!({"type": "number", "exclusiveMinimum": 0, "minimum": 1}), json!({"minimum": 1}), ""),
        (
            json!({"type": "integer", "exclusiveMaximum": i64::MIN}),
            json!({"maximum": i64::MIN}),
            "becomes `maximum`",
        ),
        (
            json!({"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}], "minimum": 3}),
            json!({"nullable": true, "minimum": 3}),
            "",
        ),
        (
            json!({"allOf": [{"type": "integer", "minimum": 3}, {"minimum": 5, "exclusiveMaximum": 9}]}),
            json!({"minimum": 5, "maximum": 8}),
            "",
        ),
    ] {
        let mut converted = parameter(with(&json!({"a": schema})), Format::Gemini, "a");
        converted.as_object_mut().unwrap().shift_remove("type");
        assert_eq!(converted, expected, "{schema}");
        let losses = losses(with(&json!({"a": schema})), Format::Gemini);
        assert_eq!(losses.len(), usize::from(!what.is_empty()), "{schema}: {losses:?}");
        assert!(losses.iter().all(|loss| loss.contains(what)), "{schema}: {losses:?}");
    }
    let sizes = json!({"type": "object", "properties": {}, "minProperties": 1, "maxProperties": 2});
    let converted = parameter(with(&json!({"a": sizes})), Format::Gemini, "a");
    assert_eq!(converted, json!({"type": "OBJECT", "minProperties": 1, "maxProperties": 2}));
}
