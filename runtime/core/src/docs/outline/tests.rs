use serde_json::{Value, json};

use super::*;
use crate::definition::ToolDefinition;

/// The lines of the parameters, as the documentation for agents has them.
fn lines(schema: &Value) -> Vec<String> {
    let tool: ToolDefinition = serde_json::from_value(json!({"name": "t", "inputSchema": schema})).unwrap();
    let text = crate::docs::full(&tool);
    let lines = text.lines().skip_while(|line| *line != "Parameters:").skip(2);
    lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Does the same for a single member `a`, without the start of its own line.
fn of(property: &Value) -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"a": property}});
    let lines = lines(&schema);
    lines.iter().map(|line| line.replacen("- `a` (", "(", 1).replace(", optional)", ")")).collect()
}

#[test]
fn each_kind_of_enum_is_shown_by_variant() {
    for (schema, expected) in [
        // External.
        (
            json!({"oneOf": [
                {"type": "string", "const": "cash", "description": "In cash."},
                {"type": "object", "description": "By card.", "required": ["card"], "additionalProperties": false,
                 "properties": {"card": {"type": "object", "required": ["amount"],
                    "properties": {"amount": {"type": "integer", "maximum": 10}}}}},
            ]}),
            vec![
                "(one of 2 variants)",
                "  - variant 1 of 2 (always `\"cash\"`): In cash.",
                "  - variant 2 of 2 (object with `card`): By card.",
                "    - `card` (object, required)",
                "      - `amount` (integer, required): at most `10`",
            ],
        ),
        // Tagged, optional.
        (
            json!({"anyOf": [
                {"type": "object", "required": ["kind", "days"], "properties": {
                    "days": {"type": "integer", "minimum": 1}, "kind": {"type": "string", "const": "feature"}}},
                {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["bug"]}}},
                {"type": "null"},
            ]}),
            vec![
                "(one of 2 variants or null)",
                "  - variant 1 of 2 (object with `kind` = `\"feature\"`)",
                "    - `days` (integer, required): at least `1`",
                "    - `kind` (always `\"feature\"`, required)",
                "  - variant 2 of 2 (object with `kind` = `\"bug\"`)",
                "    - `kind` (always `\"bug\"`, required)",
            ],
        ),
        // Adjacent, in a list.
        (
            json!({"type": "array", "items": {"oneOf": [
                {"type": "object", "required": ["t", "c"], "properties": {"t": {"const": "size"}, "c": {"type": "integer"}}},
                {"type": "object", "required": ["t"], "properties": {"t": {"const": "none"}}},
            ]}}),
            vec![
                "(array of one of 2 variants)",
                "  - variant 1 of 2 (object with `t` = `\"size\"`)",
                "    - `t` (always `\"size\"`, required)",
                "    - `c` (integer, required)",
                "  - variant 2 of 2 (object with `t` = `\"none\"`)",
                "    - `t` (always `\"none\"`, required)",
            ],
        ),
        // Untagged, completely described on its line.
        (
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}, {"enum": ["x", "y"]}]}),
            vec!["(string or array of integer or one of `\"x\"`, `\"y\"`)"],
        ),
        // Untagged, with rules.
        (
            json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}),
            vec![
                "(one of 2 variants)",
                "  - variant 1 of 2 (string): longest length `3`",
                "  - variant 2 of 2 (integer)",
            ],
        ),
        // An optional struct is a struct.
        (
            json!({"anyOf": [{"type": "object", "properties": {"b": {"type": "boolean"}}}, {"type": "null"}]}),
            vec!["(object or null)", "  - `b` (boolean)"],
        ),
        // An enum in a variant of an enum.
        (
            json!({"anyOf": [{"type": "string"}, {"type": "object", "required": ["by"], "properties": {
                "by": {"oneOf": [{"const": "name", "description": "N."}, {"const": "date", "description": "D."}]}}}]}),
            vec![
                "(one of 2 variants)",
                "  - variant 1 of 2 (string)",
                "  - variant 2 of 2 (object with `by`)",
                "    - `by` (one of 2 variants, required)",
                "      - variant 1 of 2 (always `\"name\"`): N.",
                "      - variant 2 of 2 (always `\"date\"`): D.",
            ],
        ),
    ] {
        assert_eq!(of(&schema), expected, "{schema:#}");
    }
}

