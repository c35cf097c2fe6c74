//! Pairs with a known class.
#![expect(clippy::needless_pass_by_value, reason = "the values are made by `json!` where they are passed")]

use serde_json::{Value, json};

use super::{changes, class, ids, manifest, with_input, with_output};
use crate::diff::compare::{Author, compare};
use crate::diff::rule::Class;
use crate::source::ServerDefinitions;

/// Checks the ids of the changes between two tools called `tool`.
#[track_caller]
pub(super) fn check(old: Value, new: Value, expected: &[&str]) {
    let findings = changes(&old, &new);
    assert_eq!(ids(&findings), expected, "{findings:#?}");
}

#[track_caller]
pub(super) fn check_tool(old: Value, new: Value, expected: &[&str]) {
    let of = |members: Value| {
        let mut tool = json!({"name": "tool", "inputSchema": {"type": "object"}});
        tool.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        manifest(json!([tool]))
    };
    check(of(old), of(new), expected);
}

pub(super) fn closed(properties: Value, required: Value) -> Value {
    with_input(json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    }))
}

fn open(properties: Value) -> Value {
    with_input(json!({"type": "object", "properties": properties}))
}

/// Pairs that tools for schema registries get wrong (Apicurio/apicurio-registry#9769, Apicurio/apicurio-registry#9869).
#[test]
fn required_optional_and_similar_types_are_distinguished() {
    let text = json!({"type": "string"});
    let one = |schema: Value| closed(json!({"x": schema}), json!([]));
    check(closed(json!({"x": text}), json!(["x"])), one(text.clone()), &["input-property-optional"]);
    check(one(text.clone()), closed(json!({"x": text}), json!(["x"])), &["input-property-required"]);
    check(
        closed(json!({}), json!([])),
        closed(json!({"x": text}), json!(["x"])),
        &["input-property-added-required"],
    );
    check(closed(json!({}), json!([])), one(text.clone()), &["input-property-added"]);
    check(one(text.clone()), closed(json!({}), json!([])), &["input-property-removed"]);
    check(open(json!({"x": text})), open(json!({})), &["input-property-ignored"]);
    check(
        one(json!({"type": ["string", "null"]})),
        one(json!({"type": ["integer", "null"]})),
        &["input-type-narrowed"],
    );
    check(one(json!({"enum": ["1"]})), one(json!({"enum": [1]})), &["input-values-narrowed"]);
    let either = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    check(one(either), one(json!({"type": ["string", "null"]})), &["input-respelled", "input-respelled"]);
    let point = json!({"type": "object", "properties": {"left": {"type": "integer"}}});
    let mut by_reference = one(json!({"$ref": "#/$defs/point"}));
    by_reference["tools"][0]["inputSchema"]["$defs"] = json!({"point": point});
    check(one(point), by_reference, &["input-respelled"]);
    // Strictly, this narrows an open schema; but the name was undeclared, so it does not count.
    check(open(json!({})), open(json!({"x": text})), &["input-property-added"]);
}

/// A hint that no longer excludes effects is breaking (JoviDeCroock/mcp-tada#14).
#[test]
fn hints_keywords_and_formats_have_their_class() {
    let hints = |hints: Value| json!({"annotations": hints});
    check_tool(
        hints(json!({"readOnlyHint": true})),
        hints(json!({"readOnlyHint": false})),
        &["read-only-dropped"],
    );
    check_tool(hints(json!({"destructiveHint": false})), hints(json!({})), &["destructive-added"]);
    check_tool(json!({"title": "One"}), json!({"title": "Two"}), &["tool-title-changed"]);
    let tool = |name: &str| manifest(json!([{"name": name, "inputSchema": {"type": "object"}}]));
    check(tool("one"), tool("two"), &["tool-removed", "tool-added"]);
    let one = |schema: Value| closed(json!({"x": schema}), json!([]));
    check(one(json!({})), one(json!({"x-foo": 1})), &["schema-keyword-unknown"]);
    check(
        one(json!({"type": "string"})),
        one(json!({"type": "string", "pattern": "^a"})),
        &["input-pattern-narrowed"],
    );
    check(
        one(json!({"type": "string", "format": "date"})),
        one(json!({"type": "string"})),
        &["input-format-widened"],
    );
    check_tool(json!({"outputSchema": {"type": "object"}}), json!({}), &["output-schema-removed"]);
    check_tool(json!({"description": "One"}), json!({"description": "Two"}), &["tool-description-changed"]);
}

