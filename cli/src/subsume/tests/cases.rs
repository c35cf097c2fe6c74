//! Pairs that people write, with the answer that they expect.
#![expect(clippy::needless_pass_by_value, reason = "the values are made by `json!` where they are passed")]

use serde_json::{Value, json};

use super::compared;
use crate::subsume::Answer;

#[derive(Debug, PartialEq)]
enum Expected {
    Yes,
    No,
    Unknown,
}

#[track_caller]
fn check(old: Value, new: Value, expected: Expected) {
    let answer = compared(&old, &new);
    let found = match answer {
        Answer::Yes => Expected::Yes,
        Answer::No { .. } => Expected::No,
        Answer::Unknown { .. } => Expected::Unknown,
    };
    assert_eq!(found, expected, "{answer:?}\nold: {old}\nnew: {new}");
}

#[track_caller]
fn widens(old: Value, new: Value) {
    check(old.clone(), new.clone(), Expected::Yes);
    check(new, old, Expected::No);
}

#[track_caller]
fn same(one: Value, other: Value) {
    check(one.clone(), other.clone(), Expected::Yes);
    check(other, one, Expected::Yes);
}

#[test]
fn types_and_numbers() {
    widens(json!({"type": "integer"}), json!({"type": "number"}));
    widens(json!({"type": "string"}), json!({"type": ["string", "null"]}));
    widens(json!({"type": "string"}), json!({}));
    widens(json!({"type": "integer", "minimum": 1}), json!({"type": "integer", "minimum": 0}));
    widens(json!({"type": "number", "exclusiveMinimum": 0}), json!({"type": "number", "minimum": 0}));
    widens(json!({"type": "integer", "multipleOf": 4}), json!({"type": "integer", "multipleOf": 2}));
    same(json!({"type": "integer", "exclusiveMinimum": 0}), json!({"type": "integer", "minimum": 1}));
    same(json!({"type": "number", "multipleOf": 1}), json!({"type": "integer"}));
    same(json!({"const": 1}), json!({"enum": [1.0]}));
    same(json!({"type": "boolean"}), json!({"enum": [true, false]}));
    check(json!({"type": "integer", "minimum": 3, "maximum": 2}), json!(false), Expected::Yes);
    let large = u64::MAX;
    widens(json!({"type": "integer", "maximum": large - 1}), json!({"type": "integer", "maximum": large}));
}

#[test]
fn texts() {
    widens(json!({"type": "string", "minLength": 2}), json!({"type": "string", "minLength": 1}));
    widens(json!({"type": "string", "pattern": "^a$"}), json!({"type": "string"}));
    widens(json!({"enum": ["aa", "ab"]}), json!({"type": "string", "pattern": "^a"}));
    check(json!({"pattern": "^#W\\d{7}$"}), json!({"pattern": "^#W\\d{8}$"}), Expected::No);
    check(json!({"type": "string"}), json!({"type": "string", "format": "date"}), Expected::Unknown);
    check(json!({"type": "string", "format": "date"}), json!({"type": "string"}), Expected::Yes);
}

#[test]
fn lists() {
    let of = |items: Value| json!({"type": "array", "items": items});
    widens(of(json!({"type": "integer"})), of(json!({"type": "number"})));
    widens(json!({"type": "array", "maxItems": 2}), json!({"type": "array", "maxItems": 3}));
    widens(json!({"type": "array", "uniqueItems": true}), json!({"type": "array"}));
    same(
        json!({"type": "array", "prefixItems": [{"type": "null"}, {"type": "null"}], "minItems": 2, "maxItems": 2}),
        json!({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 2}),
    );
}

