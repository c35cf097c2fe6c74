use serde_json::{Map, Value, json};

use super::{CompileError, OutputChecker, check, drop_reserved, wrap};
use crate::definition::ToolDefinition;
use crate::result::StructuredContent;

fn tool(input: Value) -> ToolDefinition {
    ToolDefinition::new("tool", input)
}

fn with_output(output: Value) -> ToolDefinition {
    tool(json!({"type": "object"})).output_schema(output)
}

/// The input schema with one property.
fn with_property(property: &Value) -> ToolDefinition {
    tool(json!({"type": "object", "properties": {"a": property}}))
}

#[test]
fn definitions_that_clients_take_pass() {
    let long_name = ToolDefinition::new("x".repeat(128), json!({"type": "object"}));
    for definition in vec![
        long_name,
        tool(json!({"type": "object"})),
        tool(json!({"type": "object", "additionalProperties": false, "$defs": {"a": true}, "x-unknown": 1})),
        tool(json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"})),
        tool(json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"})),
        tool(
            json!({"type": "object", "properties": {"$ref": {"type": "string"}, "type": {"const": {"$ref": 1}}}}),
        ),
        tool(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A%20b"}}, "$defs": {"A b": {}}})),
        tool(
            json!({"type": "object", "properties": {"a": {"$ref": "#node"}}, "$defs": {"n": {"$anchor": "node"}}}),
        ),
        tool(json!({"type": "object", "properties": {"self": {"$ref": "#"}}})),
        tool(json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"a": {"items": [{"type": "string"}]}},
        })),
        tool(json!({
            "$schema": "http://json-schema.org/draft-04/schema#",
            "type": "object",
            "properties": {"a": {"minimum": 1, "exclusiveMinimum": true}},
        })),
        with_property(&json!({"type": ["string", "null"], "enum": ["a", null], "minLength": 2.0})),
        with_output(json!({})),
        with_output(json!({"type": "array", "items": {"$ref": "#"}})),
        with_output(json!({"type": "string"})),
    ] {
        assert_eq!(check(&definition), Ok(()), "{definition:?}");
    }
}

#[test]
fn invalid_definitions_are_rejected_with_a_reason() {
    let named = |name: &str| ToolDefinition::new(name, json!({"type": "object"}));
    let deep = (0..200).fold(json!({}), |schema, _| json!({"items": schema}));
    for (definition, expected) in vec![
        (named(""), "the name is empty"),
        (named("a b"), "the name has ' ' at byte 1"),
        (named("a\n"), "the name has '\\n'"),
        (named("größe"), "the name has 'ö'"),
        (named(&"x".repeat(129)), "129 characters"),
        (tool(json!(true)), "its input schema must be an object, but is true"),
        (tool(json!(null)), "its input schema must be an object, but is null"),
        (tool(json!([])), "its input schema must be an object, but is []"),
        (tool(json!({})), "its input schema must have \"type\": \"object\" at its root"),
        (tool(json!({"type": "array"})), "\"type\": \"object\""),
        (tool(json!({"type": ["object", "null"]})), "\"type\": \"object\""),
        (
            tool(json!({"$schema": "https://spec.openapis.org/oas/3.1/dialect/base", "type": "object"})),
            "the dialect \"https://spec.openapis.org/oas/3.1/dialect/base\"",
        ),
        (tool(json!({"$schema": 7, "type": "object"})), "the dialect \"7\""),
        (
            tool(json!({"type": "object", "properties": []})),
            "at `/properties`: expected an object of schemas",
        ),
        (tool(json!({"type": "object", "properties": {"a": 1}})), "at `/properties/a`: expected a schema"),
        (
            tool(json!({"type": "object", "required": "a"})),
            "at `/required`: expected an array of distinct names",
        ),
        (tool(json!({"type": "object", "required": ["a", "a"]})), "at `/required`"),
        (with_property(&json!({"type": "text"})), "at `/properties/a/type`: expected a JSON type"),
        (with_property(&json!({"type": []})), "/properties/a/type"),
        (with_property(&json!({"enum": "a"})), "/properties/a/enum"),
        (with_property(&json!({"anyOf": []})), "/properties/a/anyOf`: expected a non-empty array of schemas"),
        (with_property(&json!({"items": [{}]})), "/properties/a/items"),
        (with_property(&json!({"minLength": -1})), "/properties/a/minLength"),
        (with_property(&json!({"maximum": "10"})), "/properties/a/maximum"),
        (with_property(&json!({"exclusiveMinimum": true})), "/properties/a/exclusiveMinimum"),
        (with_property(&json!({"multipleOf": 0})), "/properties/a/multipleOf"),
        (with_property(&json!({"pattern": 1})), "/properties/a/pattern"),
        (
            with_property(&json!({"$ref": "#/$defs/None"})),
            "the reference \"#/$defs/None\" at `/properties/a`",
        ),
        (with_property(&json!({"$ref": "#none"})), "which does not exist"),
        (with_property(&json!({"$ref": "https://example.com/a.json"})), "which clients must not fetch"),
        (with_property(&json!({"$ref": "other.json#/a"})), "which clients must not fetch"),
        (with_property(&deep), "it is nested too deeply"),
        (with_output(json!(false)), "its output schema must be an object, but is false"),
        (
            with_output(json!({"type": "object", "properties": {"n": "integer"}})),
            "its output schema is invalid",
        ),
    ] {
        let flaw = check(&definition).expect_err(expected).to_string();
        assert!(flaw.contains(expected), "{flaw}");
    }
}

