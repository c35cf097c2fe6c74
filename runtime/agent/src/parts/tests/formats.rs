//! Tests of each format.

use serde_json::{Value, json};

use super::super::*;
use super::check_members;

#[test]
fn ai_sdk_4_wraps_its_calls() {
    let invocation = json!({ "state": "result", "step": 2, "toolCallId": "c1", "toolName": "add", "args": { "a": 1 },
        "result": 3 });
    let expected =
        json!({ "toolName": "add", "args": { "a": 1 }, "result": 3, "state": "result", "callId": "c1" });
    let part = json!({ "type": "tool-invocation", "toolInvocation": invocation });
    assert_eq!(check_members(&part, &expected).extra["toolInvocation"], json!({ "step": 2 }));
    // Messages of that version contain the same calls twice.
    let message = json!({ "role": "assistant", "toolInvocations": [invocation], "parts": [part] });
    assert_eq!(all(&message).len(), 1);
    let older = json!({ "role": "assistant", "content": "", "toolInvocations": [invocation] });
    assert_eq!(all(&older)[0].result, Some(json!(3)));
    let partial = json!({ "type": "tool-invocation",
        "toolInvocation": { "state": "partial-call", "toolCallId": "c1", "toolName": "add", "args": { "a": 1 } } });
    assert!(!check_members(&partial, &json!({ "result": null, "hasResult": null })).is_done());
}

#[test]
fn ai_sdk_5_to_7_state_their_progress() {
    let part = |state: &str, rest: Value| {
        let mut part = json!({ "type": "tool-weather", "toolCallId": "c1", "state": state, "input": { "city": "Bern" } });
        part.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        part
    };
    for (state, rest, phase, done) in [
        ("input-streaming", json!({}), Phase::Requested, false),
        (
            "input-available",
            json!({ "title": "Weather", "toolMetadata": { "a": 1 } }),
            Phase::Requested,
            false,
        ),
        ("approval-requested", json!({ "approval": { "id": "a1" } }), Phase::AwaitingApproval, false),
        (
            "approval-responded",
            json!({ "approval": { "id": "a1", "approved": true } }),
            Phase::Requested,
            false,
        ),
        ("output-available", json!({ "output": "sunny", "preliminary": true }), Phase::Done, false),
        ("output-available", json!({ "output": "sunny", "providerExecuted": true }), Phase::Done, true),
        ("output-error", json!({ "errorText": "no such city", "rawInput": "{" }), Phase::Failed, true),
        ("output-denied", json!({ "approval": { "id": "a1", "approved": false } }), Phase::Denied, true),
        ("output-teleported", json!({}), Phase::Unknown, false),
    ] {
        let read = check_members(&part(state, rest), &json!({ "state": state, "args": { "city": "Bern" } }));
        assert_eq!((read.state.phase(), read.is_done()), (phase, done), "{state}");
    }
    let failed = part("output-error", json!({ "errorText": "no such city" }));
    check_members(&failed, &json!({ "isError": true, "errorText": "no such city", "result": null }));
}

#[test]
fn model_messages_pair_calls_and_results() {
    let call = json!({ "role": "assistant", "content": [
        { "type": "text", "text": "…" },
        { "type": "tool-call", "toolCallId": "c1", "toolName": "add", "input": { "a": 1 } },
    ] });
    assert!(!all(&call)[0].is_done());
    assert_eq!(all(&call)[0].state, State::Call);
    for (output, is_error) in [
        (json!({ "type": "json", "value": 3 }), false),
        (json!({ "type": "error-text", "value": "overflow" }), true),
        (json!({ "type": "execution-denied", "reason": "no" }), true),
    ] {
        let result = json!({ "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "c1", "toolName": "add", "output": output },
        ] });
        let parts = Transcript::of([&call, &result]).into_parts();
        assert_eq!(parts.len(), 1);
        assert_eq!((parts[0].result.as_ref(), parts[0].is_error), (Some(&output), is_error));
        assert!(parts[0].is_done());
        assert_eq!(parts[0].args, json!({ "a": 1 }));
    }
}

