//! Limits of messages, of references and of attempts.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{lines, raw, read_by, reader_with};
use crate::arguments::{
    ArgumentReader, Checker, MAX_EXAMPLE, MAX_LISTED, MAX_PROBLEMS, MAX_QUOTED, ProblemKind,
};
use crate::metadata::InputShape;

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "read and dropped")]
struct Numbers {
    numbers: Vec<u8>,
}

#[test]
fn the_number_of_problems_is_bounded() {
    let text = json!({"numbers": vec!["x"; MAX_PROBLEMS + 7]}).to_string();
    let errors = read_by::<Numbers>(&reader_with::<Numbers>(&[]), &text).unwrap_err();
    assert_eq!((errors.problems().len(), errors.more()), (MAX_PROBLEMS, 7));
    assert!(errors.to_string().contains("\n- and 7 more\n"), "{errors}");
}

#[test]
fn values_of_callers_are_truncated() {
    let long = "é".repeat(10_000);
    let text = json!({"numbers": [long], long.as_str(): 1}).to_string();
    let errors = read_by::<Numbers>(&reader_with::<Numbers>(&[]), &text).unwrap_err();
    let start = "é".repeat(MAX_QUOTED);
    assert_eq!(
        lines(&errors),
        [
            format!(r#"/{start}…: unknown name; known are "numbers""#),
            format!(r#"/numbers/0: expected an integer from 0 to 255; got "{start}…""#)
        ]
    );
    // A name cannot look like a separate line.
    let errors =
        read_by::<Numbers>(&reader_with::<Numbers>(&[]), r#"{"numbers":[],"a\n- b":1}"#).unwrap_err();
    assert!(lines(&errors)[0].starts_with("/a\u{fffd}- b: "), "{errors}");
}

#[test]
fn long_lists_of_choices_are_cut() {
    let choices: Vec<String> = (0..MAX_LISTED + 5).map(|number| format!("c{number}")).collect();
    let checker = Checker::compile(&json!({"enum": choices})).unwrap();
    let text = checker.check(&json!("x")).problems()[0].to_string();
    assert!(text.contains("\"c19\" and 5 more; got"), "{text}");
    assert!(!text.contains("c20"), "{text}");
}

#[test]
fn a_large_example_is_omitted_from_the_text() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "examples": ["x".repeat(MAX_EXAMPLE)]}}});
    let reader = ArgumentReader::from_schema(&schema, &[], InputShape::Object, false).unwrap();
    let errors = read_by::<Value>(&reader, r#"{"a":1}"#).unwrap_err();
    assert!(!errors.to_string().contains("xxxx"), "{errors}");
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let reader = reader_with::<Numbers>(&[]);
    for depth in [100, 127, 128, 1_000, 100_000] {
        let text = format!(r#"{{"numbers":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let errors = read_by::<Numbers>(&reader, &text).unwrap_err();
        assert_eq!(errors.problems().len(), 1, "{errors}");
        if depth > 127 {
            assert_eq!(errors.problems()[0].kind, ProblemKind::TooComplex, "{errors}");
        }
    }
}

#[test]
fn a_schema_that_leads_to_itself_ends_in_an_error() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#"}, {"not": {}}]}),
    ] {
        let checker = Checker::compile(&schema).unwrap();
        let findings = checker.check(&json!({}));
        assert!(!findings.is_empty(), "{schema}");
        crate::arguments::example(&schema);
    }
}

/// Each arm refers to the same schema again, so that a naive walk would double its work at each level.
fn forking() -> Value {
    let arm = |tag: &str| json!({"type": "object", "required": ["e", tag], "properties": {"e": {"$ref": "#/$defs/e"}}});
    json!({
        "type": "object", "properties": {"e": {"$ref": "#/$defs/e"}},
        "$defs": {"e": {"anyOf": [arm("a"), arm("b"), {"type": "string", "minLength": 9}]}}
    })
}

#[test]
fn arms_that_fork_take_bounded_time() {
    let mut value = json!("x");
    for _ in 0..100 {
        value = json!({"e": value});
    }
    let schema = forking();
    let reader = ArgumentReader::from_schema(&schema, &[], InputShape::Object, false).unwrap();
    let started = Instant::now();
    let errors = reader.read::<Value>(Some(&raw(&value.to_string())), &[]).unwrap_err();
    assert!(!errors.problems().is_empty());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn long_arrays_take_time_in_proportion() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": true, "items": {"maximum": 1}}}});
    let reader = ArgumentReader::from_schema(&schema, &[], InputShape::Object, false).unwrap();
    let text = json!({"a": (0..100_000).collect::<Vec<_>>()}).to_string();
    let started = Instant::now();
    let errors = reader.read::<Value>(Some(&raw(&text)), &[]).unwrap_err();
    assert_eq!(errors.problems().len() + errors.more(), 99_998);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..4i64).prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::from),
        ".*".prop_map(Value::from),
        Just(Value::from(r#"{"a":"[1]"}"#)),
    ];
    let name = prop_oneof!["[a-e]", "[a-e]", "secret|op|n|list|inner", ".*"];
    scalar.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "pattern": "^a"}, "b": {"type": "integer", "minimum": 2},
            "list": {"type": "array", "items": {"$ref": "#"}, "uniqueItems": true},
            "inner": {"type": "object", "properties": {"n": {"type": "number", "multipleOf": 0.5}}},
            "secret": {"type": "string", "writeOnly": true}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"op": {"enum": ["a", "b"]}, "a": {"anyOf": [{"type": "array"}, {"$ref": "#"}]}},
            "patternProperties": {"^[b-d]$": {"type": ["integer", "null"]}}, "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "minProperties": 2, "propertyNames": {"maxLength": 4}, "dependentRequired": {"a": ["b"]},
            "if": {"required": ["c"]}, "then": {"required": ["d"]}, "not": {"required": ["e"]}}),
        forking(),
    ]
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read and dropped")]
struct Strict {
    a: Option<String>,
    #[serde(default)]
    b: u8,
    list: Option<Vec<Strict>>,
    secret: Option<u8>,
}

proptest! {
    #[test]
    fn no_json_makes_the_reader_panic(value in any_json(), spaces in "[ \t\n]{0,2}") {
        for schema in schemas() {
            let reader = ArgumentReader::from_schema(&schema, &[], InputShape::Object, false).unwrap();
            let text = format!("{spaces}{value}{spaces}");
            let _ = read_by::<Strict>(&reader, &text).map_err(|errors| errors.to_string());
            // `Value` reads anything, so accepted values match the constraints of the schema.
            if let Ok(taken) = read_by::<Value>(&reader, &text) {
                prop_assert!(taken.is_object());
            }
        }
    }

    /// Compares with a full validator, in both directions.
    #[test]
    fn the_checker_agrees_with_a_full_validator(value in any_json()) {
        for schema in schemas() {
            let checker = Checker::compile(&schema).unwrap();
            let referee = jsonschema::validator_for(&schema).unwrap();
            // `null` for an optional member is accepted here and rejected there.
            if !has_null_member(&value) {
                prop_assert_eq!(checker.check(&value).is_empty(), referee.is_valid(&value), "{} {}", schema, value);
            }
        }
    }
}

fn has_null_member(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(|member| member.is_null() || has_null_member(member)),
        Value::Array(items) => items.iter().any(has_null_member),
        _ => false,
    }
}