/// Hidden characters in the description of a tool and of an argument (kerlenton/mcpsnoop#103).
#[test]
fn hidden_characters_are_named() {
    for hidden in ['\u{200b}', '\u{202e}', '\u{e0041}'] {
        let text = format!("One{hidden}");
        let expected = ["tool-description-changed", "hidden-characters-added"];
        check_tool(json!({"description": "One"}), json!({"description": text}), &expected);
        check_tool(json!({"description": text}), json!({"description": "One"}), &expected[..1]);
        let of = |text: &str| open(json!({"x": {"description": text}}));
        check(of("One"), of(&text), &["schema-text-changed", "hidden-characters-added"]);
    }
    let new =
        manifest(json!([{"name": "tool", "description": "a\u{200b}", "inputSchema": {"type": "object"}}]));
    check(manifest(json!([])), new, &["tool-added", "hidden-characters-added"]);
    check_tool(json!({"description": "a"}), json!({"description": "a\n\tb"}), &["tool-description-changed"]);
}

/// Hints are compared with their defaults (2026-07-28, schema `ToolAnnotations`).
#[test]
fn hints_are_compared_by_effective_value() {
    let hints = |hints: Value| json!({"annotations": hints});
    for (old, new, expected) in [
        (json!({"openWorldHint": false}), json!({}), "open-world-added"),
        (json!({}), json!({"openWorldHint": false}), "hint-safer"),
        (json!({}), json!({"openWorldHint": true}), "hint-stated"),
        (json!({"idempotentHint": true}), json!({"idempotentHint": false}), "idempotent-dropped"),
        (json!({}), json!({"readOnlyHint": true}), "hint-safer"),
        (json!({"title": "One"}), json!({"title": "Two"}), "tool-title-changed"),
    ] {
        check_tool(hints(old), hints(new), &[expected]);
    }
    let read_only = |destructive: bool| hints(json!({"readOnlyHint": true, "destructiveHint": destructive}));
    check_tool(read_only(false), read_only(true), &["hint-stated"]);
    check_tool(json!({}), hints(json!({"readOnlyHint": true})), &["hint-safer"]);
}

/// Clients must only trust hints of trusted servers (2026-07-28, server/tools): additional claims of a third-party server are
/// reported.
#[test]
fn a_stranger_that_claims_more_is_breaking() {
    let tool = |hints: Value| {
        let tools = json!([{"name": "tool", "inputSchema": {"type": "object"}, "annotations": hints}]);
        ServerDefinitions::parse(&manifest(tools).to_string()).unwrap()
    };
    for (old, new, expected) in [
        (json!({}), json!({"readOnlyHint": true}), "hint-claimed"),
        (json!({"readOnlyHint": false}), json!({"readOnlyHint": true}), "hint-claimed"),
        (json!({}), json!({"destructiveHint": false}), "hint-claimed"),
        (json!({}), json!({"idempotentHint": true}), "hint-claimed"),
        (json!({}), json!({"openWorldHint": false}), "hint-claimed"),
        (json!({}), json!({"readOnlyHint": false}), "hint-stated"),
        (json!({"readOnlyHint": true}), json!({}), "read-only-dropped"),
    ] {
        let findings = compare(&tool(old), &tool(new), Author::ThirdParty);
        assert_eq!(ids(&findings), [expected]);
        assert_eq!(class(&findings) == Some(Class::Breaking), expected != "hint-stated");
    }
}