#[test]
fn too_many_subschemas_are_rejected_with_a_short_reason() {
    let many: Map<String, Value> = (0..20_000).map(|number| (number.to_string(), json!({}))).collect();
    let flaw = check(&tool(json!({"type": "object", "properties": many}))).expect_err("too many");
    assert!(flaw.to_string().contains("more than 10000 subschemas"), "{flaw}");
    let name = "x".repeat(1 << 20);
    for definition in [
        tool(json!({"$schema": name, "type": "object"})),
        tool(json!({"type": "object", "properties": {name.clone(): {"$ref": format!("#/{name}")}}})),
        tool(json!([name])),
    ] {
        assert!(check(&definition).expect_err("a flaw").to_string().len() < 1_000);
    }
}

fn validate(schema: &Value, text: &str) -> Result<(), String> {
    let content: StructuredContent = serde_json::from_str(text).expect("JSON");
    let checker = OutputChecker::compile(schema).expect("a schema that can be checked");
    let found = checker.check(&content.to_value());
    assert_eq!(checker.check_text(text), found, "{text}");
    found
}

#[test]
fn content_that_cannot_be_parsed_does_not_match() {
    let checker = OutputChecker::compile(&json!({})).expect("a schema");
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(checker.check_text(&nested(127)), Ok(()));
    for text in ["", "{", "[1,", &nested(128)] {
        assert_eq!(checker.check_text(text), Err("it cannot be parsed".to_owned()), "{text}");
    }
}

