//! No format drops a keyword silently: it is part of the output, or listed as a loss.

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use toolwright_core::manifest::Manifest;

use super::{exported, of, with};
use crate::export::Format;
use crate::packages::Document;

/// The formats with schemas.
fn forms() -> impl Iterator<Item = Format> {
    let without = [Format::Mcp, Format::Jsonl, Format::ServerJson, Format::Mcpb];
    Format::value_variants().iter().copied().filter(move |form| !without.contains(form))
}

/// Every keyword of 2020-12 that constrains values or that a model reads, with the keywords that it depends on. Those for
/// people and clients only (`title`, `$comment`, `readOnly`, `x-…`) are not required.
fn keywords() -> Vec<(&'static str, Value, Value)> {
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let integer = json!({"type": "integer"});
    let array = json!({"type": "array", "items": {"type": "string"}});
    let object =
        json!({"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": false});
    vec![
        ("type", json!({"description": "d"}), json!("string")),
        ("type", json!({"description": "d"}), json!(["string", "integer", "null"])),
        ("enum", text.clone(), json!(["left", "right"])),
        ("enum", integer.clone(), json!([1, 5])),
        ("enum", json!({}), json!(["left", 1, null, {"a": 1}])),
        ("const", text.clone(), json!("left")),
        ("const", integer.clone(), json!(7)),
        ("const", json!({}), json!({"a": [1]})),
        ("minimum", number.clone(), json!(3)),
        ("minimum", json!({"type": "integer", "exclusiveMinimum": 0}), json!(3)),
        ("maximum", number.clone(), json!(30)),
        ("exclusiveMinimum", number.clone(), json!(3)),
        ("exclusiveMinimum", json!({"type": "integer", "minimum": 1, "maximum": 9}), json!(3)),
        ("exclusiveMaximum", number.clone(), json!(30)),
        ("exclusiveMaximum", json!({"type": ["integer", "null"], "maximum": 99}), json!(30)),
        ("multipleOf", number, json!(5)),
        ("minLength", text.clone(), json!(3)),
        ("maxLength", text.clone(), json!(30)),
        ("pattern", text.clone(), json!("^a|b`$")),
        ("format", text.clone(), json!("date-time")),
        ("format", text.clone(), json!("uri")),
        ("contentEncoding", text.clone(), json!("base64")),
        ("contentMediaType", text.clone(), json!("image/png")),
        ("contentSchema", text.clone(), json!({"type": "object"})),
        ("items", json!({"type": "array"}), json!({"type": "string"})),
        ("items", json!({"type": "array", "prefixItems": [{"type": "string"}]}), json!(false)),
        ("prefixItems", array.clone(), json!([{"type": "integer"}])),
        ("contains", array.clone(), json!({"const": "x"})),
        (
            "minContains",
            json!({"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}),
            json!(2),
        ),
        (
            "maxContains",
            json!({"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}),
            json!(3),
        ),
        ("minItems", array.clone(), json!(3)),
        ("maxItems", array.clone(), json!(30)),
        ("uniqueItems", array.clone(), json!(true)),
        ("unevaluatedItems", array, json!(false)),
        ("properties", json!({"type": "object"}), json!({"c": {"type": "string"}})),
        ("required", object.clone(), json!(["b"])),
        ("required", object.clone(), json!(["missing"])),
        ("additionalProperties", json!({"type": "object"}), json!({"type": "string"})),
        ("additionalProperties", json!({"type": "object"}), json!({"type": "string", "maxLength": 3})),
        (
            "additionalProperties",
            json!({"type": "object", "properties": {"b": {"type": "string"}}}),
            json!({"type": "string"}),
        ),
        ("patternProperties", json!({"type": "object"}), json!({"^x": {"type": "string"}})),
        ("propertyNames", object.clone(), json!({"maxLength": 3})),
        ("minProperties", object.clone(), json!(1)),
        ("maxProperties", object.clone(), json!(2)),
        ("dependentRequired", object.clone(), json!({"b": ["c"]})),
        ("dependentSchemas", object.clone(), json!({"x-b": {"required": ["c"]}})),
        ("unevaluatedProperties", object.clone(), json!({"type": "string"})),
        ("not", text.clone(), json!({"const": "x"})),
        ("if", text.clone(), json!({"minLength": 3})),
        ("then", json!({"type": "string", "if": {"minLength": 3}}), json!({"pattern": "x"})),
        ("else", json!({"type": "string", "if": {"minLength": 3}}), json!({"pattern": "x"})),
        ("anyOf", json!({}), json!([{"type": "string", "maxLength": 3}, {"type": "integer"}])),
        ("anyOf", object.clone(), json!([{"required": ["b"]}, {"properties": {"b": {"const": "x"}}}])),
        ("oneOf", json!({}), json!([{"type": "string"}, object, {"type": "null"}])),
        (
            "oneOf",
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            json!([{"maxLength": 3}, {"minimum": 2}]),
        ),
        ("allOf", text.clone(), json!([{"minLength": 3}, {"pattern": "x"}])),
        ("$dynamicRef", text.clone(), json!("#node")),
        ("default", text.clone(), json!("left")),
        ("default", integer.clone(), json!(null)),
        ("examples", text.clone(), json!(["left", "ri|ght`"])),
        ("description", text.clone(), json!("What it is, in `code` and <b>.")),
        ("description", text.clone(), json!(" ")),
        ("deprecated", text.clone(), json!(true)),
        ("nullable", text.clone(), json!(true)),
        ("unknownKeyword", text, json!({"a": 1})),
    ]
}

/// The members of a schema with another one in it.
type Nest = fn(Value) -> Vec<(&'static str, Value)>;

/// Puts a schema into another one.
type Wrap = fn(Value) -> Value;

/// The locations of a schema in the arguments, with their pointers.
fn places() -> Vec<(&'static str, Wrap, &'static [&'static str])> {
    vec![
        ("a property", |schema| schema, &["/properties/a"]),
        ("items", |schema| json!({"type": "array", "items": schema}), &["/properties/a/items"]),
        ("a branch", |schema| json!({"anyOf": [{"type": "boolean"}, schema]}), &["/properties/a/anyOf/1"]),
        (
            "the branch beside null",
            |schema| json!({"oneOf": [schema, {"type": "null"}]}),
            &["/properties/a/oneOf/0", "/properties/a"],
        ),
        ("a part", |schema| json!({"allOf": [schema]}), &["/properties/a/allOf/0", "/properties/a"]),
        (
            "a map",
            |schema| json!({"type": "object", "additionalProperties": schema}),
            &["/properties/a/additionalProperties"],
        ),
        (
            "a member of a member",
            |schema| json!({"type": "object", "properties": {"default": schema}, "additionalProperties": false}),
            &["/properties/a/properties/default"],
        ),
        (
            "a place in a list",
            |schema| json!({"type": "array", "prefixItems": [{"type": "boolean"}, schema]}),
            &["/properties/a/prefixItems/1"],
        ),
        (
            "a member with a pattern",
            |schema| json!({"type": "object", "patternProperties": {"^x": schema}}),
            &["/properties/a/patternProperties/^x"],
        ),
        (
            "a reference",
            |schema| json!({"$ref": "#/$defs/D", "definition": schema}),
            &["/properties/a", "/$defs/D"],
        ),
    ]
}

/// A tool with this schema for `a`; what it calls `definition` becomes the definition `D`.
fn document(mut property: Value) -> Document {
    let definition = property.as_object_mut().and_then(|keywords| keywords.shift_remove("definition"));
    let mut document = with(&json!({"a": property}));
    if let Some(definition) = definition {
        document.manifest.tools[0].input_schema["$defs"] = json!({"D": definition});
    }
    document
}

fn with_keyword(base: &Value, keyword: &str, value: &Value) -> Value {
    let mut keywords = base.as_object().cloned().unwrap_or_else(Map::new);
    keywords.insert(keyword.to_owned(), value.clone());
    Value::Object(keywords)
}

#[test]
fn every_keyword_is_converted_or_listed_in_every_format() {
    let (keywords, places) = (keywords(), places());
    let mut dropped = Vec::new();
    for form in forms() {
        for (place, at, pointers) in &places {
            for (keyword, base, value) in &keywords {
                let without = exported(document(at(base.clone())), form);
                let made = exported(document(at(with_keyword(base, keyword, value))), form);
                // A part that is omitted completely is listed at its own location.
                let is_listed = made.losses.iter().map(ToString::to_string).any(|loss| {
                    let pointer = loss.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(':');
                    pointer.strip_prefix("/inputSchema").is_some_and(|pointer| {
                        let is_here =
                            |place: &&str| format!("{place}/{keyword}/").starts_with(&format!("{pointer}/"));
                        pointer.len() > 1 && pointers.iter().any(is_here)
                    })
                });
                let is_same = made.text == without.text && made.losses == without.losses;
                // A value that is `null` already cannot become it.
                let is_known = *keyword == "nullable" && place.contains("null");
                if is_same && !is_listed && !is_known {
                    dropped.push(format!("{form:?}: `{keyword}` {value} of {base} as {place}"));
                }
            }
        }
    }
    assert!(dropped.is_empty(), "{} dropped:\n{}", dropped.len(), dropped.join("\n"));
}

#[test]
fn recursive_types_end_in_every_form() {
    let of_schema = |schema: Value| {
        let tool = json!({"name": "find", "description": "Finds.", "inputSchema": schema});
        let manifest =
            json!({"manifestVersion": 1, "server": {"name": "shop", "version": "1.0.0"}, "tools": [tool]});
        of(Manifest::from_json(&manifest.to_string()).unwrap())
    };
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/V"}});
    let map = json!({"type": "object", "additionalProperties": {"$ref": "#/$defs/V"}});
    let v = |definitions: Value| json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/V"}}, "$defs": definitions});
    for schema in [
        // Untagged enums: directly, through others, and with nothing else in them.
        v(json!({"V": {"anyOf": [{"type": "number"}, list, map]}})),
        v(
            json!({"V": {"anyOf": [{"$ref": "#/$defs/W"}, {"type": "string"}]}, "W": {"oneOf": [{"$ref": "#/$defs/V"}, {"type": "null"}]}}),
        ),
        v(json!({"V": {"anyOf": [{"$ref": "#/$defs/V"}, {"$ref": "#/$defs/V"}]}})),
        v(json!({"V": {"allOf": [{"$ref": "#/$defs/V"}]}})),
        v(json!({"V": {"$ref": "#/$defs/V"}})),
        v(
            json!({"V": {"not": {"$ref": "#/$defs/V"}, "type": "object", "properties": {"next": {"$ref": "#/$defs/V"}}}}),
        ),
        v(
            json!({"V": {"type": "array", "prefixItems": [{"$ref": "#/$defs/V"}], "items": {"$ref": "#/$defs/V"}}}),
        ),
        json!({"type": "object", "properties": {"next": {"$ref": "#"}}}),
        json!({"type": "object", "properties": {"next": {"$ref": "#/properties/next"}}}),
        json!({"$ref": "#", "type": "object"}),
    ] {
        for form in forms() {
            assert!(exported(of_schema(schema.clone()), form).text.len() < 100_000, "{form:?} of {schema}");
        }
    }
    // Definitions that refer twice to the next: 2^40 paths to the last one.
    let next = |at: usize| json!({"$ref": format!("#/$defs/{at}")});
    let mut definitions: Map<String, Value> = (0..40)
        .map(|at| {
            (at.to_string(), json!({"type": "object", "properties": {"l": next(at + 1), "r": next(at + 1)}}))
        })
        .collect();
    definitions.insert("40".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"v": next(0)}, "$defs": definitions});
    for form in forms() {
        let made = exported(of_schema(schema.clone()), form);
        assert!(made.text.len() < 2_000_000, "{form:?}: {}", made.text.len());
        let is_cut = matches!(form, Format::Gemini | Format::Markdown | Format::Html);
        assert_eq!(!made.losses.is_empty(), is_cut, "{form:?}");
    }
}

/// A manifest file cannot have a thousand levels, since JSON readers stop at 128; a definition in memory may have them.
#[test]
fn a_thousand_levels_are_truncated_or_rejected() {
    // The stack of a program's main thread; that of a test is a quarter of it.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(cut_or_refuse_a_thousand_levels);
    thread.unwrap().join().unwrap();
}

fn cut_or_refuse_a_thousand_levels() {
    let object = |members: Vec<(&str, Value)>| {
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let nests: [Nest; 3] = [
        |inner| vec![("type", "array".into()), ("items", inner)],
        |inner| vec![("anyOf", Value::Array(vec![inner, Value::Bool(true)]))],
        |inner| {
            vec![
                ("type", "object".into()),
                ("properties", Value::Object(Map::from_iter([("a".to_owned(), inner)]))),
            ]
        },
    ];
    for nest in nests {
        let mut schema = json!({"type": "string"});
        for _ in 0..1000 {
            schema = object(nest(schema));
        }
        let mut document = with(&json!({"a": {"type": "string"}}));
        document.manifest.tools[0].input_schema =
            object(vec![("type", "object".into()), ("properties", object(vec![("a", schema)]))]);
        let refused = Manifest::from_json(&document.manifest.to_json()).unwrap_err();
        assert!(refused.to_string().contains("recursion limit"), "{refused}");
        for form in forms() {
            let made = exported(document.clone(), form);
            let holds_all = matches!(form, Format::Openai | Format::Anthropic | Format::Openapi);
            assert_eq!(made.losses.is_empty(), holds_all, "{form:?}");
        }
    }
}