/// `--deny compatible` is for changes that affect callers, which a different order does not.
#[test]
fn another_order_or_spelling_is_documentation() {
    let one = |schema: Value| closed(json!({"x": schema, "y": {}}), json!(["x", "y"]));
    for (old, new) in [
        (json!({"enum": ["a", "b"]}), json!({"enum": ["b", "a"]})),
        (json!({"type": ["string", "null"]}), json!({"type": ["null", "string"]})),
        (json!({"const": 1}), json!({"enum": [1.0]})),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "null"}, {"type": "string"}]}),
        ),
        (json!({"type": "string"}), json!({"allOf": [{"type": "string"}]})),
        (json!({"type": "string", "minLength": 0}), json!({"type": "string"})),
    ] {
        let findings = changes(&one(old.clone()), &one(new.clone()));
        assert!(!findings.is_empty(), "{old} -> {new}");
        assert_eq!(class(&findings), Some(Class::Documentation), "{old} -> {new}: {findings:#?}");
        let output = |schema: Value| with_output(json!({"type": "object", "properties": {"x": schema}}));
        assert_eq!(class(&changes(&output(old), &output(new))), Some(Class::Documentation));
    }
    let required = |names: Value| closed(json!({"x": {}, "y": {}}), names);
    check(required(json!(["x", "y"])), required(json!(["y", "x"])), &["input-respelled"]);
    let meta = |names: Value| json!({"_meta": {"io.toolwright/scopes": names}});
    check_tool(meta(json!(["a", "b"])), meta(json!(["b", "a"])), &["tool-meta-changed"]);
}

#[test]
fn scopes_former_names_and_contexts() {
    let meta = |key: &str, value: Value| json!({"_meta": {key: value}});
    let scopes = |names: &[&str]| meta("io.toolwright/scopes", json!(names));
    check_tool(scopes(&["read"]), scopes(&["read", "write"]), &["tool-scope-added"]);
    check_tool(scopes(&["read"]), json!({}), &["tool-scope-removed"]);
    let was = |names: &[&str]| meta("io.toolwright/was", json!(names));
    check_tool(was(&["old"]), was(&["older"]), &["tool-former-name-removed", "tool-former-name-added"]);
    let context = |path: &str| meta("io.toolwright/context", json!(path));
    check_tool(context("orders/open"), context("orders"), &["tool-context-widened"]);
    check_tool(context("orders"), context("orders/open"), &["tool-context-narrowed"]);
    check_tool(json!({}), context("orders"), &["tool-context-narrowed"]);
    check_tool(meta("shop/colour", json!(1)), meta("shop/colour", json!(2)), &["tool-meta-changed"]);
    check_tool(json!({"icons": [{"src": "data:,"}]}), json!({}), &["tool-icons-changed"]);
    check_tool(json!({"else": 1}), json!({"else": 2}), &["tool-member-changed"]);
    let task = |support: &str| json!({"execution": {"taskSupport": support}});
    check_tool(task("optional"), task("required"), &["tool-execution-changed"]);
    check_tool(json!({}), task("optional"), &["tool-member-changed"]);
}

/// A condition is only checked; its default has no effect (JSON Schema 2020-12, core §10.2.2).
#[test]
fn a_default_in_a_condition_is_documentation() {
    let one = |condition: Value, keyword: &str| closed(json!({"x": {keyword: condition}}), json!([]));
    for keyword in ["if", "not"] {
        let old = one(json!({"type": "string", "default": "a"}), keyword);
        for new in [json!({"type": "string", "default": "b"}), json!({"type": "string"})] {
            let changes = changes(&old, &one(new, keyword));
            assert!(ids(&changes).contains(&"schema-note-changed"), "{changes:#?}");
            assert_eq!(class(&changes), Some(Class::Documentation), "{changes:#?}");
        }
    }
}

/// A tool with the former name of a removed one is compared with it.
#[test]
fn a_declared_rename_is_compared_with_the_old_tool() {
    let old = manifest(json!([{"name": "find", "inputSchema": {"type": "object"}}]));
    let new = manifest(json!([{
        "name": "search", "inputSchema": {"type": "object", "required": ["q"], "properties": {"q": {}}},
        "_meta": {"io.toolwright/was": ["find"]},
    }]));
    check(old, new, &["tool-renamed", "input-property-added-required"]);
}