/// MAN-02: near-equal types, compared by meaning.
#[test]
fn man_02_sets_of_values_are_compared_and_not_spellings() {
    let of =
        |schema: Value| json!({"type": "object", "properties": {"x": schema}, "additionalProperties": false});
    check(of(json!({"type": ["string", "null"]})), of(json!({"type": ["integer", "null"]})), Expected::No);
    check(of(json!({"enum": ["1"]})), of(json!({"enum": [1]})), Expected::No);
    same(
        of(json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
        of(json!({"type": ["string", "null"]})),
    );
    let inline = of(json!({"type": "object", "properties": {"y": {"type": "integer"}}}));
    let mut by_reference = of(json!({"$ref": "#/$defs/y"}));
    by_reference["$defs"] = json!({"y": {"type": "object", "properties": {"y": {"type": "integer"}}}});
    same(inline, by_reference);
}

#[test]
fn objects() {
    let of = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let text = json!({"type": "string"});
    widens(of(json!({"a": text}), json!(["a"])), of(json!({"a": text}), json!([])));
    widens(of(json!({"a": text}), json!([])), of(json!({"a": text, "b": text}), json!([])));
    check(of(json!({"a": text}), json!([])), of(json!({"a": text, "b": text}), json!(["b"])), Expected::No);
    widens(of(json!({}), json!([])), json!({"type": "object"}));
    widens(json!({"type": "object", "properties": {"a": text}}), json!({"type": "object"}));
    widens(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "number"}}),
    );
    same(
        json!({"type": "object", "properties": {"a": text}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": text}, "unevaluatedProperties": false}),
    );
}

#[test]
fn alternatives() {
    let tagged = |tag: &str, more: Value| json!({"type": "object", "properties": {"op": {"const": tag}, "x": more}, "required": ["op"]});
    let number = json!({"type": "integer"});
    same(
        json!({"oneOf": [tagged("a", number.clone()), tagged("b", json!({}))]}),
        json!({"anyOf": [tagged("b", json!({})), tagged("a", number.clone())]}),
    );
    widens(
        json!({"oneOf": [tagged("a", number.clone())]}),
        json!({"oneOf": [tagged("a", json!({})), tagged("b", number)]}),
    );
    check(
        json!({"type": "integer"}),
        json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
        Expected::No,
    );
    check(json!({"type": "string"}), json!({"not": {"type": "integer"}}), Expected::Yes);
    check(json!({"type": "integer"}), json!({"not": {"type": "number"}}), Expected::No);
}

/// Lists and trees that contain themselves.
#[test]
fn recursion() {
    let tree = |leaf: Value| {
        json!({"$ref": "#/$defs/tree", "$defs": {"tree": {
            "type": "object",
            "properties": {"leaf": leaf, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
            "additionalProperties": false,
        }}})
    };
    same(tree(json!({"type": "integer"})), tree(json!({"type": "integer", "description": "a leaf"})));
    widens(tree(json!({"type": "integer"})), tree(json!({"type": "number"})));
    // A rule that is met only one level down.
    let mut deeper = tree(json!({"type": "integer"}));
    deeper["$defs"]["inner"] = tree(json!({"type": "string"}))["$defs"]["tree"].clone();
    deeper["$defs"]["tree"]["properties"]["children"]["items"] = json!({"$ref": "#/$defs/inner"});
    check(tree(json!({"type": "integer"})), deeper, Expected::No);
    check(json!({}), json!({"$ref": "#"}), Expected::Unknown);
}

#[test]
fn what_cannot_be_read_is_unknown() {
    for odd in [
        json!({"$ref": "https://example.com/schema"}),
        json!({"$dynamicRef": "#x"}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}),
        json!({"items": [{"type": "integer"}]}),
        json!({"minimum": "3"}),
        json!({"type": 3}),
        json!({"required": "a"}),
    ] {
        check(json!({}), odd, Expected::Unknown);
    }
    let draft_7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"});
    widens(draft_7, json!({"type": "number"}));
}

/// Alternatives of alternatives, which a stranger's schema may have: the answer comes at once all the same.
#[test]
fn what_multiplies_is_given_up() {
    let level = |number: usize| json!({"$ref": format!("#/$defs/l{}", number + 1)});
    let mut definitions: serde_json::Map<String, Value> = (0..40)
        .map(|number| {
            (format!("l{number}"), json!({"anyOf": [level(number), level(number), {"not": level(number)}]}))
        })
        .collect();
    for (end, expected) in
        [(json!({"type": "string", "format": "x"}), Expected::Unknown), (json!(false), Expected::Unknown)]
    {
        definitions.insert("l40".to_owned(), end);
        let schema = json!({"$ref": "#/$defs/l0", "$defs": definitions});
        check(json!({}), schema.clone(), expected);
        compared(&schema, &json!({"type": "integer", "minimum": 3}));
    }
}
