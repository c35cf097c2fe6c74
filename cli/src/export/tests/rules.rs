//! The published rules of the formats, as checks.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Function tools: names of at most 64 letters, digits, `_` and `-`, an object with `properties` and without combinators
/// at its root (<https://github.com/openai/openai-agents-python/issues/449>,
/// <https://github.com/anomalyco/opencode/issues/35516>), items for each array
/// (<https://github.com/apify/apify-mcp-server/issues/36>), and for strict ones
/// <https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas>.
pub(super) fn openai(tools: &Value) {
    for tool in tools.as_array().unwrap() {
        let members: Vec<_> = tool.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["type", "name", "description", "parameters", "strict"]);
        assert_eq!(tool["type"], "function");
        name(tool, 64);
        let parameters = &tool["parameters"];
        assert_eq!(parameters["type"], "object");
        assert!(parameters["properties"].is_object());
        for keyword in ["oneOf", "anyOf", "allOf", "enum", "not"] {
            assert!(parameters.get(keyword).is_none(), "{keyword} at the root: {parameters:#}");
        }
        each_schema(parameters, &mut |schema| {
            if is_of(schema, "array") {
                assert!(schema["items"].is_object(), "an array without items: {schema}");
            }
            if tool["strict"] == true {
                strict(schema);
            }
        });
    }
}

fn strict(schema: &Value) {
    const KNOWN: [&str; 20] = [
        "type",
        "description",
        "title",
        "enum",
        "const",
        "$ref",
        "$defs",
        "anyOf",
        "items",
        "properties",
        "required",
        "additionalProperties",
        "pattern",
        "format",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "minItems",
    ];
    for keyword in schema.as_object().unwrap().keys() {
        assert!(KNOWN.contains(&keyword.as_str()) || keyword == "maxItems", "strict mode has no `{keyword}`");
    }
    if let Some(format) = schema.get("format") {
        let known = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
        assert!(known.iter().any(|known| format == known), "strict mode has no format {format}");
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        assert_eq!(schema["additionalProperties"], false);
        let required: BTreeSet<_> =
            schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(required, properties.keys().map(String::as_str).collect());
    }
}

/// Names match `^[a-zA-Z0-9_-]{1,64}$`, property names `^[a-zA-Z0-9_.-]{1,64}$`
/// (<https://github.com/anthropics/claude-code/issues/79418>), no combinator at the root
/// (<https://github.com/anthropics/claude-code/issues/40075>), no older dialect.
pub(super) fn anthropic(tools: &Value) {
    for tool in tools.as_array().unwrap() {
        let known: BTreeSet<_> = ["name", "description", "input_schema"].into();
        assert!(tool.as_object().unwrap().keys().all(|member| known.contains(member.as_str())));
        name(tool, 64);
        let schema = &tool["input_schema"];
        assert_eq!(schema["type"], "object");
        for keyword in ["oneOf", "anyOf", "allOf", "$schema"] {
            assert!(schema.get(keyword).is_none(), "{keyword} at the root: {schema:#}");
        }
        each_schema(schema, &mut |schema| {
            for property in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let fits = |one: char| one.is_ascii_alphanumeric() || "_.-".contains(one);
                assert!(
                    property.0.chars().all(fits) && (1..=64).contains(&property.0.len()),
                    "{}",
                    property.0
                );
            }
        });
    }
}

/// <https://ai.google.dev/api/caching#Schema>: one type in capitals, known fields only, choices and the formats `enum`
/// and `date-time` for text, items for lists, `required` among the properties, and no empty object as parameters.
pub(super) fn gemini(declarations: &Value) {
    const FIELDS: [&str; 21] = [
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
        "items",
        "minimum",
    ];
    const TYPES: [&str; 6] = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"];
    for tool in declarations["functionDeclarations"].as_array().unwrap() {
        name(tool, 64);
        assert!(
            tool["name"].as_str().unwrap().starts_with(|one: char| one.is_ascii_alphabetic() || one == '_')
        );
        let Some(parameters) = tool.get("parameters") else { continue };
        assert!(!parameters["properties"].as_object().unwrap().is_empty());
        each_schema(parameters, &mut |schema| {
            for field in schema.as_object().unwrap().keys() {
                assert!(FIELDS.contains(&field.as_str()) || field == "maximum", "Gemini has no `{field}`");
            }
            match schema.get("type") {
                Some(name) => assert!(TYPES.iter().any(|known| name == known), "{name}"),
                None => assert!(schema.get("anyOf").is_some(), "no type: {schema}"),
            }
            if let Some(choices) = schema.get("enum") {
                assert_eq!(schema["type"], "STRING");
                assert!(
                    choices
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|one| one.as_str().is_some_and(|one| !one.is_empty()))
                );
            }
            if schema["type"] == "STRING" {
                assert!(schema.get("format").is_none_or(|format| format == "enum" || format == "date-time"));
            }
            assert_eq!(schema["type"] == "ARRAY", schema.get("items").is_some(), "{schema}");
            for required in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                assert!(schema["properties"].get(required.as_str().unwrap()).is_some(), "{required}");
            }
        });
    }
}