#[test]
fn content_is_validated_against_the_output_schema() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1},
            "at": {"type": "string", "format": "date-time"},
            "next": {"$ref": "#"},
        },
        "required": ["n"],
        "additionalProperties": false,
    });
    for (text, problem) in [
        (r#"{"n":1}"#, None),
        (r#"{"n":2.0,"next":{"n":3}}"#, None),
        // In 2020-12 a format is an annotation.
        (r#"{"n":1,"at":"noon"}"#, None),
        (r#"{"n":"three"}"#, Some("/n: expected an integer")),
        (r#"{"n":0}"#, Some("/n: ")),
        ("{}", Some("/n: ")),
        (r#"{"n":1,"m":2}"#, Some("/m: ")),
        (r#"{"n":1,"next":{"n":null}}"#, Some("/next/n: ")),
        ("[]", Some("expected an object")),
        ("null", Some("expected an object")),
    ] {
        let found = validate(&schema, text);
        match problem {
            None => assert_eq!(found, Ok(()), "{text}"),
            Some(problem) => assert!(found.expect_err(text).contains(problem), "{text}"),
        }
    }
    let many = format!("[{}]", vec!["1"; 1_000].join(","));
    let found = validate(&json!({"items": {"type": "string"}}), &many).expect_err("numbers");
    assert!(found.contains("and 995 more") && found.len() < 1_000, "{found}");
}

#[test]
fn unsupported_rules_are_not_ignored() {
    let draft7 = "http://json-schema.org/draft-07/schema#";
    for (schema, keyword) in [
        (json!({"type": "object", "unevaluatedProperties": false}), "unevaluatedProperties"),
        (json!({"items": {"not": {"$dynamicRef": "#a"}}}), "$dynamicRef"),
        (json!({"$ref": "#a", "$defs": {"a": {"$anchor": "a"}}}), "$ref"),
        (json!({"$defs": {"a": {"$id": "a.json"}}}), "$id"),
        (json!({"$schema": draft7, "dependencies": {"a": ["b"]}}), "dependencies"),
        (json!({"$schema": draft7, "items": [{}], "additionalItems": false}), "items"),
        (json!({"$schema": draft7, "$ref": "#", "minimum": 1}), "$ref"),
        (json!({"$schema": draft7, "prefixItems": [{"type": "string"}]}), "prefixItems"),
    ] {
        let not_checked = OutputChecker::compile(&schema).expect_err(keyword);
        assert_eq!(not_checked, CompileError::Keyword(keyword.to_owned()), "{schema}");
    }
    let pattern = OutputChecker::compile(&json!({"pattern": "(?=a)b"})).expect_err("look-ahead");
    assert!(pattern.to_string().contains("(?=a)b"), "{pattern}");
    assert!(
        OutputChecker::compile(&json!({"$id": "https://example.com/a", "unevaluatedItems": true})).is_ok()
    );
}

#[test]
fn names_of_the_protocol_are_dropped_and_all_others_stay() {
    let reserved = [
        "io.modelcontextprotocol/serverInfo",
        "io.modelcontextprotocol/subscriptionId",
        "io.modelcontextprotocol/related-task",
        "dev.mcp/x",
        "org.modelcontextprotocol.api/x",
        "com.mcp.tools/x",
        "io.toolwright/requiredCapabilities",
        "io.toolwright/anything",
        "progressToken",
    ];
    let free =
        ["com.example.mcp/x", "com.example/mcp", "mcp", "traceparent", "ui", "io.toolwright.x/y", "mcp/x"];
    let members =
        |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), json!(1))).collect::<Map<_, _>>();
    let mut meta = Some(members(&reserved));
    drop_reserved(&mut meta);
    assert_eq!(meta, None);
    let mut meta = Some(reserved.iter().chain(&free).map(|name| ((*name).to_owned(), json!(1))).collect());
    drop_reserved(&mut meta);
    assert_eq!(meta, Some(members(&free)));
    let mut meta = Some(Map::new());
    drop_reserved(&mut meta);
    assert_eq!(meta, Some(Map::new()));
}

/// Wraps a schema, and compares with `jsonschema` that it accepts the same values.
fn wraps(schema: &Value, fits: &[Value], others: &[Value]) -> Value {
    let Value::Object(members) = schema.clone() else { panic!("a schema is an object") };
    let wrapped = Value::Object(wrap(members, "result"));
    assert_eq!(check(&with_output(wrapped.clone())), Ok(()), "{wrapped}");
    let (plain, outer) = (jsonschema::validator_for(schema), jsonschema::validator_for(&wrapped));
    let (plain, outer) =
        (plain.expect("a schema"), outer.unwrap_or_else(|error| panic!("{error}: {wrapped}")));
    for (values, expected) in [(fits, true), (others, false)] {
        for value in values {
            assert_eq!(plain.is_valid(value), expected, "{value}: {schema}");
            assert_eq!(outer.is_valid(&json!({"result": value})), expected, "{value}: {wrapped}");
            assert!(!outer.is_valid(value) || value.get("result").is_some(), "{value} alone: {wrapped}");
        }
    }
    wrapped
}

#[test]
fn references_of_a_wrapped_schema_keep_their_targets() {
    let tree = json!({"type": "array", "items": {"$ref": "#"}});
    let wrapped = wraps(&tree, &[json!([]), json!([[], [[]]])], &[json!({}), json!([1]), json!([[[1]]])]);
    assert_eq!(wrapped["properties"]["result"]["items"], json!({"$ref": "#/properties/result"}));

    wraps(
        &json!({"prefixItems": [{"type": "integer"}, {"$ref": "#/prefixItems/0"}], "type": "array"}),
        &[json!([1, 2])],
        &[json!(["a"]), json!([1, "a"])],
    );
    wraps(
        &json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": ["array", "null"],
            "items": {"$ref": "#/definitions/Node"},
            "definitions": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}, "all": {"$ref": "#"}}}},
        }),
        &[json!(null), json!([{"next": {"all": [{}]}}])],
        &[json!([1]), json!([{"next": {"all": 1}}])],
    );
    wraps(
        &json!({
            "anyOf": [{"type": "integer"}, {"$ref": "#list"}],
            "$defs": {"list": {"$anchor": "list", "type": "array", "items": {"$ref": "#"}}},
        }),
        &[json!(1), json!([[1], 2])],
        &[json!("a"), json!([["a"]])],
    );
    wraps(
        &json!({
            "$id": "https://example.com/tree",
            "type": "array",
            "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/Leaf"}]},
            "$defs": {"Leaf": {"type": "string"}},
        }),
        &[json!([["a"], "b"])],
        &[json!([1])],
    );
    // Data that looks like a reference is not a reference.
    let constant = json!({"const": {"$ref": "#"}, "examples": [{"$ref": "#/x"}], "default": {"$ref": "#"}});
    let wrapped = wraps(&constant, &[json!({"$ref": "#"})], &[json!(1)]);
    assert_eq!(wrapped["properties"]["result"], constant);
    let named =
        json!({"type": ["object", "null"], "properties": {"$ref": {"type": "string"}}, "required": ["$ref"]});
    wraps(&named, &[json!({"$ref": "#"}), json!(null)], &[json!({"$ref": 1})]);
}