/// Headers (2026-07-28, server/tools "x-mcp-header"; modelcontextprotocol/python-sdk#3033), and defaults.
#[test]
fn headers_and_defaults() {
    let one = |more: Value| {
        let mut schema = json!({"type": "string"});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        closed(json!({"x": schema}), json!([]))
    };
    check(one(json!({})), one(json!({"x-mcp-header": "Region"})), &["header-added"]);
    check(one(json!({"x-mcp-header": "Region"})), one(json!({})), &["header-removed"]);
    check(one(json!({"x-mcp-header": "Region"})), one(json!({"x-mcp-header": "Area"})), &["header-renamed"]);
    check(one(json!({"default": "a"})), one(json!({"default": "b"})), &["input-default-changed"]);
    check(one(json!({})), one(json!({"default": "b"})), &["input-default-added"]);
    check(one(json!({"default": "b"})), one(json!({})), &["input-default-removed"]);
    check(one(json!({})), one(json!({"writeOnly": true})), &["schema-note-changed"]);
}

/// A default in another subschema for the same value is still the default.
#[test]
fn a_default_that_only_moved_is_documentation() {
    let one = |schema: Value| closed(json!({"x": schema}), json!([]));
    let old = json!({"type": "string", "default": "a"});
    for new in [
        json!({"allOf": [old]}),
        json!({"anyOf": [{"not": old}, old]}),
        json!({"type": "string", "anyOf": [old, {"type": "null"}]}),
    ] {
        let ids_found = changes(&one(old.clone()), &one(new.clone()));
        let is_told = ids(&ids_found).iter().any(|id| id.starts_with("input-default"));
        assert!(!is_told, "{new}: {ids_found:#?}");
    }
    let other = json!({"allOf": [{"type": "string", "default": "b"}]});
    assert!(ids(&changes(&one(old), &one(other))).contains(&"input-default-removed"));
}

#[test]
fn prompts_and_resources() {
    let of = |list: &str, entry: Option<Value>| {
        let mut document = manifest(json!([]));
        document[list] = entry.into_iter().collect();
        document
    };
    let prompt = |arguments: Value| of("prompts", Some(json!({"name": "review", "arguments": arguments})));
    let argument = |required: bool| json!([{"name": "code", "required": required}]);
    check(of("prompts", None), prompt(json!([])), &["prompt-added"]);
    check(prompt(json!([])), of("prompts", None), &["prompt-removed"]);
    check(prompt(json!([])), prompt(argument(true)), &["prompt-argument-added-required"]);
    check(prompt(json!([])), prompt(argument(false)), &["prompt-argument-added"]);
    check(prompt(argument(false)), prompt(json!([])), &["prompt-argument-removed"]);
    check(prompt(argument(false)), prompt(argument(true)), &["prompt-argument-required"]);
    check(prompt(argument(true)), prompt(argument(false)), &["prompt-argument-optional"]);
    let described = json!([{"name": "code", "required": true, "description": "The code."}]);
    check(prompt(argument(true)), prompt(described), &["prompt-text-changed"]);
    for (list, key, word) in
        [("resources", "uri", "resource"), ("resourceTemplates", "uriTemplate", "template")]
    {
        let one =
            |kind: &str, name: &str| of(list, Some(json!({key: "shop://x", "mimeType": kind, "name": name})));
        check(of(list, None), one("a/b", "x"), &[&format!("{word}-added")]);
        check(one("a/b", "x"), of(list, None), &[&format!("{word}-removed")]);
        check(one("a/b", "x"), one("a/c", "x"), &[&format!("{word}-type-changed")]);
        check(one("a/b", "x"), one("a/b", "y"), &[&format!("{word}-text-changed")]);
    }
}

/// A missing list is unknown, whereas an empty list has no entries.
#[test]
fn a_list_that_only_the_old_side_has_is_not_removed() {
    let of = |list: &str, entry: Value| {
        let mut document = manifest(json!([]));
        document[list] = json!([entry]);
        document
    };
    for (list, entry) in [
        ("prompts", json!({"name": "review"})),
        ("resources", json!({"uri": "shop://a", "name": "a"})),
        ("resourceTemplates", json!({"uriTemplate": "shop://{a}", "name": "a"})),
    ] {
        let old = of(list, entry.clone());
        let findings = changes(&old, &manifest(json!([])));
        assert_eq!(ids(&findings), ["list-undeclared"], "{list}");
        assert_eq!(class(&findings), Some(Class::Breaking));
        let why = findings[0].undecided.as_deref().unwrap();
        assert!(why.starts_with("the new side does not declare its "), "{why}");
        assert_eq!(changes(&manifest(json!([])), &old).len(), 1, "what is new is told");
        let mut empty = old.clone();
        empty[list] = json!([]);
        assert_eq!(changes(&empty, &manifest(json!([]))), []);
        assert!(ids(&changes(&old, &empty))[0].ends_with("-removed"), "{list}");
    }
    // A saved list of another kind has no information about tools or the server.
    let tools = manifest(json!([{"name": "find", "inputSchema": {"type": "object"}}]));
    let saved = json!({"prompts": []});
    assert_eq!(ids(&changes(&tools, &saved)), ["list-undeclared"]);
}

