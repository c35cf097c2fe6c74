//! Properties that hold for any JSON.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;

/// Generates JSON that contains the member names and types of the formats.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "type",
        "tool-x",
        "tool-a__b",
        "tool-",
        "tool-call",
        "tool-result",
        "tool-invocation",
        "dynamic-tool",
        "tool_use",
        "tool_result",
        "mcp_tool_use",
        "web_search_tool_result",
        "function_call",
        "function_call_output",
        "mcp_call",
        "function",
        "custom",
        "toolInvocation",
        "toolName",
        "toolCallId",
        "args",
        "input",
        "arguments",
        "result",
        "output",
        "content",
        "state",
        "status",
        "call",
        "completed",
        "in_progress",
        "call_id",
        "id",
        "tool_use_id",
        "tool_call_id",
        "is_error",
        "isError",
        "errorText",
        "error",
        "preliminary",
        "name",
        "server_name",
        "server_label",
        "role",
        "tool",
        "parts",
        "tool_calls",
        "toolInvocations",
        "structuredContent",
        "originalType",
        "transport",
        "callId",
        "argsText",
        "hasResult",
        "isResultOnly",
        "extra",
        "{\"a\": 1}",
        "{\"a\":1,\"a\":2}",
        "[",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        words.clone().prop_map(Value::from),
    ];
    let members = move |value: BoxedStrategy<Value>| prop::collection::vec((words.clone(), value), 0..6);
    leaf.prop_recursive(4, 64, 6, move |inner| {
        let kinds = prop::sample::select(vec![
            "tool-x",
            "tool-call",
            "tool-result",
            "tool-invocation",
            "dynamic-tool",
            "tool_use",
            "tool_result",
            "function_call",
            "function_call_output",
            "mcp_call",
            "function",
            "text",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            members(inner.clone().boxed()).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
            (kinds, members(inner.boxed())).prop_map(|(kind, members)| {
                let mut part: Map<String, Value> =
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
                part.insert("type".to_owned(), json!(kind));
                Value::Object(part)
            }),
        ]
    })
}

/// Collects the numbers and strings of a value, including those in a JSON string of arguments.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.values().for_each(|value| leaves(value, found)),
        Value::Array(items) => items.iter().for_each(|value| leaves(value, found)),
        Value::String(text) if text.starts_with('{') => match serde_json::from_str(text) {
            Ok(inner) => leaves(&inner, found),
            Err(_) => found.push(text.clone()),
        },
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn normalizing_loses_nothing_and_is_idempotent(value in any_json()) {
        let _ = (all(&value), last_index(&value), name(&value), args(&value));
        if let Some(part) = normalize(&value) {
            let written = serde_json::to_value(&part).unwrap();
            prop_assert_eq!(normalize(&written), Some(part.clone()), "twice: {}", written);
            let mut before = Vec::new();
            leaves(&value, &mut before);
            let mut after = Vec::new();
            leaves(&written, &mut after);
            for leaf in before.iter().filter(|leaf| !leaf.trim().is_empty()) {
                let is_there = after.iter().any(|other| other == leaf || other.contains(leaf.as_str()));
                prop_assert!(is_there, "{leaf} of {value} is lost: {written}");
            }
        }
    }

    #[test]
    fn results_are_joined_and_none_is_lost(parts in prop::collection::vec(any_json(), 0..12)) {
        let message = Value::Array(parts);
        let alone: Vec<_> = message.as_array().unwrap().iter().filter_map(normalize).collect();
        let together = all(&message);
        prop_assert!(together.len() <= alone.len());
        let calls = |parts: &[ToolPart]| parts.iter().filter(|part| !part.is_result_only).count();
        prop_assert_eq!(calls(&together), calls(&alone), "{}", message);
    }
}
