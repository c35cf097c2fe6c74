//! Pairs of typical schemas, with the expected answer.
#![expect(clippy::needless_pass_by_value, reason = "the values are made by `json!` where they are passed")]

use serde_json::{Value, json};

use super::compare;
use crate::schema_inclusion::{Answer, Names, SchemaDocument, includes};

#[derive(Debug, PartialEq)]
enum Expected {
    Yes,
    No,
    Unknown,
}

#[track_caller]
fn check(old: Value, new: Value, expected: Expected) {
    let answer = compare(&old, &new);
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
fn decimals_and_single_numbers() {
    same(json!({"type": "integer", "minimum": 3, "maximum": 3}), json!({"enum": [3]}));
    same(json!({"type": "integer", "minimum": 0, "maximum": 2}), json!({"enum": [2, 1, 0.0]}));
    same(json!({"type": "number", "minimum": 0.5, "maximum": 0.5}), json!({"const": 0.5}));
    same(
        json!({"type": "number", "multipleOf": 5, "minimum": 1, "exclusiveMaximum": 10}),
        json!({"const": 5}),
    );
    widens(json!({"type": "number", "multipleOf": 0.01}), json!({"type": "number", "multipleOf": 0.001}));
    widens(json!({"type": "number", "multipleOf": 1.5}), json!({"type": "number", "multipleOf": 0.5}));
    widens(json!({"type": "number", "multipleOf": 0.3}), json!({"type": "number", "multipleOf": 0.1}));
    same(
        json!({"type": "number", "allOf": [{"multipleOf": 0.4}, {"multipleOf": 6}]}),
        json!({"type": "number", "multipleOf": 6}),
    );
    check(json!({"type": "number", "multipleOf": 0.2}), json!({"type": "integer"}), Expected::No);
    same(json!({"type": "integer", "not": {"multipleOf": 1}}), json!(false));
    same(
        json!({"type": "number", "minimum": 1, "not": {"minimum": 2}}),
        json!({"type": "number", "minimum": 1, "exclusiveMaximum": 2}),
    );
}

/// Names that keywords other than `properties` declare.
#[test]
fn names_are_collected_from_every_keyword() {
    let object = |more: Value| {
        let mut schema = json!({"type": "object"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    for names in [
        json!({"required": ["foo"]}),
        json!({"dependentRequired": {"a": ["foo"]}, "required": ["a"]}),
        json!({"not": {"not": {"required": ["foo"]}}}),
        json!({"if": {"required": ["foo"]}, "else": false}),
        json!({"dependentSchemas": {"a": {"required": ["foo"]}}, "required": ["a"]}),
        json!({"anyOf": [{"required": ["foo"]}]}),
        json!({"minProperties": 1, "propertyNames": {"const": "foo"}}),
    ] {
        for refusal in [
            json!({"patternProperties": {"o": false}}),
            json!({"propertyNames": {"maxLength": 2}}),
            json!({"properties": {"foo": false}}),
            json!({"not": {"required": ["foo"]}}),
            json!({"additionalProperties": false}),
            json!({"maxProperties": 0}),
        ] {
            let old = object(names.clone());
            let mut new = old.clone();
            new["allOf"] = json!([refusal]);
            let [old_document, new_document] = [SchemaDocument::new(&old), SchemaDocument::new(&new)];
            let answer = includes((&old_document, &old), (&new_document, &new), Names::Declared);
            assert!(matches!(answer, Answer::No { .. }), "{answer:?}\nold: {old}\nnew: {new}");
        }
    }
    widens(object(json!({"patternProperties": {"^a": {"type": "string"}}})), object(json!({})));
}

/// A declaration inside a member counts for the names of that member, also in an alternative that does not match.
#[test]
fn nested_names_are_qualified_by_their_objects() {
    let inner = json!({"properties": {"foo": {}}});
    let new = json!({"type": "object", "additionalProperties": {"properties": {"foo": {"type": "array"}}}});
    for told in [
        json!({"dependentSchemas": {"a": {"properties": {"b": inner}}}}),
        json!({"dependentSchemas": {"a": {"patternProperties": {"^b": inner}}}}),
        json!({"anyOf": [{"properties": {"b": inner}}, {}]}),
        json!({"if": {"required": ["a"]}, "then": {"properties": {"b": inner}}}),
        json!({"not": {"required": ["a"], "properties": {"b": inner}}}),
    ] {
        let mut old = told;
        old["type"] = json!("object");
        let documents = [SchemaDocument::new(&old), SchemaDocument::new(&new)];
        let answer = includes((&documents[0], &old), (&documents[1], &new), Names::Declared);
        let Answer::No { witness, .. } = &answer else { panic!("{answer:?}\nold: {old}") };
        assert!(!super::has_undeclared_names(&old, &new, witness), "{witness}\nold: {old}");
    }
    let old = json!({"type": "object", "properties": {"b": {}}});
    let documents = [SchemaDocument::new(&old), SchemaDocument::new(&new)];
    assert_eq!(includes((&documents[0], &old), (&documents[1], &new), Names::Declared), Answer::Yes);
}

#[test]
fn texts() {
    widens(json!({"type": "string", "minLength": 2}), json!({"type": "string", "minLength": 1}));
    widens(json!({"type": "string", "pattern": "^a$"}), json!({"type": "string"}));
    widens(json!({"enum": ["aa", "ab"]}), json!({"type": "string", "pattern": "^a"}));
    check(json!({"pattern": "^#W\\d{7}$"}), json!({"pattern": "^#W\\d{8}$"}), Expected::No);
    check(json!({"type": "string"}), json!({"type": "string", "format": "date"}), Expected::Unknown);
    check(json!({"type": "string", "format": "date"}), json!({"type": "string"}), Expected::Yes);
    widens(
        json!({"type": "string", "pattern": r"^#W\d{7}$"}),
        json!({"type": "string", "pattern": "^#W[0-9]+$"}),
    );
    same(json!({"type": "string", "pattern": "^.{2,3}$"}), json!({"type": "string", "pattern": "^..?.$"}));
    same(json!({"type": "string", "pattern": "^[ab]{2}$"}), json!({"enum": ["aa", "ab", "ba", "bb"]}));
    check(
        json!({"type": "string", "maxLength": 2}),
        json!({"type": "string", "pattern": "^.{0,2}$"}),
        Expected::No,
    );
    // An irregular pattern is only equal to itself.
    same(
        json!({"type": "string", "pattern": "^(?=a)"}),
        json!({"type": "string", "allOf": [{"pattern": "^(?=a)"}]}),
    );
    check(
        json!({"type": "string", "pattern": "^(?=a)"}),
        json!({"type": "string", "pattern": "^a"}),
        Expected::Unknown,
    );
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
    let array = |more: Value| {
        let mut schema = json!({"type": "array"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    same(array(json!({})), array(json!({"contains": {"type": "string"}, "minContains": 0})));
    same(array(json!({"minItems": 1})), array(json!({"contains": true})));
    same(array(json!({"maxItems": 2})), array(json!({"contains": true, "minContains": 0, "maxContains": 2})));
    same(
        array(json!({"items": {"type": "null"}})),
        array(json!({"contains": {"not": {"type": "null"}}, "minContains": 0, "maxContains": 0})),
    );
    widens(
        array(json!({"contains": {"type": "integer"}, "minContains": 2})),
        array(json!({"contains": {"type": "number"}})),
    );
    same(array(json!({"items": {"type": "boolean"}, "uniqueItems": true, "minItems": 3})), json!(false));
    same(
        array(json!({"items": {"type": "boolean"}, "minItems": 3})),
        array(json!({"items": {"type": "boolean"}, "minItems": 3, "not": {"uniqueItems": true}})),
    );
    same(
        array(json!({"prefixItems": [{"type": "null"}], "unevaluatedItems": false})),
        array(json!({"prefixItems": [{"type": "null"}], "items": false})),
    );
    same(
        array(json!({"contains": {"type": "null"}, "unevaluatedItems": {"type": "string"}})),
        array(json!({"contains": {"type": "null"}, "items": {"type": ["null", "string"]}})),
    );
}

/// Near-equal types, compared by meaning (Apicurio/apicurio-registry#9869).
#[test]
fn schemas_are_compared_by_value_not_by_notation() {
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
    same(
        json!({"type": "object", "allOf": [{"properties": {"a": text}}], "unevaluatedProperties": false}),
        json!({"type": "object", "properties": {"a": text}, "additionalProperties": false}),
    );
    same(
        json!({"type": "object", "anyOf": [{"properties": {"a": text}}, {"properties": {"b": text}}], "unevaluatedProperties": false}),
        json!({"anyOf": [
            {"type": "object", "properties": {"a": text, "b": text}, "additionalProperties": false},
            {"type": "object", "properties": {"a": text}, "additionalProperties": false},
            {"type": "object", "properties": {"b": text}, "additionalProperties": false},
        ]}),
    );
    same(
        json!({"type": "object", "dependentRequired": {"a": ["b"]}}),
        json!({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}),
    );
    same(json!({"const": {"a": [1]}}), of(json!({"a": {"enum": [[1.0]]}}), json!(["a"])));
    widens(
        json!({"type": "object", "propertyNames": {"pattern": "^a"}}),
        json!({"type": "object", "propertyNames": {"pattern": "^[ab]"}}),
    );
    same(
        json!({"type": "object", "propertyNames": {"pattern": "^a"}}),
        json!({"type": "object", "patternProperties": {"^a": true}, "additionalProperties": false}),
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
    same(
        json!({"if": {"type": "string"}, "then": {"minLength": 1}, "else": false}),
        json!({"type": "string", "minLength": 1}),
    );
    same(
        json!({"not": {"anyOf": [{"type": "string"}, {"minimum": 3}]}}),
        json!({"allOf": [{"not": {"type": "string"}}, {"not": {"minimum": 3}}]}),
    );
    // With other definition names, and inline.
    let by_name = |name: &str| json!({"anyOf": [{"$ref": format!("#/$defs/{name}")}, {"type": "null"}], "$defs": {name: {"type": "object", "properties": {"x": {"$ref": format!("#/$defs/{name}")}}}}});
    same(by_name("one"), by_name("two"));
    same(
        json!({"oneOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "$defs": {"a": {"type": "string"}}}),
        json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
    );
    for key in ["$anchor", "$dynamicAnchor"] {
        let reference = if key == "$anchor" { "$ref" } else { "$dynamicRef" };
        same(
            json!({"type": "array", "items": {reference: "#it"}, "$defs": {"x": {key: "it", "type": "string"}}}),
            json!({"type": "array", "items": {"type": "string"}}),
        );
    }
}

/// Recursive lists and trees.
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
    // A rule that only applies one level deeper.
    let mut deeper = tree(json!({"type": "integer"}));
    deeper["$defs"]["inner"] = tree(json!({"type": "string"}))["$defs"]["tree"].clone();
    deeper["$defs"]["tree"]["properties"]["children"]["items"] = json!({"$ref": "#/$defs/inner"});
    check(tree(json!({"type": "integer"})), deeper, Expected::No);
    check(json!({}), json!({"$ref": "#"}), Expected::Unknown);
}

#[test]
fn unsupported_schemas_are_unknown() {
    for unsupported in [
        json!({"$ref": "https://example.com/schema"}),
        json!({"$dynamicRef": "#x"}),
        json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"}),
        json!({"items": [{"type": "integer"}]}),
        json!({"minimum": "3"}),
        json!({"type": 3}),
        json!({"required": "a"}),
    ] {
        check(json!({}), unsupported, Expected::Unknown);
    }
    // Keywords of older dialects.
    let old = |more: Value| {
        let mut schema = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    same(
        old(json!({"items": [{"type": "integer"}], "additionalItems": false})),
        json!({"prefixItems": [{"type": "integer"}], "items": false}),
    );
    same(
        old(json!({"dependencies": {"a": ["b"], "c": {"maxProperties": 1}}})),
        json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"maxProperties": 1}}}),
    );
    same(
        old(json!({"$ref": "#/definitions/x", "maxLength": 1, "definitions": {"x": {"type": "string"}}})),
        json!({"type": "string"}),
    );
    let draft_7 = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "integer"});
    widens(draft_7, json!({"type": "number"}));
}

/// Nested alternatives grow exponentially; the limit ends the search soon.
#[test]
fn exponential_growth_is_given_up() {
    let level = |number: usize| json!({"$ref": format!("#/$defs/l{}", number + 1)});
    let mut definitions: serde_json::Map<String, Value> = (0..40)
        .map(|number| {
            (format!("l{number}"), json!({"anyOf": [level(number), level(number), {"not": level(number)}]}))
        })
        .collect();
    for end in [json!({"type": "string", "format": "x"}), json!(false)] {
        definitions.insert("l40".to_owned(), end);
        let schema = json!({"$ref": "#/$defs/l0", "$defs": definitions});
        // One of the alternatives matches, whatever the last level is.
        assert!(!matches!(compare(&json!({}), &schema), Answer::No { .. }));
        compare(&schema, &json!({"type": "integer", "minimum": 3}));
    }
}