#[test]
fn server_changes_are_shown_as_documentation() {
    let mut new = manifest(json!([]));
    new["server"]["version"] = json!("2");
    new["instructions"] = json!("Be kind.");
    let findings = changes(&manifest(json!([])), &new);
    assert_eq!(ids(&findings), ["server-changed", "instructions-changed"]);
    assert_eq!(class(&findings), Some(Class::Documentation));
}

/// Every rule is covered by a case here, or by an edit.
#[test]
fn every_check_has_a_case() {
    let texts = [include_str!("cases.rs"), include_str!("edits.rs"), include_str!("schemas.rs")];
    for check in crate::diff::rule::all() {
        let id = check.id();
        let is_named = texts.iter().any(|text| text.contains(&format!("\"{id}\"")));
        // Those of `every_group_of_keywords_has_its_two_directions` and of `prompts_and_resources` have composed ids.
        let parts: Vec<&str> = id.split('-').collect();
        let is_of_a_group = matches!(parts[..], ["input" | "output", _, "narrowed" | "widened"]);
        let is_of_a_resource = matches!(parts[..], ["resource" | "template", ..]);
        assert!(is_named || is_of_a_group || is_of_a_resource, "no case is found to be `{id}`");
    }
}

#[test]
fn a_renamed_argument_is_one_change_that_names_both() {
    let text = |about: &str| json!({"type": "string", "description": about});
    let schema = |properties: Value, required: Value| {
        with_input(
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false}),
        )
    };
    let old = schema(json!({"order": text("The order."), "note": text("A note.")}), json!(["order"]));
    let new = schema(json!({"order_id": text("The order."), "note": text("A note.")}), json!(["order_id"]));
    let found = changes(&old, &new);
    assert_eq!(ids(&found), ["input-property-renamed"], "{found:#?}");
    assert_eq!(found[0].pointer, "/inputSchema/properties/order");
    assert_eq!((&found[0].old, &found[0].new), (&Some(json!("order")), &Some(json!("order_id"))));
    assert_eq!(
        found[0].advice(),
        "accept both names: put `#[serde(alias = \"order\")]` on the field `order_id`"
    );

    // What else changed is reported as well.
    let mut stricter = text("The order.");
    stricter["maxLength"] = json!(9);
    let new = schema(json!({"order_id": stricter, "note": text("A note.")}), json!(["note", "order_id"]));
    let found = changes(&old, &new);
    let expected = ["input-property-required", "input-property-renamed", "input-length-narrowed"];
    assert!(expected.iter().all(|id| ids(&found).contains(id)), "{found:#?}");

    // Without descriptions, the same constraints are enough, unless they fit several.
    let id = json!({"type": "string", "pattern": "^#\\d+$"});
    let renamed = |old: Value, new: Value| {
        let found = changes(&schema(old, json!([])), &schema(new, json!([])));
        ids(&found).contains(&"input-property-renamed")
    };
    assert!(renamed(json!({"a": id}), json!({"b": id})));
    assert!(!renamed(json!({"a": id}), json!({"b": id, "c": id})));
    assert!(!renamed(json!({"a": id, "b": id}), json!({"c": id})));
    assert!(!renamed(json!({"a": {}}), json!({"b": {}})));
    assert!(!renamed(json!({"a": text("One.")}), json!({"b": text("Two.")})));
    assert!(!renamed(json!({"a": id}), json!({"a": id, "b": id})), "nothing is gone");
}