/// OpenAPI 3.1: a version, an `info`, paths with a slash, one id per operation, and references with targets.
pub(super) fn openapi(document: &Value) {
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(path.starts_with('/'));
        let operation = &item["post"];
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "an id comes twice");
        assert!(
            operation["responses"]
                .as_object()
                .unwrap()
                .values()
                .all(|answer| answer["description"].is_string())
        );
    }
    let fits = |one: char| one.is_ascii_alphanumeric() || "._-".contains(one);
    assert!(document["components"]["schemas"].as_object().unwrap().keys().all(|name| name.chars().all(fits)));
    references(document, document);
}

fn references(document: &Value, value: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let target = document.pointer(reference.strip_prefix('#').unwrap());
                assert!(target.is_some(), "{reference} leads nowhere");
            }
            members.values().for_each(|value| references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| references(document, value)),
        _ => {}
    }
}

/// The rules of `ServerDetail` in <https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json>.
pub(super) fn server_json(document: &Value) {
    let text = |least: u32, most: u32| json!({"type": "string", "minLength": least, "maxLength": most});
    // `Package` and `StdioTransport` of the schema, and what the registry's validator of `cargo` asks for besides: an exact
    // version, no hash of a file, and no other registry than cargo's own.
    let package = json!({
        "type": "object",
        "required": ["registryType", "identifier", "version", "transport"],
        "properties": {
            "registryType": {"const": "cargo"},
            "identifier": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$"},
            "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$", "maxLength": 255},
            "transport": {"type": "object", "required": ["type"], "properties": {"type": {"const": "stdio"}}},
        },
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "required": ["name", "description", "version"],
        "properties": {
            "$schema": {"const": super::super::server_json::SCHEMA},
            "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
            "title": text(1, 100),
            "description": text(1, 100),
            "version": text(0, 255),
            "websiteUrl": {"type": "string", "format": "uri"},
            "repository": {
                "type": "object",
                "required": ["url", "source"],
                "properties": {"url": {"type": "string", "format": "uri"}, "source": {"type": "string"}},
            },
            "packages": {"type": "array", "items": package},
        },
        "additionalProperties": false,
    });
    check(&schema, document);
}

/// The rules of `schemas/mcpb-manifest-v0.4.schema.json` in <https://github.com/modelcontextprotocol/mcpb>.
pub(super) fn mcpb(document: &Value) {
    let text = json!({"type": "string"});
    let object = |required: Value, properties: Value| json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false});
    let schema = object(
        json!(["name", "version", "description", "author", "server"]),
        json!({
            "manifest_version": {"const": "0.4"},
            "name": text, "display_name": text, "version": text, "description": text, "long_description": text,
            "author": object(json!(["name"]), json!({"name": text, "email": {"type": "string", "format": "email"}})),
            "repository": object(json!(["type", "url"]), json!({"type": text, "url": {"type": "string", "format": "uri"}})),
            "homepage": {"type": "string", "format": "uri"}, "documentation": {"type": "string", "format": "uri"}, "license": text,
            "keywords": {"type": "array", "items": text},
            "server": object(json!(["type", "entry_point", "mcp_config"]), json!({
                "type": {"enum": ["python", "node", "binary", "uv"]},
                "entry_point": text,
                "mcp_config": object(json!(["command"]), json!({"command": text, "args": {"type": "array", "items": text}})),
            })),
            "tools": {"type": "array", "items": object(json!(["name"]), json!({"name": text, "description": text}))},
            "prompts_generated": {"type": "boolean"},
        }),
    );
    check(&schema, document);
}

fn check(schema: &Value, document: &Value) {
    let validator = jsonschema::options().should_validate_formats(true).build(schema).unwrap();
    if let Err(error) = validator.validate(document) {
        panic!("{error}: {document:#}");
    }
}

fn name(tool: &Value, limit: usize) {
    let name = tool["name"].as_str().unwrap();
    let fits = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-');
    assert!(name.chars().all(fits) && (1..=limit).contains(&name.len()), "{name}");
}

fn is_of(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::Array(names) => names.iter().any(|one| one == name),
        one => one == name,
    }
}

fn each_schema(schema: &Value, look: &mut impl FnMut(&Value)) {
    look(schema);
    for keyword in ["properties", "$defs"] {
        let members = schema.get(keyword).and_then(Value::as_object).into_iter().flatten();
        members.for_each(|(_, schema)| each_schema(schema, look));
    }
    if let Some(items) = schema.get("items") {
        each_schema(items, look);
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let branches = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        branches.for_each(|branch| each_schema(branch, look));
    }
}
