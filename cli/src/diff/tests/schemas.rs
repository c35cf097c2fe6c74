//! Schemas whose keywords changed, for arguments and for results.

use serde_json::{Value, json};

use super::cases::{check, check_tool, closed};
use super::{changes, class, ids, with_input, with_output};
use crate::diff::rule::Class;

/// Each group of keywords: for arguments, accepting less is breaking; for results, accepting more is.
#[test]
fn every_group_of_keywords_has_its_two_directions() {
    for (group, narrow, wide) in [
        ("type", json!({"type": "integer"}), json!({"type": "number"})),
        ("values", json!({"enum": ["a"]}), json!({"enum": ["a", "b"]})),
        ("range", json!({"type": "integer", "maximum": 3}), json!({"type": "integer", "maximum": 4})),
        ("length", json!({"type": "string", "minLength": 2}), json!({"type": "string"})),
        ("pattern", json!({"type": "string", "pattern": "^a"}), json!({"type": "string"})),
        ("format", json!({"type": "string", "format": "uuid"}), json!({"type": "string"})),
        ("items", json!({"type": "array", "maxItems": 3}), json!({"type": "array"})),
        ("names", json!({"type": "object", "maxProperties": 1}), json!({"type": "object"})),
        (
            "rules",
            json!({"anyOf": [{"type": "string"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ),
    ] {
        let input = |schema: &Value| closed(json!({"x": schema}), json!([]));
        let output = |schema: &Value| with_output(json!({"type": "object", "properties": {"x": schema}}));
        for (old, new, expected, harms) in [
            (input(&wide), input(&narrow), format!("input-{group}-narrowed"), true),
            (input(&narrow), input(&wide), format!("input-{group}-widened"), false),
            (output(&narrow), output(&wide), format!("output-{group}-widened"), true),
            (output(&wide), output(&narrow), format!("output-{group}-narrowed"), false),
        ] {
            let findings = changes(&old, &new);
            assert_eq!(ids(&findings), [expected]);
            let expected = if harms { Class::Breaking } else { Class::Compatible };
            assert_eq!(class(&findings), Some(expected), "{findings:#?}");
            let is_shown = findings[0].witness.is_some() || findings[0].undecided.is_some();
            assert_eq!(is_shown, harms, "{findings:#?}");
        }
    }
}

#[test]
fn results_have_the_other_direction() {
    let of = |properties: Value, required: Value, open: bool| {
        with_output(json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": open,
        }))
    };
    let text = json!({"type": "string"});
    let both = || json!({"a": text, "b": text});
    check(of(json!({"a": text}), json!([]), true), of(both(), json!([]), true), &["output-property-added"]);
    check(
        of(json!({"a": text}), json!([]), false),
        of(both(), json!([]), false),
        &["output-property-added-closed"],
    );
    check(of(both(), json!([]), true), of(json!({"a": text}), json!([]), true), &["output-property-removed"]);
    check(of(both(), json!(["a"]), true), of(both(), json!([]), true), &["output-property-optional"]);
    check(of(both(), json!([]), true), of(both(), json!(["a"]), true), &["output-property-required"]);
    check(of(both(), json!([]), false), of(both(), json!([]), true), &["output-names-widened"]);
    check(of(both(), json!([]), true), of(both(), json!([]), false), &["output-names-narrowed"]);
    check_tool(json!({}), json!({"outputSchema": {"type": "object"}}), &["output-schema-added"]);
    let respelled = |schema: Value| with_output(json!({"type": "object", "properties": {"x": schema}}));
    check(respelled(json!({"const": 1})), respelled(json!({"enum": [1]})), &["output-respelled"]);
}

#[test]
fn rules_for_other_names_are_compared() {
    let of =
        |rule: Value| with_input(json!({"type": "object", "properties": {}, "additionalProperties": rule}));
    check(of(json!(true)), of(json!(false)), &["input-names-narrowed"]);
    check(of(json!(false)), of(json!(true)), &["input-names-widened"]);
    check(of(json!({})), of(json!(true)), &["input-respelled"]);
    check(of(json!({"type": "number"})), of(json!({"type": "integer"})), &["input-type-narrowed"]);
    check(of(json!(true)), of(json!({"type": "integer"})), &["input-names-narrowed"]);
    // A name that `additionalProperties` covered gets its own schema.
    let mut named = of(json!({"type": "integer"}));
    named["tools"][0]["inputSchema"]["properties"] = json!({"x": {"type": "string"}});
    check(of(json!({"type": "integer"})), named, &["input-property-added", "input-rules-narrowed"]);
}

#[test]
fn undecidable_changes_are_breaking_with_a_reason() {
    let one = |schema: Value| closed(json!({"x": schema}), json!([]));
    let findings =
        changes(&one(json!({"type": "string"})), &one(json!({"type": "string", "format": "date"})));
    assert_eq!(ids(&findings), ["input-format-narrowed"]);
    assert!(findings[0].undecided.as_ref().is_some_and(|why| why.contains("format")), "{findings:#?}");
    let findings = changes(&one(json!({})), &one(json!({"$ref": "https://example.com/schema"})));
    assert_eq!(class(&findings), Some(Class::Breaking));
    assert!(findings[0].undecided.as_ref().is_some_and(|why| why.contains("leads out of the schema")));
}

/// In a tree, the change is reported once, at its location.
#[test]
fn schemas_that_contain_themselves_are_compared() {
    let tree = |leaf: &str| {
        let node = json!({
            "type": "object", "additionalProperties": false,
            "properties": {"leaf": {"type": leaf}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        });
        let mut root = node.clone();
        root["$defs"] = json!({"node": node});
        with_input(root)
    };
    check(tree("integer"), tree("number"), &["input-type-widened", "input-type-widened"]);
    check(tree("number"), tree("integer"), &["input-type-narrowed", "input-type-narrowed"]);
}