#[test]
fn anthropic_blocks_are_read_in_all_variants() {
    for (call, result, name) in [
        (
            json!({ "type": "tool_use", "id": "t1", "name": "weather", "input": { "a": 1 } }),
            json!({ "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "sunny" }] }),
            "weather",
        ),
        (
            json!({ "type": "mcp_tool_use", "id": "t1", "name": "weather", "server_name": "far", "input": { "a": 1 } }),
            json!({ "type": "mcp_tool_result", "tool_use_id": "t1", "is_error": false, "content": "sunny" }),
            "far__weather",
        ),
        (
            json!({ "type": "server_tool_use", "id": "t1", "name": "web_search", "input": { "a": 1 } }),
            json!({ "type": "web_search_tool_result", "tool_use_id": "t1", "content": [] }),
            "web_search",
        ),
    ] {
        let parts = all(&json!([call, result]));
        assert_eq!(parts.len(), 1, "{name}");
        assert_eq!((parts[0].tool_name.as_deref(), &parts[0].args), (Some(name), &json!({ "a": 1 })));
        assert_eq!(parts[0].result, result.get("content").cloned());
        assert!(parts[0].is_done() && !parts[0].is_error);
    }
    let failed = json!({ "type": "tool_result", "tool_use_id": "t1", "is_error": true });
    check_members(
        &failed,
        &json!({ "isError": true, "hasResult": true, "state": "failed", "isResultOnly": true }),
    );
    let failed = json!({ "type": "web_search_tool_result", "tool_use_id": "t1",
        "content": { "type": "web_search_tool_result_error", "error_code": "too_many_requests" } });
    check_members(&failed, &json!({ "isError": true }));
}

#[test]
fn openai_arguments_are_parsed_once() {
    let call = |arguments: &str| {
        json!({ "type": "function_call", "call_id": "c1", "id": "fc_1", "name": "add", "arguments": arguments,
            "status": "completed" })
    };
    for (arguments, args, text) in [
        ("{\"a\": 1, \"b\": [\"x y\", \"\\u00e9\"]}", json!({ "a": 1, "b": ["x y", "é"] }), None),
        ("", json!({}), None),
        (" \n", json!({}), None),
        ("{}", json!({}), None),
        ("{\"a\":", json!({}), Some("{\"a\":")),
        // Once only.
        ("\"{\\\"a\\\":1}\"", json!({}), Some("\"{\\\"a\\\":1}\"")),
        ("[1]", json!({}), Some("[1]")),
        // Values that parsed JSON cannot represent.
        ("{\"a\":1,\"a\":2}", json!({ "a": 2 }), Some("{\"a\":1,\"a\":2}")),
        (
            "{\"a\":12345678901234567890123}",
            json!({ "a": 1.234_567_890_123_456_8e22 }),
            Some("{\"a\":12345678901234567890123}"),
        ),
    ] {
        check_members(
            &call(arguments),
            &json!({ "args": args, "argsText": text, "callId": "c1", "extra": { "id": "fc_1" } }),
        );
    }
    let output = json!({ "type": "function_call_output", "call_id": "c1", "output": "3" });
    let parts = all(&json!([call("{\"a\":1}"), output]));
    assert_eq!((parts.len(), parts[0].is_done(), &parts[0].result), (1, true, &Some(json!("3"))));
    let custom = json!({ "type": "custom_tool_call", "call_id": "c2", "name": "sh", "input": "ls -l" });
    check_members(&custom, &json!({ "args": {}, "argsText": "ls -l", "state": "call" }));
}

#[test]
fn openai_chat_messages_may_be_whole_messages() {
    let call = json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": "c1", "type": "function", "function": { "name": "add", "arguments": "{\"a\":1}" } },
        { "id": "c2", "type": "custom", "custom": { "name": "sh", "input": "ls" } },
    ] });
    let result = json!({ "role": "tool", "tool_call_id": "c1", "content": "3" });
    let parts = Transcript::of([&call, &result]).into_parts();
    assert_eq!(parts.len(), 2);
    assert_eq!((parts[0].result.as_ref(), parts[0].tool_name.as_deref()), (Some(&json!("3")), Some("add")));
    assert_eq!((parts[1].args_text.as_deref(), parts[1].is_done()), (Some("ls"), false));
    assert_eq!(last_index(&call), Some(1));
}

#[test]
fn openai_calls_of_mcp_servers_hold_their_result() {
    let call = json!({ "type": "mcp_call", "id": "mcp_1", "server_label": "far", "name": "add", "arguments": "{\"a\":1}",
        "output": "3", "error": null, "approval_request_id": null });
    let read = check_members(
        &call,
        &json!({ "toolName": "far__add", "result": "3", "state": "completed", "isError": null }),
    );
    assert!(read.is_done());
    let mut failed = call.clone();
    failed["output"] = Value::Null;
    failed["error"] = json!("gone");
    check_members(
        &failed,
        &json!({ "hasResult": null, "isError": true, "errorText": "gone", "state": "failed" }),
    );
    failed["error"] = json!({ "type": "http_error", "code": 502 });
    check_members(&failed, &json!({ "isError": true, "errorText": null }));
}

#[test]
fn mcp_results_are_read_alone_and_inside_of_parts() {
    let result = json!({ "content": [{ "type": "text", "text": "no such city" }], "isError": true });
    let read = check_members(
        &result,
        &json!({ "originalType": "mcp-result", "isError": true, "isResultOnly": true }),
    );
    assert_eq!(read.result, Some(result.clone()));
    for part in [json!({ "type": "tool-x", "output": result }), json!({ "type": "tool-x", "result": result })]
    {
        check_members(&part, &json!({ "isError": true, "result": result }));
    }
    let structured = json!({ "content": [], "structuredContent": { "a": 1 } });
    check_members(&structured, &json!({ "isError": null }));
    assert!(!is_tool_part(&json!({ "content": [] })));
}