#[test]
fn the_variants_of_a_whole_tool_are_shown() {
    let schema = json!({"type": "object", "properties": {"verbose": {"type": "boolean"}}, "oneOf": [
        {"required": ["id"], "properties": {"id": {"type": "integer"}}},
        {"required": ["name"], "properties": {"name": {"type": "string"}}},
    ]});
    assert_eq!(
        lines(&schema),
        [
            "- `verbose` (boolean, optional)",
            "- variant 1 of 2 (object with `id`)",
            "  - `id` (integer, required)",
            "- variant 2 of 2 (object with `name`)",
            "  - `name` (string, required)",
        ]
    );
}

#[test]
fn recursive_types_are_described_once() {
    let untagged = json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/V"}}, "$defs": {"V": {"anyOf": [
        {"type": "number"},
        {"type": "array", "items": {"$ref": "#/$defs/V"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/V"}},
    ]}}});
    assert_eq!(
        lines(&untagged),
        ["- `v` (number or array of the same as `v` or object of the same as `v`, optional)"]
    );
    let filter = json!({"type": "object", "properties": {"f": {"$ref": "#/$defs/F"}}, "$defs": {"F": {"oneOf": [
        {"type": "object", "required": ["and"], "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/F"}}}},
        {"type": "object", "required": ["not"], "properties": {"not": {"$ref": "#/$defs/F"}}},
        {"type": "object", "required": ["is"], "properties": {"is": {"type": "string"}}},
    ]}}});
    assert_eq!(
        lines(&filter),
        [
            "- `f` (one of 3 variants, optional)",
            "  - variant 1 of 3 (object with `and`)",
            "    - `and` (array of the same as `f`, required)",
            "  - variant 2 of 3 (object with `not`)",
            "    - `not` (the same as `f`, required)",
            "  - variant 3 of 3 (object with `is`)",
            "    - `is` (string, required)",
        ]
    );
    let whole = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    assert_eq!(lines(&whole), ["- `next` (the same as the whole, optional)"]);
    let circle = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    assert_eq!(lines(&circle), ["- `a` (any JSON, optional)"]);
    let nowhere = json!({"type": "object", "properties": {"a": {"$ref": "https://x/y"}}});
    assert_eq!(lines(&nowhere), ["- `a` (see `https://x/y`, optional)"]);
    assert_eq!(outline(&nowhere).omitted[0].pointer, "/properties/a/$ref");
}

