//! Tests of all formats, and of properties that hold for any JSON.

mod formats;
mod messages;
mod properties;

use serde_json::{Value, json};

use super::*;

/// Checks that `part` is read as `expected`, the JSON of a [`ToolPart`].
#[track_caller]
fn check(part: &Value, expected: &Value) {
    let read = normalize(part).unwrap_or_else(|| panic!("not a tool part: {part}"));
    assert_eq!(serde_json::to_value(&read).unwrap(), *expected, "{part}");
}

/// Checks only the members that `expected` names.
#[track_caller]
fn check_members(part: &Value, expected: &Value) -> ToolPart {
    let read = normalize(part).unwrap_or_else(|| panic!("not a tool part: {part}"));
    let written = serde_json::to_value(&read).unwrap();
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(written.get(name).unwrap_or(&Value::Null), value, "{name} of {part}: {written}");
    }
    read
}

#[test]
fn both_spellings_of_ui_parts_are_equivalent() {
    check(
        &json!({ "type": "tool-uv-mcp__load_csv", "args": { "name": "compound" }, "result": "success" }),
        &json!({
            "toolName": "uv-mcp__load_csv", "args": { "name": "compound" }, "result": "success", "state": "completed",
            "originalType": "tool-uv-mcp__load_csv", "transport": "stdio"
        }),
    );
    check(
        &json!({ "type": "tool-railway-mcp__analyze", "input": { "dataset": "compound" }, "output": { "data": [1] } }),
        &json!({
            "toolName": "railway-mcp__analyze", "args": { "dataset": "compound" }, "result": { "data": [1] },
            "state": "completed", "originalType": "tool-railway-mcp__analyze", "transport": "http"
        }),
    );
}

#[test]
fn named_parts_accept_either_spelling() {
    for kind in ["tool-call", "dynamic-tool"] {
        for (args, result) in [("args", "result"), ("input", "output")] {
            check(
                &json!({ "type": kind, "toolName": "analyze", args: { "a": 1 }, result: "done", "state": "completed" }),
                &json!({
                    "toolName": "analyze", "args": { "a": 1 }, "result": "done", "state": "completed",
                    "originalType": kind, "transport": "standard"
                }),
            );
        }
    }
}

#[test]
fn only_tool_parts_are_recognized() {
    for part in [
        json!({ "type": "tool-uv-mcp__load_csv" }),
        json!({ "type": "tool-railway-mcp__analyze" }),
        json!({ "type": "tool-call", "toolName": "x" }),
        json!({ "type": "dynamic-tool", "toolName": "x" }),
    ] {
        assert!(is_tool_part(&part), "{part}");
    }
    for (part, reason) in [
        (json!({ "type": "text", "text": "…" }), NotAToolPart::OtherType("text".to_owned())),
        (json!({ "type": "tool-" }), NotAToolPart::OtherType("tool-".to_owned())),
        (json!({ "type": "tool" }), NotAToolPart::OtherType("tool".to_owned())),
        (json!({ "type": 7, "toolName": "x" }), NotAToolPart::TypeNotString),
        (json!({ "type": null }), NotAToolPart::TypeNotString),
        (json!({ "toolName": "x" }), NotAToolPart::NoType),
        (json!({ "role": "user", "content": [] }), NotAToolPart::NoType),
        (json!({}), NotAToolPart::NoType),
        (json!([]), NotAToolPart::NotAnObject),
        (json!("tool-x"), NotAToolPart::NotAnObject),
        (json!(null), NotAToolPart::NotAnObject),
    ] {
        assert_eq!(Formats::standard().read(&part), Err(reason), "{part}");
        assert!(!is_tool_part(&part));
    }
}

#[test]
fn a_tool_may_have_the_name_of_a_type() {
    check_members(
        &json!({ "type": "tool-call", "input": {} }),
        &json!({ "toolName": "call", "transport": "http" }),
    );
    let result =
        json!({ "type": "tool-result", "toolCallId": "1", "state": "output-available", "output": 1 });
    check_members(&result, &json!({ "toolName": "result", "isResultOnly": null }));
}

#[test]
fn falsy_values_are_values() {
    for value in [json!(0), json!(false), json!(""), json!([]), json!(null)] {
        for member in ["result", "output"] {
            let part = json!({ "type": "tool-x", member: value });
            assert_eq!(result(&part), Some(value.clone()), "{part}");
            assert!(normalize(&part).unwrap().is_done());
        }
    }
    let nothing = json!({ "type": "tool-x" });
    assert_eq!((result(&nothing), args(&nothing)), (None, json!({})));
    assert!(!normalize(&nothing).unwrap().is_done());
    assert_eq!((name(&json!("x")), args(&json!("x")), result(&json!("x"))), (None, json!({}), None));
    // The first spelling that is present wins, and the other is kept.
    let both = json!({ "type": "tool-x", "result": null, "output": 2 });
    check_members(&both, &json!({ "result": null, "hasResult": true, "extra": { "output": 2 } }));
}

#[test]
fn the_transport_follows_the_spelling_and_then_the_server() {
    let formats = Formats::standard().clone().server("far", Transport::Http);
    let transport = |part: Value| formats.read(&part).unwrap().transport;
    assert_eq!(transport(json!({ "type": "tool-far__x", "args": {} })), Transport::Stdio);
    assert_eq!(transport(json!({ "type": "tool-near__x", "output": 1 })), Transport::Http);
    assert_eq!(transport(json!({ "type": "tool-far__x" })), Transport::Http);
    assert_eq!(transport(json!({ "type": "tool-far__x", "args": {}, "output": 1 })), Transport::Http);
    assert_eq!(transport(json!({ "type": "tool-near__x" })), Transport::Stdio);
    assert_eq!(transport(json!({ "type": "tool-near__x", "input": {}, "result": 1 })), Transport::Stdio);
}