/// Every keyword of 2020-12 is shown.
#[test]
fn no_keyword_is_omitted() {
    for (schema, expected) in [
        (json!({"type": "string", "minLength": 1, "format": "uri"}), "format `uri`; shortest length `1`"),
        (
            json!({"type": "array", "items": {"type": "string", "maxLength": 2}}),
            "each item (string): longest length `2`",
        ),
        (
            json!({"type": "array", "contains": {"const": 1}, "minContains": 2}),
            "`contains` `{\"const\":1}`; `minContains` `2`",
        ),
        (json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}), "item 1 (string)"),
        (json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}), "no further items"),
        (
            json!({"type": "array", "uniqueItems": true, "unevaluatedItems": false}),
            "items are unique; `unevaluatedItems` `false`",
        ),
        (
            json!({"type": "object", "patternProperties": {"^x|y": {"type": "integer"}}}),
            "members that match `^x|y` (integer)",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}),
            "members of any other name (integer): at least `1`",
        ),
        (json!({"type": "object", "propertyNames": {"maxLength": 3}}), "`propertyNames` `{\"maxLength\":3}`"),
        (
            json!({"type": "object", "dependentRequired": {"a": ["b"]}}),
            "`dependentRequired` `{\"a\":[\"b\"]}`",
        ),
        (json!({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}), "`dependentSchemas`"),
        (
            json!({"type": "object", "minProperties": 1, "maxProperties": 2}),
            "fewest members `1`; most members `2`",
        ),
        (json!({"type": "object", "required": ["z"]}), "requires `z`"),
        (
            json!({"type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": true}),
            "other members as well",
        ),
        (json!({"type": "object", "unevaluatedProperties": {"type": "string"}}), "`unevaluatedProperties`"),
        (json!({"not": {"type": "string"}}), "`not` `{\"type\":\"string\"}`"),
        (
            json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}),
            "`if` `{\"type\":\"string\"}`; `then` `{\"minLength\":1}`; `else` `{\"minimum\":1}`",
        ),
        (
            json!({"allOf": [{"type": "integer"}, {"minimum": 2}, {"maximum": 3}]}),
            "(integer): at least `2`; at most `3`",
        ),
        (json!({"allOf": [{"type": "integer"}, {"type": "number"}]}), "`type` `\"number\"`"),
        (
            json!({"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}),
            "encoded as `base64`; of the media type `image/png`",
        ),
        (json!({"type": "string", "contentSchema": true}), "`contentSchema` `true`"),
        (json!({"type": "string", "writeOnly": true, "deprecated": true}), "secret; deprecated"),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.5}),
            "more than `0`; less than `1`; a multiple of `0.5`",
        ),
        (
            json!({"type": "number", "default": null, "examples": [1, 2]}),
            "default `null`; for example `1`, `2`",
        ),
        (json!({"$dynamicRef": "#x"}), "`$dynamicRef` `\"#x\"`"),
        (json!({"type": "string", "nullable": true}), "`nullable` `true`"),
        (json!({"type": "string", "title": "A title"}), ": A title"),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "oneOf": [{"maxLength": 1}, {"minimum": 2}]}),
            "(string or integer and one of 2 variants)",
        ),
        (json!(false), "nothing, since no value is valid"),
    ] {
        let said = of(&schema).join("\n");
        assert!(said.contains(expected), "no {expected:?} in\n{said}\nfor {schema}");
    }
}

#[test]
fn large_schemas_are_truncated_and_omissions_listed() {
    // Without `json!`, which would visit all levels repeatedly.
    let object = |members: [(&str, Value); 2]| {
        Value::Object(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
    };
    let mut deep = json!({"type": "string"});
    for _ in 0..1000 {
        deep = object([("type", "object".into()), ("properties", object([("a", deep), ("b", true.into())]))]);
    }
    let shown = outline(&deep);
    assert_eq!(shown.lines.len(), 2 * DEPTH_LIMIT);
    assert!(shown.omitted[0].what.contains("only 8 levels"), "{:?}", shown.omitted);

    let mut lists = json!({"type": "string"});
    for _ in 0..1000 {
        lists = object([("type", "array".into()), ("items", lists)]);
    }
    let shown = outline(&object([
        ("type", "object".into()),
        ("properties", object([("a", lists), ("b", true.into())])),
    ]));
    assert!(!shown.omitted.is_empty() && shown.lines.len() <= LINE_LIMIT);

    // Each definition refers twice to the next one: 2^40 paths.
    let mut definitions = Map::new();
    for at in 0..40 {
        let next = json!({"$ref": format!("#/$defs/{}", at + 1)});
        definitions.insert(at.to_string(), json!({"anyOf": [next, {"type": "array", "items": next}]}));
    }
    definitions.insert("40".to_owned(), json!({"type": "string"}));
    let shown = outline(&json!({"properties": {"a": {"$ref": "#/$defs/0"}}, "$defs": definitions}));
    assert!(!shown.omitted.is_empty() && shown.lines.len() <= LINE_LIMIT);

    let many: Map<String, Value> =
        (0..LINE_LIMIT + 5).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
    let shown = outline(&json!({"properties": many}));
    assert_eq!((shown.lines.len(), shown.omitted.len()), (LINE_LIMIT, 1));

    let choices: Vec<_> = (0..CHOICE_LIMIT + 5).collect();
    let shown =
        outline(&json!({"properties": {"a": {"enum": choices}, "b": {"not": {"const": "x".repeat(999)}}}}));
    assert!(shown.lines[0].kind.markdown().ends_with(" and 5 more"));
    assert_eq!(shown.omitted.len(), 2, "{:?}", shown.omitted);
}
